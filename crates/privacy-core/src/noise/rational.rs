//! Non-negative rationals with 128-bit parts: the parameters of exact noise.

/// `numerator / denominator` in lowest terms, at least 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: u128,
    denominator: u128,
}

/// Why a number is not a [`Rational`], or not a parameter of the law it was given to.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RationalError {
    /// A fraction needs a denominator above 0.
    #[error("the denominator of a fraction must be above 0")]
    ZeroDenominator,
    /// The number is negative, not finite, or its exponent does not fit 128-bit parts. Choose a
    /// unit in which it is between 2^-64 and 2^126.
    #[error("a number that becomes a fraction must be 0 or between 2^-64 and 2^126, got {got:e}")]
    OutOfRange {
        /// The refused number.
        got: f64,
    },
    /// A product does not fit 128-bit parts. Give the parameter fewer significant bits, or a
    /// smaller value.
    #[error("a parameter of the noise does not fit in 128 bits")]
    Overflow,
    /// A law of scale 0 adds nothing. Give it a scale above 0; to publish the exact value, draw
    /// no noise at all.
    #[error("the scale of noise must be above 0")]
    ZeroNoise,
    /// Draws of this scale would not fit their integers. Ask for less noise, or for the answer in
    /// a larger unit; a discrete Gaussian that is too large for 64 bits may be one for
    /// [`WideGaussian`](super::WideGaussian).
    #[error("this parameter of the noise must be below {limit:e}, got {got:e}")]
    NoiseTooLarge {
        /// The smallest number that is too large: 2^51 for the scale of a discrete Laplace law,
        /// 2^100 for the `sigma^2` of a discrete Gaussian in 64 bits, 2^224 for the `gamma^2` of
        /// one in 128.
        limit: f64,
        /// The refused number.
        got: f64,
    },
    /// A probability is at most 1: its numerator must not exceed its denominator.
    #[error("a probability must be at most 1, got {got:e}")]
    ProbabilityAboveOne {
        /// The refused number.
        got: f64,
    },
}

/// 2^-64 and 2^126: between them, 53 significant bits fit 128-bit parts.
const SMALLEST: f64 = 1.0 / (1_u128 << 64) as f64;
const LARGEST: f64 = (1_u128 << 126) as f64;

