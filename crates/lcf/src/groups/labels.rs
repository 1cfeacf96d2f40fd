//! Groups by text labels: labels become numbers, and the numbers of a row become one key.
//!
//! Columns are folded from the left: the first two labels make a pair, that pair and the third
//! label another, and the last pair is the key of the group. So a key is always one 64-bit
//! integer, whatever the number of columns.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::entity::entity_set::EntitySet;
use crate::error::Error;
use crate::filter::group_name::GroupName;
use crate::filter::low_count_filter::LowCountFilter;
use crate::groups::coded_groups::CodedGroups;
use crate::groups::contributions::Contributions;
use crate::groups::group_state::{self, GroupState};
use crate::groups::grouping::{ChosenGroup, GroupLimits, Groups, RowGroup};
use crate::groups::labelled_table::{LabelColumn, LabelledTable};
use crate::groups::row_queue::RowQueue;

/// Groups of a table by the labels of its columns, as they are read.
///
/// # Example
/// ```
/// use lcf::{
///     ColumnRule, DrawMode, EntityColumn, GroupLimits, HardThreshold, Identifier, LabelledGroups,
///     LowCountFilter, TableOptions, ThresholdTable,
/// };
/// use privacy_core::prf::Secret;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let secret = Secret::new(&[7; 32])?;
/// let thresholds = ThresholdTable::new(HardThreshold::at_least(2)?);
/// let users = vec![EntityColumn { kind: "user".to_owned(), thresholds }];
/// let filter = LowCountFilter::new(users, ColumnRule::WorkingColumn, DrawMode::Query, &secret)?;
///
/// let hasher = filter.hasher(0)?;
/// let mut groups = LabelledGroups::new(["town"], &filter, GroupLimits::default());
/// for (town, user) in [("Bonn", "ann"), ("Bonn", "bob"), ("Ulm", "cem")] {
///     let mut group = groups.row([town])?;
///     group.insert_with(0, || Identifier::of_text(user).hash(hasher))?;
/// }
/// let filtered = filter.apply(groups.into_table(), TableOptions::of(filter.mode()))?;
/// let towns: Vec<&str> = filtered.reported().flat_map(|group| group.labels()).collect();
/// assert_eq!(towns, ["Bonn"]); // Ulm has a single user
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LabelledGroups {
    columns: Vec<Column>,
    /// Pairs of a number and a label's number, for every column after the first but the last.
    pairs: Vec<Pairs>,
    groups: Groups<u64>,
    /// Where entities count in chosen groups only: the sets of `groups` stay empty.
    contributions: Option<Contributions>,
    cap: u32,
    /// Memory of labels and pairs.
    label_bytes: u64,
    limits: GroupLimits,
    /// What the row at hand has added, to take back if the row is refused.
    added: Added,
}

/// The columns that got a new label, and those that got a new pair, in this order.
#[derive(Clone, Default)]
struct Added {
    labels: Vec<usize>,
    pairs: Vec<usize>,
}

/// Labels come from data, so they are hashed with a key of this process against collisions made
/// on purpose. The number of a label is its order of appearance.
#[derive(Clone)]
struct Column {
    name: String,
    numbers: HashMap<Arc<str>, u32>,
    labels: Vec<Arc<str>>,
}

#[derive(Clone, Default)]
struct Pairs {
    numbers: FxHashMap<u64, u32>,
    pairs: Vec<u64>,
}

/// Memory of a label besides its bytes: two pointers with lengths, a number, a header.
const BYTES_A_LABEL: u64 = 96;
/// Memory of a pair, which is stored both ways, in tables up to half empty.
const BYTES_A_PAIR: u64 = 48;

impl LabelledGroups {
    /// An empty state grouped by columns of these names. Without a column there is one group, the
    /// whole table.
    #[must_use]
    pub fn new(
        columns: impl IntoIterator<Item = impl Into<String>>,
        filter: &LowCountFilter,
        limits: GroupLimits,
    ) -> Self {
        let columns: Vec<Column> = columns.into_iter().map(|name| Column::new(name.into())).collect();
        let pairs = vec![Pairs::default(); columns.len().saturating_sub(2)];
        let groups = Groups::new(filter, limits.clone());
        Self {
            columns,
            pairs,
            groups,
            contributions: Contributions::new(filter),
            cap: filter.cap(),
            label_bytes: 0,
            limits,
            added: Added::default(),
        }
    }

