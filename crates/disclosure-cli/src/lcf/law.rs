//! Laws as they are written in a spec.

use std::num::NonZeroU32;

use disclosure::core::param::{Delta, Epsilon, StdDev};
use disclosure::lcf::{
    ClampedNormal, Elm, HardThreshold, LawError, OptimalSelection, ThinUniform, ThresholdLaw, ThresholdTable,
};
use serde::Deserialize;

use crate::error::Failure;

/// A law by its name. Unknown fields are refused.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum LawSpec {
    /// A normal threshold, clamped on both sides.
    ClampedNormal { mean: f64, sd: f64, always_suppress_upper_bound: f64 },
    /// Three equally likely thresholds.
    ThinUniform { at_least: u32 },
    /// The law of Diffix today.
    Elm { at_least: u32, gap: f64, sd: f64 },
    /// The law that reports most under (epsilon, delta).
    OptimalSelection { epsilon: Epsilon, delta: Delta, groups_per_entity: u32, pre_threshold: u32 },
    /// A threshold without noise.
    Hard { at_least: u32 },
}

impl LawSpec {
    /// The law, as a table.
    pub(super) fn table(&self) -> Result<ThresholdTable, Failure> {
        // A table that would be too long is over a limit; what else is refused is no law.
        let refused = |error: LawError| match error {
            LawError::TableTooLong => Failure::from(error),
            _ => Failure::new("E0271", error.to_string()),
        };
        let spread = |sd: f64| StdDev::new(sd).map_err(|_| Failure::new("E0271", "sd must be finite and above 0"));
        let law: Result<ThresholdLaw, _> = match *self {
            Self::ClampedNormal { mean, sd, always_suppress_upper_bound } => {
                ClampedNormal::new(mean, spread(sd)?, always_suppress_upper_bound).map(Into::into)
            }
            Self::ThinUniform { at_least } => ThinUniform::at_least(at_least).map(Into::into),
            Self::Elm { at_least, gap, sd } => Elm::new(at_least, gap, spread(sd)?).map(Into::into),
            Self::OptimalSelection { epsilon, delta, groups_per_entity, pre_threshold } => {
                let groups = NonZeroU32::new(groups_per_entity)
                    .ok_or_else(|| Failure::new("E0271", "groups_per_entity must be at least 1"))?;
                OptimalSelection::new(epsilon, delta, groups, pre_threshold).map(Into::into)
            }
            Self::Hard { at_least } => HardThreshold::at_least(at_least).map(Into::into),
        };
        Ok(ThresholdTable::new(law.map_err(refused)?))
    }
}
