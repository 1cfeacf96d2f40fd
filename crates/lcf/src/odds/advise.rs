//! From a target to parameters: the least suppression that keeps it.
//!
//! `m` mean, `s` standard deviation, `L` hard lower bound. For every `m` on a grid, from the smallest, every `s` on a grid, from
//! the smallest; the first that meets the target is taken. A smaller mean reports more groups of every size below it, and at
//! one mean a smaller spread reports more of the larger ones.
//!
//! What is compared is what the filter would do: the odds and the profile of its own table.

use std::num::NonZeroU32;

use privacy_core::param::{Delta, Epsilon, Probability, StdDev};

use crate::law::threshold_table::ThresholdTable;
use crate::law::{ClampedNormal, LawError, MAX_CAP, OptimalSelection};

/// What an attacker may gain.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AdviceTarget {
    /// Groups of at most this many entities are never reported; at least 1.
    pub always_suppress_upper_bound: f64,
    /// Of one decision: calibration.
    pub odds: Option<OddsTarget>,
    /// Of one release: guarantee.
    pub privacy: Option<PrivacyTarget>,
}

/// What one decision may tell whoever holds `N` and `N + 1` entities for equally likely, for every `N`.
///
/// Only together do the two mean something: odds alone are met by a threshold that is next to hard, whose answers are all but
/// proofs, and a posterior alone by one whose proofs are frequent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OddsTarget {
    /// Most probable a decision may be that proves which it is; above 0 and at most one half.
    pub certainty: Probability,
    /// Surest any other decision may make of which it is; above one half and below 1.
    pub posterior: Probability,
}

/// (epsilon, delta) of one release.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrivacyTarget {
    /// Epsilon of all groups of an entity together.
    pub epsilon: Epsilon,
    /// Delta of all groups of an entity together.
    pub delta: Delta,
    /// How many groups one entity may be in.
    pub groups_per_entity: NonZeroU32,
}

/// Where parameters are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AdviceOptions {
    /// Means are multiples of one over this.
    pub mean_steps: NonZeroU32,
    /// Standard deviations are multiples of one over this.
    pub sd_steps: NonZeroU32,
    /// No mean is larger, in entities.
    pub max_mean: u32,
}

impl Default for AdviceOptions {
    /// Tenths, up to a mean of 100 entities.
    fn default() -> Self {
        let tenths = NonZeroU32::new(10).expect("ten is not zero");
        Self { mean_steps: tenths, sd_steps: tenths, max_mean: 100 }
    }
}

/// Why there is no advice.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AdviceError {
    /// Nothing to meet. Give odds, or epsilon and delta, or both.
    #[error("there is no target: give certainty odds with a posterior, or epsilon with delta")]
    NoTarget,
    /// Odds of a proof are above 0, since the edges of the threshold always prove something, and at most one half.
    #[error("certainty odds must be above 0 and at most 0.5, got {got}")]
    BadCertainty {
        /// The refused odds.
        got: f64,
    },
    /// A posterior of one half is that of a decision that tells nothing. Give more, and less than 1.
    #[error("a posterior must be above 0.5 and below 1, got {got}")]
    BadPosterior {
        /// The refused posterior.
        got: f64,
    },
    /// The bound is none that a law has.
    #[error(transparent)]
    Law(#[from] LawError),
    /// The search could look at more sizes of group than [`AdviceOptions::MAX_LOOKS`], over all pairs of a mean and a standard
    /// deviation. Take fewer steps, or a smaller largest mean.
    #[error("the search could take {looks} looks at a size of group, more than {}", AdviceOptions::MAX_LOOKS)]
    SearchTooLarge {
        /// How many it could take.
        looks: u128,
    },
    /// No parameters on the grid meet the target. Allow a larger mean, take finer steps, or loosen the target.
    #[error("no mean up to {max_mean} meets the target")]
    NoneMeets {
        /// The largest mean that was tried.
        max_mean: u32,
    },
}

impl AdviceOptions {
    /// Most looks at a size of group that a search may take: some seconds, where no parameters meet the target.
    pub const MAX_LOOKS: u128 = 500_000_000;

