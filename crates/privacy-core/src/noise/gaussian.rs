//! Discrete Gaussian noise: P(x) proportional to exp(-x^2 / (2 sigma^2)) on the integers.
//!
//! `n/d` is sigma^2, `t = floor(sigma) + 1`, `y` a discrete Laplace draw with scale t.
//! Source: Canonne, Kamath, Steinke (2020), algorithm 3 and theorem 4.

use dashu_int::UBig;
use rand_core::CryptoRng;

use super::bernoulli::{exp_minus, wide_exp_minus};
use super::bits::{BitSource, RngBits};
use super::block::{BlockTable, Shape};
use super::laplace::DiscreteLaplace;
use super::rational::{Rational, RationalError};

/// The discrete Gaussian law with a rational parameter `sigma^2`.
///
/// Draws by block rejection; the law is exactly that of [`ReferenceGaussian`].
///
/// # Guarantee
/// Added to an integer query of L2 sensitivity `D`: `D^2 / (2 sigma^2)`-zCDP, exactly. The variance of a draw
/// is at most `sigma^2`, and differs from it by less than 1e-6 of it once `sigma >= 1`.
#[derive(Clone, Debug)]
pub struct DiscreteGaussian {
    reference: ReferenceGaussian,
    blocks: Option<BlockTable>,
}

/// The discrete Gaussian by rejection from a discrete Laplace: slower, and simple enough to be read against
/// the paper. In 128-bit integers where they suffice, in big integers where they do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceGaussian {
    sigma2: Rational,
}

impl DiscreteGaussian {
    /// The law with this `sigma^2`, in the unit of the query squared. For a real `sigma^2`, see
    /// [`Rational::round_up`]. Building the table costs as much as some hundred draws.
    ///
    /// # Errors
    /// [`RationalError::OutOfRange`] for 0 (no noise has another name) or above 2^100.
    pub fn new(sigma2: Rational) -> Result<Self, RationalError> {
        let reference = ReferenceGaussian::new(sigma2)?;
        let blocks = Shape::for_sigma2(sigma2).and_then(|shape| BlockTable::new(sigma2, shape));
        Ok(Self { reference, blocks })
    }

    /// The parameter `sigma^2`.
    #[must_use]
    pub fn sigma2(&self) -> Rational {
        self.reference.sigma2
    }

    /// One draw.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> i64 {
        self.draw(&mut RngBits::new(rng))
    }

    /// Adds an independent draw to every element.
    ///
    /// # Errors
    /// The index of the first element that would leave the range of `i64`; elements before it have their noise.
    pub fn add_to<R: CryptoRng + ?Sized>(&self, values: &mut [i64], rng: &mut R) -> Result<(), usize> {
        let mut source = RngBits::new(rng);
        for (index, value) in values.iter_mut().enumerate() {
            *value = value.checked_add(self.draw(&mut source)).ok_or(index)?;
        }
        Ok(())
    }

    #[inline]
    fn draw(&self, source: &mut impl BitSource) -> i64 {
        match &self.blocks {
            Some(blocks) => blocks.draw(source),
            None => self.reference.draw(source),
        }
    }
}

impl ReferenceGaussian {
    /// The law with this `sigma^2`.
    ///
    /// # Errors
    /// [`RationalError::OutOfRange`] for 0 or above 2^100.
    pub fn new(sigma2: Rational) -> Result<Self, RationalError> {
        if sigma2.is_zero() || sigma2.numerator() / sigma2.denominator() >= 1 << 100 {
            return Err(RationalError::OutOfRange { got: sigma2.to_f64() });
        }
        Ok(Self { sigma2 })
    }

    /// One draw.
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
        let (n, d) = (self.sigma2.numerator(), self.sigma2.denominator());
        let t = (n / d).isqrt() + 1;
        let scale = Rational::new(t, 1).expect("the denominator is 1");
        let laplace = DiscreteLaplace::new(scale).expect("sigma^2 < 2^100, so 1 <= t <= 2^50");
        let y = laplace.attempt(source)?;
        accept(u128::from(y.unsigned_abs()), t, n, d, source).then_some(y)
    }
}

/// Bernoulli(exp(-(y - sigma^2/t)^2 / (2 sigma^2))), the exponent being (y d t - n)^2 / (2 n d t^2).
fn accept(y: u128, t: u128, n: u128, d: u128, source: &mut impl BitSource) -> bool {
    match narrow_exponent(y, t, n, d) {
        Some((p, q)) => exp_minus(p, q, source),
        None => {
            let [y, t, n, d] = [y, t, n, d].map(UBig::from);
            let (left, denominator) = (&y * &d * &t, UBig::from(2_u8) * &n * &d * &t * &t);
            let distance = if left > n { left - n } else { n - left };
            wide_exp_minus(&(&distance * &distance), &denominator, source)
        }
    }
}

/// The exponent as a fraction of 128-bit integers; `None` when it does not fit.
fn narrow_exponent(y: u128, t: u128, n: u128, d: u128) -> Option<(u128, u128)> {
    let distance = y.checked_mul(d)?.checked_mul(t)?.abs_diff(n);
    let denominator = n.checked_mul(d)?.checked_mul(t)?.checked_mul(t)?.checked_mul(2)?;
    (denominator <= 1 << 127).then_some((distance.checked_mul(distance)?, denominator))
}
