//! Systems of blocks: which differences leave margins as they are.

use std::collections::{BTreeMap, BTreeSet};

use privacy_core::AttrSet;

use crate::table::class::Class;
use crate::table::grid::Grid;

/// Systems of blocks that are kept.
pub(super) const MOST_SYSTEMS: usize = 256;
/// Assignments of axes to blocks that are tried: with two blocks, those of eleven axes.
const MOST_ASSIGNMENTS: usize = 1 << 18;
pub(super) const MOST_AXES: usize = 11;

/// A system of blocks: the axes of each.
pub(super) type Blocks = Vec<Vec<usize>>;

/// A margin published in part.
#[derive(Clone)]
pub(super) struct PartialMargin {
    axes: AttrSet,
    /// For each class on these axes.
    is_published: Vec<bool>,
}

impl PartialMargin {
    pub(super) fn is_published_at(&self, grid: &Grid, cell: usize) -> bool {
        self.is_published[grid.class_of_cell(cell, self.axes)]
    }
}

/// Whether every margin misses a block.
pub(super) fn is_valid(margins: &BTreeSet<AttrSet>, system: &[usize], blocks: usize) -> bool {
    margins.iter().all(|axes| (1..=blocks).any(|block| !axes.iter().any(|axis| system[axis] == block)))
}

/// Assignments of axes to `blocks` non-empty blocks or to none, each once (blocks in order of
/// their first axis): the block of every axis, or 0 where it stays.
pub(super) fn systems(axes: usize, blocks: usize, valid: impl Fn(&[usize]) -> bool) -> Option<Vec<Vec<usize>>> {
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

/// The margins that are published in part, from the rows that are classes.
pub(super) fn partial_margins(
    grid: &Grid,
    whole: &BTreeSet<AttrSet>,
    rows: &[(usize, Option<Class>)],
) -> Vec<PartialMargin> {
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

/// The axes of each block, from the block of each axis.
pub(super) fn by_block(system: &[usize], blocks: usize) -> Blocks {
    let axes = |block| (0..system.len()).filter(|&axis| system[axis] == block).collect();
    (1..=blocks).map(axes).collect()
}

/// Systems of two blocks that change no whole margin and one of the others, with its position.
pub(super) fn narrow_systems(
    axes: usize,
    whole: &BTreeSet<AttrSet>,
    partial: &[PartialMargin],
) -> Vec<(Blocks, usize)> {
    let two = systems(axes, 2, |system| is_valid(whole, system, 2)).unwrap_or_default();
    two.into_iter()
        .filter_map(|system: Vec<usize>| {
            let mut changed = (0..partial.len()).filter(|&place| changes(&system, partial[place].axes));
            let first = changed.next()?;
            changed.next().is_none().then(|| (by_block(&system, 2), first))
        })
        .collect()
}