    fn check(&self) -> Result<(), AdviceError> {
        let (entities, steps) = (u128::from(self.max_mean), [self.mean_steps, self.sd_steps].map(|steps| steps.get()));
        // Sizes up to twice the mean, half of the pairs.
        let factors = [entities, entities, u128::from(steps[0]), u128::from(steps[1])];
        let looks = factors.iter().fold(entities, |looks, &factor| looks.saturating_mul(factor));
        if self.max_mean > MAX_CAP as u32 || looks > Self::MAX_LOOKS {
            return Err(AdviceError::SearchTooLarge { looks });
        }
        Ok(())
    }

    /// Means above the bound, ascending.
    fn means(self, bound: f64) -> impl Iterator<Item = f64> {
        let steps = self.mean_steps.get();
        (1..=u64::from(self.max_mean) * u64::from(steps))
            .map(move |step| step as f64 / f64::from(steps))
            .filter(move |&mean| mean > bound)
    }

    /// Standard deviations up to the distance between mean and bound, ascending: with a larger one a sixth of the thresholds
    /// would be at the bound.
    fn sds(self, gap: f64) -> impl Iterator<Item = StdDev> {
        let steps = f64::from(self.sd_steps.get());
        let most = (gap * steps).ceil() as u64;
        (1..=most).filter_map(move |step| StdDev::new(step as f64 / steps).ok())
    }
}

/// The clamped normal law with the smallest mean, and then the smallest standard deviation, that meets a target.
///
/// Cost: `O(cap)` for every pair near the target and little for the others; well below a second by default.
///
/// # Errors
/// [`AdviceError`].
pub fn advise(target: &AdviceTarget, search: &AdviceOptions) -> Result<ThresholdTable, AdviceError> {
    target.check()?;
    search.check()?;
    let bound = target.always_suppress_upper_bound;
    for mean in search.means(bound) {
        for sd in search.sds(mean - bound) {
            let law = ClampedNormal::new(mean, sd, bound)?;
            if target.may_be_met(&law) {
                let thresholds = ThresholdTable::new(law);
                if target.is_met(&thresholds) {
                    return Ok(thresholds);
                }
            }
        }
    }
    Err(AdviceError::NoneMeets { max_mean: search.max_mean })
}

impl AdviceTarget {
    /// A target without anything to meet yet.
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
        let by_profile = |target: PrivacyTarget| {
            let profile = thresholds.release_profile(target.groups_per_entity);
            profile.delta(target.epsilon) <= target.delta.get()
        };
        by_odds && self.privacy.is_none_or(by_profile)
    }

    /// False only where the target is missed: the same inequalities from the edges inwards, up to the first that fails.
    fn may_be_met(&self, law: &ClampedNormal) -> bool {
        const SLACK: f64 = 1.0 + 1e-9;
        let (first, last) = (law.always_suppress_upper_bound() as u64 + 1, law.upper() as u64);
        let proof = law.reporting_probability(first).reported.max(law.reporting_probability(last).suppressed);
        let neighbours = || (first..last).map(|n| (law.reporting_probability(n), law.reporting_probability(n + 1)));
        let odds = |target: OddsTarget| {
            let odds = target.posterior.get() / (1.0 - target.posterior.get()) * SLACK;
            proof <= 2.0 * target.certainty.get() * SLACK
                && neighbours().all(|(fewer, more)| {
                    more.reported <= odds * fewer.reported && fewer.suppressed <= odds * more.suppressed
                })
        };
        let privacy = |target: PrivacyTarget| {
            let groups = f64::from(target.groups_per_entity.get());
            let (factor, delta) =
                (libm::exp(target.epsilon.get() / groups) * SLACK, target.delta.get() / groups * SLACK);
            proof <= delta
                && neighbours().all(|(fewer, more)| {
                    more.reported <= factor * fewer.reported + delta
                        && fewer.suppressed <= factor * more.suppressed + delta
                })
        };
        self.odds.is_none_or(odds) && self.privacy.is_none_or(privacy)
    }
}

impl PrivacyTarget {
    /// The law that reports most under this target: what the clamped normal law costs in comparison.
    ///
    /// # Errors
    /// As [`OptimalSelection::new`].
    pub fn optimal_selection(&self, pre_threshold: u32) -> Result<OptimalSelection, LawError> {
        OptimalSelection::new(self.epsilon, self.delta, self.groups_per_entity, pre_threshold)
    }
}