    /// Counts a row with these labels, one per column, and returns its group, which takes the
    /// row's identifiers.
    ///
    /// # Errors
    /// [`Error::LabelCount`] unless there is one label per column; as [`Groups::row`], for the
    /// memory of labels as well. A refused row leaves the groups as they were.
    pub fn row<'a>(&mut self, labels: impl IntoIterator<Item = &'a str>) -> Result<RowGroup<'_>, Error> {
        let key = self.key(&mut labels.into_iter())?;
        self.row_of(key)
    }

    fn row_of(&mut self, key: u64) -> Result<RowGroup<'_>, Error> {
        // Only a row with a new label or pair leaves something behind when its group is refused.
        if !self.added.is_empty()
            && let Err(error) = self.groups.check_room(&key)
        {
            self.take_back();
            return Err(error);
        }
        self.check_contributions()?;
        let row = self.groups.row(key)?;
        let (columns, pairs) = (&self.columns, &self.pairs);
        let chosen = self.contributions.as_mut().map(|contributions| {
            let name = contributions.name(key, || name_of(key, columns, pairs));
            ChosenGroup { contributions, group: key, name }
        });
        Ok(row.with_chosen(chosen))
    }

    /// Whether the limits leave room for further entities.
    fn check_contributions(&self) -> Result<(), Error> {
        let taken = self.contributions.as_ref().map_or(0, Contributions::bytes);
        if taken > 0 && taken + self.label_bytes + self.groups.bytes() > self.limits.bytes {
            return Err(Error::TooMuchState { limit: self.limits.bytes });
        }
        Ok(())
    }

    /// Counts rows, each given by its labels and its identifiers: pairs of an identifier column,
    /// from 0, and a keyed hash.
    ///
    /// # Errors
    /// As [`row`](Self::row) and [`RowGroup::insert_with`]. The rows before the refused one are
    /// counted.
    pub fn extend<'a, Labels, Hashes>(&mut self, rows: impl IntoIterator<Item = (Labels, Hashes)>) -> Result<(), Error>
    where
        Labels: IntoIterator<Item = &'a str>,
        Hashes: IntoIterator<Item = (usize, u64)>,
    {
        for (labels, hashes) in rows {
            let mut group = self.row(labels)?;
            hashes.into_iter().try_for_each(|(column, hash)| group.insert_with(column, || hash))?;
        }
        Ok(())
    }

    /// Whether there are more groups than the caches hold, so that rows are counted faster in a
    /// [`RowQueue`](crate::RowQueue).
    #[must_use]
    pub fn are_many(&self) -> bool {
        self.groups.are_many() && self.contributions.is_none()
    }

    /// Puts a row with these labels, one per column, into a queue, and counts the rows of the queue
    /// once it is full. Its identifiers follow by [`RowQueue::insert`](crate::RowQueue::insert).
    ///
    /// # Errors
    /// As [`row`](Self::row), for any row of the queue: drop the groups then, since rows before
    /// and after it may not be counted.
    pub fn queue<'a>(&mut self, queue: &mut RowQueue, labels: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
        if queue.is_full() {
            self.count_queue(queue)?;
        }
        let key = self.key(&mut labels.into_iter())?;
        queue.push(key);
        Ok(())
    }

    /// Counts the rows of a queue.
    ///
    /// # Errors
    /// As [`queue`](Self::queue), and those of [`RowGroup::insert_with`].
    pub fn count_queue(&mut self, queue: &mut RowQueue) -> Result<(), Error> {
        self.check_contributions()?;
        queue.count(&mut self.groups)
    }

    /// Adds the groups of another part of the data, of another day or machine. Sets become unions
    /// and numbers of rows sums, so each part is merged once.
    ///
    /// # Errors
    /// [`Error::OtherFilter`], [`Error::OtherColumns`]; the limits and [`Error::Stopped`], as
    /// [`row`](Self::row), and then only a part of the groups was merged.
    pub fn merge(&mut self, part: &LabelledTable) -> Result<(), Error> {
        if part.filter != self.groups.filter() {
            return Err(Error::OtherFilter);
        }
        if !part.columns().eq(self.columns.iter().map(|column| &*column.name)) {
            return Err(Error::OtherColumns);
        }
        (0..part.len()).try_for_each(|position| {
            let (rows, sets) = (part.groups.rows(position), part.groups.sets(position));
            let members = part.members.as_ref().map(|members| members[position].as_slice());
            self.add(part.labels(position), rows, sets, members)
        })
    }

    /// Adds a group of another part of the data that something else has grouped, by its labels,
    /// one per column. Each state is added once.
    ///
    /// # Errors
    /// [`Error::SetCount`] and [`Error::OtherCap`] for sets that are not those of a
    /// [`GroupState`] of the filter; as [`row`](Self::row), and then drop the groups.
    pub fn add_state<'a>(
        &mut self,
        labels: impl IntoIterator<Item = &'a str>,
        state: &GroupState,
    ) -> Result<(), Error> {
        let cap = if self.contributions.is_some() { EntitySet::WHOLE } else { self.cap };
        group_state::check(&state.sets, self.groups.columns(), cap)?;
        let members = self.contributions.as_ref().and_then(|_| state.sets.first()).map(EntitySet::members);
        self.add(labels, state.rows, &state.sets, members.as_deref())
    }

    /// Adds rows to a group with its sets, or with its entities where groups are chosen for them.
    fn add<'a>(
        &mut self,
        labels: impl IntoIterator<Item = &'a str>,
        rows: u64,
        sets: &[EntitySet],
        members: Option<&[u64]>,
    ) -> Result<(), Error> {
        let key = self.key(&mut labels.into_iter())?;
        let (columns, pairs) = (&self.columns, &self.pairs);
        match (&mut self.contributions, members) {
            (Some(contributions), Some(members)) => {
                let name = contributions.name(key, || name_of(key, columns, pairs));
                members.iter().for_each(|&entity| contributions.add(entity, key, name));
                self.check_contributions()?;
                self.groups.add(key, rows, &[])
            }
            _ => self.groups.add(key, rows, sets),
        }
    }

    /// The key of the group with these labels, one per column. On an error everything that the
    /// row added is taken back.
    /// The key of a row's labels. It is asked for in loops elsewhere, and compiled here.
    fn key(&mut self, labels: &mut dyn Iterator<Item = &str>) -> Result<u64, Error> {
        self.added.clear();
        let key = self.fold(labels);
        if key.is_err() {
            self.take_back();
        }
        key
    }

    fn fold(&mut self, labels: &mut dyn Iterator<Item = &str>) -> Result<u64, Error> {
        let refused = Error::LabelCount { expected: self.columns.len() };
        let mut key = 0;
        for column in 0..self.columns.len() {
            let Some(label) = labels.next() else { return Err(refused) };
            let number = self.number(column, label)?;
            if column >= 2 {
                // The key so far is a pair: its own number leaves 32 bits for the next label.
                key = u64::from(self.pair(column - 2, key)?);
            }
            key = key << 32 | u64::from(number);
        }
        if labels.next().is_some() { Err(refused) } else { Ok(key) }
    }

    fn number(&mut self, column: usize, label: &str) -> Result<u32, Error> {
        let known = &mut self.columns[column];
        if let Some(&number) = known.numbers.get(label) {
            return Ok(number);
        }
        let bytes = self.label_bytes + label.len() as u64 + BYTES_A_LABEL;
        if bytes + self.groups.bytes() > self.limits.bytes {
            return Err(Error::TooMuchState { limit: self.limits.bytes });
        }
        let (number, label) = (next_number(known.labels.len())?, Arc::<str>::from(label));
        known.labels.push(label.clone());
        known.numbers.insert(label, number);
        self.label_bytes = bytes;
        self.added.labels.push(column);
        Ok(number)
    }

    fn pair(&mut self, fold: usize, pair: u64) -> Result<u32, Error> {
        let known = &mut self.pairs[fold];
        if let Some(&number) = known.numbers.get(&pair) {
            return Ok(number);
        }
        let number = next_number(known.pairs.len())?;
        known.pairs.push(pair);
        known.numbers.insert(pair, number);
        self.label_bytes += BYTES_A_PAIR;
        self.added.pairs.push(fold);
        Ok(number)
    }

    /// Takes back what the last row added: a label without a group would be written by
    /// [`LabelledTable::to_bytes`] and refused by [`LabelledTable::from_bytes`].
    fn take_back(&mut self) {
        for column in self.added.labels.drain(..) {
            let known = &mut self.columns[column];
            if let Some(label) = known.labels.pop() {
                self.label_bytes -= label.len() as u64 + BYTES_A_LABEL;
                known.numbers.remove(&label);
            }
        }
        for fold in self.added.pairs.drain(..) {
            let known = &mut self.pairs[fold];
            if let Some(pair) = known.pairs.pop() {
                self.label_bytes -= BYTES_A_PAIR;
                known.numbers.remove(&pair);
            }
        }
    }

    /// All groups, in the order of their labels: the same whatever the order of the rows.
    #[must_use]
    pub fn into_table(self) -> LabelledTable {
        let ranked: Vec<(LabelColumn, Vec<u32>)> = self.columns.into_iter().map(Column::ranked).collect();
        let (columns, ranks): (Vec<LabelColumn>, Vec<Vec<u32>>) = ranked.into_iter().unzip();
        let filter = self.groups.filter();
        let order = LabelOrder::new(&ranks, &self.pairs);
        let mut members = self.contributions.map(Contributions::into_members);
        let mut groups = CodedGroups::new(columns.len(), self.groups.columns());
        groups.reserve(self.groups.len());
        let mut members_of = members.as_ref().map(|_| Vec::with_capacity(self.groups.len()));
        let mut labels = vec![0; columns.len()];
        // In the order of labels, not of numbers, which follow the order of the rows.
        let ordered = |key| (order.rank(key), key);
        self.groups.for_each_by(ordered, |(_, key), rows, sets| {
            if let (Some(members), Some(members_of)) = (&mut members, &mut members_of) {
                let of_group = members.remove(&key).unwrap_or_default();
                *sets = vec![set_of(&of_group, self.cap)];
                members_of.push(of_group);
            }
            unfold(key, &self.pairs, &ranks, &mut labels);
            groups.push(&labels, rows, sets.drain(..));
        });
        LabelledTable { columns, groups, members: members_of, filter }
    }
}

