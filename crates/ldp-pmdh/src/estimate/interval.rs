//! Confidence intervals of one number.

use privacy_core::normal;
use privacy_core::param::Probability;

/// Two ends, in the unit of the estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConfidenceInterval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Probability with which an interval covers the truth, above 0 and below 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceLevel(f64);

/// A confidence level outside its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a confidence level is above 0 and below 1, got {got}")]
#[non_exhaustive]
pub struct ConfidenceLevelError {
    /// The level that was given.
    pub got: f64,
}

impl ConfidenceLevel {
    /// 95 %.
    pub const NINETY_FIVE: Self = Self(0.95);

    /// A level, such as 0.95.
    ///
    /// # Errors
    /// Unless it is above 0 and below 1.
    pub fn new(level: f64) -> Result<Self, ConfidenceLevelError> {
        if level > 0.0 && level < 1.0 { Ok(Self(level)) } else { Err(ConfidenceLevelError { got: level }) }
    }

    /// The level.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// The mass of each tail.
    pub(crate) fn tail(self) -> f64 {
        0.5 * (1.0 - self.0)
    }

    /// Half width of a normal interval in standard errors: 1.96 for 95 %.
    ///
    /// # Panics
    /// Never: a tail is a probability.
    #[must_use]
    pub fn half_width(self) -> f64 {
        normal::upper_quantile(Probability::new(self.tail()).expect("a tail of a level is below one half"))
    }
}

impl ConfidenceInterval {
    /// The normal interval around an estimate.
    ///
    /// ```
    /// use ldp_pmdh::estimate::{ConfidenceInterval, ConfidenceLevel};
    ///
    /// let interval = ConfidenceInterval::around(120.0, 10.0, ConfidenceLevel::NINETY_FIVE);
    /// assert!(interval.contains(139.0) && !interval.contains(140.0));
    /// ```
    #[must_use]
    pub fn around(value: f64, standard_error: f64, level: ConfidenceLevel) -> Self {
        let half = level.half_width() * standard_error;
        Self { low: value - half, high: value + half }
    }

    /// The interval of a multiple.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor }
    }

    /// The part within two ends.
    pub(crate) fn within(self, least: f64, most: f64) -> Self {
        Self { low: self.low.clamp(least, most), high: self.high.clamp(least, most) }
    }

    /// Whether a number lies within, ends included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_that_are_none_are_refused() {
        assert!([0.0, 1.0, -0.5, f64::NAN].into_iter().all(|level| ConfidenceLevel::new(level).is_err()));
        assert!((ConfidenceLevel::NINETY_FIVE.half_width() - 1.959_963_984_540_054).abs() < 1e-14);
    }

    #[test]
    fn an_interval_contains_its_ends_and_nothing_beyond_them() {
        let interval = ConfidenceInterval { low: -1.5, high: 4.0 };
        assert!([-1.5, 0.0, 4.0].into_iter().all(|value| interval.contains(value)));
        assert!([-1.6, 4.1, f64::NAN].into_iter().all(|value| !interval.contains(value)));
        assert_eq!(interval.times(3.0), ConfidenceInterval { low: -4.5, high: 12.0 });
        assert_eq!(interval.within(0.0, 3.0), ConfidenceInterval { low: 0.0, high: 3.0 });
        assert_eq!(ConfidenceLevel::new(0.8).map(ConfidenceLevel::get), Ok(0.8));
    }
}
