//! Discrete Gaussian noise: P(x) proportional to exp(-x^2 / (2 sigma^2)) on the integers.
//!
//! `n/d` is sigma^2, `t = floor(sigma) + 1`, `y` a discrete Laplace draw with scale t.
//! Source: Canonne, Kamath, Steinke (2020), algorithm 3 and theorem 4.

use dashu_int::UBig;
use rand_core::CryptoRng;

use super::bernoulli::{exp_minus, wide_exp_minus};
use super::bits::{BitSource, RngBits};
use super::block::BlockTable;
use super::laplace::DiscreteLaplace;
use super::rational::{Rational, RationalError};
use super::shape::Shape;

/// The discrete Gaussian law with a rational parameter `sigma^2`.
///
/// Draws by block rejection; the law is exactly that of [`ReferenceGaussian`]. For `sigma^2` from
/// 2^100 on, see [`WideGaussian`](super::WideGaussian).
///
/// # Guarantee
/// Added to an integer query of L2 sensitivity `D`: `D^2 / (2 sigma^2)`-zCDP, exactly. The
/// variance of a draw is at most `sigma^2`, and differs from it by less than 1e-6 of it once
/// `sigma >= 1`.
#[derive(Clone, Debug)]
pub struct DiscreteGaussian {
    reference: ReferenceGaussian,
    blocks: Option<BlockTable<i64>>,
}

/// The discrete Gaussian by rejection from a discrete Laplace: slower, and simple enough to be
/// read against the paper. In 128-bit integers where they suffice, in big integers where they do
/// not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceGaussian {
    sigma2: Rational,
    /// With scale `t`.
    laplace: DiscreteLaplace,
}

/// Values of `sigma^2` stay below this, so that draws fit 64 bits.
const SIGMA2_LIMIT: u128 = 1 << 100;

/// A table costs as much as about this many draws of the reference.
const DRAWS_FOR_A_TABLE: u64 = 32;

impl DiscreteGaussian {
    /// The law with this `sigma^2`, in the unit of the query squared, with a table for many
    /// draws. For a real `sigma^2`, see [`Rational::round_up`]; for few draws,
    /// [`DiscreteGaussian::for_draws`].
    ///
    /// # Errors
    /// [`RationalError::ZeroNoise`] for 0, [`RationalError::NoiseTooLarge`] from 2^100 on.
    pub fn new(sigma2: Rational) -> Result<Self, RationalError> {
        let reference = ReferenceGaussian::new(sigma2)?;
        Ok(Self { reference, blocks: BlockTable::new(sigma2.into(), Shape::for_gamma(sigma2.into())) })
    }

    /// The same law for about this many draws: below 32 it draws as [`ReferenceGaussian`] does,
    /// which costs less than the table would; from 32 on it is [`DiscreteGaussian::new`]. The law
    /// is the same, the stream that a seed gives is not. `expected_draws` may be wrong, but must
    /// not depend on data: it decides what a draw costs.
    ///
    /// # Errors
    /// As [`DiscreteGaussian::new`].
    pub fn for_draws(sigma2: Rational, expected_draws: u64) -> Result<Self, RationalError> {
        if expected_draws >= DRAWS_FOR_A_TABLE {
            return Self::new(sigma2);
        }
        Ok(Self { reference: ReferenceGaussian::new(sigma2)?, blocks: None })
    }