/// The order of groups by their labels, as numbers: comparing these follows no pointer.
struct LabelOrder<'a> {
    /// For each column, the position of each label among the sorted ones.
    ranks: &'a [Vec<u32>],
    /// The position of the last pair of each number among the sorted ones.
    pairs: Vec<u32>,
}

impl<'a> LabelOrder<'a> {
    fn new(ranks: &'a [Vec<u32>], pairs: &[Pairs]) -> Self {
        // The first part of a pair is the label of the first column, or another pair.
        let first = ranks.first().map(Vec::as_slice).unwrap_or_default();
        let mut before = first.to_vec();
        for (fold, pairs) in pairs.iter().enumerate() {
            let of_pair = |pair: u64| ranked_pair(pair, &before, &ranks[fold + 1]);
            let mut sorted: Vec<(u64, usize)> = pairs.pairs.iter().map(|&pair| of_pair(pair)).zip(0..).collect();
            sorted.sort_unstable();
            let mut positions = vec![0; sorted.len()];
            sorted.iter().enumerate().for_each(|(position, &(_, number))| positions[number] = position as u32);
            before = positions;
        }
        Self { ranks, pairs: before }
    }

    /// The number of a group's key: larger for later labels.
    fn rank(&self, key: u64) -> u64 {
        match self.ranks {
            [] => 0,
            [column] => column[key as usize].into(),
            [.., last] => ranked_pair(key, &self.pairs, last),
        }
    }
}

