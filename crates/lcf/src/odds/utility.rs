//! The expected share of groups that a filter reports.
//!
//! `g(n)` groups of `n` entities, `p(n)` their probability of being reported; expected shares
//! `sum g p / sum g` of the groups and `sum n g p / sum n g` of the memberships.

use privacy_core::param::Probability;

use crate::law::threshold_table::ThresholdTable;

/// The number of groups of each size. This is data: a share computed from it reveals something
/// about it.
#[derive(Clone, PartialEq)]
pub struct GroupSizes {
    /// Entities and groups.
    sizes: Vec<(u64, u64)>,
}

/// Why a list of group sizes is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SizesError {
    /// The list has no group with an entity. Give at least one size with one group and one
    /// entity.
    #[error("there is no group with an entity")]
    Empty,
    /// Totals above 2^53 are not exact. Count in larger units.
    #[error("there are more than 2^53 entities in all groups together")]
    TooMany,
}

/// The share of groups and of entities that is expected to be reported.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Utility {
    /// Expected share of the groups that are reported.
    pub groups: f64,
    /// Expected share of the memberships (an entity in a group) in reported groups.
    pub entities: f64,
}

impl GroupSizes {
    /// From pairs of a number of entities and a number of groups; a size may occur several times.
    ///
    /// # Errors
    /// [`SizesError`].
    pub fn new(sizes: impl IntoIterator<Item = (u64, u64)>) -> Result<Self, SizesError> {
        let sizes: Vec<(u64, u64)> = sizes.into_iter().filter(|&(_, groups)| groups > 0).collect();
        let groups = sizes.iter().try_fold(0, |total, &(_, groups)| exact_sum(total, Some(groups)));
        let members = sizes.iter().try_fold(0, |total, &(n, groups)| exact_sum(total, n.checked_mul(groups)));
        match (groups, members) {
            (Some(_), Some(0)) => Err(SizesError::Empty),
            (Some(_), Some(_)) => Ok(Self { sizes }),
            _ => Err(SizesError::TooMany),
        }
    }
}

/// The sum of two numbers, where it is exact as an `f64`: at most 2^53.
fn exact_sum(total: u64, more: Option<u64>) -> Option<u64> {
    more.and_then(|more| total.checked_add(more)).filter(|&sum| sum <= 1 << 53)
}

/// Shows no size.
impl std::fmt::Debug for GroupSizes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GroupSizes").finish_non_exhaustive()
    }
}

impl ThresholdTable {
    /// The expected share of groups of these sizes that is reported. `O(sizes)`.
    #[must_use]
    pub fn utility(&self, sizes: &GroupSizes) -> Utility {
        let (mut groups, mut members) = ([0.0, 0.0], [0.0, 0.0]);
        for &(n, count) in &sizes.sizes {
            let (chance, count) = (self.reporting_probability(n).reported, count as f64);
            groups[0] += count * chance;
            groups[1] += count;
            members[0] += n as f64 * count * chance;
            members[1] += n as f64 * count;
        }
        Utility { groups: groups[0] / groups[1], entities: members[0] / members[1] }
    }

    /// The smallest group that is reported with at least this probability. `O(ln cap)`.
    #[must_use]
    pub fn least_reported_with(&self, probability: Probability) -> u64 {
        // Bisection: probabilities do not decrease, and at the cap they are 1.
        let (mut low, mut high) = (0, self.cap());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.reporting_probability(middle).reported >= probability.get() {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}
