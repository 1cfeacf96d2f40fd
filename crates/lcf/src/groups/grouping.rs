//! Groups of a table, row by row, in memory that does not grow with the rows.

use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::entity::entity_set::EntitySet;
use crate::error::Error;
use crate::filter::low_count_filter::LowCountFilter;
use crate::groups::open_groups::{OpenGroups, Place};

/// How large the state of all groups may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupLimits {
    /// Most groups.
    pub groups: u64,
    /// Most memory, in bytes, as estimated from groups, columns and hashes held.
    pub bytes: u64,
}

/// 2^26 groups, 8 GiB.
impl Default for GroupLimits {
    fn default() -> Self {
        Self { groups: 1 << 26, bytes: 1 << 33 }
    }
}

/// What every group of a table knows about its entities, and how many rows it has.
///
/// Groups merge: the parts of a table, in any order and however it was split, give the groups of the whole. A group whose
/// sets are all saturated is one number, and a row of it costs a look-up: the identifier is not even hashed.
#[derive(Clone)]
pub struct Groups<K> {
    places: FxHashMap<K, Place>,
    open: OpenGroups,
    most_held: u64,
    limits: GroupLimits,
    /// Digest of the filter that they are for.
    filter: [u8; 32],
}

/// One group with all its rows: what a decision needs.
#[derive(Clone, PartialEq, Eq)]
pub struct Group<K> {
    /// What its rows have in common.
    pub key: K,
    /// How many rows it has. As confidential as the data, until the group is reported.
    pub rows: u64,
    /// Its entities, one set a column of identifiers.
    pub sets: Vec<EntitySet>,
}

/// The group of a row that was just counted; takes the identifiers of that row.
pub struct RowGroup<'a> {
    place: &'a mut Place,
    open: &'a mut OpenGroups,
}

impl<K: Hash + Eq> Groups<K> {
    /// No groups yet, for the columns and the cap of a filter.
    #[must_use]
    pub fn new(filter: &LowCountFilter, limits: GroupLimits) -> Self {
        let open = OpenGroups::new(filter.columns(), filter.cap());
        let most_held = limits.bytes / BYTES_A_HASH;
        Self { places: FxHashMap::default(), open, most_held, limits, filter: filter.digest() }
    }

    /// Counts a row of the group of `key`, which now takes the row's identifiers. A row without any counts as well.
    ///
    /// # Errors
    /// [`Error::TooManyGroups`] and [`Error::TooMuchState`], before memory for another group is taken. Once refused, the
    /// groups are of no use.
    #[inline]
    pub fn row(&mut self, key: K) -> Result<RowGroup<'_>, Error> {
        self.rows(key, 1)
    }

    /// Counts a row for each key. Rows of groups that are not settled yet are handed on with their position, from 0, to
    /// give their identifiers.
    ///
    /// # Errors
    /// As [`row`](Self::row).
    pub fn extend(
        &mut self,
        keys: impl IntoIterator<Item = K>,
        mut identify: impl FnMut(usize, &mut RowGroup<'_>),
    ) -> Result<(), Error> {
        for (row, key) in keys.into_iter().enumerate() {
            // Nearly every row is of a known group that is settled: those pay for the look-up and no more.
            match self.places.get_mut(&key) {
                Some(place) if place.is_settled() => place.count(),
                Some(place) if self.open.held() <= self.most_held => {
                    self.open.count(place, 1);
                    identify(row, &mut RowGroup { place, open: &mut self.open });
                }
                _ => identify(row, &mut self.rows(key, 1)?),
            }
        }
        Ok(())
    }

    fn rows(&mut self, key: K, rows: u64) -> Result<RowGroup<'_>, Error> {
        if self.open.held() > self.most_held {
            return Err(Error::TooMuchState { limit: self.limits.bytes });
        }
        let (groups, bytes) = (self.places.len() as u64 + 1, self.bytes());
        let place = match self.places.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(_) if groups > self.limits.groups => {
                return Err(Error::TooManyGroups { limit: self.limits.groups });
            }
            Entry::Vacant(_) if bytes > self.limits.bytes => {
                return Err(Error::TooMuchState { limit: self.limits.bytes });
            }
            Entry::Vacant(new) => new.insert(self.open.open()),
        };
        self.open.count(place, rows);
        Ok(RowGroup { place, open: &mut self.open })
    }

    /// Digest of the filter that the groups are for.
    pub(crate) fn filter(&self) -> [u8; 32] {
        self.filter
    }

    /// How many groups there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether no row was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Memory of the groups, in bytes, as the limit counts it: entries of a hash table up to half empty, the slots of open
    /// groups, and the hashes in them.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let entries = self.places.len() as u64 * 2 * size_of::<(K, Place)>() as u64;
        entries + self.open.bytes() + self.open.held() * BYTES_A_HASH
    }

    /// Adds the groups of another part of the table. Sets become unions, numbers of rows sums: each part once.
    ///
    /// # Errors
    /// [`Error::OtherFilter`] for groups of another filter; the limits.
    pub fn merge(&mut self, mut other: Self) -> Result<(), Error> {
        if other.filter != self.filter {
            return Err(Error::OtherFilter);
        }
        other.places.into_iter().try_for_each(|(key, place)| {
            let (rows, sets) = other.open.take(place);
            self.add(key, rows, &sets)
        })
    }

    /// Adds rows and entities to one group; there is a set a column, each with the cap of the filter.
    pub(crate) fn add(&mut self, key: K, rows: u64, sets: &[EntitySet]) -> Result<(), Error> {
        let group = self.rows(key, rows)?;
        sets.iter().enumerate().try_for_each(|(column, set)| group.open.merge(group.place, column, set))
    }
}

impl<K: Ord> Groups<K> {
    /// All groups, in the order of their keys.
    #[must_use]
    pub fn into_groups(mut self) -> Vec<Group<K>> {
        let mut places: Vec<(K, Place)> = self.places.into_iter().collect();
        places.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let group = |(key, place): (K, Place)| {
            let (rows, sets) = self.open.take(place);
            Group { key, rows, sets }
        };
        places.into_iter().map(group).collect()
    }
}

impl RowGroup<'_> {
    /// Adds an identifier of a column, from 0, to the group; a row may have several (arrays) or none (`NULL`). The hash
    /// is only asked for while it can matter.
    ///
    /// # Panics
    /// If the filter has no such column, unless the group is settled.
    #[inline]
    pub fn insert_with(&mut self, column: usize, hash: impl FnOnce() -> u64) {
        if !self.is_settled() {
            self.open.insert(self.place, column, hash);
        }
    }

    /// Whether every set of the group is saturated: nothing that is inserted changes anything.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.place.is_settled()
    }
}

/// Vectors of hashes are up to half empty.
const BYTES_A_HASH: u64 = 16;

/// Shows the cap and the columns: no keys, no counts.
impl<K> fmt::Debug for Groups<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Groups")
            .field("columns", &self.open.columns())
            .field("cap", &self.open.cap())
            .finish_non_exhaustive()
    }
}

/// Shows nothing of the group.
impl<K> fmt::Debug for Group<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").finish_non_exhaustive()
    }
}

/// Shows nothing of the group.
impl fmt::Debug for RowGroup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowGroup").finish_non_exhaustive()
    }
}
