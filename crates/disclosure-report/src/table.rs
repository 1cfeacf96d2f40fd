//! Tables of texts.

use crate::model::Tone;

/// A table of texts.
///
/// # Example
///
/// ```
/// use disclosure_report::{Cell, Column, Table, Tone};
///
/// let table = Table::new("Targets", [Column::words("target"), Column::words("result")])
///     .row([Cell::from("noisy rmse"), Cell::toned(Tone::Good, "met")]);
/// assert_eq!(table.rows.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The caption.
    pub caption: String,
    /// The columns, from left to right.
    pub columns: Vec<Column>,
    /// How many of the first columns are row headers.
    pub row_names: usize,
    /// The rows. Missing cells at the end of a row are empty.
    pub rows: Vec<Vec<Cell>>,
    /// A note about rows that are not shown, and where to find them.
    pub left_out: Option<String>,
}

impl Table {
    /// Creates a table without rows whose first column holds the row headers.
    #[must_use]
    pub fn new(caption: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        let columns = columns.into_iter().collect();
        Self { caption: caption.into(), columns, row_names: 1, rows: Vec::new(), left_out: None }
    }

    /// Appends a row.
    #[must_use]
    pub fn row(mut self, cells: impl IntoIterator<Item = impl Into<Cell>>) -> Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The column header.
    pub name: String,
    /// Whether the cells are numbers, which are aligned to the right.
    pub is_number: bool,
}

impl Column {
    /// A column of texts, aligned to the left.
    #[must_use]
    pub fn words(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: false }
    }

    /// A column of numbers, aligned to the right.
    #[must_use]
    pub fn numbers(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: true }
    }
}

/// A text with its role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// The role of the text.
    pub tone: Tone,
}

impl Cell {
    /// A text with a role other than [`Tone::Plain`].
    #[must_use]
    pub fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Self { text: text.into(), tone }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), tone: Tone::Plain }
    }
}
