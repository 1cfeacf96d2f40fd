//! Maximum likelihood over all possible tables: expectation-maximisation, accelerated.
//!
//! `h` reports, `A` the channels, `N` people. Maximises `l(r) = sum over y of h_y ln((A r)_y /
//! N)` over `r >= 0`, `sum r = N`. With `g = A^T (h / A r)` an EM step is `r <- r
//! g`, and no table is better by more than `N (max g - 1)`. If the unbiased estimate has no
//! negative cell, it is the maximum. Source: Varadhan, Roland, "Simple and globally convergent
//! methods for accelerating the convergence of any EM algorithm" (2008), scheme S3.

use super::{FeasibleTable, FitLimits, project_on_simplex};
use crate::estimate::{cells_from_reports, mean_over_reports, reports_from_cells};
use ldp_client::Channel;

/// EM never leaves 0, so it starts a little inside.
const INSIDE: f64 = 1e-2;

/// One EM step: where it leads, the likelihood where it began, and how far that was from the
/// maximum.
struct EmStep {
    to: Vec<f64>,
    log_likelihood: f64,
    gap: f64,
}

/// The maximum-likelihood table. Each iteration `O(n 2^n)`; tens to hundreds of them.
///
/// # Panics
/// If there are not `2^n` reports for `n` channels.
pub fn maximum_likelihood(channels: &[Channel], reports: &[f64], limits: &FitLimits) -> FeasibleTable {
    let total: f64 = reports.iter().sum();
    let mut cells = reports.to_vec();
    cells_from_reports(channels, &mut cells);
    // The saturated model: an estimate inside the simplex has the likelihood of the data
    // themselves.
    if total <= 0.0 || cells.iter().all(|&cell| cell >= 0.0) {
        let objective = em_step(channels, reports, &cells).log_likelihood;
        return FeasibleTable { cells, gap: 0.0, objective, iterations: 0 };
    }
    project_on_simplex(&mut cells, total);
    let uniform = total / cells.len() as f64;
    cells.iter_mut().for_each(|cell| *cell = (1.0 - INSIDE) * *cell + INSIDE * uniform);
    for iteration in 0.. {
        let one = em_step(channels, reports, &cells);
        if one.gap <= limits.gap || iteration >= limits.iterations || limits.stop.is_set() {
            return FeasibleTable { cells, gap: one.gap, objective: one.log_likelihood, iterations: iteration };
        }
        // Two EM steps give a direction and its bend; the leap goes along both (scheme S3).
        let two = em_step(channels, reports, &one.to);
        let leap = extrapolate(&cells, &one.to, &two.to, total);
        let after = em_step(channels, reports, &leap);
        // EM never loses likelihood; a leap may.
        cells = if after.log_likelihood >= two.log_likelihood { after.to } else { two.to };
    }
    unreachable!("the loop ends by its counter")
}

fn em_step(channels: &[Channel], reports: &[f64], cells: &[f64]) -> EmStep {
    let total: f64 = reports.iter().sum();
    let mut ratio = cells.to_vec();
    reports_from_cells(channels, &mut ratio);
    let mut log_likelihood = 0.0;
    for (predicted, &observed) in ratio.iter_mut().zip(reports) {
        if observed > 0.0 {
            log_likelihood += observed * (*predicted / total).ln();
            *predicted = observed / *predicted;
        } else {
            *predicted = 0.0;
        }
    }
    mean_over_reports(channels, &mut ratio);
    let steepest = ratio.iter().fold(0.0, |steepest: f64, &g| steepest.max(g));
    let to = ratio.iter().zip(cells).map(|(g, r)| g * r).collect();
    EmStep { to, log_likelihood, gap: (total * (steepest - 1.0)).max(0.0) }
}

/// Two EM steps taken much further along their curve; cells stay above 0 and add up.
fn extrapolate(start: &[f64], one: &[f64], two: &[f64], total: f64) -> Vec<f64> {
    let first = start.iter().zip(one).map(|(a, b)| b - a);
    let bend = start.iter().zip(one).zip(two).map(|((a, b), c)| (c - b) - (b - a));
    let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let (speed, curve) = (squares(&mut first.clone()), squares(&mut bend.clone()));
    // At least one: never shorter than the two EM steps themselves.
    let length = if curve > 0.0 { (speed / curve).max(1.0) } else { 1.0 };
    let moved = start.iter().zip(first).zip(bend).map(|((a, r), v)| a + 2.0 * length * r + length * length * v);
    // A cell that would leave the simplex goes most of the way.
    let mut cells: Vec<f64> = moved.zip(two).map(|(to, &em)| if to > 0.0 { to } else { 0.1 * em }).collect();
    let sum: f64 = cells.iter().sum();
    cells.iter_mut().for_each(|cell| *cell *= total / sum);
    cells
}
