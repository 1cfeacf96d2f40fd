//! Groups by texts: labels to numbers, and several numbers to one key.
//!
//! Columns are folded from the left: the first two labels make a pair, that pair and the third label another, and the
//! last pair is the key of the group. So a key is always one 64-bit integer, whatever the number of columns.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::filter::group_name::GroupName;
use crate::filter::low_count_filter::LowCountFilter;
use crate::groups::grouping::{Group, GroupLimits, Groups, RowGroup};

/// Groups of a table by the labels of its columns, as they are read.
#[derive(Clone)]
pub struct LabelledGroups {
    columns: Vec<Column>,
    /// Pairs of a number and a label's number, for every column behind the first but the last.
    pairs: Vec<Pairs>,
    groups: Groups<u64>,
    /// Memory of labels and pairs.
    label_bytes: u64,
    limits: GroupLimits,
}

/// Labels come from data, so they are hashed with a key of this process; their order of appearance is their number.
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

/// All groups of a table, in the order of their labels.
#[derive(Clone, PartialEq, Eq)]
pub struct LabelledTable {
    pub(crate) columns: Vec<LabelColumn>,
    /// Keys are positions in the sorted labels of each column.
    pub(crate) groups: Vec<Group<Box<[u32]>>>,
    /// Digest of the filter that the groups are for.
    pub(crate) filter: [u8; 32],
}

/// A grouping column, and the labels that occur in it, sorted.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct LabelColumn {
    pub(crate) name: String,
    pub(crate) labels: Vec<Arc<str>>,
}

/// A label and what the memory of its entry comes to, besides its bytes: two pointers with lengths, a number, a header.
const BYTES_A_LABEL: u64 = 96;
/// A pair both ways, in tables up to half empty.
const BYTES_A_PAIR: u64 = 48;

impl LabelledGroups {
    /// No groups yet, by columns of these names. Without a column there is one group, the whole table.
    #[must_use]
    pub fn new(
        columns: impl IntoIterator<Item = impl Into<String>>,
        filter: &LowCountFilter,
        limits: GroupLimits,
    ) -> Self {
        let column = |name| Column { name, numbers: HashMap::new(), labels: Vec::new() };
        let columns: Vec<Column> = columns.into_iter().map(Into::into).map(column).collect();
        let pairs = vec![Pairs::default(); columns.len().saturating_sub(2)];
        Self { columns, pairs, groups: Groups::new(filter, limits), label_bytes: 0, limits }
    }

    /// Counts a row with these labels, one a column; its group takes the row's identifiers.
    ///
    /// # Errors
    /// As [`Groups::row`], for the memory of labels as well.
    ///
    /// # Panics
    /// If there are fewer labels than columns.
    pub fn row<'a>(&mut self, labels: impl IntoIterator<Item = &'a str>) -> Result<RowGroup<'_>, Error> {
        let key = self.key(labels)?;
        self.groups.row(key)
    }

    /// Adds the groups of another part of the data, of another day or machine. Sets become unions, numbers of rows sums: each
    /// part once.
    ///
    /// # Errors
    /// [`Error::OtherFilter`], [`Error::OtherColumns`]; the limits, as [`row`](Self::row), and then the groups are of no use.
    pub fn merge(&mut self, part: &LabelledTable) -> Result<(), Error> {
        if part.filter != self.groups.filter() {
            return Err(Error::OtherFilter);
        }
        if !part.columns().eq(self.columns.iter().map(|column| &*column.name)) {
            return Err(Error::OtherColumns);
        }
        part.groups.iter().enumerate().try_for_each(|(position, group)| {
            let key = self.key(part.labels(position))?;
            self.groups.add(key, group.rows, &group.sets)
        })
    }

    /// The key of the group with these labels, one a column.
    fn key<'a>(&mut self, labels: impl IntoIterator<Item = &'a str>) -> Result<u64, Error> {
        let mut labels = labels.into_iter();
        let mut key = 0;
        for column in 0..self.columns.len() {
            let label = labels.next().expect("a label for every column");
            let number = self.number(column, label)?;
            if column >= 2 {
                let pairs = &mut self.pairs[column - 2];
                let before = pairs.pairs.len();
                key = u64::from(pairs.number(key)?);
                self.label_bytes += (pairs.pairs.len() - before) as u64 * BYTES_A_PAIR;
            }
            key = key << 32 | u64::from(number);
        }
        Ok(key)
    }

    fn number(&mut self, column: usize, label: &str) -> Result<u32, Error> {
        let column = &mut self.columns[column];
        if let Some(&number) = column.numbers.get(label) {
            return Ok(number);
        }
        self.label_bytes += label.len() as u64 + BYTES_A_LABEL;
        if self.label_bytes + self.groups.bytes() > self.limits.bytes {
            return Err(Error::TooMuchState { limit: self.limits.bytes });
        }
        let (number, label) = (next_number(column.labels.len())?, Arc::<str>::from(label));
        column.labels.push(label.clone());
        column.numbers.insert(label, number);
        Ok(number)
    }

    /// All groups, in the order of their labels: the same whatever the order of the rows.
    #[must_use]
    pub fn into_table(self) -> LabelledTable {
        let ranked: Vec<(LabelColumn, Vec<u32>)> = self.columns.into_iter().map(Column::ranked).collect();
        let (columns, ranks): (Vec<LabelColumn>, Vec<Vec<u32>>) = ranked.into_iter().unzip();
        let key = |key| unfold(key, &self.pairs, &ranks);
        let filter = self.groups.filter();
        let groups = self.groups.into_groups().into_iter();
        let mut groups: Vec<_> =
            groups.map(|group| Group { key: key(group.key), rows: group.rows, sets: group.sets }).collect();
        groups.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        LabelledTable { columns, groups, filter }
    }
}

