//! The choice of a coarsening by the exponential mechanism.
//!
//! ```text
//! u(r)   = sum over the M requested margins of (2 cells of r with at least T people - cells of r)
//! P(r)   proportional to exp(e2 u(r) / (2 M))
//! ```
//!
//! One row more adds at most 2 to the term of each margin and never takes anything away, so the
//! ratio of P(r) for neighbours is within `exp(e2)` on both sides. Candidates follow from the
//! hierarchies alone: each axis at each of its depths below the root.

use std::collections::BTreeSet;

use privacy_core::noise::{Rational, bernoulli_exp};
use privacy_core::rng::below;
use privacy_core::round;
use rand_core::CryptoRng;

use crate::planner::candidate_recodings::thinned;
use crate::planner::margin::recoding::{GroupingRule, Recoding};
use crate::planner::problem::ReleaseProblem;
use crate::table::error::Error;

/// Most coarsenings among which one is drawn.
const MOST_CANDIDATES: usize = 64;
/// Depths of a hierarchy that are tried.
const MOST_DEPTHS: usize = 8;
/// Significant bits of the scale of scores.
const SCALE_BITS: u32 = 24;

/// One recoding for every axis of the domain: all requested margins use the same.
pub(crate) type Coarsening = Vec<Recoding>;

/// The coarsenings that the hierarchies offer, the finest first; without hierarchies, that of
/// single levels.
pub(crate) fn candidates(problem: &ReleaseProblem) -> Vec<Coarsening> {
    let mut all: Vec<Coarsening> = vec![Vec::new()];
    for (axis, attribute) in problem.background.domain().attributes().iter().enumerate() {
        let mut own = BTreeSet::from([Recoding::finest(attribute)]);
        if let Some(tree) = problem.hierarchies.get(&axis) {
            let of_depth = |depth| {
                let rule = GroupingRule { sizes: None, min_frequency: 0, depth, merge: false };
                Recoding::by(tree, &rule).filter(|recoding| recoding.groups().len() > 1)
            };
            own.extend((1..=MOST_DEPTHS).filter_map(of_depth));
        }
        let mut own: Vec<Recoding> = own.into_iter().collect();
        own.sort_by_key(|recoding| std::cmp::Reverse(recoding.groups().len()));
        all = all
            .iter()
            .flat_map(|prefix: &Coarsening| -> Vec<Coarsening> {
                own.iter().map(|recoding| prefix.iter().cloned().chain([recoding.clone()]).collect()).collect()
            })
            .collect();
        all = thinned(all, MOST_CANDIDATES);
    }
    all
}

/// Draws the position of a score with probability proportional to `exp(epsilon score / (2 M))`.
pub(crate) fn draw<R: CryptoRng + ?Sized>(
    scores: &[i64],
    epsilon: f64,
    margins: usize,
    rng: &mut R,
) -> Result<usize, Error> {
    let best = *scores.iter().max().expect("there is a coarsening");
    let scale = Rational::round_up(round::div_up(2.0 * margins.max(1) as f64, epsilon), SCALE_BITS)?;
    loop {
        let candidate = below(scores.len(), rng);
        let loss = u128::from((best - scores[candidate]).unsigned_abs());
        // The best is always taken; another one with probability exp(-loss / scale), exactly.
        let gamma = Rational::new(loss * scale.denominator(), scale.numerator())?;
        if bernoulli_exp(gamma, rng) {
            return Ok(candidate);
        }
    }
}
