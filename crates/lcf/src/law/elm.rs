//! The law of Diffix Elm: `K` the smallest reported number of entities, `s` the standard deviation, `m = K + gap s sqrt(2)`
//! the mean; `X` normal, clamped below alone, and a group of fewer entities is suppressed.
//!
//! ```text
//! P(reported) = 0 for n < K,  Phi((n - m) / s) for n >= K
//! ```
//!
//! Source: pg_diffix and the Diffix reference (2022); the root of 2 is from the time of two layers of noise.

use privacy_core::param::StdDev;

use super::clamped_normal::unclamped_reporting_probability;
use super::error::{LawError, MAX_CAP};
use super::probability::{ReportingProbability, nearest_draws};

/// A normal threshold above a hard minimum, without an upper bound. Where no draw out of `2^64` suppresses a group, it counts
/// as always reported: about 9.2 standard deviations above the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Elm {
    at_least: u32,
    gap: f64,
    sd: StdDev,
}

impl Elm {
    /// Groups of fewer than `at_least` entities are never reported; the mean is `gap * sd * sqrt(2)` above.
    ///
    /// # Errors
    /// [`LawError::BelowTwo`], [`LawError::BadGap`], [`LawError::TableTooLong`].
    pub fn new(at_least: u32, gap: f64, sd: StdDev) -> Result<Self, LawError> {
        if at_least < 2 {
            return Err(LawError::BelowTwo { name: "at_least", got: at_least });
        }
        if !(0.0..f64::INFINITY).contains(&gap) {
            return Err(LawError::BadGap { got: gap });
        }
        let law = Self { at_least, gap, sd };
        // At the cap the chance of a longer table must already be certain.
        if law.is_certain(MAX_CAP) { Ok(law) } else { Err(LawError::TableTooLong) }
    }

    /// The smallest number of entities that may be reported.
    #[must_use]
    pub const fn least(&self) -> u32 {
        self.at_least
    }

    /// Mean of the threshold before it is clamped, in entities.
    #[must_use]
    pub fn mean(&self) -> f64 {
        f64::from(self.at_least) + self.gap * self.sd.get() * std::f64::consts::SQRT_2
    }

    /// Standard deviation of the threshold before it is clamped, in entities.
    #[must_use]
    pub const fn sd(&self) -> StdDev {
        self.sd
    }

    fn is_certain(&self, distinct: u64) -> bool {
        nearest_draws(self.reporting_probability(distinct)).is_none()
    }

    /// The first number of entities that no draw suppresses: chances grow with it, so by bisection.
    pub(super) fn cap(&self) -> u64 {
        let (mut low, mut high) = (u64::from(self.at_least), MAX_CAP); // the answer is in [low, high]
        while low < high {
            let middle = low + (high - low) / 2;
            if self.is_certain(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    pub(super) fn reporting_probability(&self, distinct: u64) -> ReportingProbability {
        if distinct < u64::from(self.at_least) {
            ReportingProbability::NEVER
        } else {
            unclamped_reporting_probability(distinct as f64, self.mean(), self.sd)
        }
    }
}
