//! Discrete Laplace noise: P(x) proportional to exp(-|x| / scale) on the integers.
//!
//! `a/b` the scale, `u` uniform on 0..a, `v` geometric with ratio exp(-1).
//! Source: Canonne, Kamath, Steinke (2020), algorithm 2.

use rand_core::CryptoRng;

use super::bernoulli::{exp_minus, exp_minus_fraction};
use super::bits::{BitSource, RngBits, uniform_below};
use super::rational::{Rational, RationalError};

/// The discrete Laplace law with a rational scale.
///
/// # Guarantee
/// Added to an integer query of L1 sensitivity `D`: `(D / scale)`-DP, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscreteLaplace {
    scale: Rational,
}

/// Scales stay below this, so that draws fit 64 bits.
const SCALE_LIMIT: u128 = 1 << 51;

impl DiscreteLaplace {
    /// The law with this scale, in the unit of the query. For a real scale, see
    /// [`Rational::round_up`].
    ///
    /// # Errors
    /// [`RationalError::ZeroNoise`] for scale 0, [`RationalError::NoiseTooLarge`] from 2^51 on.
    pub fn new(scale: Rational) -> Result<Self, RationalError> {
        scale.check_noise(SCALE_LIMIT)?;
        Ok(Self { scale })
    }

    /// The scale.
    #[must_use]
    pub fn scale(self) -> Rational {
        self.scale
    }

    /// One draw. About 200 ns with ChaCha20.
    pub fn sample<R: CryptoRng + ?Sized>(self, rng: &mut R) -> i64 {
        self.draw(&mut RngBits::new(rng))
    }

    pub(super) fn draw(self, source: &mut impl BitSource) -> i64 {
        loop {
            if let Some(x) = self.attempt(source) {
                return x;
            }
        }
    }

    /// One round of the rejection; a round that gives a value gives it with the right law.
    pub(super) fn attempt(self, source: &mut impl BitSource) -> Option<i64> {
        let (a, b) = (self.scale.numerator(), self.scale.denominator());
        let u = uniform_below(a, source);
        if !exp_minus_fraction(u, a, source) {
            return None;
        }
        let mut v = 0_u128;
        while exp_minus(1, 1, source) {
            v += 1;
        }
        // floor((u + a v) / b) without the product: a = b whole + rest.
        let (whole, rest) = (a / b, a % b);
        let magnitude = i64::try_from(whole * v + carry(u, rest, v, b));
        let magnitude = magnitude.expect("above 2^63 with a scale below 2^51: probability below exp(-4095)");
        match (source.bit(), magnitude) {
            (true, 0) => None, // zero was counted once already
            (true, m) => Some(-m),
            (false, m) => Some(m),
        }
    }
}

/// floor((u + rest v) / b) with `rest < b`.
fn carry(u: u128, rest: u128, v: u128, b: u128) -> u128 {
    match rest.checked_mul(v).and_then(|product| product.checked_add(u)) {
        Some(sum) => sum / b,
        None => carry_in_steps(u, rest, v, b),
    }
}

/// The same, added up in `v` steps so that nothing overflows.
fn carry_in_steps(u: u128, rest: u128, v: u128, b: u128) -> u128 {
    let (mut quotient, mut remainder) = (u / b, u % b);
    for _ in 0..v {
        let room = b - rest;
        if remainder >= room {
            (quotient, remainder) = (quotient + 1, remainder - room);
        } else {
            remainder += rest;
        }
    }
    quotient
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_int::UBig;
    use proptest::prelude::*;

    #[test]
    fn scales_from_the_limit_on_are_refused() {
        let largest = Rational::new((SCALE_LIMIT << 40) - 1, 1 << 40).unwrap();
        assert!(DiscreteLaplace::new(largest).is_ok());
        let limit = DiscreteLaplace::new(Rational::new(SCALE_LIMIT, 1).unwrap());
        let bound = SCALE_LIMIT as f64;
        assert_eq!(limit, Err(RationalError::NoiseTooLarge { limit: bound, got: bound }));
        assert_eq!(DiscreteLaplace::new(Rational::ZERO), Err(RationalError::ZeroNoise));
    }

    proptest! {
        #[test]
        fn carry_is_the_quotient_in_big_integers(u: u128, rest: u128, v in 0_u128..64, b in 1_u128.., small in 0_u32..128) {
            // From denominators of one bit to those of 128: both branches, and sums that do not
            // fit.
            let b = (b >> small).max(1);
            let rest = rest % b;
            let want = (UBig::from(rest) * UBig::from(v) + UBig::from(u)) / UBig::from(b);
            prop_assert_eq!(UBig::from(carry(u, rest, v, b)), want.clone());
            prop_assert_eq!(UBig::from(carry_in_steps(u, rest, v, b)), want);
        }
    }
}
