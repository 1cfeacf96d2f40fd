//! Groups of a table, row by row, in memory that does not grow with the rows.

use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::Hash;

use privacy_core::stop::StopFlag;
use rustc_hash::FxHashMap;

use crate::entity::entity_set::EntitySet;
use crate::error::Error;
use crate::filter::low_count_filter::LowCountFilter;
use crate::groups::contributions::Contributions;
use crate::groups::open_groups::{OpenGroups, Place};

/// How large the state of all groups may become, and how its reading is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct GroupLimits {
    /// Largest number of groups.
    pub groups: u64,
    /// Largest memory in bytes, as estimated from groups, columns and hashes held.
    pub bytes: u64,
    /// Once set, the next row or group is refused with [`Error::Stopped`].
    #[cfg_attr(feature = "serde", serde(skip))]
    pub stop: StopFlag,
}

/// 2^26 groups, 8 GiB.
impl Default for GroupLimits {
    fn default() -> Self {
        Self { groups: 1 << 26, bytes: 1 << 33, stop: StopFlag::never() }
    }
}

/// The groups of a table: for each, its rows and the sets of its entities.
///
/// Groups merge: the parts of a table, in any order and however it was split, give the groups of
/// the whole. A group whose sets are all saturated is one number, and a further row of it costs
/// one look-up: the identifier is not even hashed.
///
/// Every entity counts in all of its groups, also under a filter that publishes: choosing takes
/// the names of groups, which [`LabelledGroups`](crate::LabelledGroups) has.
#[derive(Clone)]
pub struct Groups<K> {
    places: FxHashMap<K, Place>,
    open: OpenGroups,
    most_held: u64,
    limits: GroupLimits,
    /// Digest of the filter that they are for.
    filter: [u8; 32],
}

/// One group with all its rows: everything that a decision needs.
#[derive(Clone, PartialEq, Eq)]
pub struct Group<K> {
    /// The key that its rows share.
    pub key: K,
    /// Its number of rows. As confidential as the data, until the group is reported.
    pub rows: u64,
    /// Its entities, one set per identifier column.
    pub sets: Vec<EntitySet>,
}

/// The group of a row that was just counted, which takes the identifiers of that row.
pub struct RowGroup<'a> {
    place: &'a mut Place,
    open: &'a mut OpenGroups,
    chosen: Option<ChosenGroup<'a>>,
}

/// The group of a row where entities count in chosen groups only.
pub(crate) struct ChosenGroup<'a> {
    pub(crate) contributions: &'a mut Contributions,
    pub(crate) group: u64,
    /// Hash of its name.
    pub(crate) name: u64,
}

impl<K: Hash + Eq> Groups<K> {
    /// An empty state for the identifier columns and the cap of a filter.
    #[must_use]
    pub fn new(filter: &LowCountFilter, limits: GroupLimits) -> Self {
        let open = OpenGroups::new(filter.columns(), filter.cap());
        let most_held = limits.bytes / BYTES_A_HASH;
        Self { places: FxHashMap::default(), open, most_held, limits, filter: filter.digest() }
    }

