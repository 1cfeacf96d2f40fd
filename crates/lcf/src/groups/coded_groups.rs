//! Groups side by side: their labels, rows and sets, without memory of its own for each.
//!
//! Tables have millions of groups, nearly all of them with one or two entities. As vectors of each
//! group, labels and sets would take two thirds of the memory of a table and most of the time of
//! making it.

use crate::entity::entity_set::EntitySet;

/// Groups in some order: the `labels` label positions, the number of rows and the `columns` sets
/// of each.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CodedGroups {
    labels: usize,
    columns: usize,
    keys: Vec<u32>,
    rows: Vec<u64>,
    sets: Vec<EntitySet>,
}

impl CodedGroups {
    /// No groups, of `labels` labels and `columns` sets each.
    pub(crate) fn new(labels: usize, columns: usize) -> Self {
        Self { labels, columns, keys: Vec::new(), rows: Vec::new(), sets: Vec::new() }
    }

    /// Has room for that many groups more.
    pub(crate) fn reserve(&mut self, groups: usize) {
        self.keys.reserve_exact(groups * self.labels);
        self.rows.reserve_exact(groups);
        self.sets.reserve_exact(groups * self.columns);
    }

    /// Appends a group: as many labels and sets as every group has.
    pub(crate) fn push(&mut self, labels: &[u32], rows: u64, sets: impl IntoIterator<Item = EntitySet>) {
        self.keys.extend_from_slice(labels);
        self.rows.push(rows);
        self.sets.extend(sets);
        debug_assert_eq!(self.keys.len(), self.rows.len() * self.labels, "one label per grouping column");
        debug_assert_eq!(self.sets.len(), self.rows.len() * self.columns, "one set per identifier column");
    }

    /// The number of groups.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Grouping columns.
    pub(crate) fn labels(&self) -> usize {
        self.labels
    }

    /// The positions of a group's labels, in the order of the columns.
    pub(crate) fn key(&self, group: usize) -> &[u32] {
        &self.keys[group * self.labels..][..self.labels]
    }

    /// The number of rows of a group.
    pub(crate) fn rows(&self, group: usize) -> u64 {
        self.rows[group]
    }

    /// The sets of a group, one per identifier column.
    pub(crate) fn sets(&self, group: usize) -> &[EntitySet] {
        &self.sets[group * self.columns..][..self.columns]
    }

    /// Rows and sets of a group, to change.
    pub(crate) fn group_mut(&mut self, group: usize) -> (&mut u64, &mut [EntitySet]) {
        (&mut self.rows[group], &mut self.sets[group * self.columns..][..self.columns])
    }

    /// The position of the group of these labels, where the groups are in their order.
    pub(crate) fn find(&self, key: &[u32]) -> Option<usize> {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from.midpoint(to);
            match self.key(middle).cmp(key) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }
}
