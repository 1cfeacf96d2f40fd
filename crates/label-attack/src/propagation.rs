//! Belief propagation: the attacker for releases that leave labels in doubt.
//!
//! Unknowns are `x_ir`, the rows of class `r` in unit `i`, out of `n_i`; a priori multinomial
//! with the public class shares. A factor says that a sum of `x_ir` over a set lies in `l ..= u`.
//! The message of a factor to a unit is
//!
//! ```text
//! m(k) = P(l <= k + rest <= u),   rest = sum over the other units of the set, each by its belief without this factor
//! ```
//!
//! exactly, by convolution forwards and backwards, for sets of at most [`EXACT`] rows, and by a
//! normal law with continuity correction above. Factors are updated one after the other: all at
//! once, the messages swing. Messages are logarithms with `m(0) = 1`, and new ones are mixed with
//! old ones.

use privacy_core::normal;
use privacy_core::stop::StopFlag;

use crate::beliefs::Beliefs;
use crate::guess::Expected;
use crate::problem::{Bounds, LabelProblem};

/// Rows of a set up to which sums are convolved.
const EXACT: u32 = 24;
/// Share of the new message in the mixture: with more of it, messages overshoot (A1 of the
/// benchmark 0.69 in place of 0.73 at one half).
const FRESH: f64 = 0.15;
/// Largest logarithm of a message: beyond it, rounding and a wrong normal law would be believed
/// without appeal.
const SURE: f64 = 30.0;
/// Sweeps end when no expected number moves by more than this.
const STILL: f64 = 1e-4;

/// Steps of one sweep: numbers of rows that are considered, and products of the convolutions.
pub(crate) fn sweep_cost(problem: &LabelProblem) -> u64 {
    let layers = problem.layers as u64;
    let of_set = |(set, &rows): (&[u32], &u32)| {
        let numbers: u64 = set.iter().map(|&unit| u64::from(problem.sizes[unit as usize]) + 1).sum();
        let coupled: u64 = if layers == 1 {
            0
        } else {
            set.iter().map(|&unit| layers * (u64::from(problem.sizes[unit as usize]) + 1).pow(2)).sum()
        };
        layers * (numbers * if rows <= EXACT { u64::from(rows) + 1 } else { 8 } + coupled)
    };
    problem.sets.sets().zip(&problem.rows_of).map(of_set).fold(0, u64::saturating_add)
}

