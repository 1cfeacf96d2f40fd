//! Groups of a table, row by row, in memory that does not grow with the rows.

use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::aid_set::AidSet;
use crate::error::Error;
use crate::filter::LowCountFilter;

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
/// Groups merge: the parts of a table, in any order and however it was split, give the groups of the whole. A row of a
/// group whose sets are all saturated costs a look-up; the identifier is not even hashed.
#[derive(Clone)]
pub struct Groups<K> {
    places: FxHashMap<K, Tally>,
    /// One a group and column.
    sets: Vec<AidSet>,
    columns: usize,
    cap: u32,
    /// Hashes held in all sets, and the most that there may be.
    held: u64,
    most_held: u64,
    limits: GroupLimits,
}

#[derive(Clone, Copy)]
struct Tally {
    rows: u64,
    /// Number of the group in order of appearance.
    group: u32,
    /// Columns whose set is not saturated.
    open: u32,
}

/// One group with all its rows: what a decision needs.
#[derive(Clone, PartialEq, Eq)]
pub struct Group<K> {
    /// What its rows have in common.
    pub key: K,
    /// How many rows it has. As confidential as the data, until the group is reported.
    pub rows: u64,
    /// Its entities, one set a column of identifiers.
    pub sets: Vec<AidSet>,
}

/// The group of a row that was just counted; takes the identifiers of that row.
pub struct RowGroup<'a> {
    tally: &'a mut Tally,
    /// Those of all groups: a settled group does not look at its own.
    sets: &'a mut [AidSet],
    held: &'a mut u64,
    columns: usize,
}

impl<K: Hash + Eq> Groups<K> {
    /// No groups yet, for the columns and the cap of a filter.
    #[must_use]
    pub fn new(filter: &LowCountFilter, limits: GroupLimits) -> Self {
        let (columns, cap, most_held) = (filter.columns(), filter.cap(), limits.bytes / BYTES_A_HASH);
        Self { places: FxHashMap::default(), sets: Vec::new(), columns, cap, held: 0, most_held, limits }
    }

    /// Counts a row of the group of `key`, which now takes the row's identifiers. A row without any counts as well.
    ///
    /// # Errors
    /// [`Error::TooManyGroups`] and [`Error::TooMuchState`], before memory for another group is taken. Once refused, the
    /// groups are of no use.
    #[inline(always)]
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
                Some(tally) if tally.open == 0 => tally.rows = tally.rows.saturating_add(1),
                _ => self.identify(key, row, &mut identify)?,
            }
        }
        Ok(())
    }

    /// Out of the way of rows that are settled.
    #[inline(never)]
    fn identify(&mut self, key: K, row: usize, identify: &mut impl FnMut(usize, &mut RowGroup<'_>)) -> Result<(), Error> {
        identify(row, &mut self.rows(key, 1)?);
        Ok(())
    }

    #[inline(always)]
    fn rows(&mut self, key: K, rows: u64) -> Result<RowGroup<'_>, Error> {
        if self.held > self.most_held {
            return Err(Error::TooMuchState { limit: self.limits.bytes });
        }
        let tally = match self.places.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let group = new_group(&mut self.sets, self.columns, self.cap, (&self.limits, self.held))?;
                new.insert(Tally { rows: 0, group, open: self.columns as u32 })
            }
        };
        tally.rows = tally.rows.saturating_add(rows);
        Ok(RowGroup { tally, sets: &mut self.sets, held: &mut self.held, columns: self.columns })
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

    /// Memory of the groups, in bytes, as the limit counts it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        estimate(self.places.len() as u64, self.columns, self.held)
    }

    /// Adds the groups of another part of the table.
    ///
    /// # Errors
    /// [`Error::SetCount`] and [`Error::OtherCap`] for groups of another filter; the limits.
    pub fn merge(&mut self, other: Self) -> Result<(), Error> {
        if other.columns != self.columns {
            return Err(Error::SetCount { expected: self.columns, got: other.columns });
        }
        if other.cap != self.cap {
            return Err(Error::OtherCap { expected: self.cap, got: other.cap });
        }
        let columns = other.columns;
        other.places.into_iter().try_for_each(|(key, tally)| {
            let mut row = self.rows(key, tally.rows)?;
            let first = tally.group as usize * columns;
            (0..columns).try_for_each(|column| row.merge(column, &other.sets[first + column]))
        })
    }
}

