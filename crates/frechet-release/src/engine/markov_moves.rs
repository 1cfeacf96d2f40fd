//! Moves from one table of the fiber to another: differences along several blocks of axes.
//!
//! Blocks are disjoint sets of axes. For two cells `e` and `f`, a move adds `t` to every cell
//! with the levels of `f` on an even number of blocks and those of `e` elsewhere, and takes `t`
//! where the number is odd. A margin that misses a block does not change, so blocks are *valid*
//! when every margin misses one. Swaps (two blocks) are the moves of decomposable margins.
//!
//! Used to climb towards a bound without a linear program, and as proposals in sampling.

mod systems;

use std::collections::BTreeSet;

use privacy_core::AttrSet;
use privacy_core::rng::{SimRng, below};

use crate::engine::class_rows::class_rows;
use crate::engine::known_tables::Difference;
use crate::engine::linear_program::{MOST_SMALL, SearchEnd};
use crate::table::grid::Grid;
use crate::table::knowledge::Knowledge;

use self::systems::{Blocks, MOST_AXES, MOST_SYSTEMS, PartialMargin};

/// Rows other than margins that are looked after.
const MOST_ROWS: usize = 64;
/// Moves looked at in one step of a climb, and most steps without gain before it ends.
const LOOKS: usize = 48;
const MOST_STALLS: usize = 40;
/// Levels tried for one that leads to a cell that is not empty.
const TRIES: usize = 6;

#[derive(Clone)]
pub(crate) struct BlockMoves {
    grid: Grid,
    capacity: Vec<i64>,
    systems: Vec<Blocks>,
    /// Rows that are no margins: a move must not change them.
    rows: Vec<Vec<bool>>,
    /// Margins of which some cells are published, and systems of two blocks that change one of
    /// them: their moves stay among cells that are not.
    partial: Vec<PartialMargin>,
    narrow: Vec<(Blocks, usize)>,
}

/// Cells and signs of a move, and how far it can go.
#[derive(Default)]
struct BlockMove {
    cells: Vec<(usize, i64)>,
    reach: i64,
}

impl BlockMove {
    /// By how much one step changes the sum over the members.
    fn change(&self, is_member: &[bool]) -> i64 {
        self.cells.iter().map(|&(cell, s)| if is_member[cell] { s } else { 0 }).sum()
    }
}

/// The move that gains most of those looked at, and the one that is looked at.
#[derive(Default)]
struct Best {
    looked_at: BlockMove,
    found: BlockMove,
    times: i64,
    gained: i64,
}

impl Best {
    fn forget(&mut self) {
        (self.times, self.gained) = (0, 0);
    }

    /// Keeps the move that is looked at where it gains more, made this number of times. One that
    /// goes nowhere gains nothing.
    fn offer(&mut self, gain: i64, times: i64) {
        if gain * times > self.gained {
            (self.times, self.gained) = (times, gain * times);
            std::mem::swap(&mut self.looked_at, &mut self.found);
        }
    }
}

impl BlockMoves {
    /// The systems with the fewest blocks that are valid; `None` if there are none, or too many
    /// to look for.
    pub(crate) fn of(knowledge: &Knowledge) -> Option<Self> {
        Self::made(knowledge, knowledge.grid.cells() > MOST_SMALL)
    }

    /// The same that looks after margins published in part as a whole, however small the table.
    pub(crate) fn by_margins(knowledge: &Knowledge) -> Option<Self> {
        Self::made(knowledge, true)
    }

    fn made(knowledge: &Knowledge, by_margins: bool) -> Option<Self> {
        let grid = knowledge.grid.clone();
        let whole: BTreeSet<AttrSet> = knowledge.margins.iter().map(|margin| margin.axes).collect();
        let (mut kept, mut partial) = (whole.clone(), Vec::new());
        let mut others = class_rows(knowledge);
        if by_margins {
            // Moves that keep all classes on some axes keep those that are published, and there may
            // be hundreds: looking after each would take longer than the moves gain.
            kept.extend(others.iter().filter_map(|(_, class)| class.as_ref().map(|class| class.axes)));
            partial = systems::partial_margins(&grid, &whole, &others);
            others.retain(|(_, class)| class.is_none());
        }
        if others.len() > MOST_ROWS {
            return None;
        }
        let rows = others.iter().map(|&(row, _)| members(knowledge.system.rows[row].cells(), grid.cells())).collect();
        // Fewest blocks first: a move of b blocks changes 2^b cells, and the fewer cells, the
        // farther it can go.
        for blocks in 2..=4 {
            let systems = systems::systems(grid.axes(), blocks, |system| systems::is_valid(&kept, system, blocks))?;
            if !systems.is_empty() {
                let capacity = knowledge.system.capacity.clone();
                let narrow = systems::narrow_systems(grid.axes(), &whole, &partial);
                let systems = systems.iter().map(|system| systems::by_block(system, blocks)).collect();
                return Some(Self { grid, capacity, systems, rows, partial, narrow });
            }
        }
        None
    }

