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
use crate::laws::Laws;
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
    let mut update = Update::default();
    let mut before = beliefs.expected();
    for _ in 0..sweeps {
        for set in (0..problem.sets()).take_while(|_| !stop.is_set()) {
            for layer in (0..problem.layers).take_while(|_| !stop.is_set()) {
                let bounds = problem.bounds[set * problem.layers + layer];
                if bounds.lower > 0 || bounds.upper < i64::from(problem.rows_of[set]) {
                    update.of_set(problem, &mut beliefs, (set, layer), bounds);
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

/// New messages of one factor, and what is kept on the way.
#[derive(Default)]
struct Update {
    cavities: Laws,
    /// `P(l <= k + rest <= u)` for each unit of the set and each `k`.
    likelihoods: Laws,
    convolution: Convolution,
}

impl Update {
    fn of_set(&mut self, problem: &LabelProblem, beliefs: &mut Beliefs<'_>, factor: (usize, usize), bounds: Bounds) {
        let (set, layer) = factor;
        beliefs.cavities(set, layer, &mut self.cavities);
        self.likelihoods.clear();
        if problem.rows_of[set] <= EXACT {
            self.convolution.likelihoods(&self.cavities, bounds, &mut self.likelihoods);
        } else {
            by_normal_law(&self.cavities, bounds, &mut self.likelihoods);
        }
        for (place, likelihoods) in self.likelihoods.iter().enumerate() {
            let of_none = log_of(likelihoods[0]);
            beliefs.mix(set, layer, place, |k| (log_of(likelihoods[k]) - of_none).clamp(-SURE, SURE), FRESH);
        }
    }
}

/// A logarithm that two impossible numbers share.
fn log_of(value: f64) -> f64 {
    value.max(1e-300).ln()
}

/// Sums over the units before one and after it.
#[derive(Default)]
struct Convolution {
    /// By unit from the last, then by sum: the probability of ending in the interval from this sum
    /// before the unit.
    within: Vec<f64>,
    /// The law of the sum before a unit.
    sums: Vec<f64>,
    next: Vec<f64>,
}

impl Convolution {
    /// `P(l <= k + rest <= u)` for each unit of a set and each `k`, exactly.
    fn likelihoods(&mut self, cavities: &Laws, bounds: Bounds, likelihoods: &mut Laws) {
        let rows: usize = cavities.iter().map(|law| law.len() - 1).sum();
        self.backwards(cavities, bounds, rows);
        self.sums.clear();
        self.sums.push(1.0);
        let Self { within, sums, next } = self;
        // Of the entries of `within`, the last is that before the first unit.
        let after = within.rchunks(rows + 1).skip(1);
        for (law, within) in cavities.iter().zip(after) {
            let of_number = |k: usize| sums.iter().zip(&within[k.min(rows)..]).map(|(p, w)| p * w).sum();
            likelihoods.push((0..law.len()).map(of_number));
            next.clear();
            next.resize(sums.len() + law.len() - 1, 0.0);
            for (sum, p) in sums.iter().enumerate() {
                for (next, q) in next[sum..].iter_mut().zip(law) {
                    *next += p * q;
                }
            }
            std::mem::swap(sums, next);
        }
    }

    fn backwards(&mut self, cavities: &Laws, bounds: Bounds, rows: usize) {
        self.within.clear();
        self.within.extend((0..=rows as i64).map(|sum| if bounds.excess(sum) == 0 { 1.0 } else { 0.0 }));
        for law in cavities.iter().rev() {
            let start = self.within.len() - (rows + 1);
            for sum in 0..=rows {
                let before = law.iter().zip(&self.within[start + sum..=start + rows]).map(|(p, w)| p * w).sum();
                self.within.push(before);
            }
        }
    }
}

/// The same with a normal law for the rest.
fn by_normal_law(cavities: &Laws, bounds: Bounds, likelihoods: &mut Laws) {
    let all = cavities.iter().map(moments).fold((0.0, 0.0), |(m, v), (mean, variance)| (m + mean, v + variance));
    let (lower, upper) = (bounds.lower as f64 - 0.5, bounds.upper as f64 + 0.5);
    for law in cavities.iter() {
        let own = moments(law);
        let (mean, spread) = (all.0 - own.0, (all.1 - own.1).max(1e-4).sqrt());
        let of_number = |k| between((lower - k as f64 - mean) / spread, (upper - k as f64 - mean) / spread);
        likelihoods.push((0..law.len()).map(of_number));
    }
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

    fn laws(all: &[Vec<f64>]) -> Laws {
        let mut laws = Laws::default();
        all.iter().for_each(|law| _ = laws.push(law.iter().copied()));
        laws
    }

    fn by_convolution(cavities: &[Vec<f64>], bounds: Bounds) -> Laws {
        let mut likelihoods = Laws::default();
        Convolution::default().likelihoods(&laws(cavities), bounds, &mut likelihoods);
        likelihoods
    }

    #[test]
    fn convolution_agrees_with_every_outcome_counted() {
        let cavities = vec![vec![0.3, 0.7], vec![0.5, 0.2, 0.3], vec![0.9, 0.1]];
        let bounds = Bounds { lower: 1, upper: 2 };
        let messages = by_convolution(&cavities, bounds);
        assert_eq!(messages.iter().count(), 3);
        for (unit, (law, message)) in cavities.iter().zip(messages.iter()).enumerate() {
            assert_eq!(message.len(), law.len());
            for (k, &got) in message.iter().enumerate() {
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
        let (exact, mut near) = (by_convolution(&cavities, bounds), Laws::default());
        by_normal_law(&laws(&cavities), bounds, &mut near);
        assert_eq!((exact.iter().count(), near.iter().count()), (cavities.len(), cavities.len()));
        for (exact, near) in exact.iter().zip(near.iter()) {
            assert!(exact.iter().zip(near).all(|(a, b)| (a - b).abs() < 0.01), "{exact:?} {near:?}");
        }
    }
}
