//! Ways from one table of the fiber to another through tables with counts below zero.
//!
//! Moves among counts of at least zero need four or more counts to take from. Where counts are
//! small there are few such moves, and those that lead to a wanted table may start with one that
//! looks bad. Here the sums stay as they are at every step and a count may be below zero, or above
//! its capacity, for a while (F. Bunea and J. Besag 2000 let one count be -1). What is minimised is
//!
//! ```text
//! (what cells lack to be within their boxes) + (what the sum over some cells lacks to its goal) .
//! ```
//!
//! A step picks a cell that lacks something and takes the best of some moves that mend it, so that
//! work is done where something is missing (as in a walk for satisfiability). A move that costs 1
//! or 2 is made with a small probability.

use std::collections::BTreeMap;

use privacy_core::rng::{SimRng, below};

use crate::engine::known_tables::Difference;
use crate::engine::linear_program::SearchEnd;
use crate::engine::markov_moves::BlockMoves;
use crate::table::system::System;

/// Moves looked at in a step, and levels tried for one that leads to a cell to take from.
const LOOKS: usize = 16;
const TRIES: usize = 8;
/// The share of moves that cost 1 and are made, as one in this number; of those that cost 2 its
/// square.
const RARE: usize = 28;

/// Steps of a search: before linear programs, for a caller who asks again, and after linear
/// programs. Nine in ten of the searches that succeed take less than 300.
pub(crate) const FEW_STEPS: usize = 300;
pub(crate) const SOME_STEPS: usize = 2_000;
pub(crate) const MOST_STEPS: usize = 20_000;

/// A wanted sum over some cells, in increasing order: at least `goal` with `sign = 1`, at most
/// `goal` with `sign = -1`.
pub(crate) struct Wanted<'a> {
    pub(crate) cells: &'a [u32],
    pub(crate) sign: i64,
    pub(crate) goal: i64,
}

/// A table on the way.
struct Way<'a> {
    moves: &'a BlockMoves,
    table: &'a mut [i64],
    wanted: &'a Wanted<'a>,
    /// What the wanted sum lacks; negative beyond the goal.
    short: i64,
    /// What all cells lack together, and which ones do, with their positions in that list.
    lacking: i64,
    outside: Vec<usize>,
    place: Vec<usize>,
    made: Difference,
}

/// Memory for a move that is looked at, and for the best one.
type Looks = [Vec<(usize, i64)>; 2];

/// The position of a cell that is within its box.
const INSIDE: usize = usize::MAX;

impl BlockMoves {
    /// The difference to a table with the wanted sum, found within some steps; `table` is as
    /// before at the end, whatever was found.
    pub(crate) fn seek(
        &self,
        table: &mut [i64],
        wanted: &Wanted<'_>,
        steps: usize,
        (rng, end): (&mut SimRng, &SearchEnd),
    ) -> Option<Difference> {
        let sum: i64 = wanted.cells.iter().map(|&cell| table[cell as usize]).sum();
        let (short, place) = (wanted.sign * (wanted.goal - sum), vec![INSIDE; table.len()]);
        let (outside, made) = (Vec::new(), Difference::new());
        let mut way = Way { moves: self, table, wanted, short, lacking: 0, outside, place, made };
        let mut looks = Looks::default();
        for step in 0..steps {
            if way.lacks() == 0 || step % 64 == 0 && end.is_set() {
                break;
            }
            way.step(&mut looks, rng);
        }
        let is_there = way.lacks() == 0;
        let mut made: BTreeMap<u32, i64> = BTreeMap::new();
        way.made.iter().for_each(|&(cell, more)| *made.entry(cell).or_insert(0) += more);
        made.retain(|_, more| *more != 0);
        made.iter().for_each(|(&cell, more)| table[cell as usize] -= more);
        is_there.then(|| made.into_iter().collect())
    }
}

