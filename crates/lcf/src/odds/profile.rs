//! The (epsilon, delta) profile of one release.
//!
//! `c(n)` draws out of `D = 2^64` that report a group of `n`, `s(n) = D - c(n)` that suppress it; both as integers, so that the
//! promise is about what decides. One entity more or less in one group is (epsilon, delta)-indistinguishable iff
//!
//! ```text
//! (8)  c(n+1) - e^eps c(n) <= delta D,       s(n) - e^eps s(n+1) <= delta D
//! ```
//!
//! for all `n`; the same two with the roles exchanged hold for every delta, because `c` does not decrease. With `k` groups an
//! entity, whose draws are independent, a release is (k eps, k delta)-DP by basic composition. Everything is rounded so that a
//! cost never reads low.

use std::num::NonZeroU32;

use privacy_core::param::{Delta, Epsilon};
use privacy_core::round::{div_down, div_up, exp_down, ln_up, mul_down, mul_up, sub_up};

use crate::law::draws::{ALL_DRAWS, DRAWS, above, below};
use crate::law::threshold_table::ThresholdTable;

/// What one release promises.
///
/// # Guarantee
/// (epsilon, delta)-differential privacy of which groups appear in **one release** in [publish mode](crate::DrawMode::Publish), where draws of
/// different groups are independent, against whoever has not the secret (computational: draws come from a keyed function).
/// Neighbours: one entity added or removed. Unit: an entity in at most `groups_per_entity` groups. Every group is decided by
/// itself, under one law and one kind of entity: neither a merged rest nor groups of low effect are covered, nor are numbers
/// that are shown with a group.
///
/// Sticky answers to queries have no such promise: the answers over a set and over the same set with one entity more
/// are equal for certain when that entity is in neither, so their promises do not add up.
#[derive(Clone, Copy, Debug)]
pub struct ReleaseProfile<'a> {
    thresholds: &'a ThresholdTable,
    groups_per_entity: f64,
}

/// Draws that lead to one decision from a group and from its neighbour, as bounds.
struct Pair {
    /// At least as many.
    here: f64,
    /// At most as many.
    there: f64,
}

impl ThresholdTable {
    /// The promise of one release in which an entity is in at most so many groups.
    #[must_use]
    pub fn release_profile(&self, groups_per_entity: NonZeroU32) -> ReleaseProfile<'_> {
        ReleaseProfile { thresholds: self, groups_per_entity: f64::from(groups_per_entity.get()) }
    }
}

impl ReleaseProfile<'_> {
    /// The least delta for this epsilon, rounded up; above 1 it promises nothing. `O(cap)`.
    #[must_use]
    pub fn delta(&self, epsilon: Epsilon) -> f64 {
        let factor = exp_down(div_down(epsilon.get(), self.groups_per_entity));
        let excess = |pair: Pair| sub_up(pair.here, mul_down(factor, pair.there)).max(0.0);
        mul_up(self.groups_per_entity, self.pairs().map(excess).fold(0.0, f64::max) / DRAWS)
    }

    /// The delta that no epsilon undercuts: the larger chance of a decision that proves an entity. `O(cap)`.
    #[must_use]
    pub fn least_delta(&self) -> f64 {
        let certain = self.pairs().filter(|pair| pair.there == 0.0).map(|pair| pair.here);
        mul_up(self.groups_per_entity, certain.fold(0.0, f64::max) / DRAWS)
    }

    /// The least epsilon for this delta, rounded up; `None` where delta is below [`least_delta`](Self::least_delta). `O(cap)`.
    #[must_use]
    pub fn epsilon(&self, delta: Delta) -> Option<f64> {
        let delta = div_down(delta.get(), self.groups_per_entity) * DRAWS;
        let least = |pair: Pair| match sub_up(pair.here, delta) {
            excess if excess <= 0.0 => Some(0.0),
            _ if pair.there == 0.0 => None,
            excess => Some(ln_up(div_up(excess, pair.there)).max(0.0)),
        };
        let epsilon = self.pairs().map(least).try_fold(0.0, |most: f64, epsilon| Some(most.max(epsilon?)))?;
        Some(mul_up(self.groups_per_entity, epsilon))
    }

    /// Both inequalities (8) of every size.
    fn pairs(&self) -> impl Iterator<Item = Pair> {
        let table = self.thresholds.cutoffs();
        let after = table.iter().skip(1).map(|&cutoff| u128::from(cutoff)).chain([ALL_DRAWS]);
        table.iter().zip(after).flat_map(|(&fewer, more)| {
            let fewer = u128::from(fewer);
            [pair(more, fewer), pair(ALL_DRAWS - fewer, ALL_DRAWS - more)]
        })
    }
}

fn pair(here: u128, there: u128) -> Pair {
    Pair { here: above(here), there: below(there) }
}
