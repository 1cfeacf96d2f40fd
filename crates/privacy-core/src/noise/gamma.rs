//! The parameter of a discrete Gaussian, with its power of two apart.
//!
//! `n/d` is sigma^2, `gamma^2 = (n/d) 4^doublings`. Powers of two scale integers and `f64` alike
//! without rounding, so that the range of `gamma` is not that of 128-bit fractions.

use dashu_int::UBig;

use super::exp::power_of_two;
use super::rational::{Rational, RationalError};

/// `gamma^2 = sigma2 4^doublings`, with sigma2 above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gamma {
    pub sigma2: Rational,
    pub doublings: u32,
}

impl From<Rational> for Gamma {
    fn from(sigma2: Rational) -> Self {
        Self { sigma2, doublings: 0 }
    }
}

impl Gamma {
    /// Refuses 0, and everything from `2^limit_log2` on.
    ///
    /// # Errors
    /// [`RationalError::ZeroNoise`] and [`RationalError::NoiseTooLarge`].
    pub(super) fn check(self, limit_log2: i64) -> Result<(), RationalError> {
        if self.sigma2.is_zero() {
            return Err(RationalError::ZeroNoise);
        }
        if self.floor_log2() >= limit_log2 {
            return Err(RationalError::NoiseTooLarge { limit: power_of_two(2 * limit_log2), got: self.square() });
        }
        Ok(())
    }

    /// floor(log2 gamma), in integers, so that every platform agrees.
    pub(super) fn floor_log2(self) -> i64 {
        let (n, d) = (self.sigma2.numerator(), self.sigma2.denominator());
        // n/d lies strictly between 2^(log - 1) and 2^(log + 1).
        let log = i64::from(n.ilog2()) - i64::from(d.ilog2());
        let below = if log < 0 { n << -log < d } else { n >> log < d };
        (log - i64::from(below)).div_euclid(2) + i64::from(self.doublings)
    }

    /// gamma^2 within three roundings; infinite beyond the range of `f64`.
    pub(super) fn square(self) -> f64 {
        // From 2^1022 on, the product is infinite with any sigma^2.
        let scale = power_of_two(self.doublings.min(1022).into());
        self.sigma2.to_f64() * scale * scale
    }

    /// 1 / (2 gamma^2) within three roundings, for gamma^2 below 2^224.
    pub(super) fn rate(self) -> f64 {
        let of_sigma = self.sigma2.denominator() as f64 / (2.0 * self.sigma2.numerator() as f64);
        of_sigma * power_of_two(-2 * i64::from(self.doublings))
    }

    /// `square / (2 gamma^2)` as a fraction.
    pub(super) fn exponent(self, square: UBig) -> (UBig, UBig) {
        let numerator = square * UBig::from(self.sigma2.denominator());
        (numerator, UBig::from(self.sigma2.numerator()) << (2 * self.doublings as usize + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn square_is_finite_where_it_can_be() {
        let smallest = Rational::new(1, 1 << 127).unwrap();
        assert_eq!(Gamma { sigma2: smallest, doublings: 575 }.square(), power_of_two(1023));
        assert_eq!(Gamma { sigma2: smallest, doublings: 576 }.square(), f64::INFINITY);
        assert_eq!(Gamma { sigma2: smallest, doublings: u32::MAX }.square(), f64::INFINITY);
    }

    #[test]
    fn floor_log2_is_exact_at_powers_of_two_and_beside_them() {
        for log in 0..=63_u32 {
            let power = 1_u128 << (2 * log);
            let of = |n, d, doublings| Gamma { sigma2: Rational::new(n, d).unwrap(), doublings }.floor_log2();
            let log = i64::from(log);
            assert_eq!([of(power, 1, 5), of(1, power, 5)], [log + 5, 5 - log]);
            assert_eq!([of(power + 1, 1, 0), of(1, power + 1, 0)], [log, -log - 1]);
            if power > 1 {
                assert_eq!([of(power - 1, 1, 0), of(1, power - 1, 0)], [log - 1, -log]);
                assert_eq!([of(power - 1, power, 0), of(power, power - 1, 0)], [-1, 0]);
            }
        }
    }

    proptest! {
        #[test]
        fn floor_log2_is_that_of_big_integers(
            n: u128, d: u128, shorter in [0_u32..128, 0..128], doublings in 0_u32..200,
        ) {
            let sigma2 = Rational::new((n >> shorter[0]).max(1), (d >> shorter[1]).max(1)).unwrap();
            let gamma = Gamma { sigma2, doublings };
            // gamma is from 2^log to 2^(log + 1): so 2^600 / (2 gamma^2) is at most 2^(599 - 2
            // log), and above a quarter of it.
            let (p, q) = gamma.exponent(UBig::ONE << 600);
            let bound = q << (599 - 2 * gamma.floor_log2()) as usize;
            prop_assert!(p <= bound && p << 2 > bound);
        }

        #[test]
        fn rate_is_half_the_inverse_of_the_square(n: u128, d: u128, doublings in 0_u32..=112) {
            let gamma = Gamma { sigma2: Rational::new(n.max(1), d.max(1)).unwrap(), doublings };
            prop_assert!((gamma.rate() * gamma.square() * 2.0 - 1.0).abs() < 1e-15);
        }
    }
}
