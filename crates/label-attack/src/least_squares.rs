//! Least squares over the simplex: the attacker for large tables.
//!
//! `x` expected numbers by unit and layer, `s = A x` sums over sets, `[l, u]` their intervals
//! with middle `c`, `w` the number of queries that a set was. Minimised by FISTA (Beck and
//! Teboulle
//! 2009) with a constant step:
//!
//! ```text
//! f(x) = sum dist(s, [l, u])^2 + 0.02 sum w (s - c)^2
//!        over x_i >= 0, sum over classes of x_i = n_i
//! ```
//!
//! The second term chooses among the points within the intervals: the middle of an interval is
//! its mean.

use privacy_core::stop::StopFlag;

use crate::guess::Expected;
use crate::problem::LabelProblem;

/// Weight of the pull towards the middles of the intervals.
const PULL: f64 = 0.02;
/// Steps of the power iteration; its estimate is raised by [`MARGIN`], since it comes from below.
const POWER_STEPS: usize = 20;
const MARGIN: f64 = 1.05;
/// Steps end when no number moves by more than this, in rows.
const STILL: f64 = 1e-5;

/// Expected numbers by least squares, in at most `iterations` steps; fewer once the flag is set.
pub(crate) fn least_squares(problem: &LabelProblem, iterations: u32, stop: &StopFlag) -> Expected {
    let layers = problem.layers;
    let mut x: Vec<f64> = problem
        .sizes
        .iter()
        .flat_map(|size: &u32| {
            (0..layers).map(|layer| f64::from(*size) * problem.shares[problem.class_of(layer)]).collect::<Vec<_>>()
        })
        .collect();
    if problem.sets.is_empty() {
        return Expected::of_layers(problem, &x);
    }
    let step = 1.0 / (MARGIN * lipschitz(problem, stop));
    let (mut ahead, mut momentum) = (x.clone(), 1.0_f64);
    let (mut sums, mut slope) = (vec![0.0; problem.bounds.len()], vec![0.0; x.len()]);
    for _ in (0..iterations).take_while(|_| !stop.is_set()) {
        add_up(problem, &ahead, &mut sums, stop);
        residuals(problem, &mut sums, stop);
        spread(problem, &sums, &mut slope, stop);
        let next_momentum = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        let beta = (momentum - 1.0) / next_momentum;
        let moved = descend(problem, &mut x, &mut ahead, &slope, step, beta);
        momentum = next_momentum;
        if moved < STILL {
            break;
        }
    }
    Expected::of_layers(problem, &x)
}

/// One step from `ahead` down the slope and back into the simplices; `ahead` then overshoots by
/// `beta` times the step. The largest change of a number.
fn descend(problem: &LabelProblem, x: &mut [f64], ahead: &mut [f64], slope: &[f64], step: f64, beta: f64) -> f64 {
    let layers = problem.layers;
    let units = x.chunks_mut(layers).zip(ahead.chunks_mut(layers)).zip(slope.chunks(layers)).zip(&problem.sizes);
    let (mut moved, mut old) = (0.0_f64, vec![0.0; layers]);
    for (((x, ahead), slope), &size) in units {
        old.copy_from_slice(x);
        for ((x, ahead), slope) in x.iter_mut().zip(ahead.iter()).zip(slope) {
            *x = ahead - step * slope;
        }
        project(x, f64::from(size));
        for ((x, old), ahead) in x.iter().zip(&old).zip(ahead) {
            *ahead = x + beta * (x - old);
            moved = moved.max((x - old).abs());
        }
    }
    moved
}

/// `s = A x`.
fn add_up(problem: &LabelProblem, x: &[f64], sums: &mut [f64], stop: &StopFlag) {
    for (set, sums) in problem.sets.sets_until(stop).zip(sums.chunks_mut(problem.layers)) {
        gather(set, x, sums);
    }
}

