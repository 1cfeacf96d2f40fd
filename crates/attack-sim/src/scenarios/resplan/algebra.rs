//! Residual tables of released cells, and cells from residual tables, re-implemented from the
//! formulas: what faulty twins get wrong.
//!
//! `B_i` the residual queries of attribute i, `[R_i u_i]` the inverse of `[B_i; 1^T]`.
//!
//! ```text
//! r_B         = (x) R_i B_i  of the cells over B       where one strategy measures all attributes
//!                                                       together, the cells of all are one axis
//! cells of A  = sum over B subset of A of r_B spread by u_j over A \ B
//! ```
//!
//! Source: `docs/math/resplan.md`, (F1) and (F3).

use disclosure::privacy_core::linalg::pseudo_inverse;
use disclosure::privacy_core::subsets::apply_kronecker;
use disclosure::resplan::Design;
use ndarray::{Array2, Axis};

use super::refusal::{problem, refused};
use crate::prelude::*;

/// One attribute.
#[derive(Clone, Debug)]
struct Direction {
    queries: Array2<f64>,
    inverse: Array2<f64>,
    spread: Vec<f64>,
}

impl Direction {
    fn new(queries: Array2<f64>) -> Result<Self, Error> {
        let size = queries.ncols();
        let whole = Array2::from_shape_fn(
            (size, size),
            |(row, column)| {
                if row + 1 < size { queries[[row, column]] } else { 1.0 }
            },
        );
        let inverse = pseudo_inverse(whole.view()).map_err(refused)?;
        let spread = inverse.column(size - 1).to_vec();
        Ok(Self { queries, inverse: inverse.view().split_at(Axis(1), size - 1).0.to_owned(), spread })
    }
}

/// What is needed of every attribute and every set of a plan.
#[derive(Clone, Debug)]
pub(super) struct Algebra {
    sets: Vec<AttrSet>,
    /// Attributes that are one axis.
    together: Option<AttrSet>,
    /// Categories of each axis.
    sizes: Vec<usize>,
    directions: Vec<Direction>,
}

impl Algebra {
    /// Of this plan.
    pub(super) fn of(plan: &Design) -> Result<Self, Error> {
        let joint = plan.joint_queries();
        let together = joint.as_ref().map(|(block, _)| *block);
        let queries: Vec<Array2<f64>> = match joint {
            Some((_, queries)) => vec![queries],
            None => (0..plan.domain().len()).map(|attribute| plan.residual_queries(attribute)).collect(),
        };
        let sizes = match together {
            Some(_) => queries.iter().map(Array2::ncols).collect(),
            None => plan.domain().attributes().iter().map(|attribute| attribute.cardinality()).collect(),
        };
        let directions = queries.into_iter().map(Direction::new).collect::<Result<_, _>>()?;
        Ok(Self { sets: plan.residuals().map(|(set, _)| set).collect(), together, sizes, directions })
    }

    /// The axes of a measured set, in their order.
    fn axes(&self, set: AttrSet) -> Vec<usize> {
        match self.together {
            Some(block) => {
                if set == block {
                    vec![0]
                } else {
                    Vec::new()
                }
            }
            None => set.iter().collect(),
        }
    }

    /// The same with the inverse and the spread of attribute `from` in the place of those of
    /// `to`.
    ///
    /// # Errors
    /// As [`Algebra::check_same_size`].
    pub(super) fn mixed_up(mut self, to: usize, from: usize) -> Result<Self, Error> {
        self.check_same_size(to, from)?;
        self.directions[to].inverse = self.directions[from].inverse.clone();
        self.directions[to].spread = self.directions[from].spread.clone();
        Ok(self)
    }

    /// Refuses attributes of different sizes.
    ///
    /// # Errors
    /// [`Error::Scenario`].
    pub(super) fn check_same_size(&self, one: usize, other: usize) -> Result<(), Error> {
        let is_one_size = self.sizes.get(one).is_some() && self.sizes.get(one) == self.sizes.get(other);
        if is_one_size {
            return Ok(());
        }
        Err(problem(format!("attributes {one} and {other} do not have the same number of categories")))
    }

    /// The sets that are measured, in the order of tables.
    pub(super) fn sets(&self) -> &[AttrSet] {
        &self.sets
    }

    /// `(x) B_i^T B_i` of a table over `set`: the residual's part of a likelihood.
    pub(super) fn precision(&self, set: AttrSet, cells: &[f64]) -> Vec<f64> {
        self.apply(set, cells, |direction| direction.queries.t().dot(&direction.queries))
    }

    /// Residual tables of the cells over every measured set.
    pub(super) fn residuals(&self, cells: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let tables = self.sets.iter().zip(cells);
        tables.map(|(&set, cells)| self.apply(set, cells, |lift| lift.inverse.dot(&lift.queries))).collect()
    }

    /// Cells over every measured set from residual tables.
    pub(super) fn cells(&self, residuals: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let tables = self.sets.iter().map(|&set| {
            let cells: usize = self.axes(set).into_iter().map(|axis| self.sizes[axis]).product();
            let mut table = vec![0.0; cells];
            for (&subset, residual) in self.sets.iter().zip(residuals).filter(|(subset, _)| subset.is_subset_of(set)) {
                table
                    .iter_mut()
                    .enumerate()
                    .for_each(|(place, cell)| *cell += self.spread(set, place, subset, residual));
            }
            table
        });
        tables.collect()
    }

    /// What one cell over `set` has of a residual over `subset`.
    fn spread(&self, set: AttrSet, mut place: usize, subset: AttrSet, residual: &[f64]) -> f64 {
        let (mut within, mut stride, mut share) = (0, 1, 1.0);
        let within_subset = self.axes(subset);
        for axis in self.axes(set).into_iter().rev() {
            let size = self.sizes[axis];
            let category = place % size;
            place /= size;
            if within_subset.contains(&axis) {
                within += stride * category;
                stride *= size;
            } else {
                share *= self.directions[axis].spread[category];
            }
        }
        share * residual[within]
    }

    fn apply(&self, set: AttrSet, cells: &[f64], matrix: impl Fn(&Direction) -> Array2<f64>) -> Vec<f64> {
        let axes = self.axes(set).into_iter();
        let matrices: Vec<Array2<f64>> = axes.map(|axis| matrix(&self.directions[axis])).collect();
        let views: Vec<_> = matrices.iter().map(|matrix| matrix.view()).collect();
        apply_kronecker(&views, cells)
    }
}
