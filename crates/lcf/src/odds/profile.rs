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
//! decrease. With `k` groups per entity, whose draws are independent, a release costs the least of
//! what (14) says at any share of epsilon, basic composition among them, and what (15) says at
//! any share of delta, with the least `m` that all decisions have:
//!
//! ```text
//! (16)  m = max over n of Phi^-1((c(n+1)/D - d) / (1 - d)) - Phi^-1((c(n)/D) / (1 - d))
//! ```
//!
//! A number with noise beside each group is part of its line: (18) says what the line costs.
//!
//! Everything is rounded so that a cost is never understated.

use std::num::NonZeroU32;

use privacy_core::normal;
use privacy_core::param::{Delta, Epsilon, Probability};
use privacy_core::round::{
    add_up, div_down, div_up, exp_down, integer_down, integer_up, ln_up, mul_down, mul_up, sub_down, sub_up,
};

use crate::law::composition;
use crate::law::draws::{ALL_DRAWS, DRAWS};
use crate::law::threshold_law::ThresholdLaw;
use crate::law::threshold_table::ThresholdTable;
use crate::law::{OptimalSelection, SelectionShare};

/// The privacy of one release.
///
/// # Guarantee
/// (epsilon, delta)-differential privacy of which groups appear in **one release** in
/// [publish mode](crate::DrawMode::Publish), where draws of different groups are independent,
/// against anyone without the secret (computational: draws come from a keyed function).
/// Neighbours: one entity added or removed. Unit: an entity in at most `groups_per_entity`
/// groups, which a filter made by [`publishing`](crate::LowCountFilter::publishing) makes sure
/// of. Every group is decided by itself, under one law
/// and one kind of entity. Numbers beside groups are covered by
/// [`beside_number`](Self::beside_number). Not covered: a merged rest, low-effect merging, and
/// exact numbers.
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
    groups_per_entity: NonZeroU32,
    number_epsilon: f64,
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
        ReleaseProfile { thresholds: self, groups_per_entity, number_epsilon: 0.0 }
    }
}

/// Shares of epsilon, and of delta, among which the least cost is searched.
const STEPS: u32 = 24;

