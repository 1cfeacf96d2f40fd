//! Moves from one table of the fiber to another: differences along several blocks of axes.
//!
//! Blocks are disjoint sets of axes. For two cells `e` and `f`, a move adds `t` to every cell
//! with the levels of `f` on an even number of blocks and those of `e` elsewhere, and takes `t`
//! where the number is odd. A margin that misses a block does not change, so blocks are *valid*
//! when every margin misses one. Swaps (two blocks) are the moves of decomposable margins.
//!
//! Used to climb towards a bound without a linear program, and as proposals in sampling.

use std::collections::{BTreeMap, BTreeSet};

use privacy_core::AttrSet;
use privacy_core::rng::{SimRng, below};

use crate::engine::class_rows::class_rows;
use crate::engine::known_tables::Difference;
use crate::engine::linear_program::{MOST_SMALL, SearchEnd};
use crate::table::class::Class;
use crate::table::grid::Grid;
use crate::table::knowledge::Knowledge;

/// Systems of blocks that are kept, and rows other than margins that are looked after.
const MOST_SYSTEMS: usize = 256;
const MOST_ROWS: usize = 64;
/// Assignments of axes to blocks that are tried.
const MOST_ASSIGNMENTS: usize = 1 << 18;
/// Moves looked at in one step of a climb, and most steps without gain before it ends.
const LOOKS: usize = 48;
const MOST_STALLS: usize = 40;
/// Levels tried for one that leads to a cell that is not empty.
const TRIES: usize = 6;

#[derive(Clone)]
pub(crate) struct BlockMoves {
    grid: Grid,
    capacity: Vec<i64>,
    /// For each system of blocks, the block of every axis, or 0 where the axis stays.
    systems: Vec<Vec<usize>>,
    blocks: usize,
    /// Rows that are no margins: a move must not change them.
    rows: Vec<Vec<bool>>,
    /// Margins of which some cells are published, and systems of two blocks that change one of
    /// them: their moves stay among cells that are not.
    partial: Vec<PartialMargin>,
    narrow: Vec<(Vec<usize>, usize)>,
}

/// A margin published in part.
#[derive(Clone)]
struct PartialMargin {
    axes: AttrSet,
    /// For each class on these axes.
    is_published: Vec<bool>,
}

