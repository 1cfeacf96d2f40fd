//! Laws of the threshold: how likely a group of `n` distinct entities is reported.
//!
//! Every constructor refuses what could ever report a group of one entity, and what needs a table longer than
//! [`MAX_CAP`]. A law alone decides nothing: [`Cutoffs`](crate::Cutoffs) turns it into integers, which do.
//!
//! Sources: "Operation of LCF" (the clamped normal law); the thin-spread and Elm laws of Diffix; Desfontaines, Voss, Gipson
//! and Mandayam, "Differentially private partition selection" (PoPETs 2022).

mod clamped_normal;
mod elm;
mod hard;
mod selection;
mod thin_uniform;

pub use clamped_normal::{ClampedNormal, report_chance_without_floor};
pub use elm::Elm;
pub use hard::HardThreshold;
pub use selection::OptimalSelection;
pub use thin_uniform::ThinUniform;

use crate::draws::DRAWS;

/// No table is longer: a group of this many entities is reported under every law that is accepted. It bounds what has to
/// be remembered of a group.
pub const MAX_CAP: u64 = 1 << 16;

/// The law of a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "law", rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ThresholdLaw {
    /// A normal threshold, clamped on both sides: the default.
    ClampedNormal(ClampedNormal),
    /// Three equally likely thresholds.
    ThinUniform(ThinUniform),
    /// The law of Diffix today.
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

/// How likely a group is reported and suppressed: two tails, each with its own digits, since `1 - reported` has none left
/// where a group is all but certain to be reported.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Chance {
    /// Probability that the group is reported.
    pub reported: f64,
    /// Probability that it is suppressed.
    pub suppressed: f64,
}

impl Chance {
    /// Never reported.
    pub const NEVER: Self = Self { reported: 0.0, suppressed: 1.0 };
    /// Always reported.
    pub const ALWAYS: Self = Self { reported: 1.0, suppressed: 0.0 };
}

/// A law that there is not.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LawError {
    /// Groups of one entity could be reported. Raise the bound to at least 1.
    #[error("always_suppress_upper_bound must be finite and at least 1, got {got}")]
    SingletonsVisible {
        /// The refused bound, in entities.
        got: f64,
    },
    /// At `mean = bound` the threshold is not noisy, and below it the upper clamp falls under the bound, so that groups of one
    /// could be reported. Raise the mean.
    #[error("the mean must be above always_suppress_upper_bound = {bound}, got {mean}")]
    MeanNotAboveBound {
        /// The refused mean, in entities.
        mean: f64,
        /// The bound, in entities.
        bound: f64,
    },
    /// A smallest number of entities below 2 would report groups of one. Raise it to at least 2.
    #[error("{name} must be at least 2, got {got}")]
    BelowTwo {
        /// The parameter.
        name: &'static str,
        /// The refused number of entities.
        got: u32,
    },
    /// A distance below zero puts the mean of the threshold under its minimum. Give 0 or more.
    #[error("gap must be finite and at least 0, got {got}")]
    BadGap {
        /// The refused distance, in standard deviations.
        got: f64,
    },
    /// Groups would have to be larger than [`MAX_CAP`] to be reported for certain. Lower the mean or the spread; for optimal
    /// selection raise epsilon or delta.
    #[error("a group of {MAX_CAP} entities would not be certain to be reported under these parameters")]
    TableTooLong,
}

impl ThresholdLaw {
    /// The cut-offs and chances of `0, 1, ...` entities, up to the first number that is always reported.
    pub(crate) fn table(&self) -> Vec<(u64, Chance)> {
        match self {
            Self::ClampedNormal(law) => table_of(law.cap(), |n| law.chance(n)),
            Self::ThinUniform(law) => law.table(),
            Self::Elm(law) => table_of(law.cap(), |n| law.chance(n)),
            Self::OptimalSelection(law) => law.table(),
            Self::Hard(law) => vec![(0, Chance::NEVER); law.least() as usize],
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

fn table_of(cap: u64, chance: impl Fn(u64) -> Chance) -> Vec<(u64, Chance)> {
    let entry = |chance: Chance| (nearest_cutoff(chance), chance);
    (0..cap).map(|n| entry(chance(n))).collect()
}

/// The number of draws out of `2^64` that report, to the nearest; `2^64` itself is `None`. Taken from the smaller tail,
/// which has the digits.
fn nearest_draws(chance: Chance) -> Option<u64> {
    if chance.reported <= chance.suppressed {
        return Some((chance.reported * DRAWS).round() as u64);
    }
    match (chance.suppressed * DRAWS).round() as u64 {
        0 => None,
        suppressing => Some(suppressing.wrapping_neg()), // 2^64 - suppressing
    }
}

/// The same as a cut-off, one below where every draw reports: a group that the law may suppress is not certain.
fn nearest_cutoff(chance: Chance) -> u64 {
    nearest_draws(chance).unwrap_or(u64::MAX)
}
