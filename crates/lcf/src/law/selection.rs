//! Optimal partition selection: the law that reports every size of group with the largest
//! probability that (epsilon, delta)-differential privacy allows.
//!
//! `e`, `d` epsilon and delta of one group, `k` the number of groups an entity may be in, `t` the
//! pre-threshold in entities:
//!
//! ```text
//! e = epsilon / k,   d = delta / k
//! pi(0) = 0,   pi(n) = min(exp(e) pi(n-1) + d,  1 - exp(-e) (1 - pi(n-1) - d),  1)          (4)
//! P(reported) = 0 for n < t,  pi(n - t + 1) for n >= t
//! ```
//!
//! Here `pi(n)` is a whole number of draws out of `2^64`, each step rounded down from the one
//! before, so that the integers themselves satisfy both inequalities (8), not only the real
//! numbers that they stand for.
//!
//! Source: Desfontaines, Voss, Gipson, Mandayam (PoPETs 2022), theorem 2; pre-thresholding as in
//! Google's libraries.

use std::num::NonZeroU32;

use privacy_core::param::{Delta, Epsilon};
use privacy_core::round::{add_down, div_down, exp_down, exp_up, mul_down, mul_up, sub_up};

use super::draws::{ALL_DRAWS, DRAWS, above, below};
use super::error::{LawError, MAX_CAP};
use super::probability::ReportingProbability;

/// The law that reports most groups under (epsilon, delta)-differential privacy, with one draw
/// per group and release. Neighbours: one entity added or removed. Unit: an entity in at most
/// `groups_per_entity` groups.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Fields"))]
pub struct OptimalSelection {
    epsilon: Epsilon,
    delta: Delta,
    groups_per_entity: NonZeroU32,
    pre_threshold: u32,
}

/// The parameters as they are stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Fields {
    epsilon: Epsilon,
    delta: Delta,
    groups_per_entity: NonZeroU32,
    pre_threshold: u32,
}

#[cfg(feature = "serde")]
impl TryFrom<Fields> for OptimalSelection {
    type Error = LawError;

    fn try_from(fields: Fields) -> Result<Self, LawError> {
        Self::new(fields.epsilon, fields.delta, fields.groups_per_entity, fields.pre_threshold)
    }
}

impl OptimalSelection {
    /// Optimal for this epsilon and delta, which all groups of an entity share; groups of fewer
    /// than `pre_threshold` entities are never reported.
    ///
    /// # Errors
    /// [`LawError::BelowTwo`]; [`LawError::TableTooLong`] for a small epsilon with a small delta.
    pub fn new(
        epsilon: Epsilon,
        delta: Delta,
        groups_per_entity: NonZeroU32,
        pre_threshold: u32,
    ) -> Result<Self, LawError> {
        if pre_threshold < 2 {
            return Err(LawError::BelowTwo { name: "pre_threshold", got: pre_threshold });
        }
        let law = Self { epsilon, delta, groups_per_entity, pre_threshold };
        // With a small epsilon and delta the recurrence climbs slowly: it has to end within the
        // longest table.
        let room = (MAX_CAP + 1).saturating_sub(u64::from(pre_threshold));
        if law.draws().take(room as usize).count() < room as usize { Ok(law) } else { Err(LawError::TableTooLong) }
    }

    /// Epsilon of all groups of an entity together.
    #[must_use]
    pub const fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// Delta of all groups of an entity together.
    #[must_use]
    pub const fn delta(&self) -> Delta {
        self.delta
    }

    /// The number of groups that one entity may be in.
    #[must_use]
    pub const fn groups_per_entity(&self) -> NonZeroU32 {
        self.groups_per_entity
    }

    /// Groups of fewer entities are never reported.
    #[must_use]
    pub const fn pre_threshold(&self) -> u32 {
        self.pre_threshold
    }

    pub(super) fn table(&self) -> Vec<(u64, ReportingProbability)> {
        let suppressed = (0..self.pre_threshold).map(|_| (0, ReportingProbability::NEVER));
        suppressed.chain(self.draws().map(|draws| (draws, share_of_draws(draws)))).collect()
    }

    /// `pi(1), pi(2), ...` in draws out of `2^64`, up to the last one below `2^64`.
    fn draws(&self) -> impl Iterator<Item = u64> {
        let groups = f64::from(self.groups_per_entity.get());
        let epsilon = div_down(self.epsilon.get(), groups);
        let step = Step {
            grow: exp_down(epsilon),
            shrink: exp_up(-epsilon),
            delta: div_down(self.delta.get(), groups) * DRAWS,
        };
        std::iter::successors(step.after(0), move |&draws| step.after(draws))
    }
}

/// The probabilities that a number of reporting draws stands for.
fn share_of_draws(draws: u64) -> ReportingProbability {
    let suppressing = ALL_DRAWS - u128::from(draws);
    ReportingProbability { reported: draws as f64 / DRAWS, suppressed: suppressing as f64 / DRAWS }
}

/// One step of the recurrence, in draws.
#[derive(Clone, Copy)]
struct Step {
    /// At most `exp(e)`.
    grow: f64,
    /// At least `exp(-e)`.
    shrink: f64,
    /// At most `d`.
    delta: f64,
}

impl Step {
    /// The draws that report one entity more, or `None` where all do.
    fn after(self, draws: u64) -> Option<u64> {
        let suppressing = ALL_DRAWS - u128::from(draws);
        // 1 - pi - d of (4). Rounded up, since suppressing too few draws is what would break the
        // promise.
        let left = sub_up(above(suppressing), self.delta);
        if left <= 0.0 {
            return None;
        }
        let least_suppressing = mul_up(self.shrink, left).ceil();
        let most_reporting = add_down(mul_down(self.grow, below(u128::from(draws))), self.delta).floor();
        // At least one draw suppresses: a size that is not certain must not become so by
        // rounding. A cast of a number above 2^128 saturates, and then the minimum takes the
        // other bound.
        let by_complement = ALL_DRAWS - (least_suppressing as u128).clamp(1, ALL_DRAWS);
        // For an epsilon so small that rounding swallows the step, the same number of draws is
        // allowed too.
        Some((by_complement.min(most_reporting as u128) as u64).max(draws))
    }
}
