//! Sets of cells that a query is about: classes and regions.

use std::collections::{BTreeMap, BTreeSet};

use privacy_core::{AttrSet, Domain};

use crate::table::error::Error;
use crate::table::grid::Grid;

/// Attributes of a domain, at most.
#[cfg(feature = "serde")]
const MOST_AXES: usize = 128;

/// Everybody with the same levels on a set of axes: a cell when the set is all axes, the whole
/// table when it is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "ClassFields", into = "ClassFields"))]
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

    /// The class of everybody with these labels, each given with the name of its attribute, in
    /// any order.
    ///
    /// ```
    /// use frechet_release::Class;
    /// use privacy_core::{Attribute, Domain};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let ward = Attribute::new("ward", ["n", "s"])?;
    /// let age = Attribute::new("age", ["young", "old"])?;
    /// let domain = Domain::new(vec![ward, age])?;
    /// assert_eq!(Class::of(&domain, [("ward", "s")])?, Class::new([0].into_iter().collect(), [1]));
    /// assert_eq!(Class::of(&domain, [("age", "young"), ("ward", "s")])?, Class::cell([1, 0]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NoSuchAttribute`], [`Error::NoSuchLabel`] and [`Error::RepeatedAttribute`].
    pub fn of<N, L>(domain: &Domain, labels: impl IntoIterator<Item = (N, L)>) -> Result<Self, Error>
    where
        N: AsRef<str>,
        L: AsRef<str>,
    {
        let mut fixed = BTreeMap::new();
        for (name, label) in labels {
            let (name, label) = (name.as_ref(), label.as_ref());
            let axis = domain.index_of(name).map_err(|_| Error::NoSuchAttribute { name: name.to_owned() })?;
            let level = domain.attributes()[axis].labels().position(label);
            let level = level.ok_or_else(|| Error::NoSuchLabel { attribute: name.to_owned() })?;
            if fixed.insert(axis, level).is_some() {
                return Err(Error::RepeatedAttribute { name: name.to_owned() });
            }
        }
        Ok(Self { axes: fixed.keys().copied().collect(), levels: fixed.into_values().collect() })
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

/// The serialized form of a class: axes in increasing order, and their levels.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassFields {
    axes: Vec<usize>,
    levels: Vec<usize>,
}

#[cfg(feature = "serde")]
impl From<Class> for ClassFields {
    fn from(class: Class) -> Self {
        Self { axes: class.axes.iter().collect(), levels: class.levels }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<ClassFields> for Class {
    type Error = Error;

    fn try_from(fields: ClassFields) -> Result<Self, Error> {
        let ClassFields { axes, levels } = fields;
        // Levels follow the order of the axes, so axes out of order would exchange levels.
        let is_set = axes.windows(2).all(|pair| pair[0] < pair[1]) && axes.last().is_none_or(|&axis| axis < MOST_AXES);
        if !is_set || axes.len() != levels.len() {
            return Err(Error::LevelCount { axes: axes.len(), levels: levels.len() });
        }
        Ok(Self { axes: axes.into_iter().collect(), levels })
    }
}

/// A product of level sets: the cells counted by a total of a hierarchy, a suppressed group or an
/// auxiliary fact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Region {
    fixed: Vec<(usize, Vec<usize>)>,
}

impl Region {
    /// The whole table.
    #[must_use]
    pub fn everything() -> Self {
        Self::default()
    }

    /// The same region, restricted on one axis to these levels. Repeated calls on one axis
    /// intersect.
    #[must_use]
    pub fn with(mut self, axis: usize, levels: impl Into<Vec<usize>>) -> Self {
        self.fixed.push((axis, levels.into()));
        self
    }

    pub(crate) fn cells(&self, grid: &Grid) -> Result<Vec<u32>, Error> {
        let mut sets: Vec<Option<BTreeSet<usize>>> = vec![None; grid.axes()];
        for (axis, levels) in &self.fixed {
            if let Some(&level) = levels.iter().find(|&&level| *axis >= grid.axes() || level >= grid.size(*axis)) {
                return Err(Error::NoSuchLevel { axis: *axis, level });
            }
            let set = sets.get_mut(*axis).ok_or(Error::NoSuchLevel { axis: *axis, level: 0 })?;
            let named = levels.iter().copied().filter(|level| set.as_ref().is_none_or(|old| old.contains(level)));
            *set = Some(named.collect());
        }
        let levels = |(axis, set): (usize, Option<BTreeSet<usize>>)| match set {
            Some(set) => set.into_iter().collect(),
            None => (0..grid.size(axis)).collect(),
        };
        let sets: Vec<Vec<usize>> = sets.into_iter().enumerate().map(levels).collect();
        Ok(grid.product(&sets))
    }
}

impl From<&Class> for Region {
    fn from(class: &Class) -> Self {
        let fixed = class.axes.iter().zip(&class.levels);
        Self { fixed: fixed.map(|(axis, &level)| (axis, vec![level])).collect() }
    }
}

/// The classes that an audit judges.
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
        let largest = match self {
            Self::Cells => return vec![axes],
            Self::Pairs => axes.len().min(2),
            Self::All => axes.len(),
        };
        (1..=largest).flat_map(|size| axes.subsets_of_size(size)).collect()
    }
}
