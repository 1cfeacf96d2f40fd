//! Positions of cells, classes and sums over axes in one numbering.
//!
//! `k_a` levels of axis `a`. A cell is numbered row-major, the last axis fastest. A *super-cell*
//! fixes some axes and sums over the others: its digit on axis `a` is a level, or `k_a` for
//! "all"; there are `product of (k_a + 1)`.

use std::ops::AddAssign;

use privacy_core::{AttrSet, Domain};

use crate::table::class::Class;
use crate::table::error::Error;

/// Cells are numbered in 32 bits, and a system of rows holds each many times.
pub(crate) const MAX_CELLS: usize = 1 << 24;

#[derive(Clone, Debug)]
pub(crate) struct Grid {
    sizes: Vec<usize>,
    strides: Vec<usize>,
    cells: usize,
}

impl Grid {
    pub(crate) fn new(sizes: &[usize]) -> Result<Self, Error> {
        let mut strides = vec![1; sizes.len()];
        let mut cells = 1_usize;
        for axis in (0..sizes.len()).rev() {
            strides[axis] = cells;
            cells = cells
                .checked_mul(sizes[axis])
                .filter(|&n| n <= MAX_CELLS)
                .ok_or(Error::TooManyCells { limit: MAX_CELLS })?;
        }
        Ok(Self { sizes: sizes.to_vec(), strides, cells })
    }

    pub(crate) fn of(domain: &Domain) -> Result<Self, Error> {
        Self::new(&domain.shape(domain.all()))
    }