impl ReleaseProfile<'_> {
    /// The privacy of whole lines: which groups appear, and a number of this epsilon beside each of
    /// them ([`NumberNoise::epsilon`](crate::NumberNoise::epsilon)).
    #[must_use]
    pub const fn beside_number(self, number_epsilon: f64) -> Self {
        Self { number_epsilon, ..self }
    }

    /// The smallest delta for this epsilon, rounded up; a delta above 1 promises nothing.
    /// `O(cap)` for one group, 50 times that for several.
    #[must_use]
    pub fn delta(&self, epsilon: Epsilon) -> f64 {
        let groups = self.groups_per_entity;
        let basic = self.basic_delta(epsilon);
        if groups == NonZeroU32::MIN {
            return basic;
        }
        let pure = self.pure_shares(epsilon).into_iter().map(|share| {
            let rest = composition::pure(epsilon.get(), share, groups);
            composition::together(self.delta_of_line(share).min(1.0), groups, rest)
        });
        let gaussian = self.gaussian_shares().into_iter().filter_map(|each| {
            let mu = composition::mu_of_line(self.mu_of_one(each)?, self.number_epsilon);
            Some(composition::together(each, groups, composition::gaussian(epsilon, mu, groups)))
        });
        pure.chain(gaussian).fold(basic, f64::min)
    }

    /// The delta of basic composition, `k delta(epsilon / k)`, rounded up.
    #[must_use]
    pub fn basic_delta(&self, epsilon: Epsilon) -> f64 {
        let groups = f64::from(self.groups_per_entity.get());
        mul_up(groups, self.delta_of_line(div_down(epsilon.get(), groups)))
    }

    /// The delta of the line of one group: its decision gets what the number leaves of epsilon.
    fn delta_of_line(&self, epsilon: f64) -> f64 {
        match self.number_epsilon {
            0.0 => self.delta_of_one(epsilon),
            number if number <= epsilon => self.delta_of_one(sub_down(epsilon, number).max(0.0)),
            _ => 1.0,
        }
    }

    /// (9): the excess of (8) over what epsilon allows, for the worst size. Division by 2^64 is
    /// exact.
    fn delta_of_one(&self, epsilon: f64) -> f64 {
        let factor = exp_down(epsilon);
        let excess = self.pairs().map(|pair| sub_up(pair.here, mul_down(factor, pair.there)));
        excess.fold(0.0, f64::max) / DRAWS
    }

    /// Shares of epsilon: the one that the law was made with, and a grid of equal ratios.
    fn pure_shares(&self, epsilon: Epsilon) -> Vec<f64> {
        let (all, k) = (epsilon.get(), f64::from(self.groups_per_entity.get()));
        let own = match self.own_share() {
            Some(SelectionShare::Pure { epsilon, .. }) => Some(add_up(epsilon, self.number_epsilon)),
            _ => None,
        };
        let grid = (1..STEPS).map(|step| all * libm::pow(k, f64::from(step) / f64::from(STEPS) - 1.0));
        own.into_iter().chain(grid).collect()
    }

    /// Deltas of one decision: the least there is, and a grid above it.
    fn gaussian_shares(&self) -> Vec<f64> {
        let least = self.least_of_one() / DRAWS;
        let own = match self.own_share() {
            Some(SelectionShare::Gaussian { delta, .. }) => Some(delta),
            _ => None,
        };
        let grid = (0..STEPS).map(|step| least * libm::pow(2.0, f64::from(step)));
        own.into_iter().chain(grid).filter(|&each| each < 0.5).collect()
    }

    fn own_share(&self) -> Option<SelectionShare> {
        match self.thresholds.law() {
            ThresholdLaw::OptimalSelection(law) => Some(OptimalSelection::share(law)),
            _ => None,
        }
    }

    /// (16), rounded up; none where a decision proves more than `each` allows.
    fn mu_of_one(&self, each: f64) -> Option<f64> {
        let table = self.thresholds.cutoffs();
        let after = table.iter().skip(1).map(|&cutoff| u128::from(cutoff)).chain([ALL_DRAWS]);
        let mut mu = 0.0_f64;
        for (&fewer, more) in table.iter().zip(after) {
            mu = mu.max(mu_between(u128::from(fewer), more, each)?);
        }
        Some(mu)
    }

    /// The delta that remains at every epsilon: the larger probability of a decision that proves
    /// an entity. `O(cap)`.
    #[must_use]
    pub fn least_delta(&self) -> f64 {
        mul_up(f64::from(self.groups_per_entity.get()), self.least_of_one() / DRAWS)
    }

    fn least_of_one(&self) -> f64 {
        self.pairs().filter(|pair| pair.there == 0.0).map(|pair| pair.here).fold(0.0, f64::max)
    }

    /// The smallest epsilon for this delta, rounded up; `None` where delta is below
    /// [`least_delta`](Self::least_delta). `O(cap)` for one group; for several a search, 2,000
    /// times that.
    #[must_use]
    pub fn epsilon(&self, delta: Delta) -> Option<f64> {
        let groups = f64::from(self.groups_per_entity.get());
        let each = div_down(delta.get(), groups) * DRAWS;
        let mut epsilon = 0.0_f64;
        for pair in self.pairs() {
            epsilon = epsilon.max(pair.epsilon(each)?);
        }
        let basic = mul_up(groups, add_up(epsilon, self.number_epsilon));
        if self.groups_per_entity == NonZeroU32::MIN { Some(basic) } else { Some(self.searched(basic, delta)) }
    }

    /// The smallest epsilon with which [`delta`](Self::delta) stays at most `delta`, by halving
    /// below one that does.
    fn searched(&self, basic: f64, delta: Delta) -> f64 {
        let holds = |epsilon: f64| Epsilon::new(epsilon).is_ok_and(|epsilon| self.delta(epsilon) <= delta.get());
        let (mut low, mut high) = (0.0, basic);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            if holds(middle) { high = middle } else { low = middle }
        }
        high
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

/// The least mu with which one entity more may lead from `fewer` reporting draws to `more`, but
/// for a probability `each`; rounded up. Tails that are large are taken as complements.
fn mu_between(fewer: u128, more: u128, each: f64) -> Option<f64> {
    let spared = each * DRAWS;
    let (excess, left) = (sub_up(integer_up(more), spared), integer_up(ALL_DRAWS - fewer) - spared);
    if excess <= 0.0 || left <= 0.0 {
        return Some(0.0); // both are within what is spared
    }
    let suppressing = ALL_DRAWS - more;
    if fewer == 0 || suppressing == 0 {
        return None;
    }
    let whole = DRAWS - spared;
    let quantile = |reporting: f64, suppressing: f64| {
        let tail = |draws: f64| Probability::new((draws / whole).min(1.0)).map(normal::quantile).ok();
        if reporting < suppressing { tail(reporting) } else { tail(suppressing).map(|z| -z) }
    };
    let to = quantile(excess, integer_down(suppressing))?;
    let from = quantile(integer_down(fewer), left)?;
    Some(((to - from) * (1.0 + 1e-9) + 1e-10).max(0.0))
}

impl Pair {
    /// Integers above 2^53 are not exact in `f64`: each side is rounded towards a larger cost.
    fn new(here: u128, there: u128) -> Self {
        Self { here: integer_up(here), there: integer_down(there) }
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

#[cfg(test)]
mod tests;
