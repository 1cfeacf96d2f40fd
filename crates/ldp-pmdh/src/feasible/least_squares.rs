//! The table nearest to the estimate in the metric of the noise, by FISTA.
//!
//! `h` reports, `A` the channels, `w = A s` what the plain projection `s` of the estimate
//! predicts. Minimises `f(r) = sum over y of (A r - h)_y^2 / w_y` over cells `r >= 0` with
//! `sum r = N`. `f` is convex, so with its gradient `g` no table is better by more than
//! `g.r - N min g`. Source: Beck, Teboulle (2009); O'Donoghue, Candes (2015) for the restarts.

use super::{FeasibleTable, FitLimits, project_on_simplex};
use crate::estimate::{cells_from_reports, mean_over_reports, reports_from_cells};
use ldp_client::Channel;

/// Least predicted count, as a share of all: where a noiseless channel predicts none.
const LEAST_SHARE: f64 = 1e-9;

/// This many iterations without a smaller gap: what is left is rounding.
const PATIENCE: usize = 1000;

/// The objective for one histogram.
struct Distance<'a> {
    channels: &'a [Channel],
    reports: &'a [f64],
    weights: Vec<f64>,
}

/// Least squares in the metric of the noise over all possible tables. Much closer to the truth
/// than [`project_on_simplex`] when reports are noisy. Each iteration `O(n 2^n)`.
///
/// # Panics
/// If there are not `2^n` reports for `n` channels.
pub fn least_squares(channels: &[Channel], reports: &[f64], limits: &FitLimits) -> FeasibleTable {
    let total: f64 = reports.iter().sum();
    let mut start = reports.to_vec();
    cells_from_reports(channels, &mut start);
    project_on_simplex(&mut start, total);
    let mut weights = start.clone();
    reports_from_cells(channels, &mut weights);
    // The variance of a report count is about its mean. A mean of nothing would give infinite
    // weight.
    weights.iter_mut().for_each(|w| *w = w.max(LEAST_SHARE * total).max(f64::MIN_POSITIVE));
    let distance = Distance { channels, reports, weights };
    distance.descend(start, total, limits)
}

impl Distance<'_> {
    /// The objective and its gradient.
    fn at(&self, cells: &[f64]) -> (f64, Vec<f64>) {
        let mut residual = cells.to_vec();
        reports_from_cells(self.channels, &mut residual);
        let mut value = 0.0;
        for ((r, h), w) in residual.iter_mut().zip(self.reports).zip(&self.weights) {
            *r -= h;
            value += *r * *r / w;
            *r *= 2.0 / w;
        }
        mean_over_reports(self.channels, &mut residual);
        (value, residual)
    }

    fn descend(&self, start: Vec<f64>, total: f64, limits: &FitLimits) -> FeasibleTable {
        let (mut cells, mut ahead, mut momentum, mut step) = (start.clone(), start, 1.0_f64, total.max(1.0));
        let mut best = self.judge(&cells, total, 0);
        for iteration in 1..=limits.iterations {
            if best.gap <= limits.gap || limits.stop.is_set() {
                break;
            }
            let (value, gradient) = self.at(&ahead);
            let next = self.step(&ahead, value, &gradient, total, &mut step);
            let turned: f64 = gradient.iter().zip(next.iter().zip(&cells)).map(|(g, (new, old))| g * (new - old)).sum();
            if turned > 0.0 {
                momentum = 1.0; // It leads uphill: restart (O'Donoghue and Candes, gradient scheme).
            }
            // Nesterov's sequence, which makes the error fall as 1 / k^2.
            let grown = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            let carry = (momentum - 1.0) / grown;
            ahead = next.iter().zip(&cells).map(|(new, old)| new + carry * (new - old)).collect();
            (cells, momentum) = (next, grown);
            let judged = self.judge(&cells, total, iteration);
            // Near the optimum the objective is all rounding; the gap still shows progress.
            if judged.gap < best.gap {
                best = judged;
            } else if iteration > best.iterations + PATIENCE {
                break;
            }
        }
        best
    }

    /// A projected gradient step, shortened until the objective lies below its quadratic model.
    fn step(&self, from: &[f64], value: f64, gradient: &[f64], total: f64, step: &mut f64) -> Vec<f64> {
        loop {
            let mut next: Vec<f64> = from.iter().zip(gradient).map(|(r, g)| r - *step * g).collect();
            project_on_simplex(&mut next, total);
            let (mut linear, mut square) = (0.0, 0.0);
            for ((new, old), g) in next.iter().zip(from).zip(gradient) {
                linear += g * (new - old);
                square += (new - old) * (new - old);
            }
            // Backtracking (Beck and Teboulle, 4.1): the step is at most 1 / L once the model
            // majorises. The slack is rounding, and a step of nothing means that rounding is all
            // there is.
            let slack = 1e-14 * value.abs();
            if self.value(&next) <= value + linear + square / (2.0 * *step) + slack || *step < 1e-300 {
                return next;
            }
            *step *= 0.5;
        }
    }

    fn value(&self, cells: &[f64]) -> f64 {
        let mut predicted = cells.to_vec();
        reports_from_cells(self.channels, &mut predicted);
        predicted.iter().zip(self.reports).zip(&self.weights).map(|((r, h), w)| (r - h) * (r - h) / w).sum()
    }

    fn judge(&self, cells: &[f64], total: f64, iterations: usize) -> FeasibleTable {
        let (objective, gradient) = self.at(cells);
        // Over the simplex a linear function is least at a corner, N min g: the Frank-Wolfe gap.
        let along: f64 = gradient.iter().zip(cells).map(|(g, r)| g * r).sum();
        let least = gradient.iter().fold(f64::INFINITY, |least, &g| least.min(g));
        FeasibleTable { cells: cells.to_vec(), gap: (along - total * least).max(0.0), objective, iterations }
    }
}
