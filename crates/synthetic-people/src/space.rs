//! Where a model has its probabilities: in the tables of a junction tree, or on people.

use privacy_core::AttrSet;

use crate::beliefs::{Calibrated, calibrate, largest_sum, potentials_of};
use crate::cells::{Within, count};
use crate::rows::Rows;
use crate::tree::JunctionTree;

/// Distributions of exponential form, `p(x)` proportional to `exp(sum of potentials at x)`, by
/// their tables.
pub(crate) trait Space {
    /// The number of categories of each attribute.
    fn sizes(&self) -> &[usize];

    /// The table that has all of `set`, and how its numbers are summed; `None` if no table has it.
    fn projection(&self, set: AttrSet) -> Option<(usize, Projection<'_>)>;

    /// Tables of zeros.
    fn zeros(&self) -> Vec<Vec<f64>>;

    /// The probabilities for these potentials.
    fn probabilities(&self, potentials: &[Vec<f64>]) -> Calibrated;

    /// Potentials with these probabilities, whose sum over everything is 1.
    fn potentials(&self, probabilities: &[Vec<f64>]) -> Vec<Vec<f64>>;

    /// The largest sum of potentials at one x.
    fn largest_sum(&self, potentials: &[Vec<f64>]) -> f64;
}

impl Space for JunctionTree {
    fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    fn projection(&self, set: AttrSet) -> Option<(usize, Projection<'_>)> {
        let clique = self.holder(set)?;
        Some((clique, Projection::Cells(Within::new(&self.sizes, self.cliques[clique].set, set))))
    }

    fn zeros(&self) -> Vec<Vec<f64>> {
        Self::zeros(self)
    }

    fn probabilities(&self, potentials: &[Vec<f64>]) -> Calibrated {
        calibrate(self, potentials)
    }

    fn potentials(&self, probabilities: &[Vec<f64>]) -> Vec<Vec<f64>> {
        potentials_of(self, probabilities)
    }

    fn largest_sum(&self, potentials: &[Vec<f64>]) -> f64 {
        largest_sum(self, potentials)
    }
}

/// People, each with a probability: one table with a number for each of them.
pub(crate) struct Support<'a> {
    pub(crate) sizes: &'a [usize],
    pub(crate) people: &'a Rows,
}

impl Space for Support<'_> {
    fn sizes(&self) -> &[usize] {
        self.sizes
    }

    fn projection(&self, set: AttrSet) -> Option<(usize, Projection<'_>)> {
        let cells = count(self.sizes, set) as usize;
        Some((0, Projection::People { people: self.people, sizes: self.sizes, set, cells }))
    }

    fn zeros(&self) -> Vec<Vec<f64>> {
        vec![vec![0.0; self.people.len()]]
    }

    fn probabilities(&self, potentials: &[Vec<f64>]) -> Calibrated {
        let most = self.largest_sum(potentials);
        // Relative to the largest, so that nothing overflows.
        let mut weights: Vec<f64> = potentials[0].iter().map(|value| (value - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        Calibrated { beliefs: vec![weights], log_sum: most + sum.ln() }
    }

    fn potentials(&self, probabilities: &[Vec<f64>]) -> Vec<Vec<f64>> {
        vec![probabilities[0].iter().map(|p| p.ln()).collect()]
    }

    fn largest_sum(&self, potentials: &[Vec<f64>]) -> f64 {
        potentials[0].iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// How the numbers of a table of a model are summed into the cells of a marginal.
pub(crate) enum Projection<'a> {
    /// The table is a larger marginal.
    Cells(Within),
    /// The table has a number for each person.
    People { people: &'a Rows, sizes: &'a [usize], set: AttrSet, cells: usize },
}

impl Projection<'_> {
    /// The sums of a table of the model.
    pub(crate) fn sums(&self, table: &[f64]) -> Vec<f64> {
        match self {
            Self::Cells(within) => within.sums(table),
            Self::People { people, sizes, set, cells } => {
                let mut sums = vec![0.0; *cells];
                let codes = people.codes(sizes, *set);
                codes.into_iter().zip(table).for_each(|(code, value)| sums[code as usize] += value);
                sums
            }
        }
    }

    /// Adds to every number of a table of the model that of the cell that it belongs to.
    pub(crate) fn add(&self, table: &mut [f64], cells: &[f64]) {
        match self {
            Self::Cells(within) => within.combine(table, cells, |value, by| *value += by),
            Self::People { people, sizes, set, .. } => {
                let codes = people.codes(sizes, *set);
                codes.into_iter().zip(table).for_each(|(code, value)| *value += cells[code as usize]);
            }
        }
    }
}
