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

impl DiscreteLaplace {
    /// The law with this scale, in the unit of the query. For a real scale, see [`Rational::round_up`].
    ///
    /// # Errors
    /// [`RationalError::OutOfRange`] for scale 0 (no noise has another name) or above 2^50.
    pub fn new(scale: Rational) -> Result<Self, RationalError> {
        if scale.is_zero() || scale.numerator() / scale.denominator() >= 1 << 50 {
            return Err(RationalError::OutOfRange { got: scale.to_f64() });
        }
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
        let magnitude = magnitude.expect("above 2^63 with a scale of at most 2^50: probability below exp(-8192)");
        match (source.bit(), magnitude) {
            (true, 0) => None, // zero was counted once already
            (true, m) => Some(-m),
            (false, m) => Some(m),
        }
    }
}

/// floor((u + rest v) / b) with `rest < b`: added up in `v` steps so that nothing overflows.
fn carry(u: u128, rest: u128, v: u128, b: u128) -> u128 {
    if let Some(sum) = rest.checked_mul(v).and_then(|product| product.checked_add(u)) {
        return sum / b;
    }
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
