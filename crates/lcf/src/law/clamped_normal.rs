//! The clamped normal law.
//!
//! `m` mean and `s` standard deviation of the threshold, `L` hard lower bound, `U = m + (m - L)`
//! upper bound, all in entities; `X` normal. Source: "Operation of LCF", Algorithm, steps 1 to 4.
//!
//! ```text
//! threshold = min(max(X, L), U),        suppressed iff n <= threshold
//! P(reported) = 0 for n <= L,  Phi((n - m) / s) for L < n <= U,  1 for n > U                  (1)
//! ```

use privacy_core::normal;
use privacy_core::param::StdDev;

use super::error::{LawError, MAX_CAP};
use super::probability::ReportingProbability;

/// A normal threshold between two hard bounds, in entities. A group is suppressed when it has at
/// most as many entities as the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Fields"))]
pub struct ClampedNormal {
    mean: f64,
    sd: StdDev,
    always_suppress_upper_bound: f64,
}

/// The parameters as they are stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Fields {
    mean: f64,
    sd: StdDev,
    always_suppress_upper_bound: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Fields> for ClampedNormal {
    type Error = LawError;

    fn try_from(fields: Fields) -> Result<Self, LawError> {
        Self::new(fields.mean, fields.sd, fields.always_suppress_upper_bound)
    }
}

impl ClampedNormal {
    /// A threshold with this mean and standard deviation. Groups of at most
    /// `always_suppress_upper_bound` entities are always suppressed, those of more than `2 mean -
    /// always_suppress_upper_bound` always reported. Bounds may be fractions.
    ///
    /// # Errors
    /// [`LawError::SingletonsVisible`], [`LawError::MeanNotAboveBound`],
    /// [`LawError::TableTooLong`].
    pub fn new(mean: f64, sd: StdDev, always_suppress_upper_bound: f64) -> Result<Self, LawError> {
        let bound = always_suppress_upper_bound;
        if !(1.0..f64::INFINITY).contains(&bound) {
            return Err(LawError::SingletonsVisible { got: bound });
        }
        let law = Self { mean, sd, always_suppress_upper_bound };
        if mean <= bound || mean.is_nan() {
            return Err(LawError::MeanNotAboveBound { mean, bound });
        }
        // Since m > L also after rounding, U >= m: no larger group is less certain than a smaller
        // one.
        if law.upper() >= MAX_CAP as f64 {
            return Err(LawError::TableTooLong);
        }
        Ok(law)
    }

    /// Mean of the threshold before it is clamped, in entities.
    #[must_use]
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// Standard deviation of the threshold before it is clamped, in entities.
    #[must_use]
    pub const fn sd(&self) -> StdDev {
        self.sd
    }

    /// Groups of at most this many entities are never reported.
    #[must_use]
    pub const fn always_suppress_upper_bound(&self) -> f64 {
        self.always_suppress_upper_bound
    }

    /// Groups of more entities than this are always reported. A group of exactly this many is
    /// not: the threshold may be `U` itself.
    #[must_use]
    pub fn upper(&self) -> f64 {
        self.mean + (self.mean - self.always_suppress_upper_bound)
    }

    pub(super) fn cap(&self) -> u64 {
        self.upper() as u64 + 1
    }

    pub(crate) fn reporting_probability(&self, distinct: u64) -> ReportingProbability {
        let n = distinct as f64;
        if n <= self.always_suppress_upper_bound {
            ReportingProbability::NEVER
        } else if n > self.upper() {
            ReportingProbability::ALWAYS
        } else {
            unclamped_reporting_probability(n, self.mean, self.sd)
        }
    }
}

/// The probability that `n` entities exceed a normal threshold that is not clamped:
/// `Phi((n - mean) / sd)`.
///
/// Compared with the clamped law it shows how often the hard bounds matter. No filter can be made
/// of it: groups of one would be reported.
///
/// # Numerics
/// Relative error of both tails below 1e-12 while above 1e-300, for `n` and `mean` as given in
/// `f64`.
#[must_use]
pub fn unclamped_reporting_probability(n: f64, mean: f64, sd: StdDev) -> ReportingProbability {
    let z = (n - mean) / sd.get();
    ReportingProbability { reported: normal::at_most(z), suppressed: normal::at_least(z) }
}
