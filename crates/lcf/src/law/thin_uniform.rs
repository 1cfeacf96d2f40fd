//! The thin-spread law: `K` the smallest reported number of entities; the threshold is `K`,
//! `K + 1` or `K + 2`, each with probability 1/3, and a group of fewer entities is suppressed
//! (2). Source: Diffix, "lcf2" (2021).

use super::error::{LawError, MAX_CAP};
use super::probability::ReportingProbability;

/// Three equally likely thresholds: a group of `K` entities is reported with probability 1/3, one
/// of `K + 1` with 2/3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Fields"))]
pub struct ThinUniform {
    at_least: u32,
}

/// The parameter as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Fields {
    at_least: u32,
}

#[cfg(feature = "serde")]
impl TryFrom<Fields> for ThinUniform {
    type Error = LawError;

    fn try_from(fields: Fields) -> Result<Self, LawError> {
        Self::at_least(fields.at_least)
    }
}

impl ThinUniform {
    /// Groups of fewer than `least` entities are never reported, those of `least + 2` or more
    /// always.
    ///
    /// # Errors
    /// [`LawError::BelowTwo`], [`LawError::TableTooLong`].
    pub fn at_least(least: u32) -> Result<Self, LawError> {
        match least {
            0 | 1 => Err(LawError::BelowTwo { name: "at_least", got: least }),
            _ if u64::from(least) + 2 > MAX_CAP => Err(LawError::TableTooLong),
            _ => Ok(Self { at_least: least }),
        }
    }

    /// The smallest number of entities that may be reported.
    #[must_use]
    pub const fn least(&self) -> u32 {
        self.at_least
    }

    /// The thirds of `2^64` to the nearest: `2^64 = 3 x 6148914691236517205 + 1`.
    pub(super) fn table(&self) -> Vec<(u64, ReportingProbability)> {
        const THIRD: u64 = u64::MAX / 3;
        let (one, two) = (1.0 / 3.0, 2.0 / 3.0);
        let mut table = vec![(0, ReportingProbability::NEVER); self.at_least as usize];
        table.push((THIRD, ReportingProbability { reported: one, suppressed: two }));
        table.push((2 * THIRD + 1, ReportingProbability { reported: two, suppressed: one }));
        table
    }
}
