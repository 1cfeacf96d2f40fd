//! From a target to parameters: the law that meets the target and suppresses least.
//!
//! `m` mean, `s` standard deviation, `L` hard lower bound. For every `m` on a grid, from the
//! smallest, every `s` on a grid, from the smallest; the first pair that meets the target is
//! taken. A smaller mean reports more groups of every size below it, and at one mean a smaller
//! spread reports more of the larger groups.
//!
//! The target is compared with what the filter would do: with the odds and the profile of its own
//! table.

use std::num::NonZeroU32;

use privacy_core::param::{Delta, Epsilon, Probability, StdDev};
use privacy_core::stop::StopFlag;

use crate::law::threshold_table::ThresholdTable;
use crate::law::{ClampedNormal, LawError, MAX_CAP, OptimalSelection, ReportingProbability};

/// What a filter may reveal at most.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct AdviceTarget {
    /// Groups of at most this many entities are never reported; at least 1.
    pub always_suppress_upper_bound: f64,
    /// What one decision may reveal: a calibration.
    pub odds: Option<OddsTarget>,
    /// The privacy of one release: a guarantee.
    pub privacy: Option<PrivacyTarget>,
}

/// What one decision may reveal to an attacker for whom `N` and `N + 1` entities are equally
/// likely, for every `N`.
///
/// The two limits are only useful together: a threshold that is almost hard meets the first alone
/// with answers that are almost proofs, and a law whose proofs are frequent meets the second
/// alone.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct OddsTarget {
    /// Largest probability of a decision that proves the size; above 0 and at most one half.
    pub certainty: Probability,
    /// Largest posterior after any other decision; above one half and below 1.
    pub posterior: Probability,
}

/// (epsilon, delta) of one release.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct PrivacyTarget {
    /// Epsilon of all groups of an entity together.
    pub epsilon: Epsilon,
    /// Delta of all groups of an entity together.
    pub delta: Delta,
    /// The number of groups that one entity may be in.
    pub groups_per_entity: NonZeroU32,
}

/// The grid on which parameters are searched, and how the search is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct AdviceOptions {
    /// Means are multiples of one over this.
    pub mean_steps: NonZeroU32,
    /// Standard deviations are multiples of one over this.
    pub sd_steps: NonZeroU32,
    /// Largest mean, in entities.
    pub max_mean: u32,
    /// Once set, [`advise`] ends with [`AdviceError::Stopped`].
    #[cfg_attr(feature = "serde", serde(skip))]
    pub stop: StopFlag,
}

impl Default for AdviceOptions {
    /// Tenths, up to a mean of 100 entities.
    fn default() -> Self {
        let tenths = NonZeroU32::new(10).expect("ten is not zero");
        Self { mean_steps: tenths, sd_steps: tenths, max_mean: 100, stop: StopFlag::never() }
    }
}

/// Why no parameters are recommended.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AdviceError {
    /// The target has neither limit. Give odds, or epsilon and delta, or both.
    #[error("no target is given: give certainty odds with a posterior, or epsilon with delta")]
    NoTarget,
    /// The probability of a proof is above 0, since the edges of the threshold always prove
    /// something, and at most one half.
    #[error("certainty odds must be above 0 and at most 0.5, got {got}")]
    BadCertainty {
        /// The refused probability.
        got: f64,
    },
    /// A posterior of one half is that of a decision that reveals nothing. Give more, and less
    /// than 1.
    #[error("a posterior must be above 0.5 and below 1, got {got}")]
    BadPosterior {
        /// The refused posterior.
        got: f64,
    },
    /// No law has this bound.
    #[error(transparent)]
    Law(#[from] LawError),
    /// The search could evaluate more sizes of group than [`AdviceOptions::MAX_EVALUATIONS`],
    /// over all pairs of a mean and a standard deviation. Take fewer steps, or a smaller largest
    /// mean.
    #[error("the search could evaluate {evaluations} group sizes; the limit is {}", AdviceOptions::MAX_EVALUATIONS)]
    SearchTooLarge {
        /// The number of evaluations that it could take.
        evaluations: u128,
    },
    /// No parameters on the grid meet the target. Allow a larger mean, take finer steps, or
    /// loosen the target.
    #[error("no mean up to {max_mean} meets the target")]
    NoneMeets {
        /// The largest mean that was tried.
        max_mean: u32,
    },
    /// The stop flag of the options was set.
    #[error("the search was stopped")]
    Stopped,
}

