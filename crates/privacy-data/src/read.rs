//! A CSV file and a schema to coded rows, or straight to marginals.

use std::collections::BTreeMap;
use std::io::Read;

use privacy_core::table::MAX_TOTAL;
use privacy_core::{AttrSet, ContingencyTable};

use crate::coder::canonical_integer;
use crate::dialect::Dialect;
use crate::error::{DataError, Defect};
use crate::microdata::Microdata;
use crate::nearest::nearest;
use crate::record::{Encoding, Record};
use crate::records::Records;
use crate::schema::Schema;
use crate::tabulate::Tabulation;

/// Rows that are coded before they are counted, when no row is kept.
const BLOCK: usize = 1 << 16;

/// How a CSV file is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// How bytes spell text.
    pub encoding: Encoding,
    /// Separator, quote and decimal mark.
    pub dialect: Dialect,
    /// The column that says how many people a row stands for; without it a row is one.
    pub count_column: Option<String>,
    /// Longest field, in bytes.
    pub max_field_bytes: usize,
    /// Longest record, in bytes.
    pub max_record_bytes: usize,
    /// Most fields of a record.
    pub max_columns: usize,
}

/// UTF-8, separator and decimal mark as the file shows them, no count column, fields of 1 MiB,
/// records of 16 MiB, 4,096 columns.
impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            encoding: Encoding::Utf8,
            dialect: Dialect::default(),
            count_column: None,
            max_field_bytes: 1 << 20,
            max_record_bytes: 1 << 24,
            max_columns: 1 << 12,
        }
    }
}

/// The fields of a text in the form of a line of CSV, such as names on a command line; none of an
/// empty text. A line break separates as well.
///
/// # Errors
/// [`DataError`]: what is wrong with its quotes.
pub fn fields_of_line(text: &str) -> Result<Vec<String>, DataError> {
    let mut records =
        Records::new(Box::new(text.as_bytes()), &CsvOptions { dialect: Dialect::STANDARD, ..CsvOptions::default() })?;
    let mut fields = Vec::new();
    while records.advance()? {
        let record = records.record();
        fields.extend((0..record.len()).map(|field| String::from_utf8_lossy(record.field(field)).into_owned()));
    }
    Ok(fields)
}

/// Names of the header to their positions, from 0. Names are in the file, so none goes into an
/// error.
pub(crate) fn header(record: &Record) -> Result<BTreeMap<&[u8], usize>, DataError> {
    let mut positions = BTreeMap::new();
    for field in 0..record.len() {
        if let Some(first) = positions.insert(record.field(field), field) {
            return Err(record.error(field, Defect::DuplicateColumn { first: first + 1 }));
        }
    }
    Ok(positions)
}

/// That the header has no column of this name, and where one with a similar name is.
pub(crate) fn missing_column(name: &str, record: &Record) -> Defect {
    let names: Vec<_> = (0..record.len()).map(|field| String::from_utf8_lossy(record.field(field))).collect();
    let found = nearest(name, names.iter().map(AsRef::as_ref));
    let similar = found.and_then(|found| names.iter().position(|name| name == found)).map(|position| position + 1);
    Defect::MissingColumn { found: record.len(), similar }
}

/// Whether a header looks as if another separator than a comma had been used.
pub(crate) fn other_separator(record: &Record) -> bool {
    record.len() == 1 && record.field(0).iter().any(|byte| matches!(byte, b';' | b'\t' | b'|'))
}

/// A file whose header was matched to the schema, and rows of it that were coded.
struct Rows<'a> {
    records: Records<'a>,
    schema: &'a Schema,
    /// Position of each attribute's column in the file.
    fields: Vec<usize>,
    count: Option<(usize, &'a str)>,
    width: usize,
    total: u64,
}

impl<'a> Rows<'a> {
    fn new(reader: Box<dyn Read + 'a>, schema: &'a Schema, options: &'a CsvOptions) -> Result<Self, DataError> {
        let mut records = Records::new(reader, options)?;
        if !records.advance()? {
            return Err(DataError::at_line(1, Defect::EmptyFile));
        }
        let record = records.record();
        let positions = header(record)?;
        let find = |name: &str| {
            positions.get(name.as_bytes()).copied().ok_or_else(|| {
                let missing = missing_column(name, record);
                let defect = if other_separator(record) { Defect::Separator } else { missing };
                DataError::at_line(1, defect).of(name)
            })
        };
        let fields = schema.columns().iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
        let count = match options.count_column.as_deref() {
            None => None,
            Some(name) => Some((find(name)?, name)),
        };
        if let Some((field, name)) = count.filter(|(field, _)| fields.contains(field)) {
            return Err(record.error(field, Defect::CountIsAttribute).of(name));
        }
        let width = record.len();
        Ok(Self { records, schema, fields, count, width, total: 0 })
    }