/// `A^T r`.
fn spread(problem: &LabelProblem, residuals: &[f64], slope: &mut [f64], stop: &StopFlag) {
    for (sets, slope) in problem.sets_of.sets_until(stop).zip(slope.chunks_mut(problem.layers)) {
        gather(sets, residuals, slope);
    }
}

/// The sum over some rows of a matrix of as many columns as there are sums.
fn gather(rows: &[u32], matrix: &[f64], sums: &mut [f64]) {
    // One number stays in a register: in memory each addition would wait until the last one is
    // written.
    if let [sum] = sums {
        *sum = rows.iter().fold(0.0, |sum, &row| sum + matrix[row as usize]);
        return;
    }
    let columns = sums.len();
    sums.fill(0.0);
    for &row in rows {
        let own = &matrix[row as usize * columns..][..columns];
        sums.iter_mut().zip(own).for_each(|(sum, value)| *sum += value);
    }
}

/// Half the derivative of `f` by each sum, in place of the sum.
fn residuals(problem: &LabelProblem, sums: &mut [f64], stop: &StopFlag) {
    let of_set = sums.chunks_mut(problem.layers).zip(problem.bounds.chunks(problem.layers)).zip(&problem.repeats);
    for ((sums, bounds), &repeats) in of_set.take_while(|_| !stop.is_set()) {
        for (sum, bound) in sums.iter_mut().zip(bounds) {
            let (lower, upper) = (bound.lower as f64, bound.upper as f64);
            let outside = *sum - sum.clamp(lower, upper.max(lower));
            *sum = outside + PULL * f64::from(repeats) * (*sum - 0.5 * (lower + upper));
        }
    }
}

/// The largest eigenvalue of `A^T (1 + 0.02 w) A`, by power iteration: layers have the same.
fn lipschitz(problem: &LabelProblem, stop: &StopFlag) -> f64 {
    let mut vector = vec![1.0; problem.units()];
    let mut value = 1.0;
    for _ in (0..POWER_STEPS).take_while(|_| !stop.is_set()) {
        let sums: Vec<f64> = problem
            .sets
            .sets_until(stop)
            .zip(&problem.repeats)
            .map(|(set, &repeats)| {
                (1.0 + PULL * f64::from(repeats)) * set.iter().map(|&unit| vector[unit as usize]).sum::<f64>()
            })
            .collect();
        // Sums that were cut short have no entry for some sets.
        if stop.is_set() {
            break;
        }
        let next: Vec<f64> =
            problem.sets_of.sets_until(stop).map(|sets| sets.iter().map(|&set| sums[set as usize]).sum()).collect();
        value = next.iter().map(|v| v * v).sum::<f64>().sqrt();
        vector = next.iter().map(|v| v / value).collect();
    }
    value
}

/// The nearest point with entries at least 0 that add up to `total`; for a single layer, in `[0,
/// total]`.
fn project(point: &mut [f64], total: f64) {
    if let [value] = point {
        *value = value.clamp(0.0, total);
        return;
    }
    let mut sorted = point.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (count, value) in (1_u32..).zip(&sorted) {
        sum += value;
        let candidate = (sum - total) / f64::from(count);
        if *value > candidate {
            shift = candidate;
        }
    }
    point.iter_mut().for_each(|value| *value = (*value - shift).max(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projection_is_the_nearest_point_of_the_simplex() {
        for (point, total, want) in [
            (vec![0.2, 0.3, 0.5], 1.0, vec![0.2, 0.3, 0.5]),
            (vec![2.0, 0.0, 0.0], 1.0, vec![1.0, 0.0, 0.0]),
            (vec![1.0, 1.0, -5.0], 1.0, vec![0.5, 0.5, 0.0]),
            (vec![0.0, 0.0, 0.0], 3.0, vec![1.0, 1.0, 1.0]),
        ] {
            let mut got = point;
            project(&mut got, total);
            assert!(got.iter().zip(&want).all(|(a, b): (&f64, &f64)| (a - b).abs() < 1e-12), "{got:?} {want:?}");
        }
    }
}
