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
//! # Guarantee
//! `epsilon^2 / 8`-zCDP if one person moves every score by at most `sensitivity`: (A2) of
//! `docs/math/adaptive-marginals.md`.

use privacy_core::noise::{Rational, bernoulli_exp};
use rand_core::CryptoRng;

use crate::error::Error;

/// The position of the chosen score.
///
/// # Errors
/// [`Error::ScoresTooLarge`].
///
/// # Panics
/// If there are no scores, or a sensitivity of 0.
pub(crate) fn choose<R: CryptoRng + ?Sized>(
    scores: &[i128],
    sensitivity: u128,
    epsilon: Rational,
    rng: &mut R,
) -> Result<usize, Error> {
    let best = scores.iter().copied().max().expect("there is a candidate");
    let unit = sensitivity.checked_mul(2).and_then(|unit| unit.checked_mul(epsilon.denominator()));
    let unit = unit.ok_or(Error::ScoresTooLarge)?;
    let exponent = |score: i128| {
        let below = best.checked_sub(score)?.unsigned_abs().checked_mul(epsilon.numerator())?;
        Rational::new(below, unit).ok()
    };
    let exponents: Option<Vec<Rational>> = scores.iter().map(|&score| exponent(score)).collect();
    let exponents = exponents.ok_or(Error::ScoresTooLarge)?;
    loop {
        let candidate = below(scores.len() as u64, rng) as usize;
        if bernoulli_exp(exponents[candidate], rng) {
            return Ok(candidate);
        }
    }
}

/// Uniform below `end`, which is above 0: multiplication and rejection (Lemire 2019).
fn below<R: CryptoRng + ?Sized>(end: u64, rng: &mut R) -> u64 {
    let reject = end.wrapping_neg() % end;
    loop {
        let wide = u128::from(rng.next_u64()) * u128::from(end);
        if wide as u64 >= reject {
            return (wide >> 64) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_chacha::rand_core::SeedableRng;
    use testkit::law::{assert_law, refute_law};

    use super::*;

    fn draws(scores: &[i128], sensitivity: u128, epsilon: Rational) -> Vec<i64> {
        let mut rng = ChaCha20Rng::from_seed([11; 32]);
        (0..200_000).map(|_| choose(scores, sensitivity, epsilon, &mut rng).unwrap() as i64).collect()
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
        let epsilon = Rational::new(3, 8).unwrap();
        for scores in [vec![0, 3, -5, 12, 7], vec![-40, -40, -41], vec![9], vec![0; 16]] {
            assert_law(&draws(&scores, 4, epsilon), law(&scores, 4.0, 0.375));
        }
        // The negative control: an epsilon of a tenth more.
        refute_law(&draws(&[0, 3, -5, 12, 7], 1, epsilon), law(&[0, 3, -5, 12, 7], 1.0, 0.4125));
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
        assert!(matches!(choose(&[i128::MIN, i128::MAX], 1, epsilon, &mut rng), Err(Error::ScoresTooLarge)));
        assert!(matches!(choose(&[0, 1 << 110], 1, epsilon, &mut rng), Err(Error::ScoresTooLarge)));
    }
}
