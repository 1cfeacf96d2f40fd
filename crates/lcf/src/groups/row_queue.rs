//! Rows that are counted together.
//!
//! With many groups the state of a row's group is rarely in a cache. The groups of all rows of a
//! queue are read from memory at once, which takes little longer than those of one row.

use std::fmt;

use crate::error::Error;
use crate::groups::grouping::{Groups, ROWS_AHEAD};

/// Rows that wait to be counted by [`LabelledGroups::count_queue`](crate::LabelledGroups): they are
/// not in the groups before. The order of rows does not matter, so that queued and other rows give
/// the same groups.
///
/// # Example
/// ```
/// # use lcf::{
/// #     ColumnRule, DrawMode, EntityColumn, GroupLimits, HardThreshold, Identifier, LabelledGroups,
/// #     LowCountFilter, RowQueue, ThresholdTable,
/// # };
/// # use privacy_core::prf::Secret;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let secret = Secret::new(&[7; 32])?;
/// # let thresholds = ThresholdTable::new(HardThreshold::at_least(2)?);
/// # let users = vec![EntityColumn { kind: "user".to_owned(), thresholds }];
/// # let filter = LowCountFilter::new(users, ColumnRule::WorkingColumn, DrawMode::Query, &secret)?;
/// let hasher = filter.hasher(0)?;
/// let (mut groups, mut queue) = (LabelledGroups::new(["town"], &filter, GroupLimits::default()), RowQueue::default());
/// for (town, user) in [("Bonn", "ann"), ("Bonn", "bob"), ("Ulm", "cem")] {
///     groups.queue(&mut queue, [town])?;
///     queue.insert(0, Identifier::of_text(user).hash(hasher));
/// }
/// groups.count_queue(&mut queue)?;
/// assert_eq!(groups.into_table().len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct RowQueue {
    keys: Vec<u64>,
    /// Position of the row, column, hash; rows in order.
    hashes: Vec<(usize, usize, u64)>,
}

impl RowQueue {
    /// Adds the keyed hash of an identifier of a column, from 0, to the row that was queued last.
    ///
    /// # Panics
    /// If no row was.
    pub fn insert(&mut self, column: usize, hash: u64) {
        self.hashes.push((self.keys.len() - 1, column, hash));
    }

    pub(crate) fn is_full(&self) -> bool {
        self.keys.len() == ROWS_AHEAD
    }

    pub(crate) fn push(&mut self, key: u64) {
        self.keys.push(key);
    }

    /// Counts all rows, and is empty then.
    pub(crate) fn count(&mut self, groups: &mut Groups<u64>) -> Result<(), Error> {
        groups.load(&self.keys);
        let mut hashes = self.hashes.drain(..).peekable();
        for (position, key) in self.keys.drain(..).enumerate() {
            let mut group = groups.row(key)?;
            while let Some((_, column, hash)) = hashes.next_if(|(row, ..)| *row == position) {
                group.insert_with(column, || hash)?;
            }
        }
        Ok(())
    }
}

/// Shows nothing of the rows.
impl fmt::Debug for RowQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowQueue").finish_non_exhaustive()
    }
}