/// Cells and signs of a move, and how far it can go.
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
            partial = partial_margins(&grid, &whole, &others);
            others.retain(|(_, class)| class.is_none());
        }
        if others.len() > MOST_ROWS {
            return None;
        }
        let rows = others.iter().map(|&(row, _)| members(knowledge.system.rows[row].cells(), grid.cells())).collect();
        // Fewest blocks first: a move of b blocks changes 2^b cells, and the fewer cells, the
        // farther it can go.
        for blocks in 2..=4 {
            let systems = systems(grid.axes(), blocks, |system| is_valid(&kept, system, blocks))?;
            if !systems.is_empty() {
                let capacity = knowledge.system.capacity.clone();
                let narrow = narrow_systems(grid.axes(), &whole, &partial);
                return Some(Self { grid, capacity, systems, blocks, rows, partial, narrow });
            }
        }
        None
    }

    /// Whether these are swaps, all of them, and nothing else has to be kept.
    pub(crate) fn is_complete_for_swaps(&self) -> bool {
        self.blocks == 2 && self.systems.len() < MOST_SYSTEMS && self.rows.is_empty() && self.partial.is_empty()
    }

    /// The cells of a random move from `e`, chosen independently of any table; `None` when it
    /// would change a row that is not a margin.
    pub(crate) fn blindly(&self, e: usize, rng: &mut SimRng) -> Option<Vec<(usize, i64)>> {
        self.cells(e, rng, 1, |_| true)
    }

    /// A random move from `e`, which may turn out to go nowhere. Cells one block away are sought
    /// that are not empty.
    fn propose(&self, table: &[i64], e: usize, sign: i64, rng: &mut SimRng) -> Option<BlockMove> {
        let mut cells = self.cells(e, rng, TRIES, |cell| table[cell] > 0)?;
        cells.iter_mut().for_each(|(_, own)| *own *= sign);
        let reach = cells
            .iter()
            .map(|&(cell, own): &(usize, i64)| if own > 0 { self.capacity[cell] - table[cell] } else { table[cell] })
            .min()
            .unwrap_or(0);
        Some(BlockMove { cells, reach })
    }

    /// The most that a cell holds.
    pub(super) fn capacity(&self, cell: usize) -> i64 {
        self.capacity[cell]
    }

    /// The cells and signs of a random move from `e` that leaves all rows alone.
    pub(super) fn cells(
        &self,
        e: usize,
        rng: &mut SimRng,
        tries: usize,
        wanted: impl Fn(usize) -> bool,
    ) -> Option<Vec<(usize, i64)>> {
        let (system, blocks, changed) = self.system(e, rng);
        let is_open = |cell: usize| changed.is_none_or(|margin| !margin.is_published_at(&self.grid, cell));
        let mut cells = Vec::with_capacity(1 << blocks);
        cells.push((e, 1_i64));
        for block in 1..=blocks {
            // A move that takes from an empty cell goes nowhere, so levels that lead to a count
            // are preferred.
            let steps = (0..tries).map(|_| self.step(e, system, block, rng));
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
            for place in 0..cells.len() {
                let (cell, sign): (usize, i64) = cells[place];
                cells.push((cell.wrapping_add_signed(last?), -sign));
            }
        }
        if cells.iter().any(|&(cell, _)| !is_open(cell)) {
            return None;
        }
        let is_level =
            |row: &Vec<bool>| cells.iter().map(|&(cell, sign)| if row[cell] { sign } else { 0 }).sum::<i64>() == 0;
        self.rows.iter().all(is_level).then_some(cells)
    }

    /// A random system of blocks, how many there are, and the margin that its moves change: half
    /// of the time one that stays among withheld cells, where `e` is one.
    fn system(&self, e: usize, rng: &mut SimRng) -> (&[usize], usize, Option<&PartialMargin>) {
        let is_narrow = !self.narrow.is_empty() && below(2, rng) == 0;
        if is_narrow {
            for _ in 0..TRIES {
                let (system, changed) = &self.narrow[below(self.narrow.len(), rng)];
                let margin = &self.partial[*changed];
                if !margin.is_published_at(&self.grid, e) {
                    return (system, 2, Some(margin));
                }
            }
        }
        (&self.systems[below(self.systems.len(), rng)], self.blocks, None)
    }

    /// How far it is from `e` to a random choice of levels on a block.
    fn step(&self, e: usize, system: &[usize], block: usize, rng: &mut SimRng) -> isize {
        let mut step = 0;
        for (axis, _) in system.iter().enumerate().filter(|&(_, &own)| own == block) {
            let (from, to) = (self.grid.level(e, axis), below(self.grid.size(axis), rng));
            step += (to.cast_signed() - from.cast_signed()) * self.grid.stride(axis).cast_signed();
        }
        step
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
        while sign * value < sign * goal && stalls < most_stalls && !end.is_set() {
            let mut best: Option<(i64, i64, BlockMove)> = None;
            for _ in 0..LOOKS {
                let e = cells[below(cells.len(), rng)] as usize;
                let Some(proposed) = self.propose(table, e, sign, rng) else { continue };
                let gain = sign * proposed.change(&is_member);
                if proposed.reach > 0 && gain > 0 {
                    let missing = sign * (goal - value);
                    let times = proposed.reach.min((missing / gain).max(1));
                    if best.as_ref().is_none_or(|&(total, ..)| gain * times > total) {
                        best = Some((gain * times, times, proposed));
                    }
                }
            }
            if let Some((gained, times, best)) = best {
                best.cells.iter().for_each(|&(cell, s)| table[cell] += s * times);
                value += sign * gained;
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
        while reached < wanted && stalls < most_stalls && !end.is_set() {
            let mut best: Option<(i64, i64, BlockMove)> = None;
            for _ in 0..LOOKS {
                let e = cells[below(cells.len(), rng)] as usize;
                let Some(proposed) = self.propose(table, e, sign, rng) else { continue };
                let members = proposed.cells.iter().filter(|(cell, _)| cells.binary_search(&small(*cell)).is_ok());
                let gain: i64 = members.map(|&(_, s)| sign * s).sum();
                if proposed.reach > 0 && gain > 0 && proposed.cells.iter().all(|&(cell, _)| is_free(cell)) {
                    let times = proposed.reach.min((wanted - reached + gain - 1) / gain);
                    if best.as_ref().is_none_or(|&(total, ..)| gain * times > total) {
                        best = Some((gain * times, times, proposed));
                    }
                    if best.as_ref().is_some_and(|&(total, ..)| total >= wanted - reached) {
                        break;
                    }
                }
            }
            let Some((gained, times, best)) = best else {
                stalls += 1;
                continue;
            };
            for &(cell, s) in &best.cells {
                table[cell] += s * times;
                difference.push((small(cell), s * times));
            }
            reached += gained;
        }
        difference
    }

    /// One random move that leaves the members' sum alone.
    fn wander(&self, table: &mut [i64], is_member: &[bool], rng: &mut SimRng) {
        for _ in 0..LOOKS {
            let Some(proposed) = self.propose(table, below(table.len(), rng), 1, rng) else { continue };
            let change = proposed.change(is_member);
            if change == 0 && proposed.reach > 0 {
                let times = 1 + i64::try_from(below(usize::try_from(proposed.reach).unwrap_or(1), rng)).unwrap_or(0);
                proposed.cells.iter().for_each(|&(cell, s)| table[cell] += s * times);
            }
        }
    }
}

impl PartialMargin {
    fn is_published_at(&self, grid: &Grid, cell: usize) -> bool {
        self.is_published[grid.class_of_cell(cell, self.axes)]
    }
}

/// The margins that are published in part, from the rows that are classes.
fn partial_margins(grid: &Grid, whole: &BTreeSet<AttrSet>, rows: &[(usize, Option<Class>)]) -> Vec<PartialMargin> {
    let mut published: BTreeMap<AttrSet, Vec<bool>> = BTreeMap::new();
    for class in rows.iter().filter_map(|(_, class)| class.as_ref()).filter(|class| !whole.contains(&class.axes)) {
        let is_published = published.entry(class.axes).or_insert_with(|| vec![false; grid.classes(class.axes)]);
        is_published[grid.class_index(class.axes, &class.levels)] = true;
    }
    published.into_iter().map(|(axes, is_published)| PartialMargin { axes, is_published }).collect()
}

/// Whether both blocks of a system are on these axes.
fn changes(system: &[usize], axes: AttrSet) -> bool {
    (1..=2).all(|block| axes.iter().any(|axis| system[axis] == block))
}

/// Systems of two blocks that change no whole margin and one of the others, with its position.
fn narrow_systems(axes: usize, whole: &BTreeSet<AttrSet>, partial: &[PartialMargin]) -> Vec<(Vec<usize>, usize)> {
    let two = systems(axes, 2, |system| is_valid(whole, system, 2)).unwrap_or_default();
    two.into_iter()
        .filter_map(|system: Vec<usize>| {
            let mut changed = (0..partial.len()).filter(|&place| changes(&system, partial[place].axes));
            let first = changed.next()?;
            changed.next().is_none().then_some((system, first))
        })
        .collect()
}

/// A cell as known tables number it.
fn small(cell: usize) -> u32 {
    u32::try_from(cell).expect("a cell is numbered in 32 bits")
}

/// Whether every margin misses a block.
fn is_valid(margins: &BTreeSet<AttrSet>, system: &[usize], blocks: usize) -> bool {
    margins.iter().all(|axes| (1..=blocks).any(|block| !axes.iter().any(|axis| system[axis] == block)))
}

fn members(cells: &[u32], of: usize) -> Vec<bool> {
    let mut is_member = vec![false; of];
    cells.iter().for_each(|&cell| is_member[cell as usize] = true);
    is_member
}

/// Assignments of axes to `blocks` non-empty blocks or to none, each once (blocks in order of
/// their first axis).
fn systems(axes: usize, blocks: usize, valid: impl Fn(&[usize]) -> bool) -> Option<Vec<Vec<usize>>> {
    let all = (0..axes).try_fold(1_usize, |n, _| n.checked_mul(blocks + 1)).filter(|&n| n <= MOST_ASSIGNMENTS)?;
    let mut found = Vec::new();
    for number in 0..all {
        let mut rest = number;
        let mut next = 1;
        let mut system = Vec::with_capacity(axes);
        for _ in 0..axes {
            let block = rest % (blocks + 1);
            rest /= blocks + 1;
            next += usize::from(block == next);
            system.push(block);
            if block >= next {
                break;
            }
        }
        if system.len() == axes && next == blocks + 1 && system.iter().all(|&block| block < next) && valid(&system) {
            found.push(system);
            if found.len() == MOST_SYSTEMS {
                break;
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests;
