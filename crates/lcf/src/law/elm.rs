//! The law of Diffix Elm: `K` the smallest reported number of entities, `s` the standard
//! deviation, `m = K + gap s sqrt(2)` the mean; `X` normal, clamped below only, and a group of
//! fewer entities is suppressed.
//!
//! ```text
//! P(reported) = 0 for n < K,  Phi((n - m) / s) for n >= K                                    (3)
//! ```
//!
//! Source: pg_diffix and the Diffix reference (2022); the root of 2 is from the time of two
//! layers of noise.

use privacy_core::param::StdDev;

use super::clamped_normal::unclamped_reporting_probability;
use super::error::{LawError, MAX_CAP};
use super::probability::{ReportingProbability, nearest_draws};

/// A normal threshold above a hard minimum, without an upper bound. A group that no draw out of
/// `2^64` suppresses counts as always reported: about 9.2 standard deviations above the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Fields"))]
pub struct Elm {
    at_least: u32,
    gap: f64,
    sd: StdDev,
}

/// The parameters as they are stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Fields {
    at_least: u32,
    gap: f64,
    sd: StdDev,
}

#[cfg(feature = "serde")]
impl TryFrom<Fields> for Elm {
    type Error = LawError;

    fn try_from(fields: Fields) -> Result<Self, LawError> {
        Self::new(fields.at_least, fields.gap, fields.sd)
    }
}

impl Elm {
    /// Groups of fewer than `at_least` entities are never reported; the mean is `gap * sd *
    /// sqrt(2)` above.
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
        // Without an upper clamp the table ends where rounding makes a report certain, which has
        // to happen within the longest table.
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

    /// The first number of entities that no draw suppresses, by bisection: probabilities do not
    /// decrease.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_the_gap_in_deviations_above_the_least() {
        let sd = StdDev::new(1.5).unwrap();
        let law = Elm::new(3, 2.0, sd).unwrap();
        assert!((law.mean() - (3.0 + 3.0 * 2_f64.sqrt())).abs() < 1e-14);
        assert!(Elm::new(2, 2.0, sd).is_ok() && Elm::new(1, 2.0, sd).is_err());
    }
}