impl Rational {
    /// Zero.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };
    /// One.
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// `numerator / denominator`, reduced.
    ///
    /// # Errors
    /// [`RationalError::ZeroDenominator`].
    pub fn new(numerator: u128, denominator: u128) -> Result<Self, RationalError> {
        if denominator == 0 {
            return Err(RationalError::ZeroDenominator);
        }
        let divisor = gcd(numerator, denominator);
        Ok(Self { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// The smallest number with `significant` bits (1 to 53) that is not below `value`: a
    /// variance that is rounded this way never gives too little noise, and exceeds `value` by
    /// less than `2^(1 - significant)` of it.
    ///
    /// # Errors
    /// [`RationalError::OutOfRange`] unless `value` is 0 or between 2^-64 and 2^126.
    ///
    /// # Panics
    /// If `significant` is not in `1..=53`.
    pub fn round_up(value: f64, significant: u32) -> Result<Self, RationalError> {
        assert!((1..=53).contains(&significant), "between 1 and 53 significant bits");
        if value == 0.0 {
            return Ok(Self::ZERO);
        }
        if !(SMALLEST..=LARGEST).contains(&value) {
            return Err(RationalError::OutOfRange { got: value });
        }
        // value = mantissa * 2^exponent exactly, with the mantissa's top bit at position 52.
        let mantissa = u128::from(value.to_bits() & ((1 << 52) - 1) | 1 << 52);
        let exponent = (value.to_bits() >> 52) as i32 - 1075;
        let dropped = 53 - significant;
        let kept = mantissa.div_ceil(1 << dropped);
        match exponent + dropped as i32 {
            shift @ 0.. => Self::new(kept << shift, 1),
            shift => Self::new(kept, 1 << -shift),
        }
    }

    /// The numerator, in lowest terms.
    #[must_use]
    pub const fn numerator(self) -> u128 {
        self.numerator
    }

    /// The denominator, in lowest terms; at least 1.
    #[must_use]
    pub const fn denominator(self) -> u128 {
        self.denominator
    }

    /// Whether it is 0.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// Refuses 0 and everything from `limit` on: the check of a law for its parameter.
    ///
    /// # Errors
    /// [`RationalError::ZeroNoise`] and [`RationalError::NoiseTooLarge`].
    pub(super) fn check_noise(self, limit: u128) -> Result<(), RationalError> {
        match self.numerator / self.denominator {
            _ if self.is_zero() => Err(RationalError::ZeroNoise),
            whole if whole >= limit => Err(RationalError::NoiseTooLarge { limit: limit as f64, got: self.to_f64() }),
            _ => Ok(()),
        }
    }

    /// `self * factor`, exactly.
    ///
    /// # Errors
    /// [`RationalError::Overflow`].
    pub fn times(self, factor: u128) -> Result<Self, RationalError> {
        let divisor = gcd(factor, self.denominator);
        let numerator = self.numerator.checked_mul(factor / divisor).ok_or(RationalError::Overflow)?;
        Ok(Self { numerator, denominator: self.denominator / divisor })
    }

    /// The nearest `f64`, within two roundings (relative error at most 2^-52 + 2^-53).
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl std::fmt::Debug for Rational {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rounding_up_keeps_exact_values_exact() {
        for (value, numerator, denominator) in
            [(1.0, 1, 1), (0.75, 3, 4), (6.0, 6, 1), ((1_u128 << 100) as f64, 1 << 100, 1)]
        {
            let got = Rational::round_up(value, 8).unwrap();
            assert_eq!((got.numerator(), got.denominator()), (numerator, denominator));
        }
        assert_eq!(Rational::round_up(0.0, 8).unwrap(), Rational::ZERO);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for bad in [f64::NAN, f64::INFINITY, -1.0, 1e-30, 1e40, SMALLEST.next_down(), LARGEST.next_up()] {
            assert!(matches!(Rational::round_up(bad, 20), Err(RationalError::OutOfRange { .. })), "{bad}");
        }
        assert_eq!(Rational::round_up(SMALLEST, 53).unwrap(), Rational::new(1, 1 << 64).unwrap());
        assert_eq!(Rational::round_up(LARGEST, 1).unwrap(), Rational::new(1 << 126, 1).unwrap());
        assert_eq!(Rational::new(1, 0), Err(RationalError::ZeroDenominator));
        assert_eq!(Rational::new(u128::MAX, 2).unwrap().times(4), Err(RationalError::Overflow));
        assert_eq!(Rational::new(5, 6).unwrap().times(9).unwrap(), Rational::new(15, 2).unwrap());
    }

    #[test]
    fn messages_say_what_is_wrong_with_which_number() {
        let messages = [
            (Rational::round_up(-2.5, 8).unwrap_err(), "0 or between 2^-64 and 2^126, got -2.5e0"),
            (Rational::ZERO.check_noise(9).unwrap_err(), "above 0"),
            (Rational::new(19, 2).unwrap().check_noise(9).unwrap_err(), "below 9e0, got 9.5e0"),
        ];
        for (error, words) in messages {
            assert!(error.to_string().ends_with(words), "{error}");
        }
        assert_eq!(Rational::new(17, 2).unwrap().check_noise(9), Ok(()));
    }

    proptest! {
        #[test]
        fn rounding_up_is_never_below_and_close(value in 1e-18_f64..1e30, significant in 1_u32..=53) {
            let got = Rational::round_up(value, significant).unwrap();
            // Exact comparison: value = m 2^e against numerator / denominator, a power of two
            // below.
            let bits = value.to_bits();
            let (m, e) = (u128::from(bits & ((1 << 52) - 1) | 1 << 52), (bits >> 52) as i32 - 1075);
            let as_scaled = |r: Rational| dashu_int::UBig::from(r.numerator()) << 200_usize;
            let left = as_scaled(got) / dashu_int::UBig::from(got.denominator());
            let right = dashu_int::UBig::from(m) << (200 + e) as usize;
            prop_assert!(left >= right);
            let step = 1.0 / (1_u64 << (significant - 1)) as f64;
            prop_assert!(got.to_f64() <= value * (1.0 + step) * (1.0 + 1e-15));
        }
    }
}
