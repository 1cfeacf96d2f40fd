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
    /// Whether the table is set small and close: for cross tables with many columns.
    pub is_compact: bool,
}

impl Table {
    /// Creates a table without rows whose first column holds the row headers.
    #[must_use]
    pub fn new(caption: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        let columns = columns.into_iter().collect();
        Self { caption: caption.into(), columns, row_names: 1, rows: Vec::new(), left_out: None, is_compact: false }
    }

    /// Appends a row.
    #[must_use]
    pub fn row(mut self, cells: impl IntoIterator<Item = impl Into<Cell>>) -> Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }

    /// Removes columns of numbers in which every cell is empty or zero: they say nothing, and
    /// take the room of those that do.
    #[must_use]
    pub fn without_zero_columns(mut self) -> Self {
        for index in (self.row_names..self.columns.len()).rev() {
            let mut cells = self.rows.iter().map(|row| row.get(index).map_or("", |cell| cell.text.as_str()));
            if self.columns[index].is_number && cells.all(|text| text.bytes().all(|byte| matches!(byte, b'0' | b'.'))) {
                self.columns.remove(index);
                self.rows.iter_mut().filter(|row| row.len() > index).for_each(|row| drop(row.remove(index)));
            }
        }
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
    /// How dark the cell is, from 0 (as the page) to 5: an aid to the eye in cross tables, which
    /// the text of the cell states as a number.
    pub shade: u8,
}

impl Cell {
    /// A text with a role other than [`Tone::Plain`].
    #[must_use]
    pub fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Self { text: text.into(), tone, shade: 0 }
    }

    /// The same cell with a darkness from 0 to 5; larger numbers are as 5.
    #[must_use]
    pub fn shaded(self, shade: u8) -> Self {
        Self { shade: shade.min(5), ..self }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), tone: Tone::Plain, shade: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_zeros_is_left_out_and_names_of_rows_are_not() {
        let columns = [Column::numbers("row"), Column::numbers("exact"), Column::numbers("withheld")];
        let table = Table::new("t", columns).row(["0", "12", "0"]).row(["0", "7", ""]).without_zero_columns();
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["row", "exact"]);
        assert_eq!(table.rows[1], ["0", "7"].map(Cell::from));
        let kept = Table::new("t", [Column::words("a"), Column::numbers("n")]).row(["x", "0"]).row(["y", "1"]);
        assert_eq!(kept.clone().without_zero_columns(), kept);
    }
}