    /// Codes at most this number of rows, behind those of `data`; `false` at the end of the file.
    fn read_into(&mut self, data: &mut Microdata, at_most: usize) -> Result<bool, DataError> {
        for _ in 0..at_most {
            if !self.records.advance()? {
                return Ok(false);
            }
            let decimal = self.records.form().decimal;
            let record = self.records.record();
            if record.len() != self.width {
                let defect = Defect::FieldCount { expected: self.width, got: record.len() };
                return Err(DataError::at_line(record.line(), defect));
            }
            let coders = self.fields.iter().zip(self.schema.coders());
            for ((&field, coder), (attribute, column)) in coders.zip(data.columns_mut().iter_mut().enumerate()) {
                let name = || self.schema.columns()[attribute].as_str();
                let code = coder
                    .code(record.field(field), decimal)
                    .map_err(|defect| record.error(field, defect).of(name()))?;
                column.push(code);
            }
            let weight = self.weight()?;
            data.finish_row(weight);
        }
        Ok(true)
    }

    /// How many people the record stands for, added to the total.
    fn weight(&mut self) -> Result<u64, DataError> {
        let record = self.records.record();
        let weight = match self.count {
            None => 1,
            Some((field, name)) => {
                canonical_integer(record.field(field)).ok_or_else(|| record.error(field, Defect::NotACount).of(name))?
            }
        };
        let total = self.total.checked_add(weight).filter(|&total| total <= MAX_TOTAL);
        self.total = total.ok_or_else(|| DataError::at_line(record.line(), Defect::TotalTooLarge))?;
        Ok(weight)
    }

    fn empty(&self) -> Microdata {
        Microdata::empty(self.schema.domain().clone(), self.count.is_some())
    }
}

/// Reads a whole file: one code a row and attribute, one to four bytes each.
///
/// Columns may stand in any order; those that no attribute names are checked for their form and
/// otherwise ignored. One pass, memory in proportion to the rows.
///
/// # Errors
/// [`DataError`] at the first defect, with its line and field, and without any value.
pub fn read_csv(reader: impl Read, schema: &Schema, options: &CsvOptions) -> Result<Microdata, DataError> {
    read_rows(Box::new(reader), schema, options)
}

fn read_rows(reader: Box<dyn Read + '_>, schema: &Schema, options: &CsvOptions) -> Result<Microdata, DataError> {
    let mut rows = Rows::new(reader, schema, options)?;
    let mut data = rows.empty();
    rows.read_into(&mut data, usize::MAX)?;
    if data.rows() == 0 {
        return Err(DataError::at_line(1, Defect::NoRows));
    }
    Ok(data)
}

/// Counts the marginals over `sets` while reading, and keeps no row: memory does not grow with
/// the file.
///
/// The same tables as [`read_csv`] and then
/// [`CountSource::marginals`](privacy_core::CountSource::marginals).
///
/// ```
/// use privacy_core::Provenance;
/// use privacy_data::{AttributeSpec, CsvOptions, Schema, tabulate_csv};
///
/// let attributes = vec![
///     AttributeSpec::of_labels("party", ["left", "right"]),
///     AttributeSpec::of_bins("age", [18.0, 40.0, 120.0]),
/// ];
/// let schema = Schema::new(attributes, Provenance::Public)?;
/// let set = schema.domain().set_of(&["party", "age"])?;
/// let file = "age,party\n30,left\n41,right\n30,left\n";
/// let tables = tabulate_csv(file.as_bytes(), &schema, &CsvOptions::default(), &[set])?;
/// assert_eq!(tables[0].cells(), [2, 0, 0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`read_csv`], and [`Defect::Count`] for a set that cannot be counted.
pub fn tabulate_csv(
    reader: impl Read,
    schema: &Schema,
    options: &CsvOptions,
    sets: &[AttrSet],
) -> Result<Vec<ContingencyTable>, DataError> {
    tabulate_rows(Box::new(reader), schema, options, sets)
}

fn tabulate_rows(
    reader: Box<dyn Read + '_>,
    schema: &Schema,
    options: &CsvOptions,
    sets: &[AttrSet],
) -> Result<Vec<ContingencyTable>, DataError> {
    let counting = |source| DataError::at_line(1, Defect::Count(source));
    let mut rows = Rows::new(reader, schema, options)?;
    let mut block = rows.empty();
    let mut sums = Tabulation::new(block.domain(), sets).map_err(counting)?;
    let mut any = false;
    loop {
        let more = rows.read_into(&mut block, BLOCK)?;
        any |= block.rows() > 0;
        sums.add(&block);
        block.clear();
        if !more {
            break;
        }
    }
    if !any {
        return Err(DataError::at_line(1, Defect::NoRows));
    }
    sums.into_tables(schema.domain()).map_err(counting)
}
