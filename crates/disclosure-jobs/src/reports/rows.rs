//! Coded rows of a table with any number of columns.
//!
//! A schema of `privacy-data` has at most 128 attributes. A table with more is read once for
//! every 128 of them.

use disclosure::privacy_core::{AttrSet, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, Encoding, Microdata, Schema};

use crate::error::JobError;
use crate::input::DataSource;

/// Rows whose columns are in several tables of the same length.
#[derive(Debug)]
pub(super) struct Rows(Vec<Microdata>);

impl Rows {
    /// Reads the columns that the attributes name.
    pub(super) fn read(
        source: &dyn DataSource,
        attributes: &[AttributeSpec],
        encoding: Encoding,
    ) -> Result<Self, JobError> {
        let max_columns = CsvOptions::default().max_columns.max(2 * attributes.len());
        let options = CsvOptions { encoding, max_columns, ..CsvOptions::default() };
        let mut tables: Vec<Microdata> = Vec::new();
        for attributes in attributes.chunks(AttrSet::MAX_ATTRIBUTES) {
            let table = source.read_rows(&Schema::new(attributes.to_vec(), Provenance::Public)?, &options)?;
            // Two readings of a table that changed between them would pair the answers of
            // different people.
            if tables.first().is_some_and(|first| first.rows() != table.rows()) {
                let message = format!("{}: the data changed while being read", source.name());
                return Err(JobError::new("E0104", message));
            }
            tables.push(table);
        }
        Ok(Self(tables))
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.0.first().map_or(0, Microdata::rows)
    }

    /// Calls `each` with the codes of every row, until it fails.
    pub(super) fn try_for_each<E>(&self, mut each: impl FnMut(&[u32]) -> Result<(), E>) -> Result<(), E> {
        let columns = self.0.iter().flat_map(|table| (0..table.domain().len()).map(|column| table.codes(column)));
        let mut columns: Vec<_> = columns.collect();
        let mut row = vec![0; columns.len()];
        for _ in 0..self.len() {
            row.iter_mut().zip(&mut columns).for_each(|(code, column)| *code = column.next().unwrap_or_default());
            each(&row)?;
        }
        Ok(())
    }
}
