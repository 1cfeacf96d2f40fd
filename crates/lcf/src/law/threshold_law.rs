//! One type for all laws.

use super::clamped_normal::ClampedNormal;
use super::elm::Elm;
use super::hard::HardThreshold;
use super::probability::{ReportingProbability, table_of};
use super::selection::OptimalSelection;
use super::thin_uniform::ThinUniform;

/// Distribution of a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "law", rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ThresholdLaw {
    /// A normal threshold, clamped on both sides: the default.
    ClampedNormal(ClampedNormal),
    /// Three equally likely thresholds.
    ThinUniform(ThinUniform),
    /// The law of Diffix Elm.
    Elm(Elm),
    /// The law that reports most under (epsilon, delta)-differential privacy.
    OptimalSelection(OptimalSelection),
    /// A threshold without noise.
    Hard(HardThreshold),
}

macro_rules! law_from {
    ($($variant:ident($type:ty))*) => {$(
        impl From<$type> for ThresholdLaw {
            fn from(law: $type) -> Self {
                Self::$variant(law)
            }
        }
    )*};
}
law_from!(ClampedNormal(ClampedNormal) ThinUniform(ThinUniform) Elm(Elm) OptimalSelection(OptimalSelection) Hard(HardThreshold));

impl ThresholdLaw {
    /// The cut-offs and probabilities of `0, 1, ...` entities, up to the last number that may be
    /// suppressed.
    pub(crate) fn table(&self) -> Vec<(u64, ReportingProbability)> {
        match self {
            Self::ClampedNormal(law) => table_of(law.cap(), |n| law.reporting_probability(n)),
            Self::ThinUniform(law) => law.table(),
            Self::Elm(law) => table_of(law.cap(), |n| law.reporting_probability(n)),
            Self::OptimalSelection(law) => law.table(),
            Self::Hard(law) => vec![(0, ReportingProbability::NEVER); law.least() as usize],
        }
    }

    /// The name of the law, as specs and reports write it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ClampedNormal(_) => "clamped-normal",
            Self::ThinUniform(_) => "thin-uniform",
            Self::Elm(_) => "elm",
            Self::OptimalSelection(_) => "optimal-selection",
            Self::Hard(_) => "hard",
        }
    }
}