    /// Counts a row of the group of `key`, and returns the group to take the row's identifiers. A
    /// row without identifiers counts as well.
    ///
    /// # Errors
    /// [`Error::TooManyGroups`] and [`Error::TooMuchState`], before memory for another group is
    /// taken; [`Error::Stopped`]. The refused row is not counted.
    #[inline]
    pub fn row(&mut self, key: K) -> Result<RowGroup<'_>, Error> {
        self.rows(key, 1)
    }

    /// Counts a row for each key. `identify` is called for the rows of groups that are not
    /// settled yet, with the position of the row, from 0, and inserts its identifiers.
    ///
    /// # Errors
    /// As [`row`](Self::row), and those of `identify`.
    pub fn extend(
        &mut self,
        keys: impl IntoIterator<Item = K>,
        mut identify: impl FnMut(usize, &mut RowGroup<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut keys, mut ahead, mut row) = (keys.into_iter(), Vec::with_capacity(ROWS_AHEAD), 0);
        loop {
            ahead.extend(keys.by_ref().take(ROWS_AHEAD));
            if ahead.is_empty() {
                return Ok(());
            }
            if row % ROWS_PER_STOP_CHECK == 0 {
                self.check_stop()?;
            }
            self.load(&ahead);
            for key in ahead.drain(..) {
                // Nearly every row belongs to a known group that is settled: it pays for the look-up
                // alone.
                match self.places.get_mut(&key) {
                    Some(place) if place.is_settled() => place.count(),
                    Some(place) if self.open.held() <= self.most_held => {
                        self.open.count(place, 1);
                        identify(row, &mut RowGroup { place, open: &mut self.open, chosen: None })?;
                    }
                    _ => identify(row, &mut self.rows(key, 1)?)?,
                }
                row += 1;
            }
        }
    }

    /// Has the state of the groups of some rows read from memory, before it is needed. Counting a
    /// row waits for its entry, then for its slot, then for its set: three cache misses in a row
    /// with many groups. The reads of different rows do not wait for each other, so that those of
    /// all rows take little longer than those of one.
    pub(crate) fn load(&self, keys: &[K]) {
        if self.places.len() < MANY_GROUPS {
            return;
        }
        let mut places = [None; ROWS_AHEAD];
        places.iter_mut().zip(keys).for_each(|(place, key)| *place = self.places.get(key).copied());
        // The sum is not used; the compiler must not find that out.
        std::hint::black_box(places.iter().flatten().fold(0, |sum, &place| sum ^ self.open.load(place)));
    }

    /// Whether there are more groups than the caches hold.
    pub(crate) fn are_many(&self) -> bool {
        self.places.len() >= MANY_GROUPS
    }

    fn check_stop(&self) -> Result<(), Error> {
        if self.limits.stop.is_set() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Whether the limits leave room for a row of this key.
    pub(crate) fn check_room(&self, key: &K) -> Result<(), Error> {
        self.check_stop()?;
        let is_full = self.open.held() > self.most_held;
        let is_new = !self.places.contains_key(key);
        if !is_full && is_new && self.places.len() as u64 >= self.limits.groups {
            return Err(Error::TooManyGroups { limit: self.limits.groups });
        }
        if is_full || is_new && self.bytes() > self.limits.bytes {
            return Err(Error::TooMuchState { limit: self.limits.bytes });
        }
        Ok(())
    }

    fn rows(&mut self, key: K, rows: u64) -> Result<RowGroup<'_>, Error> {
        self.check_stop()?;
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
        Ok(RowGroup { place, open: &mut self.open, chosen: None })
    }

    /// Digest of the filter that the groups are for.
    pub(crate) fn filter(&self) -> [u8; 32] {
        self.filter
    }

    /// Identifier columns.
    pub(crate) fn columns(&self) -> usize {
        self.open.columns()
    }

    /// Number of groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether no row was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Memory of the groups in bytes, as the limit counts it: entries of a hash table up to half
    /// empty, the slots of open groups, and the hashes in them.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let entries = self.places.len() as u64 * 2 * size_of::<(K, Place)>() as u64;
        entries + self.open.bytes() + self.open.held() * BYTES_A_HASH
    }

    /// Adds the groups of another part of the table. Sets become unions and numbers of rows sums,
    /// so each part is merged once.
    ///
    /// # Errors
    /// [`Error::OtherFilter`] for groups of another filter; the limits; [`Error::Stopped`].
    pub fn merge(&mut self, mut other: Self) -> Result<(), Error> {
        if other.filter != self.filter {
            return Err(Error::OtherFilter);
        }
        let mut sets = Vec::new();
        other.places.into_iter().try_for_each(|(key, place)| {
            sets.clear();
            let rows = other.open.take(place, &mut sets);
            self.add(key, rows, &sets)
        })
    }

    /// Adds rows and entities to one group: one set per column, each with the cap of the filter.
    pub(crate) fn add(&mut self, key: K, rows: u64, sets: &[EntitySet]) -> Result<(), Error> {
        let group = self.rows(key, rows)?;
        sets.iter().enumerate().try_for_each(|(column, set)| group.open.merge(group.place, column, set))
    }
}

impl<K: Ord> Groups<K> {
    /// All groups, in the order of their keys.
    #[must_use]
    pub fn into_groups(self) -> Vec<Group<K>> {
        let mut groups = Vec::with_capacity(self.places.len());
        self.for_each_by(|key| key, |key, rows, sets| groups.push(Group { key, rows, sets: std::mem::take(sets) }));
        groups
    }
}

impl<K> Groups<K> {
    /// All groups by other keys, different ones for different groups, in the order of those: the
    /// key, the rows and the sets of each, which are dropped unless they are taken.
    pub(crate) fn for_each_by<T: Ord>(self, key: impl Fn(K) -> T, mut each: impl FnMut(T, u64, &mut Vec<EntitySet>)) {
        let mut places: Vec<(T, Place)> = self.places.into_iter().map(|(of, place)| (key(of), place)).collect();
        places.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let (mut open, mut sets) = (self.open, Vec::new());
        for (key, place) in places {
            let rows = open.take(place, &mut sets);
            each(key, rows, &mut sets);
            sets.clear();
        }
    }
}

impl<'a> RowGroup<'a> {
    /// The same group, whose entities count in it only if it is among those chosen for them.
    pub(crate) fn with_chosen(self, chosen: Option<ChosenGroup<'a>>) -> Self {
        Self { chosen, ..self }
    }
}

impl RowGroup<'_> {
    /// Adds the hash of an identifier of a column, from 0, to the group; a row may have several
    /// (arrays) or none (`NULL`). `hash` is called only while the result can matter.
    ///
    /// # Errors
    /// [`Error::NoColumn`], whether the group is settled or not.
    #[inline]
    pub fn insert_with(&mut self, column: usize, hash: impl FnOnce() -> u64) -> Result<(), Error> {
        let columns = self.open.columns();
        if column >= columns {
            return Err(Error::NoColumn { column, columns });
        }
        if let Some(ChosenGroup { contributions, group, name }) = &mut self.chosen {
            contributions.add(hash(), *group, *name);
        } else if !self.is_settled() {
            self.open.insert(self.place, column, hash);
        }
        Ok(())
    }

    /// Whether every set of the group is saturated: nothing that is inserted changes anything.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.place.is_settled()
    }
}

/// Vectors of hashes are up to half empty.
const BYTES_A_HASH: u64 = 16;
/// Rows whose groups are read from memory together.
pub(crate) const ROWS_AHEAD: usize = 64;
/// Entries, slots and sets of fewer groups fit a cache of 2 MiB.
const MANY_GROUPS: usize = 1 << 14;
/// Rows of settled groups between two looks at the stop flag: some 100 microseconds.
const ROWS_PER_STOP_CHECK: usize = 1 << 12;

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