/// Expected numbers by belief propagation, in at most `sweeps` sweeps; fewer once the flag is
/// set.
pub(crate) fn propagate(problem: &LabelProblem, sweeps: u32, stop: &StopFlag) -> Expected {
    let mut beliefs = Beliefs::new(problem);
    let mut before = beliefs.expected();
    for _ in 0..sweeps {
        for set in (0..problem.sets()).take_while(|_| !stop.is_set()) {
            for layer in (0..problem.layers).take_while(|_| !stop.is_set()) {
                let bounds = problem.bounds[set * problem.layers + layer];
                if bounds.lower > 0 || bounds.upper < i64::from(problem.rows_of[set]) {
                    update(problem, &mut beliefs, set, layer, bounds);
                }
            }
        }
        let after = beliefs.expected();
        let moved = before.0.iter().zip(&after.0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        before = after;
        if moved < STILL || stop.is_set() {
            break;
        }
    }
    before
}

fn update(problem: &LabelProblem, beliefs: &mut Beliefs<'_>, set: usize, layer: usize, bounds: Bounds) {
    let cavities = beliefs.cavities(set, layer);
    let fresh = if problem.rows_of[set] <= EXACT {
        by_convolution(&cavities, bounds)
    } else {
        by_normal_law(&cavities, bounds)
    };
    for (place, likelihoods) in fresh.iter().enumerate() {
        beliefs.mix(
            set,
            layer,
            place,
            |k| {
                let log_ratio = log_of(likelihoods[k]) - log_of(likelihoods[0]);
                log_ratio.clamp(-SURE, SURE)
            },
            FRESH,
        );
    }
}

/// A logarithm that two impossible numbers share.
fn log_of(value: f64) -> f64 {
    value.max(1e-300).ln()
}

/// `P(l <= k + rest <= u)` for each unit of a set and each `k`, exactly.
fn by_convolution(cavities: &[Vec<f64>], bounds: Bounds) -> Vec<Vec<f64>> {
    let rows: usize = cavities.iter().map(|law| law.len() - 1).sum();
    // `within[j][s]`: the probability of ending in the interval from sum `s` before unit `j`.
    let end: Vec<f64> = (0..=rows as i64).map(|sum| if bounds.excess(sum) == 0 { 1.0 } else { 0.0 }).collect();
    let mut within = vec![end];
    for law in cavities.iter().rev() {
        let after = within.last().expect("it begins with one entry");
        let before = (0..=rows).map(|sum| law.iter().zip(&after[sum..]).map(|(p, w)| p * w).sum()).collect();
        within.push(before);
    }
    within.reverse();
    let mut sums = vec![1.0];
    let mut messages = Vec::with_capacity(cavities.len());
    for (law, within) in cavities.iter().zip(&within[1..]) {
        messages.push(
            (0..law.len()).map(|k: usize| sums.iter().zip(&within[k.min(rows)..]).map(|(p, w)| p * w).sum()).collect(),
        );
        let mut next = vec![0.0; sums.len() + law.len() - 1];
        for (sum, p) in sums.iter().enumerate() {
            for (k, q) in law.iter().enumerate() {
                next[sum + k] += p * q;
            }
        }
        sums = next;
    }
    messages
}

/// The same with a normal law for the rest.
fn by_normal_law(cavities: &[Vec<f64>], bounds: Bounds) -> Vec<Vec<f64>> {
    let moments: Vec<(f64, f64)> = cavities.iter().map(|law| moments(law)).collect();
    let (mean, variance) = moments.iter().fold((0.0, 0.0), |(m, v), (mean, variance)| (m + mean, v + variance));
    let (lower, upper) = (bounds.lower as f64 - 0.5, bounds.upper as f64 + 0.5);
    cavities
        .iter()
        .zip(&moments)
        .map(|(law, (own_mean, own_variance)): (&Vec<f64>, &(f64, f64))| {
            let (mean, spread) = (mean - own_mean, (variance - own_variance).max(1e-4).sqrt());
            (0..law.len())
                .map(|k| between((lower - k as f64 - mean) / spread, (upper - k as f64 - mean) / spread))
                .collect()
        })
        .collect()
}

/// `P(a <= Z <= b)` for a standard normal `Z`, from the tail where it is small.
fn between(a: f64, b: f64) -> f64 {
    let probability =
        if a > 0.0 { normal::at_least(a) - normal::at_least(b) } else { normal::at_most(b) - normal::at_most(a) };
    probability.max(0.0)
}

/// Mean and variance of a law on `0, 1, ...`.
fn moments(law: &[f64]) -> (f64, f64) {
    let mean: f64 = law.iter().enumerate().map(|(k, p)| k as f64 * p).sum();
    let variance = law.iter().enumerate().map(|(k, p)| (k as f64 - mean).powi(2) * p).sum();
    (mean, variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convolution_agrees_with_every_outcome_counted() {
        let cavities = vec![vec![0.3, 0.7], vec![0.5, 0.2, 0.3], vec![0.9, 0.1]];
        let bounds = Bounds { lower: 1, upper: 2 };
        let messages = by_convolution(&cavities, bounds);
        for (unit, law) in cavities.iter().enumerate() {
            assert_eq!(messages[unit].len(), law.len());
            for (k, &got) in messages[unit].iter().enumerate() {
                let mut want = 0.0;
                for (a, pa) in cavities[(unit + 1) % 3].iter().enumerate() {
                    for (b, pb) in cavities[(unit + 2) % 3].iter().enumerate() {
                        if bounds.excess((k + a + b) as i64) == 0 {
                            want += pa * pb;
                        }
                    }
                }
                assert!((got - want).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn the_normal_law_is_near_the_convolution_where_it_takes_over() {
        let cavities = vec![vec![0.4, 0.6]; EXACT as usize + 1];
        let bounds = Bounds { lower: 12, upper: 16 };
        let (exact, near) = (by_convolution(&cavities, bounds), by_normal_law(&cavities, bounds));
        for (exact, near) in exact.iter().zip(&near) {
            assert!(exact.iter().zip(near).all(|(a, b)| (a - b).abs() < 0.01), "{exact:?} {near:?}");
        }
    }
}