/// A pair by the positions of its parts.
fn ranked_pair(pair: u64, first: &[u32], second: &[u32]) -> u64 {
    u64::from(first[(pair >> 32) as usize]) << 32 | u64::from(second[pair as u32 as usize])
}

/// The set of these entities, as far as a decision needs it.
pub(crate) fn set_of(members: &[u64], cap: u32) -> EntitySet {
    let mut set = EntitySet::new(cap);
    set.extend(members.iter().copied());
    set
}

/// The name of the group of a key.
fn name_of(key: u64, columns: &[Column], pairs: &[Pairs]) -> GroupName {
    let mut numbers = vec![0; columns.len()];
    numbers_of(key, pairs, &mut numbers);
    let labels =
        columns.iter().zip(&numbers).map(|(column, &number)| (&*column.name, Some(&*column.labels[number as usize])));
    GroupName::new(labels)
}

fn next_number(taken: usize) -> Result<u32, Error> {
    u32::try_from(taken).map_err(|_| Error::TooManyGroups { limit: u32::MAX.into() })
}

/// Writes the numbers of the labels behind a key, one per column.
fn numbers_of(mut key: u64, pairs: &[Pairs], numbers: &mut [u32]) {
    for column in (0..numbers.len()).rev() {
        numbers[column] = (key & u64::from(u32::MAX)) as u32;
        key >>= 32;
        if column >= 2 {
            key = pairs[column - 2].pairs[key as usize];
        }
    }
}

/// Writes the labels behind a key, as positions in the sorted labels.
fn unfold(key: u64, pairs: &[Pairs], ranks: &[Vec<u32>], labels: &mut [u32]) {
    numbers_of(key, pairs, labels);
    labels.iter_mut().zip(ranks).for_each(|(label, ranks)| *label = ranks[*label as usize]);
}

impl Added {
    fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.pairs.is_empty()
    }

    fn clear(&mut self) {
        self.labels.clear();
        self.pairs.clear();
    }
}

impl Column {
    fn new(name: String) -> Self {
        Self { name, numbers: HashMap::new(), labels: Vec::new() }
    }

    /// The labels sorted, and for each number of a label its position among them.
    fn ranked(self) -> (LabelColumn, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.labels.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.labels[a as usize].cmp(&self.labels[b as usize]));
        let mut ranks = vec![0; order.len()];
        for (rank, &number) in order.iter().enumerate() {
            ranks[number as usize] = rank as u32;
        }
        let labels = order.iter().map(|&number| self.labels[number as usize].clone()).collect();
        (LabelColumn { name: self.name, labels }, ranks)
    }
}

/// Shows the names of the columns: no labels, no counts.
impl fmt::Debug for LabelledGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        f.debug_struct("LabelledGroups").field("columns", &names).finish_non_exhaustive()
    }
}