    /// Whether these are swaps, all of them, and nothing else has to be kept.
    pub(crate) fn is_complete_for_swaps(&self) -> bool {
        let are_swaps = self.systems.iter().all(|blocks| blocks.len() == 2);
        are_swaps && self.systems.len() < MOST_SYSTEMS && self.rows.is_empty() && self.partial.is_empty()
    }

    /// The cells of a random move from `e`, chosen independently of any table; `None` when it
    /// would change a row that is not a margin.
    pub(crate) fn blindly(&self, e: usize, rng: &mut SimRng) -> Option<Vec<(usize, i64)>> {
        let mut cells = Vec::new();
        self.cells(e, rng, (1, |_| true), &mut cells).then_some(cells)
    }

    /// A random move from `e`, which may turn out to go nowhere, and whether there is one. Cells
    /// one block away are sought that are not empty.
    fn propose(&self, table: &[i64], e: usize, sign: i64, rng: &mut SimRng, proposed: &mut BlockMove) -> bool {
        let BlockMove { cells, reach } = proposed;
        let is_move = self.cells(e, rng, (TRIES, |cell| table[cell] > 0), cells);
        cells.iter_mut().for_each(|(_, own)| *own *= sign);
        let reaches =
            cells.iter().map(|&(cell, own)| if own > 0 { self.capacity[cell] - table[cell] } else { table[cell] });
        *reach = reaches.min().unwrap_or(0);
        is_move
    }

    /// The most that a cell holds.
    pub(super) fn capacity(&self, cell: usize) -> i64 {
        self.capacity[cell]
    }

    /// The cells and signs of a random move from `e`, and whether it leaves all rows alone. For
    /// each block, some levels are tried for one that leads to a wanted cell.
    pub(super) fn cells(
        &self,
        e: usize,
        rng: &mut SimRng,
        (tries, wanted): (usize, impl Fn(usize) -> bool),
        cells: &mut Vec<(usize, i64)>,
    ) -> bool {
        let (blocks, changed) = self.system(e, rng);
        let is_open = |cell: usize| changed.is_none_or(|margin| !margin.is_published_at(&self.grid, cell));
        cells.clear();
        cells.push((e, 1_i64));
        for axes in blocks {
            let mut here = [0; MOST_AXES];
            here.iter_mut().zip(axes).for_each(|(level, &axis)| *level = self.grid.level(e, axis));
            // A move that takes from an empty cell goes nowhere, so levels that lead to a count
            // are preferred.
            let steps = (0..tries).map(|_| self.step(&here, axes, rng));
            let mut last = None;
            for step in steps.filter(|&step| step != 0) {
                let cell = e.wrapping_add_signed(step);
                if !is_open(cell) {
                    continue;
                }
                last = Some(step);
                if wanted(cell) {
                    break;
                }
            }
            // Every cell so far gets a partner one block away with the other sign: the margins
            // that miss the block keep their sums, pair by pair.
            let Some(last) = last else { return false };
            for place in 0..cells.len() {
                let (cell, sign) = cells[place];
                cells.push((cell.wrapping_add_signed(last), -sign));
            }
        }
        let is_level =
            |row: &Vec<bool>| cells.iter().map(|&(cell, sign)| if row[cell] { sign } else { 0 }).sum::<i64>() == 0;
        cells.iter().all(|&(cell, _)| is_open(cell)) && self.rows.iter().all(is_level)
    }

    /// A random system of blocks, and the margin that its moves change: half of the time one that
    /// stays among withheld cells, where `e` is one.
    fn system(&self, e: usize, rng: &mut SimRng) -> (&Blocks, Option<&PartialMargin>) {
        let is_narrow = !self.narrow.is_empty() && below(2, rng) == 0;
        if is_narrow {
            for _ in 0..TRIES {
                let (blocks, changed) = &self.narrow[below(self.narrow.len(), rng)];
                let margin = &self.partial[*changed];
                if !margin.is_published_at(&self.grid, e) {
                    return (blocks, Some(margin));
                }
            }
        }
        (&self.systems[below(self.systems.len(), rng)], None)
    }

