//! The choice of a candidate: the exponential mechanism, exactly.
//!
//! ```text
//! P(r) proportional to exp(epsilon score_r / (2 sensitivity))
//! ```
//!
//! Scores are integers, epsilon is rational, and the draw is by rejection: a candidate is drawn
//! uniformly and kept with probability `exp(-epsilon (best - score_r) / (2 sensitivity))`, which is
//! exact. No floating-point number takes part. Expected rounds: at most the number of candidates.
//!
//! A score costs a pass over a table of the model, and most tables are so large that their noise
//! alone refuses them. So a score is computed only when its bound does not decide:
//!
//! ```text
//! exp(-(best - score))  =  exp(-(best - bound))  exp(-(bound - score))      score <= bound <= best
//! ```
//!
//! The first factor refuses without the score, and both together have the same law.
//!
//! # Guarantee
//! `epsilon^2 / 8`-zCDP if one person moves every score by at most `sensitivity`: (A2) of
//! `docs/math/adaptive-marginals.md`.

use std::cmp::Reverse;

use privacy_core::noise::{Rational, bernoulli_exp};
use privacy_core::parallel;
use privacy_core::rng::below;
use rand_core::CryptoRng;

use crate::error::Error;

/// Scores that are computed together, on as many threads as there are.
const BLOCK: usize = 16;

/// The position of the chosen score. `bounds` has a bound from above for each, `score` computes the
/// one at a position.
///
/// # Errors
/// [`Error::ScoresTooLarge`], also for a score above its bound, and what `score` reports.
///
/// # Panics
/// If there are no scores, or a sensitivity of 0.
pub(crate) fn choose<R: CryptoRng + ?Sized>(
    bounds: &[i128],
    score: impl Fn(usize) -> Result<i128, Error> + Sync,
    sensitivity: u128,
    epsilon: Rational,
    rng: &mut R,
) -> Result<usize, Error> {
    let unit = sensitivity.checked_mul(2).and_then(|unit| unit.checked_mul(epsilon.denominator()));
    let keep = Keep { unit: unit.ok_or(Error::ScoresTooLarge)?, factor: epsilon.numerator() };
    let (mut known, best) = best_score(bounds, &score)?;
    for (bound, known) in bounds.iter().zip(&known) {
        // Refused here, and not by chance when the draw comes to it.
        keep.exponent(best, known.unwrap_or(*bound))?;
    }
    loop {
        let place = below(bounds.len(), rng);
        if let Some(score) = known[place] {
            if keep.draw(best, score, rng)? {
                return Ok(place);
            }
            continue;
        }
        // Nothing is unknown whose bound is above the best.
        if !keep.draw(best, bounds[place], rng)? {
            continue;
        }
        let score = score(place)?;
        if keep.draw(bounds[place], score, rng)? {
            return Ok(place);
        }
        known[place] = Some(score);
    }
}

/// The largest score, and all that were computed to find it: from the largest bound down, until no
/// bound is above a score. Blocks do not depend on the number of threads.
fn best_score(
    bounds: &[i128],
    score: &(impl Fn(usize) -> Result<i128, Error> + Sync),
) -> Result<(Vec<Option<i128>>, i128), Error> {
    let mut order: Vec<usize> = (0..bounds.len()).collect();
    order.sort_by_key(|&place| Reverse(bounds[place]));
    let mut known = vec![None; bounds.len()];
    let mut best = None;
    for block in order.chunks(BLOCK) {
        if best.is_some_and(|best| bounds[block[0]] <= best) {
            break;
        }
        for (&place, score) in block.iter().zip(parallel::map(block, |&place| score(place))) {
            let score = score?;
            known[place] = Some(score);
            best = best.max(Some(score));
        }
    }
    Ok((known, best.expect("there is a candidate")))
}

/// The exponential of minus a difference of scores times `factor / unit`.
struct Keep {
    unit: u128,
    factor: u128,
}

impl Keep {
    /// True with probability `exp(-(upper - lower) factor / unit)`.
    fn draw<R: CryptoRng + ?Sized>(&self, upper: i128, lower: i128, rng: &mut R) -> Result<bool, Error> {
        Ok(bernoulli_exp(self.exponent(upper, lower)?, rng))
    }

