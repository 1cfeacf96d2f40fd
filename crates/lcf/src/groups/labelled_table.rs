//! A grouped table by its labels: what a filter decides about.

use std::fmt;
use std::sync::Arc;

use crate::entity::entity_set::{EntityCount, EntitySet};
use crate::filter::group_name::GroupName;
use crate::groups::coded_groups::CodedGroups;

/// All groups of a table, in the order of their labels: what a filter decides about.
#[derive(Clone, PartialEq, Eq)]
pub struct LabelledTable {
    pub(crate) columns: Vec<LabelColumn>,
    /// Keys are positions in the sorted labels of each column.
    pub(crate) groups: CodedGroups,
    /// For every group the entities that count in it, in ascending order, where they were chosen:
    /// parts of a table are merged from these.
    pub(crate) members: Option<Vec<Vec<u64>>>,
    /// Digest of the filter that the groups are for.
    pub(crate) filter: [u8; 32],
}

/// A grouping column, and the labels that occur in it, sorted.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct LabelColumn {
    pub(crate) name: String,
    pub(crate) labels: Vec<Arc<str>>,
}

impl LabelledTable {
    /// Names of the grouping columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Number of groups. As confidential as the data.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there is no group.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The labels of a group, by its position, in the order of the columns.
    ///
    /// # Panics
    /// Unless `group` is below [`len`](Self::len), as an index into a slice.
    pub fn labels(&self, group: usize) -> impl Iterator<Item = &str> {
        let labels = self.groups.key(group).iter().zip(&self.columns);
        labels.map(|(&label, column)| &*column.labels[label as usize])
    }

    /// The labels of a group as [`labels`](Self::labels) gives them, to store without copying
    /// their texts.
    ///
    /// # Panics
    /// As [`labels`](Self::labels).
    pub fn shared_labels(&self, group: usize) -> impl Iterator<Item = &Arc<str>> {
        let labels = self.groups.key(group).iter().zip(&self.columns);
        labels.map(|(&label, column)| &column.labels[label as usize])
    }

    /// The entities of every group in the first column of identifiers, as far as the filter needs
    /// their number: for the owner of the data.
    pub fn entities(&self) -> impl Iterator<Item = EntityCount> {
        (0..self.len()).filter_map(|group| self.groups.sets(group).first().map(EntitySet::distinct))
    }

    /// The position of the group with these labels.
    #[must_use]
    pub fn find(&self, labels: &[&str]) -> Option<usize> {
        if labels.len() != self.columns.len() {
            return None;
        }
        let key = self.columns.iter().zip(labels).map(|(column, label)| column.position(label));
        let key: Vec<u32> = key.collect::<Option<_>>()?;
        self.groups.find(&key)
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

impl LabelColumn {
    /// The position of a label among the sorted ones.
    fn position(&self, label: &str) -> Option<u32> {
        self.labels.binary_search_by(|known| (**known).cmp(label)).ok().map(|position| position as u32)
    }
}

/// Shows the names of the columns: no labels, no counts.
impl fmt::Debug for LabelledTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LabelledTable").field("columns", &self.columns().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}