    /// Refuses what [`DiscreteGaussian::new`] refuses, and builds nothing: for planning.
    ///
    /// # Errors
    /// As [`DiscreteGaussian::new`].
    pub fn check(sigma2: Rational) -> Result<(), RationalError> {
        sigma2.check_noise(SIGMA2_LIMIT)
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
    /// The index of the first element that would leave the range of `i64`; elements before it
    /// have their noise.
    pub fn add_to<R: CryptoRng + ?Sized>(&self, values: &mut [i64], rng: &mut R) -> Result<(), usize> {
        let mut source = RngBits::new(rng);
        for (index, value) in values.iter_mut().enumerate() {
            *value = value.checked_add(self.draw(&mut source)).ok_or(index)?;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn draw(&self, source: &mut impl BitSource) -> i64 {
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
    /// As [`DiscreteGaussian::new`].
    pub fn new(sigma2: Rational) -> Result<Self, RationalError> {
        DiscreteGaussian::check(sigma2)?;
        let t = (sigma2.numerator() / sigma2.denominator()).isqrt() + 1;
        let laplace = DiscreteLaplace::new(Rational::new(t, 1)?)?; // never refused: t is at most 2^50
        Ok(Self { sigma2, laplace })
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
        let (n, d, t) = (self.sigma2.numerator(), self.sigma2.denominator(), self.laplace.scale().numerator());
        let y = self.laplace.attempt(source)?;
        accept(u128::from(y.unsigned_abs()), t, n, d, source).then_some(y)
    }
}

/// Bernoulli(exp(-(y - sigma^2/t)^2 / (2 sigma^2))), the exponent being (y d t - n)^2 / (2 n d
/// t^2).
fn accept(y: u128, t: u128, n: u128, d: u128, source: &mut impl BitSource) -> bool {
    match narrow_exponent(y, t, n, d) {
        Some((p, q)) => exp_minus(p, q, source),
        None => {
            let (p, q) = wide_exponent(y, t, n, d);
            wide_exp_minus(&p, &q, source)
        }
    }
}

/// The exponent as a fraction of 128-bit integers; `None` when it does not fit.
fn narrow_exponent(y: u128, t: u128, n: u128, d: u128) -> Option<(u128, u128)> {
    let distance = y.checked_mul(d)?.checked_mul(t)?.abs_diff(n);
    let denominator = n.checked_mul(d)?.checked_mul(t)?.checked_mul(t)?.checked_mul(2)?;
    (denominator <= 1 << 127).then_some((distance.checked_mul(distance)?, denominator))
}

/// The exponent as a fraction of integers of any size.
fn wide_exponent(y: u128, t: u128, n: u128, d: u128) -> (UBig, UBig) {
    let [y, t, n, d] = [y, t, n, d].map(UBig::from);
    let left = &y * &d * &t;
    let distance = if left > n { left - &n } else { &n - left };
    (&distance * &distance, UBig::from(2_u8) * n * d * &t * &t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    /// Integers of every length up to `bits`, at least 1.
    fn integer(bits: u32) -> impl Strategy<Value = u128> {
        (any::<u128>(), 0..bits).prop_map(move |(digits, shorter)| (digits >> (128 - bits + shorter)).max(1))
    }

    /// (y - (n/d) / t)^2 / (2 n/d), step by step and without a common factor taken out.
    fn plain_exponent(y: u128, t: u128, n: u128, d: u128) -> (UBig, UBig) {
        let [y, t, n, d] = [y, t, n, d].map(UBig::from);
        let (mean, unit) = (n.clone(), &d * t); // sigma^2 / t = mean / unit
        let y = y * &unit;
        let distance = if y > mean { y - mean } else { mean - y };
        (distance.pow(2) * d, unit.pow(2) * UBig::from(2_u8) * n)
    }

    proptest! {
        #[test]
        fn exponents_are_exact_fractions_in_narrow_and_in_wide_integers(
            y in integer(60), t in integer(51), n in integer(128), d in integer(128),
        ) {
            let ((p, q), (plain_p, plain_q)) = (wide_exponent(y, t, n, d), plain_exponent(y, t, n, d));
            prop_assert_eq!(&p * plain_q, plain_p * &q);
            if let Some(narrow) = narrow_exponent(y, t, n, d) {
                prop_assert_eq!((narrow.0.into(), narrow.1.into()), (p, q));
            }
        }

        #[test]
        fn small_exponents_are_narrow(y in integer(25), t in integer(25), n in integer(40), d in integer(13)) {
            let narrow = narrow_exponent(y, t, n, d).expect("(y d t)^2, n^2 and 2 n d t^2 are below 2^127");
            prop_assert_eq!((narrow.0.into(), narrow.1.into()), wide_exponent(y, t, n, d));
        }

        #[test]
        fn every_parameter_in_range_gets_a_table(n in integer(128), d in integer(128)) {
            let sigma2 = Rational::new(n, d).unwrap();
            prop_assert_eq!(DiscreteGaussian::check(sigma2).is_ok(), n / d < SIGMA2_LIMIT);
            if let Ok(gaussian) = DiscreteGaussian::new(sigma2) {
                prop_assert!(gaussian.blocks.is_some());
            }
        }
    }

    #[test]
    fn the_largest_parameter_is_served_and_what_lies_beyond_is_refused() {
        let mut rng = ChaCha20Rng::from_seed([3; 32]);
        let largest = Rational::new(SIGMA2_LIMIT - 1, 1).unwrap();
        assert!(DiscreteGaussian::new(largest).unwrap().blocks.is_some());
        assert!(ReferenceGaussian::new(largest).unwrap().sample(&mut rng).unsigned_abs() < 1 << 55);
        let limit = Rational::new(SIGMA2_LIMIT, 1).unwrap();
        let too_large = RationalError::NoiseTooLarge { limit: limit.to_f64(), got: limit.to_f64() };
        for (sigma2, error) in [(limit, too_large), (Rational::ZERO, RationalError::ZeroNoise)] {
            assert_eq!(DiscreteGaussian::check(sigma2), Err(error));
            assert_eq!(DiscreteGaussian::new(sigma2).err(), Some(error));
            assert_eq!(DiscreteGaussian::for_draws(sigma2, 1).err(), Some(error));
            assert_eq!(ReferenceGaussian::new(sigma2).err(), Some(error));
        }
    }

    #[test]
    fn few_draws_come_from_the_reference_and_many_from_the_table() {
        let sigma2 = Rational::new(1000, 3).unwrap();
        let few = DiscreteGaussian::for_draws(sigma2, DRAWS_FOR_A_TABLE - 1).unwrap();
        let many = DiscreteGaussian::for_draws(sigma2, DRAWS_FOR_A_TABLE).unwrap();
        let (table, reference) = (DiscreteGaussian::new(sigma2).unwrap(), ReferenceGaussian::new(sigma2).unwrap());
        let stream = |draw: &dyn Fn(&mut ChaCha20Rng) -> i64| {
            let mut rng = ChaCha20Rng::from_seed([5; 32]);
            [0; 20].map(|_: i32| draw(&mut rng))
        };
        assert_eq!(stream(&|rng| few.sample(rng)), stream(&|rng| reference.sample(rng)));
        assert_eq!(stream(&|rng| many.sample(rng)), stream(&|rng| table.sample(rng)));
        assert_ne!(stream(&|rng| few.sample(rng)), stream(&|rng| many.sample(rng)));
    }
}