impl<K: Ord> Groups<K> {
    /// All groups, in the order of their keys.
    #[must_use]
    pub fn into_groups(self) -> Vec<Group<K>> {
        let mut places: Vec<(K, Tally)> = self.places.into_iter().collect();
        places.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut sets: Vec<Option<AidSet>> = self.sets.into_iter().map(Some).collect();
        let group = |(key, tally): (K, Tally)| {
            let first = tally.group as usize * self.columns;
            let sets = sets[first..first + self.columns].iter_mut();
            let sets = sets.map(|set| set.take().expect("every group has its own sets")).collect();
            Group { key, rows: tally.rows, sets }
        };
        places.into_iter().map(group).collect()
    }
}

impl RowGroup<'_> {
    /// Adds an identifier of a column, from 0, to the group; a row may have several (arrays) or none (`NULL`). The hash
    /// is only asked for while it can matter.
    ///
    /// # Panics
    /// If the filter has no such column.
    #[inline]
    pub fn insert_with(&mut self, column: usize, hash: impl FnOnce() -> u64) {
        if self.tally.open > 0 {
            self.insert_open(column, hash);
        }
    }

    fn insert_open(&mut self, column: usize, hash: impl FnOnce() -> u64) {
        let set = self.set(column);
        if set.is_saturated() {
            return;
        }
        let before = set.held() as u64;
        set.insert(hash());
        self.settle(column, before);
    }

    /// Whether every set of the group is saturated: nothing that is inserted changes anything.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.tally.open == 0
    }

    fn merge(&mut self, column: usize, other: &AidSet) -> Result<(), Error> {
        let set = self.set(column);
        if set.is_saturated() {
            return Ok(());
        }
        let before = set.held() as u64;
        set.merge(other)?;
        self.settle(column, before);
        Ok(())
    }

    fn set(&mut self, column: usize) -> &mut AidSet {
        assert!(column < self.columns, "the filter has no column {column}");
        &mut self.sets[self.tally.group as usize * self.columns + column]
    }

    /// Counts what a set that was open has gained or forgotten.
    fn settle(&mut self, column: usize, before: u64) {
        let set = self.set(column);
        let (held, is_saturated) = (set.held() as u64, set.is_saturated());
        self.tally.open -= u32::from(is_saturated);
        *self.held = *self.held + held - before;
    }
}

/// Empty sets for another group, and its number.
#[cold]
fn new_group(
    sets: &mut Vec<AidSet>,
    columns: usize,
    cap: u32,
    (limits, held): (&GroupLimits, u64),
) -> Result<u32, Error> {
    let group = sets.len() / columns;
    check(limits, group as u64 + 1, columns, held)?;
    let group = u32::try_from(group).map_err(|_| Error::TooManyGroups { limit: u32::MAX.into() })?;
    sets.extend((0..columns).map(|_| AidSet::new(cap)));
    Ok(group)
}

/// Vectors of hashes are up to half empty.
const BYTES_A_HASH: u64 = 16;

/// Bytes of so many groups: an entry of a hash table, up to half empty as well, the sets, and the hashes in them.
fn estimate(groups: u64, columns: usize, held: u64) -> u64 {
    const ENTRY: u64 = 64;
    let sets = groups.saturating_mul(columns as u64 * size_of::<AidSet>() as u64);
    groups.saturating_mul(ENTRY).saturating_add(sets).saturating_add(held.saturating_mul(BYTES_A_HASH))
}

fn check(limits: &GroupLimits, groups: u64, columns: usize, held: u64) -> Result<(), Error> {
    if groups > limits.groups {
        return Err(Error::TooManyGroups { limit: limits.groups });
    }
    if estimate(groups, columns, held) > limits.bytes {
        return Err(Error::TooMuchState { limit: limits.bytes });
    }
    Ok(())
}

/// Shows the cap and the columns: no keys, no counts.
impl<K> fmt::Debug for Groups<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Groups").field("columns", &self.columns).field("cap", &self.cap).finish_non_exhaustive()
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