impl AdviceOptions {
    /// Largest number of sizes of group that a search may evaluate: a few seconds, where no
    /// parameters meet the target.
    pub const MAX_EVALUATIONS: u128 = 500_000_000;

    fn check(&self) -> Result<(), AdviceError> {
        let (entities, steps) = (u128::from(self.max_mean), [self.mean_steps, self.sd_steps].map(|steps| steps.get()));
        // A mean m has sizes up to 2 m and, on average, half of the standard deviations: the
        // factors 2 and one half cancel.
        let factors = [entities, entities, u128::from(steps[0]), u128::from(steps[1])];
        let evaluations = factors.iter().fold(entities, |product, &factor| product.saturating_mul(factor));
        if self.max_mean > MAX_CAP as u32 || evaluations > Self::MAX_EVALUATIONS {
            return Err(AdviceError::SearchTooLarge { evaluations });
        }
        Ok(())
    }

    /// Means above the bound, ascending.
    fn means(&self, bound: f64) -> impl Iterator<Item = f64> {
        let steps = self.mean_steps.get();
        (1..=u64::from(self.max_mean) * u64::from(steps))
            .map(move |step| step as f64 / f64::from(steps))
            .filter(move |&mean| mean > bound)
    }

    /// Standard deviations up to the distance between mean and bound, ascending. With a larger
    /// one more than a sixth of the thresholds would be at the bound.
    fn sds(&self, gap: f64) -> impl Iterator<Item = StdDev> {
        let steps = f64::from(self.sd_steps.get());
        let most = (gap * steps).ceil() as u64;
        (1..=most).filter_map(move |step| StdDev::new(step as f64 / steps).ok())
    }
}

/// The clamped normal law with the smallest mean, and then the smallest standard deviation, that
/// meets a target.
///
/// Cost: `O(cap)` for every pair near the target and little for the others; well below a second
/// with the default options.
///
/// # Errors
/// [`AdviceError`].
pub fn advise(target: &AdviceTarget, options: &AdviceOptions) -> Result<ThresholdTable, AdviceError> {
    target.check()?;
    options.check()?;
    let bound = target.always_suppress_upper_bound;
    for mean in options.means(bound) {
        for sd in options.sds(mean - bound) {
            if options.stop.is_set() {
                return Err(AdviceError::Stopped);
            }
            let law = ClampedNormal::new(mean, sd, bound)?;
            if target.may_be_met(&law) {
                let thresholds = ThresholdTable::new(law);
                if target.is_met(&thresholds) {
                    return Ok(thresholds);
                }
            }
        }
    }
    Err(AdviceError::NoneMeets { max_mean: options.max_mean })
}

impl AdviceTarget {
    /// A target without limits: set [`odds`](Self::odds), [`privacy`](Self::privacy) or both.
    #[must_use]
    pub const fn new(always_suppress_upper_bound: f64) -> Self {
        Self { always_suppress_upper_bound, odds: None, privacy: None }
    }

