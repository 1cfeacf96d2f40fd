//! The entities of one group: exact below a cap, a flag from there on, and mergeable.
//!
//! `K` the cap: from `K` distinct entities on a group is reported whatever the draw, so who they
//! are no longer matters.
//!
//! ```text
//! state        a set of fewer than K hashes, or "saturated"
//! insert       the union with one hash; the K-th saturates, and all hashes are dropped
//! merge        the union; saturated absorbs
//! n            size of the set, or "at least K"     seed    XOR of the hashes, none when saturated
//! ```
//!
//! Union makes merging commutative, associative and idempotent, so neither the order of rows nor
//! their partition can matter. XOR alone would not do: an entity in two parts would cancel
//! itself.

use std::collections::HashSet;
use std::fmt;

use crate::error::Error;
use crate::law::error::MAX_CAP;

/// Up to this many members are compared one after the other; above, they are found by hashing.
const FEW: usize = 64;
/// First allocation of a set of more than two members.
const BEYOND_TWO: usize = 6;

/// The distinct entities of one group, by their keyed hashes, as far as a decision needs them.
///
/// It drops its members when it saturates, so it never holds more than `cap - 1` of them. Members
/// are as confidential as identifiers.
///
/// # Example
/// ```
/// use lcf::{EntityCount, EntitySet};
///
/// let mut set = EntitySet::new(3);
/// set.extend([7, 9, 7]); // keyed hashes: two entities
/// assert_eq!(set.distinct(), EntityCount::Exactly(2));
/// set.insert(8);
/// assert_eq!(set.distinct(), EntityCount::AtLeast(3));
/// ```
#[derive(Clone)]
pub struct EntitySet {
    members: Members,
    cap: u32,
}

/// Most groups of a table have one or two entities, so those take no memory of their own.
#[derive(Clone)]
enum Members {
    None,
    One(u64),
    Two([u64; 2]),
    Few(Vec<u64>),
    #[allow(clippy::box_collection, reason = "a hash set by itself would double the size of every small set")]
    Many(Box<HashSet<u64>>),
    Saturated,
}

/// The number of distinct entities of a group, as far as its state knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum EntityCount {
    /// Exactly this many, fewer than the cap.
    Exactly(u32),
    /// The cap or more: certain to be reported.
    AtLeast(u32),
}

impl EntitySet {
    /// The empty set that saturates at `cap` entities, at least 1. Decisions of a filter need at
    /// least [`LowCountFilter::cap`](crate::LowCountFilter::cap).
    #[must_use]
    pub fn new(cap: u32) -> Self {
        Self { members: Members::None, cap: cap.max(1) }
    }

    /// The number of entities at which the set saturates.
    #[must_use]
    pub fn cap(&self) -> u32 {
        self.cap
    }

    /// Whether the cap was reached: nothing that is added changes the set.
    #[must_use]
    pub fn is_saturated(&self) -> bool {
        matches!(self.members, Members::Saturated)
    }

    /// Adds one entity; adding it again changes nothing.
    pub fn insert(&mut self, hash: u64) {
        if self.members.listed().contains(&hash) {
            return;
        }
        match &mut self.members {
            Members::None => self.members = Members::One(hash),
            &mut Members::One(first) => self.members = Members::Two([first, hash]),
            &mut Members::Two([first, second]) => {
                let mut few = Vec::with_capacity(BEYOND_TWO);
                few.extend([first, second, hash]);
                self.members = Members::Few(few);
            }
            Members::Few(few) if few.len() < FEW => few.push(hash),
            Members::Few(few) => {
                self.members = Members::Many(Box::new(few.iter().copied().chain([hash]).collect()));
            }
            Members::Many(many) => {
                many.insert(hash);
            }
            Members::Saturated => return,
        }
        if self.held() >= self.cap as usize {
            self.members = Members::Saturated;
        }
    }