fn next_number(taken: usize) -> Result<u32, Error> {
    u32::try_from(taken).map_err(|_| Error::TooManyGroups { limit: u32::MAX.into() })
}

/// The labels behind a key, as positions in the sorted labels.
fn unfold(mut key: u64, pairs: &[Pairs], ranks: &[Vec<u32>]) -> Box<[u32]> {
    let mut labels = vec![0; ranks.len()];
    for column in (0..ranks.len()).rev() {
        labels[column] = ranks[column][(key & u64::from(u32::MAX)) as usize];
        key >>= 32;
        if column >= 2 {
            key = pairs[column - 2].pairs[key as usize];
        }
    }
    labels.into()
}

impl Column {
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

impl Pairs {
    fn number(&mut self, pair: u64) -> Result<u32, Error> {
        if let Some(&number) = self.numbers.get(&pair) {
            return Ok(number);
        }
        let number = next_number(self.pairs.len())?;
        self.pairs.push(pair);
        self.numbers.insert(pair, number);
        Ok(number)
    }
}

impl LabelledTable {
    /// Names of the grouping columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// How many groups there are. As confidential as the data.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there is no group.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The labels of a group, by its position.
    ///
    /// # Panics
    /// If there is no such group.
    pub fn labels(&self, group: usize) -> impl Iterator<Item = &str> {
        let labels = self.groups[group].key.iter().zip(&self.columns);
        labels.map(|(&label, column)| &*column.labels[label as usize])
    }

    /// The position of the group with these labels.
    #[must_use]
    pub fn find(&self, labels: &[&str]) -> Option<usize> {
        let position = |(column, label): (&LabelColumn, &&str)| {
            column.labels.binary_search_by(|known| (**known).cmp(label)).ok().map(|position| position as u32)
        };
        if labels.len() != self.columns.len() {
            return None;
        }
        let key = self.columns.iter().zip(labels).map(position).collect::<Option<Vec<u32>>>()?;
        self.groups.binary_search_by(|group| (*group.key).cmp(&key)).ok()
    }

    /// The name that a group draws by in publish mode.
    pub(crate) fn name(&self, group: usize) -> GroupName {
        GroupName::new(self.columns().zip(self.labels(group).map(Some)))
    }

    /// The name of all groups that were merged.
    pub(crate) fn name_of_rest(&self) -> GroupName {
        GroupName::new(self.columns().map(|column| (column, None)))
    }
}

/// Shows the names of the columns: no labels, no counts.
impl fmt::Debug for LabelledTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LabelledTable").field("columns", &self.columns().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

/// Shows the names of the columns: no labels, no counts.
impl fmt::Debug for LabelledGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        f.debug_struct("LabelledGroups").field("columns", &names).finish_non_exhaustive()
    }
}
