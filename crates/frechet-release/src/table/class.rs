//! Sets of cells that a question is about: classes and regions.

use privacy_core::AttrSet;

use crate::table::error::Error;
use crate::table::grid::Grid;

/// Everybody with the same levels on a set of axes: a cell when the set is all axes, the whole table when it is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// The axes that are fixed.
    pub axes: AttrSet,
    /// Their levels from 0, in the order of the axes.
    pub levels: Vec<usize>,
}

impl Class {
    /// A class; `levels` has one entry for each axis of the set, in increasing order of the axes.
    #[must_use]
    pub fn new(axes: AttrSet, levels: impl Into<Vec<usize>>) -> Self {
        Self { axes, levels: levels.into() }
    }

    /// One cell of a table with `levels.len()` axes.
    ///
    /// # Panics
    /// If there are more than 128 levels.
    #[must_use]
    pub fn cell(levels: impl Into<Vec<usize>>) -> Self {
        let levels = levels.into();
        Self { axes: AttrSet::first(levels.len()), levels }
    }

    pub(crate) fn checked(&self, grid: &Grid) -> Result<(), Error> {
        if self.axes.len() != self.levels.len() {
            return Err(Error::LevelCount { axes: self.axes.len(), levels: self.levels.len() });
        }
        for (axis, &level) in self.axes.iter().zip(&self.levels) {
            if axis >= grid.axes() || level >= grid.size(axis) {
                return Err(Error::NoSuchLevel { axis, level });
            }
        }
        Ok(())
    }

    /// The levels on a subset of the axes.
    pub(crate) fn levels_on(&self, axes: AttrSet) -> Vec<usize> {
        let places = axes.iter().filter_map(|axis| self.axes.axis_of(axis));
        places.map(|place| self.levels[place]).collect()
    }

    pub(crate) fn on(&self, axes: AttrSet) -> Self {
        let axes = self.axes.intersection(axes);
        Self { axes, levels: self.levels_on(axes) }
    }
}

/// A product of level sets: what a total of a hierarchy, a suppressed group or an auxiliary fact counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    fixed: Vec<(usize, Vec<usize>)>,
}

impl Region {
    /// The whole table.
    #[must_use]
    pub fn everything() -> Self {
        Self::default()
    }

    /// The same region, restricted on one axis to these levels. Repeated calls on one axis intersect.
    #[must_use]
    pub fn with(mut self, axis: usize, levels: impl Into<Vec<usize>>) -> Self {
        self.fixed.push((axis, levels.into()));
        self
    }

    pub(crate) fn cells(&self, grid: &Grid) -> Result<Vec<u32>, Error> {
        let mut sets: Vec<Vec<usize>> = (0..grid.axes()).map(|axis| (0..grid.size(axis)).collect()).collect();
        for (axis, levels) in &self.fixed {
            if let Some(&level) = levels.iter().find(|&&level| *axis >= grid.axes() || level >= grid.size(*axis)) {
                return Err(Error::NoSuchLevel { axis: *axis, level });
            }
            if *axis >= grid.axes() {
                return Err(Error::NoSuchLevel { axis: *axis, level: 0 });
            }
            sets[*axis].retain(|level| levels.contains(level));
        }
        Ok(grid.product(&sets))
    }
}

impl From<&Class> for Region {
    fn from(class: &Class) -> Self {
        let fixed = class.axes.iter().zip(&class.levels);
        Self { fixed: fixed.map(|(axis, &level)| (axis, vec![level])).collect() }
    }
}

/// Which classes an audit looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Scope {
    /// Full profiles only. An exposed group that spans several profiles is not seen.
    Cells,
    /// Classes of one and of two axes.
    Pairs,
    /// Every class of every non-empty set of axes.
    All,
}

impl Scope {
    /// The sets of axes in scope, out of `axes`, the smallest first.
    #[must_use]
    pub fn sets(self, axes: AttrSet) -> Vec<AttrSet> {
        let up_to = |most: usize| (1..=most).flat_map(|size| axes.subsets_of_size(size)).collect();
        match self {
            Self::Cells => vec![axes],
            Self::Pairs => up_to(axes.len().min(2)),
            Self::All => up_to(axes.len()),
        }
    }
}
