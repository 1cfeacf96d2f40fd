//! Bernoulli draws with rational probability, and with probability `exp` of minus a rational.
//!
//! Source: Canonne, Kamath, Steinke (2020), algorithm 1. A Bernoulli(p/q) compares a uniform
//! number with p/q bit by bit, most significant first: two bits on average, no division, no bound
//! on p and q but the doubling (q <= 2^127).

use dashu_int::UBig;
use rand_core::CryptoRng;

use super::bits::{BitSource, RngBits};
use super::rational::{Rational, RationalError};

/// `true` with probability exactly `probability`.
///
/// # Errors
/// [`RationalError::ProbabilityAboveOne`].
pub fn bernoulli<R: CryptoRng + ?Sized>(probability: Rational, rng: &mut R) -> Result<bool, RationalError> {
    if probability.numerator() > probability.denominator() {
        return Err(RationalError::ProbabilityAboveOne { got: probability.to_f64() });
    }
    Ok(bernoulli_fraction(probability.numerator(), probability.denominator(), &mut RngBits::new(rng)))
}

/// `true` with probability exactly `exp(-gamma)`. Expected cost: a few bits for each unit of
/// `gamma` that is survived.
pub fn bernoulli_exp<R: CryptoRng + ?Sized>(gamma: Rational, rng: &mut R) -> bool {
    exp_minus(gamma.numerator(), gamma.denominator(), &mut RngBits::new(rng))
}

/// Bernoulli(p/q) for `p <= q`, `q >= 1`.
pub(super) fn bernoulli_fraction(p: u128, q: u128, source: &mut impl BitSource) -> bool {
    if q > 1 << 127 {
        return wide_fraction(p.into(), &q.into(), source);
    }
    if p == q {
        return true;
    }
    let mut rest = p;
    while rest != 0 {
        rest <<= 1;
        let digit = rest >= q;
        if digit {
            rest -= q;
        }
        if source.bit() != digit {
            // The first digit in which they differ decides: below exactly when ours is the one.
            return digit;
        }
    }
    false
}

/// The same for integers of any size, drawing the same bits.
pub(super) fn wide_fraction(p: UBig, q: &UBig, source: &mut impl BitSource) -> bool {
    if p == *q {
        return true;
    }
    let mut rest = p;
    while !rest.is_zero() {
        rest <<= 1;
        let digit = rest >= *q;
        if digit {
            rest -= q;
        }
        if source.bit() != digit {
            return digit;
        }
    }
    false
}

/// Bernoulli(exp(-p/q)): exp(-1) for every whole unit, then the fraction.
pub(super) fn exp_minus(p: u128, q: u128, source: &mut impl BitSource) -> bool {
    (0..p / q).all(|_| von_neumann(source, &mut |_| true)) && exp_minus_fraction(p % q, q, source)
}

/// Bernoulli(exp(-p/q)) for `p <= q`.
pub(super) fn exp_minus_fraction(p: u128, q: u128, source: &mut impl BitSource) -> bool {
    von_neumann(source, &mut |source| bernoulli_fraction(p, q, source))
}

/// The same for integers of any size, drawing the same bits.
pub(super) fn wide_exp_minus(p: &UBig, q: &UBig, source: &mut impl BitSource) -> bool {
    let (whole, rest) = (p / q, p % q);
    let mut survived = UBig::ZERO;
    while survived < whole {
        if !von_neumann(source, &mut |_| true) {
            return false;
        }
        survived += UBig::ONE;
    }
    von_neumann(source, &mut |source| wide_fraction(rest.clone(), q, source))
}

/// Bernoulli(exp(-g)) from draws of Bernoulli(g), `g <= 1` (von Neumann 1951): the first `k` for
/// which Bernoulli(g/k) fails is odd with probability exp(-g). Bernoulli(g/k) is Bernoulli(g) and
/// Bernoulli(1/k), which keeps the denominators small.
fn von_neumann<S: BitSource>(source: &mut S, draw: &mut impl FnMut(&mut S) -> bool) -> bool {
    let mut k = 1;
    while draw(source) && bernoulli_fraction(1, k, source) {
        k += 1;
    }
    k % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    proptest! {
        /// Doubling both parts leaves the fraction, and so the draws, as they are; the doubled
        /// denominator is above 2^127, where the integers are wide.
        #[test]
        fn fractions_draw_the_same_on_both_sides_of_2_to_the_127(
            p: u128, q in (1_u128 << 126) + 1..1 << 127, seed: [u8; 32],
        ) {
            let p = p % (q + 1);
            let (mut narrow, mut wide) = (ChaCha20Rng::from_seed(seed), ChaCha20Rng::from_seed(seed));
            let (mut narrow, mut wide) = (RngBits::new(&mut narrow), RngBits::new(&mut wide));
            for _ in 0..16 {
                let same = bernoulli_fraction(p, q, &mut narrow) == bernoulli_fraction(2 * p, 2 * q, &mut wide);
                prop_assert!(same);
            }
            prop_assert_eq!(narrow.bits(32), wide.bits(32), "the same bits were taken");
        }
    }

    /// The public draws are those of the fraction, from the same bits.
    #[test]
    fn a_rational_draws_as_its_fraction_does() {
        let gamma = Rational::new(2, 3).unwrap();
        let mut survived = 0;
        for seed in 0..64 {
            let [mut one, mut other] = [(); 2].map(|()| ChaCha20Rng::from_seed([seed; 32]));
            let drawn = bernoulli_exp(gamma, &mut one);
            assert_eq!(drawn, exp_minus(2, 3, &mut RngBits::new(&mut other)));
            survived += u32::from(drawn);
        }
        assert!(0 < survived && survived < 64);
    }

    /// A half with a denominator beyond 127 bits ends after one digit, as any half does.
    #[test]
    fn a_wide_fraction_ends_with_its_last_digit() {
        for seed in 0..64 {
            let [mut narrow, mut wide] = [(); 2].map(|()| ChaCha20Rng::from_seed([seed; 32]));
            let (mut narrow, mut wide) = (RngBits::new(&mut narrow), RngBits::new(&mut wide));
            assert_eq!(bernoulli_fraction(1, 2, &mut narrow), bernoulli_fraction(3 << 125, 3 << 126, &mut wide));
            assert_eq!(narrow.bits(32), wide.bits(32), "the same bits were taken");
        }
    }
}
