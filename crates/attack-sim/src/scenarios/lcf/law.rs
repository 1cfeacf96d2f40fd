//! Laws of the threshold, as scenarios write them, and what they become by mistake.
//!
//! `m` mean, `s` standard deviation, `L` the bound up to which groups are always suppressed,
//! `U = 2 m - L`, `p(n)` the chance that a group of `n` is reported. Sources: `docs/math/lcf.md`,
//! (1) to (5); the errata at the end of that page for [`LawFault::OlderProgram`].

use std::num::NonZeroU32;

use crate::prelude::*;
use disclosure::lcf::{
    ClampedNormal, Elm, HardThreshold, OptimalSelection, ReportingProbability, ThinUniform, ThresholdTable,
    unclamped_reporting_probability,
};
use disclosure::privacy_core::param::{Delta, Epsilon, StdDev};

/// A law, by its name and parameters.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Law {
    ClampedNormal { mean: f64, sd: f64, always_suppress_upper_bound: f64 },
    ThinUniform { at_least: u32 },
    Elm { at_least: u32, gap: f64, sd: f64 },
    OptimalSelection { epsilon: f64, delta: f64, groups_per_entity: NonZeroU32, pre_threshold: u32 },
    Hard { at_least: u32 },
}

/// A law that is not the one that was promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LawFault {
    /// No noise: reported from the size on that is reported half of the time.
    HardThreshold,
    /// One entity more is asked for at every size: `p(n - 1)`.
    OffByOne,
    /// The mean is a twentieth of an entity too high.
    MeanTwentiethHigh,
    /// The standard deviation is 5 % too large.
    SdFivePercentWide,
    /// Sizes beyond 2.5 standard deviations are certain.
    TruncatedTail,
    /// Suppressed *below* the threshold: sizes at the two clamps change sides.
    StrictComparison,
    /// No lower clamp, `U = 2 m - 1.5`, suppressed below the threshold: the program behind the
    /// published lines that were not rerun.
    OlderProgram,
    /// No upper clamp.
    NoUpperClamp,
    /// Certain one entity too early, as where a set forgets its members one too early.
    CapOneShort,
    /// The mean is `K + gap s`, without the root of 2.
    WithoutRoot,
}

impl Law {
    /// Its table of integers.
    pub(crate) fn cutoffs(self, blueprint: &Blueprint<'_>) -> Result<ThresholdTable, Error> {
        self.table().map_err(|error| blueprint.refuse(error))
    }

    fn table(self) -> Result<ThresholdTable, Box<dyn std::error::Error>> {
        Ok(match self {
            Self::ClampedNormal { mean, sd, always_suppress_upper_bound } => {
                ThresholdTable::new(ClampedNormal::new(mean, StdDev::new(sd)?, always_suppress_upper_bound)?)
            }
            Self::ThinUniform { at_least } => ThresholdTable::new(ThinUniform::at_least(at_least)?),
            Self::Elm { at_least, gap, sd } => ThresholdTable::new(Elm::new(at_least, gap, StdDev::new(sd)?)?),
            Self::OptimalSelection { epsilon, delta, groups_per_entity, pre_threshold } => {
                let (epsilon, delta) = (Epsilon::new(epsilon)?, Delta::new(delta)?);
                ThresholdTable::new(OptimalSelection::new(epsilon, delta, groups_per_entity, pre_threshold)?)
            }
            Self::Hard { at_least } => ThresholdTable::new(HardThreshold::at_least(at_least)?),
        })
    }
}

/// The chances of a group of `n`, and of one with a person more.
#[derive(Clone, Copy)]
pub(crate) struct OneApart {
    pub(crate) fewer: ReportingProbability,
    pub(crate) more: ReportingProbability,
}

impl OneApart {
    pub(crate) fn of(cutoffs: &ThresholdTable, n: u64) -> Self {
        Self { fewer: cutoffs.reporting_probability(n), more: cutoffs.reporting_probability(n + 1) }
    }

    /// How often a guess from one answer is right about which of the two it is about.
    pub(crate) fn distinguished(&self) -> f64 {
        0.5 * (1.0 + self.more.reported - self.fewer.reported)
    }

    /// How often answers about both differ, where their draws are independent.
    pub(crate) fn differ(&self) -> f64 {
        self.fewer.reported * self.more.suppressed + self.fewer.suppressed * self.more.reported
    }

    /// Halfway between their chances of a report.
    pub(crate) fn middle(&self) -> f64 {
        f64::midpoint(self.fewer.reported, self.more.reported)
    }
}

/// Sizes beyond the cap that a wrong law may still suppress.
const BEYOND: u64 = 40;

impl LawFault {
    /// The wrong chances of `0, 1, ...` entities; above, a group is certain.
    pub(crate) fn chances(self, law: Law, blueprint: &Blueprint<'_>) -> Result<Vec<f64>, Error> {
        let cutoffs = law.cutoffs(blueprint)?;
        let chances: Option<Vec<f64>> =
            (0..cutoffs.cap() + BEYOND).map(|n: u64| self.chance(n, law, &cutoffs)).collect();
        chances.ok_or_else(|| blueprint.refuse("this law has no such fault"))
    }

    /// `None` where the law has no such part.
    fn chance(self, n: u64, law: Law, cutoffs: &ThresholdTable) -> Option<f64> {
        let right = cutoffs.reporting_probability(n).reported;
        Some(match (self, law) {
            (Self::HardThreshold, _) => f64::from(right >= 0.5),
            (Self::OffByOne, _) => n.checked_sub(1).map_or(0.0, |n| cutoffs.reporting_probability(n).reported),
            (Self::CapOneShort, _) if n + 1 == cutoffs.cap() => 1.0,
            (Self::CapOneShort, _) => right,
            (Self::TruncatedTail, Law::ClampedNormal { mean, sd, .. }) => match (n as f64 - mean) / sd {
                z if z < -2.5 => 0.0,
                z if z > 2.5 => 1.0,
                _ => right,
            },
            (Self::WithoutRoot, Law::Elm { at_least, gap, sd }) if right > 0.0 => {
                normal(n, f64::from(at_least) + gap * sd, sd)?
            }
            (Self::WithoutRoot, Law::Elm { .. }) => 0.0,
            (fault, Law::ClampedNormal { mean, sd, always_suppress_upper_bound }) => {
                fault.of_clamped_normal(n, mean, sd, always_suppress_upper_bound)?
            }
            _ => return None,
        })
    }

    fn of_clamped_normal(self, n: u64, mean: f64, sd: f64, bound: f64) -> Option<f64> {
        let size = n as f64;
        let (mean, sd) = match self {
            Self::MeanTwentiethHigh => (mean + 0.05, sd),
            Self::SdFivePercentWide => (mean, 1.05 * sd),
            _ => (mean, sd),
        };
        let upper = 2.0 * mean - bound;
        let (is_never, is_certain) = match self {
            Self::MeanTwentiethHigh | Self::SdFivePercentWide => (size <= bound, size > upper),
            Self::StrictComparison => (size < bound, size >= upper),
            Self::OlderProgram => (false, size >= 2.0 * mean - 1.5),
            Self::NoUpperClamp => (size <= bound, false),
            _ => return None,
        };
        if is_never {
            Some(0.0)
        } else if is_certain {
            Some(1.0)
        } else {
            normal(n, mean, sd)
        }
    }
}

fn normal(n: u64, mean: f64, sd: f64) -> Option<f64> {
    Some(unclamped_reporting_probability(n as f64, mean, StdDev::new(sd).ok()?).reported)
}
