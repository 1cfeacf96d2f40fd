//! Sets of attributes.
//!
//! An attribute is its position in the [`Domain`](crate::Domain), from 0 to 127; a set is a bit
//! mask. Sets are ordered by size, then by the mask: the empty set first, `{0,1}` before `{0,2}`
//! before `{1,2}`.

use std::cmp::Ordering;
use std::fmt;

/// A set of at most 128 attributes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<usize>", into = "Vec<usize>"))]
pub struct AttrSet(u128);

impl AttrSet {
    /// The set of nothing: the marginal over it is the total.
    pub const EMPTY: Self = Self(0);
    /// How many attributes a domain can have.
    pub const MAX_ATTRIBUTES: usize = 128;

    /// The set with this bit mask; bit `i` stands for attribute `i`.
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The bit mask.
    #[must_use]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The set of one attribute.
    ///
    /// # Panics
    /// If `attribute >= 128`; a [`Domain`](crate::Domain) hands out no such index.
    #[must_use]
    pub const fn single(attribute: usize) -> Self {
        assert!(attribute < Self::MAX_ATTRIBUTES, "attribute index below 128");
        Self(1 << attribute)
    }

    /// The first `n` attributes: all of a domain with `n` of them.
    ///
    /// # Panics
    /// If `n > 128`.
    #[must_use]
    pub const fn first(n: usize) -> Self {
        assert!(n <= Self::MAX_ATTRIBUTES, "at most 128 attributes");
        if n == 128 { Self(u128::MAX) } else { Self((1 << n) - 1) }
    }

    /// How many attributes are in the set.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `attribute` is in the set.
    #[must_use]
    pub const fn contains(self, attribute: usize) -> bool {
        attribute < Self::MAX_ATTRIBUTES && self.0 >> attribute & 1 == 1
    }

    /// Whether every attribute of `self` is in `other`.
    #[must_use]
    pub const fn is_subset_of(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The set with `attribute` added.
    ///
    /// # Panics
    /// If `attribute >= 128`.
    #[must_use]
    pub const fn with(self, attribute: usize) -> Self {
        Self(self.0 | Self::single(attribute).0)
    }

    /// Attributes in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Attributes in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Attributes of `self` that are not in `other`.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The attributes, smallest first.
    pub fn iter(self) -> impl Iterator<Item = usize> + Clone {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let attribute = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (attribute < Self::MAX_ATTRIBUTES).then_some(attribute)
        })
    }

    /// The position of `attribute` among the attributes of the set: its axis in a table over the
    /// set.
    #[must_use]
    pub fn axis_of(self, attribute: usize) -> Option<usize> {
        self.contains(attribute).then(|| (self.0 & Self::first(attribute).0).count_ones() as usize)
    }

    /// All subsets, the empty set first and `self` last, in increasing order of their masks:
    /// every subset comes after all of its own subsets. `2^len` items.
    pub fn subsets(self) -> impl Iterator<Item = Self> {
        let (all, mut next) = (self.0, Some(0));
        std::iter::from_fn(move || {
            let current = next?;
            next = (current != all).then(|| (current | !all).wrapping_add(1) & all);
            Some(Self(current))
        })
    }

    /// All subsets with exactly `size` attributes, in the order of the type.
    pub fn subsets_of_size(self, size: usize) -> impl Iterator<Item = Self> {
        let members: Vec<usize> = self.iter().collect();
        let mut chosen = (size <= members.len()).then(|| (0..size).collect::<Vec<_>>());
        std::iter::from_fn(move || {
            let current = chosen.as_mut()?;
            let set = current.iter().fold(Self::EMPTY, |set, &i| set.with(members[i]));
            // Colexicographic step: raise the lowest position that has room, reset those below
            // it.
            let stuck = |i: usize| current[i] + 1 == *current.get(i + 1).unwrap_or(&members.len());
            match (0..size).find(|&i| !stuck(i)) {
                Some(i) => {
                    current[i] += 1;
                    (0..i).for_each(|j| current[j] = j);
                }
                None => chosen = None,
            }
            Some(set)
        })
    }
}

impl Ord for AttrSet {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.len(), self.0).cmp(&(other.len(), other.0))
    }
}

impl PartialOrd for AttrSet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromIterator<usize> for AttrSet {
    /// # Panics
    /// If an index is 128 or more.
    fn from_iter<I: IntoIterator<Item = usize>>(attributes: I) -> Self {
        attributes.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// A list of attributes that is not a set of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a set lists attributes from 0 to 127, each once")]
#[non_exhaustive]
pub struct AttrSetError;

impl TryFrom<Vec<usize>> for AttrSet {
    type Error = AttrSetError;

    fn try_from(attributes: Vec<usize>) -> Result<Self, AttrSetError> {
        attributes.into_iter().try_fold(Self::EMPTY, |set, attribute| {
            let is_new = attribute < Self::MAX_ATTRIBUTES && !set.contains(attribute);
            if is_new { Ok(set.with(attribute)) } else { Err(AttrSetError) }
        })
    }
}

impl From<AttrSet> for Vec<usize> {
    fn from(set: AttrSet) -> Self {
        set.iter().collect()
    }
}

impl fmt::Debug for AttrSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