impl BlockMoves {
    /// Goes some ways to tables that have a person more or less in some cell: from one at a corner
    /// of the fiber, where next to no move is possible, to one far from corners.
    pub(crate) fn roam(
        &self,
        table: &mut Vec<i64>,
        system: &System,
        ways: usize,
        (rng, end): (&mut SimRng, &SearchEnd),
    ) {
        for _ in 0..ways {
            let cell = below(table.len(), rng);
            let sign = if table[cell] > 0 && below(2, rng) == 0 { -1 } else { 1 };
            let cells = [u32::try_from(cell).expect("a cell is numbered in 32 bits")];
            let wanted = Wanted { cells: &cells, sign, goal: table[cell] + sign };
            let Some(made) = self.seek(table, &wanted, FEW_STEPS, (&mut *rng, end)) else { continue };
            let mut next = table.clone();
            made.into_iter().for_each(|(cell, more)| next[cell as usize] += more);
            if system.admits(&next) {
                *table = next;
            }
        }
    }
}

impl Way<'_> {
    fn lacks(&self) -> i64 {
        self.short.max(0) + self.lacking
    }

    fn step(&mut self, [cells, best]: &mut Looks, rng: &mut SimRng) {
        let (cell, sign) = self.to_mend(rng);
        let mut least = None;
        for _ in 0..LOOKS {
            let is_wanted = |cell: usize| self.table[cell] > 0;
            if !self.moves.cells(cell, rng, (TRIES, is_wanted), cells) {
                continue;
            }
            cells.iter_mut().for_each(|(_, own)| *own *= sign);
            let cost = self.cost(cells);
            if least.is_none_or(|least| cost < least) {
                least = Some(cost);
                std::mem::swap(cells, best);
            }
        }
        let is_made = match least {
            None => false,
            Some(..=0) => true,
            Some(1) => below(RARE, rng) == 0,
            Some(2) => below(RARE * RARE, rng) == 0,
            Some(_) => false,
        };
        if is_made {
            self.make(best);
        }
    }

    /// A cell that lacks something, and the direction that mends it.
    fn to_mend(&self, rng: &mut SimRng) -> (usize, i64) {
        let wants = self.short > 0;
        let choice = below(self.outside.len() + usize::from(wants), rng);
        match self.outside.get(choice) {
            Some(&cell) => (cell, if self.table[cell] < 0 { 1 } else { -1 }),
            None => (self.wanted.cells[below(self.wanted.cells.len(), rng)] as usize, self.wanted.sign),
        }
    }

    fn lack(&self, cell: usize, count: i64) -> i64 {
        (-count).max(0) + (count - self.moves.capacity(cell)).max(0)
    }

    fn is_wanted(&self, cell: usize) -> bool {
        u32::try_from(cell).is_ok_and(|cell| self.wanted.cells.binary_search(&cell).is_ok())
    }

    /// By how much a move changes what is lacking.
    fn cost(&self, cells: &[(usize, i64)]) -> i64 {
        let own =
            |&(cell, more): &(usize, i64)| self.lack(cell, self.table[cell] + more) - self.lack(cell, self.table[cell]);
        (self.short - self.gain(cells)).max(0) - self.short.max(0) + cells.iter().map(own).sum::<i64>()
    }

    fn gain(&self, cells: &[(usize, i64)]) -> i64 {
        cells.iter().filter(|&&(cell, _)| self.is_wanted(cell)).map(|&(_, more)| self.wanted.sign * more).sum()
    }

    fn make(&mut self, cells: &[(usize, i64)]) {
        self.short -= self.gain(cells);
        for &(cell, more) in cells {
            let before = self.lack(cell, self.table[cell]);
            self.table[cell] += more;
            let after = self.lack(cell, self.table[cell]);
            self.lacking += after - before;
            self.made.push((u32::try_from(cell).expect("a cell is numbered in 32 bits"), more));
            if after > 0 && self.place[cell] == INSIDE {
                self.place[cell] = self.outside.len();
                self.outside.push(cell);
            } else if after == 0 && self.place[cell] != INSIDE {
                let place = std::mem::replace(&mut self.place[cell], INSIDE);
                self.outside.swap_remove(place);
                if let Some(&moved) = self.outside.get(place) {
                    self.place[moved] = place;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
