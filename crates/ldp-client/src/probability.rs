//! Probabilities as 64-bit thresholds: exactly what is sampled.
//!
//! A coin compares 64 uniform bits `u` with a threshold `t` and shows heads when `u < t`:
//! probability `t / 2^64`, with `t = 2^64` for certainty. Everything that is said of a protocol -
//! channels, epsilon, digests - is computed from these integers, so nothing is claimed of
//! probabilities that are not sampled.

use std::fmt;

use privacy_core::param::Probability;

/// `2^64`.
const ONE: u128 = 1 << 64;

/// A probability that is a multiple of `2^-64`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FixedProbability(u128);

impl FixedProbability {
    /// It never happens.
    pub const NEVER: Self = Self(0);
    /// It happens at every draw.
    pub const ALWAYS: Self = Self(ONE);

    /// The probability `threshold / 2^64`.
    #[must_use]
    pub const fn from_threshold(threshold: u64) -> Self {
        Self(threshold as u128)
    }

    /// The probability `numerator / 2^64`; `None` above 1.
    #[must_use]
    pub const fn from_numerator(numerator: u128) -> Option<Self> {
        if numerator <= ONE { Some(Self(numerator)) } else { None }
    }

    /// The multiple of `2^-64` that is nearest to `probability`.
    #[must_use]
    pub fn nearest(probability: Probability) -> Self {
        // Scaling by a power of two is exact, and 2^64 is the largest result.
        Self((probability.get() * ONE as f64).round() as u128)
    }

    /// The probability that it does not happen, exactly.
    #[must_use]
    pub const fn complement(self) -> Self {
        Self(ONE - self.0)
    }

    /// The numerator of the probability over `2^64`: `0..=2^64`.
    #[must_use]
    pub const fn numerator(self) -> u128 {
        self.0
    }

    /// The threshold, or `None` for certainty.
    pub(crate) fn threshold(self) -> Option<u64> {
        u64::try_from(self.0).ok()
    }

    /// The probability, rounded to the nearest double.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / ONE as f64
    }
}

/// As a probability, such as `0.25`.
impl fmt::Debug for FixedProbability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nearest(p: f64) -> FixedProbability {
        FixedProbability::nearest(Probability::new(p).unwrap())
    }

    #[test]
    fn both_ends_and_the_middle_are_exact() {
        assert_eq!(nearest(0.0), FixedProbability::NEVER);
        assert_eq!(nearest(1.0), FixedProbability::ALWAYS);
        assert_eq!(nearest(0.5), FixedProbability::from_threshold(1 << 63));
        assert_eq!(FixedProbability::ALWAYS.complement(), FixedProbability::NEVER);
        assert_eq!(FixedProbability::ALWAYS.threshold(), None);
        assert_eq!(FixedProbability::from_threshold(u64::MAX).threshold(), Some(u64::MAX));
    }

    proptest! {
        #[test]
        fn a_chance_is_within_half_a_step_of_what_was_asked(p in 0.0..=1.0) {
            let chance = nearest(p);
            prop_assert!((chance.to_f64() - p).abs() <= 0.5 / ONE as f64 + p * f64::EPSILON);
            prop_assert_eq!(chance.complement().complement(), chance);
        }
    }
}
