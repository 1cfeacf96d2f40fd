//! Draws of the table, given the reports: simulation, nothing of it a release.
//!
//! `h` reports, `Z_y` the readings of report `y`, `m = sum h_y Z_y / N`. The covariance of the
//! super-population is `N / (N - 1) sum h_y (Z_y - m)(Z_y - m)^T`, so
//! `t + sqrt(N / (N - 1)) sum sqrt(h_y) xi_y (Z_y - m)` with standard normal `xi` has it: one more
//! transform, and no factorisation. The Gibbs sampler splits the reports of every kind over the
//! rows that they may come from, and draws frequencies from a Dirichlet law.

use rand_core::Rng;
use rand_distr::{Binomial, Distribution, Gamma, StandardNormal};

use super::project_on_simplex;
use crate::estimate::cells_from_reports;
use ldp_client::Channel;

/// A draw of the cells from the normal law of the estimate for the super-population; cells may be
/// negative. `O(n 2^n)`.
///
/// # Panics
/// If there are not `2^n` reports for `n` channels.
#[must_use]
pub fn normal_draw<R: Rng + ?Sized>(channels: &[Channel], reports: &[u64], rng: &mut R) -> Vec<f64> {
    let people: f64 = reports.iter().map(|&h| h as f64).sum();
    // N / (N - 1): the covariance is that of a sample.
    let bessel = if people > 1.0 { (people / (people - 1.0)).sqrt() } else { 0.0 };
    let moves: Vec<f64> = reports
        .iter()
        .map(|&h| if h > 0 { (h as f64).sqrt() * Distribution::<f64>::sample(&StandardNormal, rng) } else { 0.0 })
        .collect();
    // Deviations are taken from their mean, so a draw keeps the number of people.
    let drift = moves.iter().sum::<f64>() / people.max(1.0);
    let mut cells: Vec<f64> =
        reports.iter().zip(moves).map(|(&h, moved)| h as f64 + bessel * (moved - h as f64 * drift)).collect();
    cells_from_reports(channels, &mut cells);
    cells
}

/// The same, projected on the possible tables.
///
/// # Panics
/// If there are not `2^n` reports for `n` channels.
#[must_use]
pub fn feasible_draw<R: Rng + ?Sized>(channels: &[Channel], reports: &[u64], rng: &mut R) -> Vec<f64> {
    let mut cells = normal_draw(channels, reports, rng);
    project_on_simplex(&mut cells, reports.iter().map(|&h| h as f64).sum());
    cells
}

/// A Gibbs sampler of the frequencies of all cells under a Dirichlet prior. Kind: proxy, as good
/// as the prior and the number of sweeps.
#[derive(Clone, Debug)]
pub struct Gibbs<'a> {
    channels: &'a [Channel],
    reports: &'a [u64],
    prior: f64,
    shares: Vec<f64>,
}

impl<'a> Gibbs<'a> {
    /// A sampler that starts from equal shares; `prior` is the Dirichlet parameter of every cell,
    /// above 0 (1 is uniform).
    ///
    /// # Panics
    /// If there are not `2^n` reports for `n` channels, or the prior is not above 0 and finite.
    #[must_use]
    pub fn new(channels: &'a [Channel], reports: &'a [u64], prior: f64) -> Self {
        assert_eq!(Some(reports.len()), 1_usize.checked_shl(channels.len() as u32), "2^n reports for n columns");
        assert!(prior > 0.0 && prior < f64::INFINITY, "a Dirichlet parameter is above 0");
        Self { channels, reports, prior, shares: vec![1.0 / reports.len() as f64; reports.len()] }
    }

    /// The shares of all cells after one more sweep. As many steps as cells times the kinds of
    /// reports that were seen.
    ///
    /// # Panics
    /// Never: probabilities are kept within 0 and 1, and shapes above 0.
    pub fn sweep<R: Rng + ?Sized>(&mut self, rng: &mut R) -> &[f64] {
        let mut rows = vec![0_u64; self.shares.len()];
        for (kind, &reports) in self.reports.iter().enumerate().filter(|(_, reports)| **reports > 0) {
            let weights = self.weights(kind);
            // A multinomial draw as a chain of binomial ones: each row takes its share of what is
            // left.
            let (mut left, mut mass) = (reports, weights.iter().sum::<f64>());
            for (row, weight) in rows.iter_mut().zip(weights) {
                if left == 0 {
                    break;
                }
                let chance = if mass > 0.0 { (weight / mass).clamp(0.0, 1.0) } else { 0.0 };
                let drawn = Binomial::new(left, chance).expect("a clamped chance is one").sample(rng);
                *row += drawn;
                left -= drawn;
                mass -= weight;
            }
            // Rounding of the masses may leave a few to the last row.
            *rows.last_mut().expect("a table has cells") += left;
        }
        // A Dirichlet draw is gamma draws divided by their sum.
        for (share, row) in self.shares.iter_mut().zip(rows) {
            let gamma = Gamma::new(self.prior + row as f64, 1.0).expect("a shape above 0");
            *share = gamma.sample(rng).max(f64::MIN_POSITIVE);
        }
        let sum: f64 = self.shares.iter().sum();
        self.shares.iter_mut().for_each(|share| *share /= sum);
        &self.shares
    }

    /// For each row its share times the probability of this kind of report.
    fn weights(&self, kind: usize) -> Vec<f64> {
        let mut weights = self.shares.clone();
        for (column, channel) in self.channels.iter().enumerate() {
            let is_reported = kind >> column & 1 == 1;
            let (zero, one) = (law_of_bit(is_reported, channel.p()), law_of_bit(is_reported, channel.q()));
            weights.iter_mut().enumerate().for_each(|(row, w)| *w *= if row >> column & 1 == 1 { one } else { zero });
        }
        weights
    }
}

/// The probability of what a report says about a column, where it says 1 with probability `one`.
fn law_of_bit(is_reported: bool, one: f64) -> f64 {
    if is_reported { one } else { 1.0 - one }
}
