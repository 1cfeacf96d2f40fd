//! Tables of the fiber, as lists of their non-zero cells.

use std::fmt;
use std::sync::Arc;

/// A table of counts, most of which are often 0. Cloning shares it.
#[derive(Clone, PartialEq, Eq)]
pub struct SparseTable {
    cells: usize,
    counts: Arc<[(u32, i64)]>,
}

impl SparseTable {
    /// The table with these non-zero counts, one entry a cell, in any order.
    pub(crate) fn new(cells: usize, mut counts: Vec<(u32, i64)>) -> Self {
        counts.retain(|&(_, count)| count != 0);
        counts.sort_unstable();
        Self { cells, counts: counts.into() }
    }

    pub(crate) fn of_dense(table: &[i64]) -> Self {
        let number = |cell: usize| u32::try_from(cell).expect("at most 2^24 cells");
        let counts = table.iter().enumerate().filter(|&(_, &count)| count != 0);
        Self { cells: table.len(), counts: counts.map(|(cell, &count)| (number(cell), count)).collect() }
    }

    /// Non-zero cells and their counts, in increasing order of the cells.
    #[must_use]
    pub fn counts(&self) -> &[(u32, i64)] {
        &self.counts
    }

    /// All cells, row-major.
    #[must_use]
    pub fn to_dense(&self) -> Vec<i64> {
        let mut table = vec![0; self.cells];
        self.counts.iter().for_each(|&(cell, count)| table[cell as usize] = count);
        table
    }
}

/// Tables are the attacker's guesses and may be the truth: shown nowhere.
impl fmt::Debug for SparseTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SparseTable").field("cells", &self.cells).finish_non_exhaustive()
    }
}
