//! Coded rows of a CSV file with any number of columns.
//!
//! A schema of `privacy-data` has at most 128 attributes. A file with more is read once for every 128 of them.

use std::io::Read;
use std::path::Path;

use disclosure::core::{AttrSet, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, Encoding, Microdata, Schema, read_csv};

use crate::error::Failure;
use crate::files::open;

/// Longest file that is read more than once.
const LONGEST: u64 = 1 << 30;

/// Rows whose columns are in several tables.
pub(super) struct Rows(Vec<Microdata>);

impl Rows {
    /// Reads the columns that the attributes name.
    pub(super) fn read(path: &Path, attributes: &[AttributeSpec], encoding: Encoding) -> Result<Self, Failure> {
        let max_columns = CsvOptions::default().max_columns.max(2 * attributes.len());
        let options = CsvOptions { encoding, max_columns, ..CsvOptions::default() };
        let part = |reader: &mut dyn Read, attributes: &[AttributeSpec]| -> Result<Microdata, Failure> {
            let schema = Schema::new(attributes.to_vec(), Provenance::Public)?;
            read_csv(reader, &schema, &options).map_err(|error| Failure::from(error).within(path))
        };
        if attributes.len() <= AttrSet::MAX_ATTRIBUTES {
            return Ok(Self(vec![part(&mut open(path)?, attributes)?]));
        }
        let mut bytes = Vec::new();
        let read = open(path)?.take(LONGEST + 1).read_to_end(&mut bytes);
        read.map_err(|source| Failure::reading(path, &source))?;
        if bytes.len() as u64 > LONGEST {
            let message = format!("the file is larger than {} MiB, and has more than 128 features", LONGEST >> 20);
            return Err(Failure::new("E0643", message).within(path));
        }
        let parts = attributes.chunks(AttrSet::MAX_ATTRIBUTES);
        Ok(Self(parts.map(|attributes| part(&mut bytes.as_slice(), attributes)).collect::<Result<_, _>>()?))
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.0[0].rows()
    }

    /// Calls `each` with the codes of every row, until it fails.
    pub(super) fn try_for_each<E>(&self, mut each: impl FnMut(&[u32]) -> Result<(), E>) -> Result<(), E> {
        let of = |table: &'_ Microdata| table.domain().len();
        let mut columns: Vec<_> =
            self.0.iter().flat_map(|table| (0..of(table)).map(move |column| table.codes(column))).collect();
        let mut row = vec![0; columns.len()];
        for _ in 0..self.len() {
            row.iter_mut().zip(&mut columns).for_each(|(code, column)| *code = column.next().unwrap_or_default());
            each(&row)?;
        }
        Ok(())
    }
}
