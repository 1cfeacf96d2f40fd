//! The best statistic to tell two tables apart.
//!
//! `delta_B` how far the marginals over B of the two tables are apart, `x_B` the released counts
//! over B, `K_i = B_i^T B_i`. The residual answers `(x) B_i x_B` have independent noise of
//! variance `sigma_B^2`, so that the logarithm of the likelihood ratio is
//!
//! ```text
//! sum over B of <(x) K_i delta_B, x_B> / sigma_B^2 + constant
//! mu^2 = sum over B of <(x) K_i delta_B, delta_B> / sigma_B^2
//! ```
//!
//! Over `mu`, and with the first table's value taken off, it is N(0, 1) on the first table and
//! N(mu, 1) on the second (Neyman, Pearson). Discrete noise differs from that by its lattice
//! alone. Source: `docs/math/attack-sim.md`, (6).

use super::algebra::Algebra;
use super::mechanism::Mechanism;
use crate::prelude::*;

/// A linear statistic of the released counts.
#[derive(Clone, Debug)]
pub(super) struct Statistic {
    weights: Vec<Vec<f64>>,
    constant: f64,
    /// How far it is between the two tables, in standard deviations.
    pub(super) mu: f64,
}

impl Statistic {
    /// Of the promised noise and two tables.
    pub(super) fn between(mechanism: &Mechanism, without: &TableSource, with: &TableSource) -> Result<Self, Error> {
        let (without, with) = (mechanism.truth(without)?, mechanism.truth(with)?);
        let algebra = Algebra::of(mechanism.promised())?;
        let delta: Vec<Vec<f64>> = with
            .iter()
            .zip(&without)
            .map(|(with, without)| with.iter().zip(without).map(|(a, b)| a - b).collect())
            .collect();
        let weights = mechanism.promised().residuals().zip(&delta).map(|((set, sigma2), delta)| -> Vec<f64> {
            // Without noise it is the same for all neighbours: it tells nothing.
            let times = if sigma2.is_zero() { 0.0 } else { 1.0 / sigma2.to_f64() };
            algebra.precision(set, delta).into_iter().map(|weight| times * weight).collect()
        });
        let mut weights: Vec<Vec<f64>> = weights.collect();
        let mu = dot(&weights, &delta).max(0.0).sqrt();
        let scale = if mu > 0.0 { 1.0 / mu } else { 0.0 };
        weights.iter_mut().flatten().for_each(|weight| *weight *= scale);
        Ok(Self { constant: dot(&weights, &without), weights, mu })
    }

    /// Its value on a release.
    pub(super) fn of(&self, cells: &[Vec<f64>]) -> f64 {
        dot(&self.weights, cells) - self.constant
    }
}

/// Whether the same noise twice has cancelled.
fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() < ROUNDING
}

/// The inner product of all tables.
fn dot(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
}

/// Says "with" above a threshold. Of two releases, the first of which is known to be without, it
/// first looks whether they differ by nothing but the person.
#[derive(Clone, Debug)]
pub(super) struct Distinguisher {
    pub(super) statistic: Statistic,
    /// In standard deviations, from the table without the person.
    pub(super) threshold: f64,
}

/// The same noise twice cancels up to rounding.
const ROUNDING: f64 = 1e-9;

/// The counts of one release or of several, the last of which is in question.
pub(super) type Counts = Vec<Vec<Vec<f64>>>;

impl Distinguisher {
    pub(super) fn says_with(&self, view: &[Vec<Vec<f64>>]) -> bool {
        let values: Vec<f64> = view.iter().map(|cells| self.statistic.of(cells)).collect();
        let Some((last, earlier)) = values.split_last() else { return false };
        let is_above = *last > self.threshold;
        earlier.first().map_or(is_above, |first| {
            let apart = last - first;
            is_near(apart, self.statistic.mu) || (!is_near(apart, 0.0) && is_above)
        })
    }
}