    /// How far it is from these levels to a random choice of them on the axes of a block.
    fn step(&self, here: &[usize], axes: &[usize], rng: &mut SimRng) -> isize {
        let steps = axes.iter().zip(here).map(|(&axis, from)| {
            let to = below(self.grid.size(axis), rng);
            (to.cast_signed() - from.cast_signed()) * self.grid.stride(axis).cast_signed()
        });
        steps.sum()
    }

    /// Moves a table so that the sum over `cells` goes towards `goal`; ends there, or when
    /// nothing helps. Steps that neither gain nor lose are taken as well: they open ways.
    pub(crate) fn climb(
        &self,
        table: &mut [i64],
        cells: &[u32],
        sign: i64,
        goal: i64,
        (rng, end): (&mut SimRng, &SearchEnd),
    ) -> i64 {
        let is_member = members(cells, table.len());
        let mut value: i64 = cells.iter().map(|&cell| table[cell as usize]).sum();
        // A small table has few moves, and a few steps try all of them.
        let (mut stalls, most_stalls) = (0, MOST_STALLS.min(table.len()));
        let mut best = Best::default();
        while sign * value < sign * goal && stalls < most_stalls && !end.is_set() {
            best.forget();
            for _ in 0..LOOKS {
                let e = cells[below(cells.len(), rng)] as usize;
                if !self.propose(table, e, sign, rng, &mut best.looked_at) {
                    continue;
                }
                let proposed = &best.looked_at;
                let gain = sign * proposed.change(&is_member);
                if gain > 0 {
                    let missing = sign * (goal - value);
                    let times = proposed.reach.min((missing / gain).max(1));
                    best.offer(gain, times);
                }
            }
            if best.gained > 0 {
                best.found.cells.iter().for_each(|&(cell, s)| table[cell] += s * best.times);
                value += sign * best.gained;
                stalls = 0;
            } else {
                // Moves without gain open other moves.
                self.wander(table, &is_member, rng);
                stalls += 1;
            }
        }
        value
    }

    /// Changes a table so that the sum over `cells` changes by `wanted` or more, in the direction
    /// of `sign`, by cells that are free alone, or less far where no way is found soon. What was
    /// changed, cell by cell.
    pub(crate) fn reach(
        &self,
        table: &mut [i64],
        cells: &[u32],
        (sign, wanted): (i64, i64),
        (most_stalls, is_free): (u32, impl Fn(usize) -> bool),
        (rng, end): (&mut SimRng, &SearchEnd),
    ) -> Difference {
        let (mut reached, mut stalls, mut difference) = (0, 0, Difference::new());
        let mut best = Best::default();
        while reached < wanted && stalls < most_stalls && !end.is_set() {
            best.forget();
            for _ in 0..LOOKS {
                let e = cells[below(cells.len(), rng)] as usize;
                if !self.propose(table, e, sign, rng, &mut best.looked_at) {
                    continue;
                }
                let proposed = &best.looked_at;
                let members = proposed.cells.iter().filter(|(cell, _)| cells.binary_search(&small(*cell)).is_ok());
                let gain: i64 = members.map(|&(_, s)| sign * s).sum();
                if gain > 0 && proposed.cells.iter().all(|&(cell, _)| is_free(cell)) {
                    let times = proposed.reach.min((wanted - reached + gain - 1) / gain);
                    best.offer(gain, times);
                    if best.gained >= wanted - reached {
                        break;
                    }
                }
            }
            if best.gained == 0 {
                stalls += 1;
                continue;
            }
            for &(cell, s) in &best.found.cells {
                table[cell] += s * best.times;
                difference.push((small(cell), s * best.times));
            }
            reached += best.gained;
        }
        difference
    }

    /// One random move that leaves the members' sum alone.
    fn wander(&self, table: &mut [i64], is_member: &[bool], rng: &mut SimRng) {
        let mut proposed = BlockMove::default();
        for _ in 0..LOOKS {
            let e = below(table.len(), rng);
            if !self.propose(table, e, 1, rng, &mut proposed) {
                continue;
            }
            let change = proposed.change(is_member);
            if change == 0 && proposed.reach > 0 {
                let times = 1 + i64::try_from(below(usize::try_from(proposed.reach).unwrap_or(1), rng)).unwrap_or(0);
                proposed.cells.iter().for_each(|&(cell, s)| table[cell] += s * times);
            }
        }
    }
}

/// A cell as known tables number it.
fn small(cell: usize) -> u32 {
    u32::try_from(cell).expect("a cell is numbered in 32 bits")
}

fn members(cells: &[u32], of: usize) -> Vec<bool> {
    let mut is_member = vec![false; of];
    cells.iter().for_each(|&cell| is_member[cell as usize] = true);
    is_member
}

#[cfg(test)]
mod tests;
