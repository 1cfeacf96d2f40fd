//! Threshold laws as a specification writes them.

use std::num::NonZeroU32;

use disclosure::lcf::{
    ClampedNormal, Elm, HardThreshold, LawError, OptimalSelection, ThinUniform, ThresholdLaw, ThresholdTable,
};
use disclosure::privacy_core::param::{Delta, Epsilon, StdDev};
use serde::{Deserialize, Serialize};

use crate::error::JobError;

/// A law by its name. Unknown fields are refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LawSpec {
    /// A normal threshold, clamped on both sides.
    ClampedNormal {
        /// Mean of the threshold, in entities.
        mean: f64,
        /// Standard deviation of the threshold, in entities.
        sd: f64,
        /// Groups of at most this many entities are never reported.
        always_suppress_upper_bound: f64,
    },
    /// Three equally likely thresholds.
    ThinUniform {
        /// The smallest number of entities that may be reported.
        at_least: u32,
    },
    /// The law of Diffix Elm.
    Elm {
        /// The smallest number of entities that may be reported.
        at_least: u32,
        /// Distance of the mean from it, in standard deviations over the root of 2.
        gap: f64,
        /// Standard deviation of the threshold, in entities.
        sd: f64,
    },
    /// The law that reports most under (epsilon, delta).
    OptimalSelection {
        /// Epsilon of all groups of an entity together.
        epsilon: Epsilon,
        /// Delta of all groups of an entity together.
        delta: Delta,
        /// The number of groups that one entity may be in.
        groups_per_entity: u32,
        /// Groups of fewer entities are never reported.
        pre_threshold: u32,
    },
    /// A threshold without noise.
    Hard {
        /// The smallest number of entities that is reported.
        at_least: u32,
    },
}

impl LawSpec {
    /// The delta that it was made for.
    pub(super) fn delta(&self) -> Option<Delta> {
        if let Self::OptimalSelection { delta, .. } = self { Some(*delta) } else { None }
    }

    /// The table of the law.
    ///
    /// # Errors
    /// E0271 for parameters out of range, E0655 for a table that would be too long.
    pub fn table(&self) -> Result<ThresholdTable, JobError> {
        let law: Result<ThresholdLaw, LawError> = match *self {
            Self::ClampedNormal { mean, sd, always_suppress_upper_bound } => {
                ClampedNormal::new(mean, spread(sd)?, always_suppress_upper_bound).map(Into::into)
            }
            Self::ThinUniform { at_least } => ThinUniform::at_least(at_least).map(Into::into),
            Self::Elm { at_least, gap, sd } => Elm::new(at_least, gap, spread(sd)?).map(Into::into),
            Self::OptimalSelection { epsilon, delta, groups_per_entity, pre_threshold } => {
                let groups = NonZeroU32::new(groups_per_entity)
                    .ok_or_else(|| JobError::new("E0271", "groups_per_entity must be at least 1"))?;
                OptimalSelection::new(epsilon, delta, groups, pre_threshold).map(Into::into)
            }
            Self::Hard { at_least } => HardThreshold::at_least(at_least).map(Into::into),
        };
        Ok(ThresholdTable::new(law.map_err(refused)?))
    }
}

fn spread(sd: f64) -> Result<StdDev, JobError> {
    StdDev::new(sd).map_err(|_| JobError::new("E0271", "sd must be finite and above 0"))
}

fn refused(error: LawError) -> JobError {
    match error {
        LawError::TableTooLong => JobError::from(error),
        _ => JobError::new("E0271", error.to_string()),
    }
}
