//! Rows of people who do not exist, by column.

use privacy_core::AttrSet;

use crate::cells::count;

/// Synthetic rows by column: a category for each row and attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    pub(crate) columns: Vec<Vec<u32>>,
    pub(crate) rows: usize,
}

impl Rows {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The categories of an attribute, one for each row.
    ///
    /// # Panics
    /// If there is no such attribute.
    #[must_use]
    pub fn column(&self, attribute: usize) -> &[u32] {
        &self.columns[attribute]
    }

    /// How many rows there are of every combination of `set`, row-major.
    ///
    /// # Panics
    /// If the set or a category is outside of `sizes`, the numbers of categories.
    #[must_use]
    pub fn counts(&self, sizes: &[usize], set: AttrSet) -> Vec<f64> {
        let mut counts = vec![0.0; count(sizes, set) as usize];
        self.codes(sizes, set).into_iter().for_each(|code| counts[code as usize] += 1.0);
        counts
    }

    /// These rows, in this order; a row may be taken more than once.
    pub(crate) fn select(&self, rows: &[u32]) -> Self {
        let columns = self.columns.iter().map(|column| rows.iter().map(|&row| column[row as usize]).collect());
        Self { columns: columns.collect(), rows: rows.len() }
    }

    /// The place of each row in a table over `set`, which has less than 2^32 cells.
    pub(crate) fn codes(&self, sizes: &[usize], set: AttrSet) -> Vec<u32> {
        let mut codes = vec![0; self.rows];
        for attribute in set.iter() {
            let size = sizes[attribute] as u32;
            codes.iter_mut().zip(&self.columns[attribute]).for_each(|(code, value)| *code = *code * size + value);
        }
        codes
    }
}