    fn check(&self) -> Result<(), AdviceError> {
        if self.odds.is_none() && self.privacy.is_none() {
            return Err(AdviceError::NoTarget);
        }
        if let Some(OddsTarget { certainty, posterior }) = self.odds {
            let (certainty, posterior) = (certainty.get(), posterior.get());
            if !(certainty > 0.0 && certainty <= 0.5) {
                return Err(AdviceError::BadCertainty { got: certainty });
            }
            if !(posterior > 0.5 && posterior < 1.0) {
                return Err(AdviceError::BadPosterior { got: posterior });
            }
        }
        let bound = self.always_suppress_upper_bound;
        if !(1.0..f64::INFINITY).contains(&bound) {
            return Err(LawError::SingletonsVisible { got: bound }.into());
        }
        Ok(())
    }

    /// Whether a filter meets the target.
    #[must_use]
    pub fn is_met(&self, thresholds: &ThresholdTable) -> bool {
        let by_odds = self.odds.is_none_or(|target| {
            let odds = thresholds.odds();
            odds.certainty() <= target.certainty.get() && odds.posterior() <= target.posterior.get()
        });
        by_odds
            && self.privacy.is_none_or(|target| {
                let profile = thresholds.release_profile(target.groups_per_entity);
                profile.delta(target.epsilon) <= target.delta.get()
            })
    }

    /// A quick test before the table is made: false only where the target is missed. It evaluates
    /// the same inequalities on the law, and stops at the first that fails; a slack of 1e-9
    /// covers the difference between the law and its integers.
    fn may_be_met(&self, law: &ClampedNormal) -> bool {
        self.odds.is_none_or(|target| target.may_be_met(law))
            && self.privacy.is_none_or(|target| target.may_be_met(law))
    }
}

/// Covers rounding between a law and its table, with room to spare.
const SLACK: f64 = 1.0 + 1e-9;

/// The larger probability of the decisions that prove a size: a report of the smallest size that
/// may be reported, a suppression of the largest that may be suppressed.
fn edge_probability(law: &ClampedNormal) -> f64 {
    let (first, last) = drawn_sizes(law);
    law.reporting_probability(first).reported.max(law.reporting_probability(last).suppressed)
}

/// The smallest and the largest size that a draw decides about.
fn drawn_sizes(law: &ClampedNormal) -> (u64, u64) {
    (law.always_suppress_upper_bound() as u64 + 1, law.upper() as u64)
}

/// The probabilities of each two sizes that follow each other between the edges.
fn neighbours(law: &ClampedNormal) -> impl Iterator<Item = (ReportingProbability, ReportingProbability)> {
    let (first, last) = drawn_sizes(law);
    (first..last).map(|n| (law.reporting_probability(n), law.reporting_probability(n + 1)))
}

impl OddsTarget {
    fn may_be_met(&self, law: &ClampedNormal) -> bool {
        // A posterior of at most x is a likelihood ratio of at most x / (1 - x), with equal
        // priors.
        let ratio = self.posterior.get() / (1.0 - self.posterior.get()) * SLACK;
        edge_probability(law) <= 2.0 * self.certainty.get() * SLACK
            && neighbours(law).all(|(fewer, more)| {
                more.reported <= ratio * fewer.reported && fewer.suppressed <= ratio * more.suppressed
            })
    }
}

impl PrivacyTarget {
    /// Both inequalities (8) for every size, and at the edges, where the smaller side is 0.
    fn may_be_met(&self, law: &ClampedNormal) -> bool {
        let groups = f64::from(self.groups_per_entity.get());
        let factor = libm::exp(self.epsilon.get() / groups) * SLACK;
        let delta = self.delta.get() / groups * SLACK;
        edge_probability(law) <= delta
            && neighbours(law).all(|(fewer, more)| {
                more.reported <= factor * fewer.reported + delta && fewer.suppressed <= factor * more.suppressed + delta
            })
    }

    /// The law that reports most under this target, to compare the clamped normal law with.
    ///
    /// # Errors
    /// As [`OptimalSelection::new`].
    pub fn optimal_selection(&self, pre_threshold: u32) -> Result<OptimalSelection, LawError> {
        OptimalSelection::new(self.epsilon, self.delta, self.groups_per_entity, pre_threshold)
    }
}
