//! Sums over a few columns: counts of all subsets, folded column by column.
//!
//! Symbols as in `docs/math/ldp-pmdh.md`: `c_S` counts of reports with all columns of `S`, `t_S`
//! their unbiased truths. A sum of `t_S` with a factor for each column, `w0` where it is left out
//! and `w1` where it is taken, is folded on `c` directly:
//! `w0 t + w1 t' = (w0 - w1 p / d) c + (w1 / d) c'`.

use privacy_core::subsets::{moebius_over_supersets, zeta_over_supersets};

use super::truth_from_counts;
use crate::feasible::project_on_simplex;
use ldp_client::Channel;

/// Factors of a column: left out, taken.
pub(super) type Factor = [f64; 2];

pub(super) const LEFT_OUT: Factor = [1.0, 0.0];
pub(super) const TAKEN: Factor = [0.0, 1.0];

/// Counts of all subsets of some columns, by mask, with the channels of the columns.
pub(super) struct Lattice {
    pub(super) channels: Vec<Channel>,
    pub(super) counts: Vec<f64>,
}

impl Lattice {
    /// How many reports were counted.
    pub(super) fn reports(&self) -> f64 {
        self.counts[0]
    }

    /// The sum over subsets of `t_S` with these factors. `O(2^n)`.
    pub(super) fn fold(&self, factors: &[Factor]) -> f64 {
        // One pass on the counts instead of two, through the truths: fewer roundings, and no
        // table of truths that nobody reads.
        let on_counts = self.channels.iter().zip(factors).map(|(channel, [w0, w1])| {
            let scaled = w1 / channel.gap();
            [w0 - scaled * channel.p(), scaled]
        });
        fold(self.counts.clone(), on_counts.collect())
    }

    /// Truths of all subsets of the nearest possible table: cells not below 0, the same number
    /// of rows.
    pub(super) fn feasible_truth(&self) -> Vec<f64> {
        let mut values = self.counts.clone();
        truth_from_counts(&self.channels, &mut values);
        moebius_over_supersets(&mut values);
        // Cells, not counts, are what a table has at least none of: project there, and sum up
        // again.
        project_on_simplex(&mut values, self.reports());
        zeta_over_supersets(&mut values);
        values
    }
}

/// The sum over masks of values times the factor of each column.
pub(super) fn fold(mut values: Vec<f64>, factors: Vec<Factor>) -> f64 {
    debug_assert_eq!(values.len(), 1 << factors.len());
    // From the highest column down, halving the table each time: 2^n multiplications in all.
    for [w0, w1] in factors.into_iter().rev() {
        let half = values.len() / 2;
        let (without, with) = values.split_at_mut(half);
        without.iter_mut().zip(with).for_each(|(without, with)| *without = w0 * *without + w1 * *with);
        values.truncate(half);
    }
    values[0]
}
