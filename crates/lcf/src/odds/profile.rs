//! The (epsilon, delta) profile of one release.
//!
//! `c(n)` draws out of `D = 2^64` that report a group of `n`, `s(n) = D - c(n)` that suppress it;
//! both as integers, so that the promise is about the numbers that decide. One entity more or
//! less in one group is (epsilon, delta)-indistinguishable iff
//!
//! ```text
//! (8)  c(n+1) - e^eps c(n) <= delta D,       s(n) - e^eps s(n+1) <= delta D
//! ```
//!
//! for all `n`; the same two with the roles exchanged hold for every delta, because `c` does not
//! decrease. With `k` groups per entity, whose draws are independent, a release is (k eps, k
//! delta)-DP by basic composition. Everything is rounded so that a cost is never understated.

use std::num::NonZeroU32;

use privacy_core::param::{Delta, Epsilon};
use privacy_core::round::{div_down, div_up, exp_down, ln_up, mul_down, mul_up, sub_up};

use crate::law::draws::{ALL_DRAWS, DRAWS, above, below};
use crate::law::threshold_table::ThresholdTable;

/// The privacy of one release.
///
/// # Guarantee
/// (epsilon, delta)-differential privacy of which groups appear in **one release** in
/// [publish mode](crate::DrawMode::Publish), where draws of different groups are independent,
/// against anyone without the secret (computational: draws come from a keyed function).
/// Neighbours: one entity added or removed. Unit: an entity in at most `groups_per_entity`
/// groups; the caller makes sure of that number. Every group is decided by itself, under one law
/// and one kind of entity. Not covered: a merged rest, low-effect merging, and the numbers
/// reported with a group.
///
/// Sticky answers to queries have no such promise. The answers for a set and for the same set
/// with one more entity are equal for certain when that entity is in neither, so their costs do
/// not add up.
///
/// # Example
/// ```
/// use std::num::NonZeroU32;
///
/// use lcf::{ClampedNormal, ThresholdTable};
/// use privacy_core::param::{Epsilon, StdDev};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let thresholds = ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5)?, 2.0)?);
/// let profile = thresholds.release_profile(NonZeroU32::MIN); // an entity in one group
/// assert!(profile.delta(Epsilon::new(1.0)?) < 0.03);
/// assert!(profile.least_delta() > 4e-4); // whatever epsilon is
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReleaseProfile<'a> {
    thresholds: &'a ThresholdTable,
    groups_per_entity: f64,
}

/// Bounds on the numbers of draws that lead to one decision from a group and from its neighbour.
struct Pair {
    /// At least the number of draws from the group.
    here: f64,
    /// At most the number of draws from its neighbour.
    there: f64,
}

impl ThresholdTable {
    /// The privacy of one release in which an entity is in at most this many groups.
    #[must_use]
    pub fn release_profile(&self, groups_per_entity: NonZeroU32) -> ReleaseProfile<'_> {
        ReleaseProfile { thresholds: self, groups_per_entity: f64::from(groups_per_entity.get()) }
    }
}

impl ReleaseProfile<'_> {
    /// The smallest delta for this epsilon, rounded up; a delta above 1 promises nothing.
    /// `O(cap)`.
    #[must_use]
    pub fn delta(&self, epsilon: Epsilon) -> f64 {
        let factor = exp_down(div_down(epsilon.get(), self.groups_per_entity));
        // (9): the excess of (8) over what epsilon allows, for the worst size. Division by 2^64
        // is exact.
        let excess = self.pairs().map(|pair| sub_up(pair.here, mul_down(factor, pair.there)));
        mul_up(self.groups_per_entity, excess.fold(0.0, f64::max) / DRAWS)
    }

    /// The delta that remains at every epsilon: the larger probability of a decision that proves
    /// an entity. `O(cap)`.
    #[must_use]
    pub fn least_delta(&self) -> f64 {
        let certain = self.pairs().filter(|pair| pair.there == 0.0).map(|pair| pair.here);
        mul_up(self.groups_per_entity, certain.fold(0.0, f64::max) / DRAWS)
    }

    /// The smallest epsilon for this delta, rounded up; `None` where delta is below
    /// [`least_delta`](Self::least_delta). `O(cap)`.
    #[must_use]
    pub fn epsilon(&self, delta: Delta) -> Option<f64> {
        let delta = div_down(delta.get(), self.groups_per_entity) * DRAWS;
        let mut epsilon = 0.0_f64;
        for pair in self.pairs() {
            epsilon = epsilon.max(pair.epsilon(delta)?);
        }
        Some(mul_up(self.groups_per_entity, epsilon))
    }

    /// Both inequalities (8) for every size.
    fn pairs(&self) -> impl Iterator<Item = Pair> {
        let table = self.thresholds.cutoffs();
        let after = table.iter().skip(1).map(|&cutoff| u128::from(cutoff)).chain([ALL_DRAWS]);
        table.iter().zip(after).flat_map(|(&fewer, more)| {
            let fewer = u128::from(fewer);
            [Pair::new(more, fewer), Pair::new(ALL_DRAWS - fewer, ALL_DRAWS - more)]
        })
    }
}

impl Pair {
    /// Integers above 2^53 are not exact in `f64`: each side is rounded towards a larger cost.
    fn new(here: u128, there: u128) -> Self {
        Self { here: above(here), there: below(there) }
    }

    /// The smallest epsilon that satisfies (8) when delta is worth this many draws; none where
    /// the decision proves more than delta allows.
    fn epsilon(&self, delta: f64) -> Option<f64> {
        match sub_up(self.here, delta) {
            excess if excess <= 0.0 => Some(0.0),
            _ if self.there == 0.0 => None,
            excess => Some(ln_up(div_up(excess, self.there)).max(0.0)),
        }
    }
}