    /// Adds the entities of another part of the data. Any order and any grouping of merges gives
    /// the same set.
    ///
    /// # Errors
    /// [`Error::OtherCap`]: what saturated at another cap does not say what this one needs.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.cap != other.cap {
            return Err(Error::OtherCap { expected: self.cap, got: other.cap });
        }
        match &other.members {
            Members::Saturated => self.members = Members::Saturated,
            Members::Many(many) => many.iter().for_each(|&hash| self.insert(hash)),
            listed => listed.listed().iter().for_each(|&hash| self.insert(hash)),
        }
        Ok(())
    }

    /// The number of distinct entities.
    #[must_use]
    pub fn distinct(&self) -> EntityCount {
        match self.members {
            Members::Saturated => EntityCount::AtLeast(self.cap),
            _ => EntityCount::Exactly(self.held() as u32),
        }
    }

    /// The XOR of the members' hashes, which the draw depends on; `None` when saturated. 0 for
    /// the empty set.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        match &self.members {
            Members::Saturated => None,
            Members::Many(many) => Some(many.iter().fold(0, |seed, hash| seed ^ hash)),
            listed => Some(listed.listed().iter().fold(0, |seed, hash| seed ^ hash)),
        }
    }

    /// The least of the members' hashes: that of a set with one member more, unless the newcomer
    /// is it. 0 for the empty set and a saturated one.
    pub(crate) fn least(&self) -> u64 {
        let least = match &self.members {
            Members::Many(many) => many.iter().min(),
            listed => listed.listed().iter().min(),
        };
        least.copied().unwrap_or(0)
    }

    /// The members in ascending order; none when saturated.
    #[must_use]
    pub fn members(&self) -> Vec<u64> {
        let mut members: Vec<u64> = match &self.members {
            Members::Many(many) => many.iter().copied().collect(),
            listed => listed.listed().to_vec(),
        };
        members.sort_unstable();
        members
    }

    /// Calls `each` with every member, in any order; with none when saturated.
    pub fn for_each_member(&self, each: impl FnMut(u64)) {
        match &self.members {
            Members::Many(many) => many.iter().copied().for_each(each),
            listed => listed.listed().iter().copied().for_each(each),
        }
    }

    /// The cap of sets that are held whole: no group has as many entities.
    pub(crate) const WHOLE: u32 = u32::MAX;

    /// A set that reached its cap, at least 1.
    #[must_use]
    pub fn saturated(cap: u32) -> Self {
        Self { members: Members::Saturated, cap: cap.max(1) }
    }

    /// The last member of a small set, 0 without one.
    pub(crate) fn last_listed(&self) -> u64 {
        self.members.listed().last().copied().unwrap_or_default()
    }

    /// The number of members held.
    pub(crate) fn held(&self) -> usize {
        match &self.members {
            Members::Many(many) => many.len(),
            listed => listed.listed().len(),
        }
    }
}

impl Members {
    /// The members where they are stored side by side; none where they are many or dropped.
    fn listed(&self) -> &[u64] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Two(two) => two,
            Self::Few(few) => few,
            Self::None | Self::Many(_) | Self::Saturated => &[],
        }
    }
}

/// Adds keyed hashes of entities.
impl Extend<u64> for EntitySet {
    fn extend<T: IntoIterator<Item = u64>>(&mut self, hashes: T) {
        hashes.into_iter().for_each(|hash| self.insert(hash));
    }
}

/// Collects keyed hashes with the largest cap, [`MAX_CAP`], which is enough for every filter.
/// Such a set takes more memory than one of the filter's own cap, and merges only with its like.
impl FromIterator<u64> for EntitySet {
    fn from_iter<T: IntoIterator<Item = u64>>(hashes: T) -> Self {
        let mut set = Self::new(MAX_CAP as u32);
        set.extend(hashes);
        set
    }
}

/// Two sets are equal when they have one cap and the same members.
impl PartialEq for EntitySet {
    fn eq(&self, other: &Self) -> bool {
        self.cap == other.cap && self.distinct() == other.distinct() && self.members() == other.members()
    }
}

impl Eq for EntitySet {}

/// Shows the cap: neither members nor their number.
impl fmt::Debug for EntitySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntitySet").field("cap", &self.cap).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cap: u32, hashes: impl IntoIterator<Item = u64>) -> EntitySet {
        let mut set = EntitySet::new(cap);
        set.extend(hashes);
        set
    }

    #[test]
    fn the_cap_th_entity_saturates_and_the_members_are_forgotten() {
        let mut set = of(3, [7, 9, 7]);
        assert_eq!((set.distinct(), set.seed(), set.members()), (EntityCount::Exactly(2), Some(7 ^ 9), vec![7, 9]));
        set.insert(8);
        assert_eq!((set.distinct(), set.seed(), set.members()), (EntityCount::AtLeast(3), None, vec![]));
        set.insert(7);
        assert!(set.is_saturated());
    }

    #[test]
    fn large_sets_count_as_small_ones_do() {
        let set = of(5000, (0..4999).chain(0..4999).map(|i| i * 0x9E37_79B9));
        assert_eq!(set.distinct(), EntityCount::Exactly(4999));
        assert_eq!(set.seed(), Some((0..4999).fold(0, |seed, i| seed ^ (i * 0x9E37_79B9))));
        assert!(of(5000, 0..5000).is_saturated());
    }

    #[test]
    fn collected_sets_have_the_largest_cap() {
        let set: EntitySet = [3, 4, 3].into_iter().collect();
        assert!(set == of(MAX_CAP as u32, [4, 3]));
    }

    #[test]
    fn sets_are_equal_where_cap_and_members_are() {
        assert!(of(5, [7, 8, 9]) == of(5, [9, 7, 8, 7]));
        assert!(of(5, [7, 8]) != of(5, [7, 9]), "as many others");
        assert!(of(5, [7, 8]) != of(5, [7]));
        assert!(of(5, [7, 8]) != of(6, [7, 8]), "another cap");
        // The members of neither are held.
        assert!(of(2, [7, 8]) == of(2, [8, 9]) && of(2, [7, 8]) != of(3, [7, 8, 9]));
        assert!(of(2, [7, 8]) != of(2, []));
    }

    #[test]
    fn sets_of_other_caps_do_not_merge() {
        let refused = of(3, [1]).merge(&of(4, [1])).unwrap_err();
        assert_eq!(refused, Error::OtherCap { expected: 3, got: 4 });
    }

    #[test]
    fn debug_shows_neither_members_nor_their_number() {
        assert_eq!(format!("{:?}", of(15, [4711, 4712])), "EntitySet { cap: 15, .. }");
    }
}