    fn exponent(&self, upper: i128, lower: i128) -> Result<Rational, Error> {
        let apart = upper.checked_sub(lower).and_then(|apart| u128::try_from(apart).ok());
        let exponent = apart.and_then(|apart| Rational::new(apart.checked_mul(self.factor)?, self.unit).ok());
        exponent.ok_or(Error::ScoresTooLarge)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rand_chacha::ChaCha20Rng;
    use rand_chacha::rand_core::SeedableRng;
    use testkit::law::{assert_law, refute_law};

    use super::*;

    fn draws(scores: &[i128], slack: &[i128], sensitivity: u128, count: usize) -> Vec<i64> {
        let epsilon = Rational::new(3, 8).unwrap();
        let mut rng = ChaCha20Rng::from_seed([11; 32]);
        let bounds: Vec<i128> = scores.iter().zip(slack.iter().cycle()).map(|(score, slack)| score + slack).collect();
        let score = |place: usize| Ok(scores[place]);
        let mut draw = |_| choose(&bounds, score, sensitivity, epsilon, &mut rng).unwrap() as i64;
        // Waking a second thread takes longer than a choice among a few known scores.
        let thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        thread.install(|| (0..count).map(&mut draw).collect())
    }

    /// `exp(epsilon score / (2 sensitivity))` over its sum, straight from the definition.
    fn law(scores: &[i128], sensitivity: f64, epsilon: f64) -> impl Fn(i64) -> f64 {
        let weights: Vec<f64> =
            scores.iter().map(|&score| (epsilon * score as f64 / (2.0 * sensitivity)).exp()).collect();
        let sum: f64 = weights.iter().sum();
        move |candidate| usize::try_from(candidate).ok().and_then(|at| weights.get(at)).map_or(0.0, |w| w / sum)
    }

    #[test]
    fn choices_have_the_law_of_the_exponential_mechanism() {
        for scores in [vec![0, 3, -5, 12, 7], vec![-40, -40, -41]] {
            assert_law(&draws(&scores, &[0], 4, 200_000), law(&scores, 4.0, 0.375));
        }
    }

    #[test]
    fn one_score_and_equal_scores_have_that_law() {
        for scores in [vec![9], vec![0; 16]] {
            assert_law(&draws(&scores, &[0], 4, 200_000), law(&scores, 4.0, 0.375));
        }
    }

    #[test]
    fn an_epsilon_of_a_tenth_more_has_another_law() {
        let scores = [0, 3, -5, 12, 7];
        let drawn = draws(&scores, &[0], 1, 200_000);
        assert_law(&drawn, law(&scores, 1.0, 0.375));
        refute_law(&drawn, law(&scores, 1.0, 0.4125));
    }

    #[test]
    #[ignore = "ten million choices"]
    fn ten_million_choices_have_their_law() {
        let scores = [0, 3, -5, 12, 7];
        for slack in [&[0][..], &[40, 3]] {
            let drawn = draws(&scores, slack, 1, 10_000_000);
            assert_law(&drawn, law(&scores, 1.0, 0.375));
            refute_law(&drawn, law(&scores, 1.0, 0.3825));
        }
    }

    /// Forty scores, so that two blocks stay unknown where bounds allow it.
    #[test]
    fn bounds_do_not_change_the_law() {
        let scores: Vec<i128> = (0..40).map(|place| 10 - place % 23).collect();
        for slack in [&[0][..], &[1, 0, 4], &[40, 3]] {
            assert_law(&draws(&scores, slack, 2, 60_000), law(&scores, 2.0, 0.375));
        }
        // The negative control: bounds that are taken for the scores.
        let bounds: Vec<i128> =
            scores.iter().zip([1, 0, 4].iter().cycle()).map(|(score, slack)| score + slack).collect();
        refute_law(&draws(&scores, &[1, 0, 4], 2, 60_000), law(&bounds, 2.0, 0.375));
    }

    #[test]
    fn hopeless_scores_are_not_computed() {
        let computed = AtomicUsize::new(0);
        let bounds: Vec<i128> = (0..1000).map(|place| if place == 500 { 0 } else { -1_000_000 }).collect();
        let score = |place: usize| {
            computed.fetch_add(1, Ordering::Relaxed);
            Ok(bounds[place] - 1)
        };
        let mut rng = ChaCha20Rng::from_seed([3; 32]);
        assert_eq!(choose(&bounds, score, 1, Rational::new(1, 1).unwrap(), &mut rng).unwrap(), 500);
        assert_eq!(computed.into_inner(), BLOCK);
    }

    /// The guarantee, from the exact law: scores that one person moves by at most the sensitivity,
    /// all combinations of moves; the Renyi divergence of every order is within `a epsilon^2 / 8`.
    #[test]
    fn choices_of_neighbours_are_as_close_as_promised() {
        let scores = [0_i128, 6, -3, 2];
        let (sensitivity, epsilon) = (2_i128, 1.5);
        let mut closest = 0.0_f64;
        for moves in 0..5_i128.pow(4) {
            let moved: Vec<i128> =
                (0..4).map(|at| scores[at as usize] + moves / 5_i128.pow(at) % 5 - sensitivity).collect();
            let (p, q) = (law(&moved, sensitivity as f64, epsilon), law(&scores, sensitivity as f64, epsilon));
            for order in [1.1, 2.0, 4.0, 16.0] {
                let sum: f64 = (0..4).map(|at| p(at).powf(order) * q(at).powf(1.0 - order)).sum();
                let share = sum.ln() / (order - 1.0) / (order * epsilon * epsilon / 8.0);
                closest = closest.max(share);
            }
        }
        assert!(closest <= 1.0 + 1e-9 && closest > 0.8, "{closest}");
    }

    #[test]
    fn scores_beyond_the_integers_are_refused() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        let epsilon = Rational::new(1 << 20, 3).unwrap();
        for scores in [[i128::MIN, i128::MAX], [0, 1 << 110]] {
            let chosen = choose(&scores, |place| Ok(scores[place]), 1, epsilon, &mut rng);
            assert!(matches!(chosen, Err(Error::ScoresTooLarge)));
        }
        // A bound that does not hold is found out when the draw comes to it.
        let bounds: Vec<i128> = (0..20).map(|place| -place).collect();
        let above = |place: usize| Ok(if place == 19 { 1 } else { bounds[place] });
        let rare = Rational::new(1, 9).unwrap();
        let refused = |_| matches!(choose(&bounds, above, 1, rare, &mut rng), Err(Error::ScoresTooLarge));
        assert!((0..1000).any(refused));
    }
}
