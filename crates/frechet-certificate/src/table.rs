//! Tables of counts, as lists of their non-zero cells.

use std::fmt;
use std::sync::Arc;

/// A table of counts, most of which are often 0. Cloning shares the counts.
///
/// A table that was read from a file may list a cell twice or out of order: the
/// [checker](crate::Checker) refuses it then.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(any(), derive(serde::Serialize), serde(transparent))]
pub struct SparseTable {
    /// Cells and their counts, in increasing order of the cells.
    counts: Arc<[(u32, i64)]>,
}

impl SparseTable {
    /// The table with these counts, one entry per cell, in any order. Zeros are left out.
    ///
    /// ```
    /// use frechet_certificate::SparseTable;
    ///
    /// let table = SparseTable::new(vec![(3, 7), (0, 2)]);
    /// assert_eq!(table.to_dense(4), [2, 0, 0, 7]);
    /// ```
    #[must_use]
    pub fn new(mut counts: Vec<(u32, i64)>) -> Self {
        counts.retain(|&(_, count)| count != 0);
        counts.sort_unstable();
        Self::as_listed(counts)
    }

    /// The same as a list of all cells, row-major.
    ///
    /// # Panics
    /// If there are more than 2^32 cells.
    #[must_use]
    pub fn from_dense(table: &[i64]) -> Self {
        let counts = table.iter().enumerate().filter(|&(_, &count)| count != 0);
        Self::as_listed(counts.map(|(cell, &count)| (numbered(cell), count)).collect())
    }

    /// The table as a file lists it.
    pub(crate) fn as_listed(counts: Vec<(u32, i64)>) -> Self {
        Self { counts: counts.into() }
    }

    /// Cells and their counts, in increasing order of the cells.
    #[must_use]
    pub fn counts(&self) -> &[(u32, i64)] {
        &self.counts
    }

    /// The counts of all `cells` cells of the table, row-major.
    ///
    /// # Panics
    /// If the table lists a cell that is not among the first `cells`.
    #[must_use]
    pub fn to_dense(&self, cells: usize) -> Vec<i64> {
        let mut table = vec![0; cells];
        self.counts.iter().for_each(|&(cell, count)| table[cell as usize] = count);
        table
    }

    /// The sum over some cells. The cells of the table are in increasing order.
    pub(crate) fn sum(&self, cells: &[u32]) -> i128 {
        cells.iter().map(|&cell| i128::from(self.count(cell))).sum()
    }

    fn count(&self, cell: u32) -> i64 {
        let position = self.counts.binary_search_by_key(&cell, |&(cell, _)| cell);
        position.map_or(0, |position| self.counts[position].1)
    }
}

fn numbered(cell: usize) -> u32 {
    u32::try_from(cell).expect("cells are numbered in 32 bits")
}

/// Shows the number of non-zero cells: a table may be the true one.
impl fmt::Debug for SparseTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SparseTable").field("non_zero", &self.counts.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_the_same_from_any_list_of_its_cells() {
        let table = SparseTable::new(vec![(3, 7), (0, 2), (1, 0)]);
        assert_eq!(table, SparseTable::from_dense(&[2, 0, 0, 7]));
        assert_eq!(table.counts(), [(0, 2), (3, 7)]);
        assert_eq!(table.to_dense(5), [2, 0, 0, 7, 0]);
        assert_eq!(table.sum(&[0, 1, 3]), 9);
    }

    #[test]
    fn debug_shows_no_counts() {
        assert_eq!(format!("{:?}", SparseTable::new(vec![(0, 77)])), "SparseTable { non_zero: 1, .. }");
    }
}
