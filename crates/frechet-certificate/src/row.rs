//! One published fact: a sum over some cells lies between two numbers.

use std::fmt;

/// A sum over cells that is known to lie between two numbers; they are equal when it was
/// published exactly.
///
/// A row that was read from a file may contradict itself: [`Checker::new`](crate::Checker::new)
/// refuses such a row.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(any(), derive(serde::Serialize))]
pub struct Row {
    /// The name that messages show.
    pub(crate) name: String,
    /// The cells that are summed, in increasing order.
    pub(crate) cells: Box<[u32]>,
    /// The least sum.
    pub(crate) lower: i64,
    /// The largest sum.
    pub(crate) upper: i64,
}

impl Row {
    /// A row over `cells`, in any order; repeated cells count once. Messages show the name, so it
    /// must not contain counts.
    ///
    /// ```
    /// use frechet_certificate::Row;
    ///
    /// let row = Row::new("women", vec![2, 0], 10, 10); // cells 0 and 2 add up to 10
    /// assert!(row.is_exact() && row.admits(&[4, 7, 6]));
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, mut cells: Vec<u32>, lower: i64, upper: i64) -> Self {
        cells.sort_unstable();
        cells.dedup();
        Self { name: name.into(), cells: cells.into(), lower, upper }
    }

    /// The name that messages show.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The cells that are summed, in increasing order.
    #[must_use]
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// The least sum.
    #[must_use]
    pub fn lower(&self) -> i64 {
        self.lower
    }

    /// The largest sum.
    #[must_use]
    pub fn upper(&self) -> i64 {
        self.upper
    }

    /// Whether the sum was published exactly.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    /// Whether the cell is one of those that are summed. Logarithmic in their number.
    #[must_use]
    pub fn contains(&self, cell: u32) -> bool {
        self.cells.binary_search(&cell).is_ok()
    }

    /// Whether a table, row-major, has a sum between the two numbers.
    ///
    /// # Panics
    /// If a cell of the row is not a cell of the table.
    #[must_use]
    pub fn admits(&self, table: &[i64]) -> bool {
        let sum: i128 = self.cells.iter().map(|&cell| i128::from(table[cell as usize])).sum();
        (i128::from(self.lower)..=i128::from(self.upper)).contains(&sum)
    }
}

/// Shows the name and the number of cells; counts never appear in logs.
impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("name", &self.name).field("cells", &self.cells.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_row_are_sorted_and_count_once() {
        let row = Row::new("total", vec![2, 0, 2], 3, 3);
        assert_eq!(row.cells(), [0, 2]);
        assert!(row.contains(2) && !row.contains(1) && row.is_exact());
        assert!(!Row::new("range", vec![0], 3, 4).is_exact());
        assert!(row.admits(&[1, 9, 2]) && !row.admits(&[1, 9, 3]));
    }

    #[test]
    fn debug_shows_no_counts() {
        assert_eq!(format!("{:?}", Row::new("total", vec![0], 77, 77)), "Row { name: \"total\", cells: 1, .. }");
    }
}
