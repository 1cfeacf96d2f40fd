//! A threshold without noise: `reported iff n >= k`.

use super::error::{LawError, MAX_CAP};

/// Groups of at least `k` entities are reported, smaller ones are not. An attacker who knows that
/// a group has `k - 1` or `k` entities learns which: the other laws add noise against this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Fields"))]
pub struct HardThreshold {
    at_least: u32,
}

/// The parameter as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Fields {
    at_least: u32,
}

#[cfg(feature = "serde")]
impl TryFrom<Fields> for HardThreshold {
    type Error = LawError;

    fn try_from(fields: Fields) -> Result<Self, LawError> {
        Self::at_least(fields.at_least)
    }
}

impl HardThreshold {
    /// Groups of at least `least` entities are reported.
    ///
    /// # Errors
    /// [`LawError::BelowTwo`], [`LawError::TableTooLong`].
    pub fn at_least(least: u32) -> Result<Self, LawError> {
        match least {
            0 | 1 => Err(LawError::BelowTwo { name: "at_least", got: least }),
            _ if u64::from(least) > MAX_CAP => Err(LawError::TableTooLong),
            _ => Ok(Self { at_least: least }),
        }
    }

    /// The smallest number of entities that is reported.
    #[must_use]
    pub const fn least(&self) -> u32 {
        self.at_least
    }
}
