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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_changes_a_margin_that_has_both_of_its_blocks() {
        let changed = |system: &[usize]| {
            [[0, 1], [0, 2], [1, 2]].map(|axes: [usize; 2]| changes(system, axes.into_iter().collect()))
        };
        assert_eq!(changed(&[1, 2, 0]), [true, false, false]);
        assert_eq!(changed(&[0, 1, 2]), [false, false, true]);
        assert_eq!(changed(&[1, 1, 2]), [false, true, true]);
    }

    #[test]
    fn systems_are_all_assignments_with_blocks_in_order() {
        for (axes, blocks) in [(2, 2), (3, 2), (4, 2), (4, 3), (5, 3), (5, 4)] {
            let all = (0..(blocks + 1_usize).pow(axes)).map(|number| {
                (0..axes).map(|axis| number / (blocks + 1).pow(axis) % (blocks + 1)).collect::<Vec<usize>>()
            });
            let first = |system: &[usize], block| system.iter().position(|&own| own == block);
            let is_in_order = |system: &Vec<usize>| {
                let firsts: Option<Vec<usize>> = (1..=blocks).map(|block| first(system, block)).collect();
                firsts.is_some_and(|firsts| firsts.is_sorted())
            };
            let expected: Vec<Vec<usize>> = all.filter(is_in_order).collect();
            assert_eq!(systems(axes as usize, blocks, |_| true).unwrap(), expected, "{axes} {blocks}");
        }
        // As many assignments as are tried, and more.
        assert_eq!(systems(9, 3, |_| true).map(|found| found.len()), Some(MOST_SYSTEMS));
        assert!(systems(10, 3, |_| true).is_none());
    }
}