    pub(crate) fn axes(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn all(&self) -> AttrSet {
        AttrSet::first(self.sizes.len())
    }

    pub(crate) fn size(&self, axis: usize) -> usize {
        self.sizes[axis]
    }

    /// How far apart cells of neighbouring levels of an axis are.
    pub(crate) fn stride(&self, axis: usize) -> usize {
        self.strides[axis]
    }

    pub(crate) fn cells(&self) -> usize {
        self.cells
    }

    pub(crate) fn level(&self, cell: usize, axis: usize) -> usize {
        cell / self.strides[axis] % self.sizes[axis]
    }

    pub(crate) fn levels(&self, cell: usize, axes: AttrSet) -> Vec<usize> {
        axes.iter().map(|axis| self.level(cell, axis)).collect()
    }

    /// How many combinations of levels the axes of a set have.
    pub(crate) fn classes(&self, axes: AttrSet) -> usize {
        axes.iter().map(|axis| self.sizes[axis]).product()
    }

    /// The number of the combination that a cell has on a set of axes, row-major.
    pub(crate) fn class_of_cell(&self, cell: usize, axes: AttrSet) -> usize {
        axes.iter().fold(0, |index, axis| index * self.sizes[axis] + self.level(cell, axis))
    }

    /// The levels of combination `index` over a set of axes, in the order of the axes.
    pub(crate) fn levels_of_class(&self, mut index: usize, axes: AttrSet) -> Vec<usize> {
        let mut levels: Vec<usize> = axes.iter().collect();
        for slot in levels.iter_mut().rev() {
            let size = self.sizes[*slot];
            *slot = index % size;
            index /= size;
        }
        levels
    }

    /// The number of a combination of levels over a set of axes.
    pub(crate) fn class_index(&self, axes: AttrSet, levels: &[usize]) -> usize {
        axes.iter().zip(levels).fold(0, |index, (axis, &level)| index * self.sizes[axis] + level)
    }

    /// The cells of a product of level sets, in increasing order; `levels[a]` are those of axis
    /// `a`.
    pub(crate) fn product(&self, levels: &[Vec<usize>]) -> Vec<u32> {
        let mut cells = vec![0_u32];
        for (axis, chosen) in levels.iter().enumerate() {
            let stride = self.strides[axis];
            let step = |&level: &usize| u32::try_from(level * stride).expect("a cell is numbered in 32 bits");
            cells = cells.iter().flat_map(|&cell| chosen.iter().map(move |level| cell + step(level))).collect();
        }
        cells.sort_unstable();
        cells
    }

    pub(crate) fn cells_of(&self, class: &Class) -> Vec<u32> {
        self.product(
            &(0..self.axes())
                .map(|axis| match class.axes.axis_of(axis) {
                    Some(place) => vec![class.levels[place]],
                    None => (0..self.sizes[axis]).collect(),
                })
                .collect::<Vec<_>>(),
        )
    }

    /// How many super-cells there are, or `None` above `usize::MAX`.
    pub(crate) fn super_cells(&self) -> Option<usize> {
        self.sizes.iter().try_fold(1_usize, |n, &k| n.checked_mul(k + 1))
    }

    /// How far apart the super-cells of neighbouring digits of an axis are.
    pub(crate) fn super_strides(&self) -> Vec<usize> {
        let mut strides = vec![1; self.axes()];
        for axis in (1..self.axes()).rev() {
            strides[axis - 1] = strides[axis] * (self.sizes[axis] + 1);
        }
        strides
    }

    /// The sums of a table over all sets of axes: one number a super-cell. One pass over them an
    /// axis.
    pub(crate) fn super_sums<T: Copy + Default + AddAssign>(&self, node_of_cell: &[u32], table: &[T]) -> Vec<T> {
        let mut sums = vec![T::default(); self.sizes.iter().map(|&k| k + 1).product()];
        for (&node, &count) in node_of_cell.iter().zip(table) {
            sums[node as usize] = count;
        }
        for (&size, stride) in self.sizes.iter().zip(self.super_strides()) {
            // Super-cells come in runs of `stride` with one digit on this axis; the last run of a
            // group is "all".
            for group in sums.chunks_exact_mut(stride * (size + 1)) {
                let (levels, whole) = group.split_at_mut(stride * size);
                whole.fill(T::default());
                for level in levels.chunks_exact(stride) {
                    whole.iter_mut().zip(level).for_each(|(sum, &count)| *sum += count);
                }
            }
        }
        sums
    }

    /// The super-cell of each cell.
    pub(crate) fn nodes_of_cells(&self) -> Vec<u32> {
        let nodes = (0..self.cells).map(|cell| self.super_cell(self.all(), &self.levels(cell, self.all())));
        nodes.map(|node| u32::try_from(node).expect("super-cells are limited")).collect()
    }

    pub(crate) fn super_cell(&self, axes: AttrSet, levels: &[usize]) -> usize {
        (0..self.axes()).fold(0, |index, axis| {
            let digit = axes.axis_of(axis).map_or(self.sizes[axis], |place| levels[place]);
            index * (self.sizes[axis] + 1) + digit
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_holds_the_cells_with_its_levels() {
        let grid = Grid::new(&[2, 3, 2]).unwrap();
        let axes = AttrSet::from_iter([0, 2]);
        let cells = grid.cells_of(&Class { axes, levels: vec![1, 0] });
        assert_eq!(cells, [6, 8, 10]);
        assert!(cells.iter().all(|&c| grid.levels(c as usize, axes) == [1, 0]));
        assert_eq!(grid.cells_of(&Class { axes: AttrSet::EMPTY, levels: vec![] }).len(), 12);
    }

    #[test]
    fn numbers_of_classes_and_levels_are_inverse() {
        let grid = Grid::new(&[4, 3, 5]).unwrap();
        for axes in grid.all().subsets() {
            for index in 0..grid.classes(axes) {
                assert_eq!(grid.class_index(axes, &grid.levels_of_class(index, axes)), index);
            }
        }
    }

    #[test]
    fn tables_beyond_the_limit_are_refused() {
        assert!(Grid::new(&[1 << 12, 1 << 12]).is_ok());
        assert_eq!(Grid::new(&[1 << 12, 1 << 13]).unwrap_err(), Error::TooManyCells { limit: MAX_CELLS });
        assert!(Grid::new(&[usize::MAX, usize::MAX]).is_err());
    }
}
