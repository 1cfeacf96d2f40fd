//! Tables in the format that the user asked for, line by line.

use std::io::{self, Write};
use std::path::Path;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::columnar::{GROUP_ROWS, ParquetColumn, ParquetFile, ParquetLabels};
use crate::writer::{CsvField, CsvWriter};

/// How tables are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableFormat {
    /// Text (RFC 4180).
    #[default]
    Csv,
    /// Columns with their types, for programs.
    Parquet,
}

impl TableFormat {
    /// The end of the name of a file, without its point.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }

    /// The format that the name of a file has: Parquet where it ends in `.parquet`, else CSV.
    #[must_use]
    pub fn of_path(path: &Path) -> Self {
        match path.extension() {
            Some(end) if end.eq_ignore_ascii_case("parquet") => Self::Parquet,
            _ => Self::Csv,
        }
    }
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Labels.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers, or nothing where they are not finite.
    Real,
}

/// A table that is written as it is made: columns with their kinds, and lines as long.
///
/// ```
/// use privacy_data::{ColumnKind, CsvField, TableFormat, TableWriter};
///
/// let mut bytes = Vec::new();
/// let columns = [("party", ColumnKind::Text), ("count", ColumnKind::Integer), ("sd", ColumnKind::Real)];
/// let mut table = TableWriter::new(TableFormat::Parquet, &mut bytes, columns)?;
/// table.line([CsvField::Text("left, or nearly"), CsvField::Integer(12), CsvField::Real(2.5)])?;
/// table.finish()?;
/// assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct TableWriter<W: Write>(Form<W>);

#[derive(Debug)]
enum Form<W: Write> {
    Csv(CsvWriter<W>),
    Parquet(Box<ParquetFile<W>>, Vec<Buffer>),
}

impl<W: Write> TableWriter<W> {
    /// A table with these columns and no line.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn new<'a>(
        format: TableFormat,
        out: W,
        columns: impl IntoIterator<Item = (&'a str, ColumnKind)>,
    ) -> io::Result<Self> {
        let columns: Vec<(&str, ColumnKind)> = columns.into_iter().collect();
        Ok(Self(match format {
            TableFormat::Csv => Form::Csv(CsvWriter::new(out, columns.into_iter().map(|(name, _)| name))?),
            TableFormat::Parquet => {
                let buffers = columns.iter().map(|(_, kind)| Buffer::new(*kind)).collect();
                Form::Parquet(Box::new(ParquetFile::new(out, columns)?), buffers)
            }
        }))
    }

    /// Writes a line.
    ///
    /// # Errors
    /// What the output reports.
    ///
    /// # Panics
    /// If it has another number of fields than there are columns, or fields of other kinds.
    pub fn line<'a>(&mut self, fields: impl IntoIterator<Item = CsvField<'a>>) -> io::Result<()> {
        match &mut self.0 {
            Form::Csv(table) => table.line(fields),
            Form::Parquet(file, buffers) => {
                let mut fields = fields.into_iter();
                for buffer in &mut *buffers {
                    buffer.push(fields.next().expect(AS_LONG));
                }
                assert!(fields.next().is_none(), "{AS_LONG}");
                match buffers.first().is_some_and(|buffer| buffer.len() >= GROUP_ROWS) {
                    true => write(file, buffers),
                    false => Ok(()),
                }
            }
        }
    }

    /// Ends the table: Parquet has its directory at its end.
    ///
    /// # Errors
    /// What the output reports.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Form::Csv(_) => Ok(()),
            Form::Parquet(mut file, mut buffers) => {
                if buffers.first().is_some_and(|buffer| buffer.len() > 0) {
                    write(&mut file, &mut buffers)?;
                }
                file.finish()
            }
        }
    }
}

const AS_LONG: &str = "a line has as many fields as there are columns";

/// Writes what is gathered as a group of rows.
fn write<W: Write>(file: &mut ParquetFile<W>, buffers: &mut [Buffer]) -> io::Result<()> {
    // A dictionary is that of its group: labels that come once each take no more room than that.
    let labels: Vec<Option<ParquetLabels>> = buffers.iter().map(Buffer::labels).collect();
    let columns: Vec<ParquetColumn<'_>> =
        buffers.iter().zip(&labels).map(|(buffer, labels)| buffer.column(labels.as_ref())).collect();
    file.write_group(&columns)?;
    buffers.iter_mut().for_each(Buffer::clear);
    Ok(())
}

/// A column of the group that is gathered.
enum Buffer {
    Text { places: FxHashMap<String, u32>, codes: Vec<u32> },
    Integer(Vec<i64>),
    Real(Vec<f64>),
}

/// How much there is may be shown, labels and numbers may not.
impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer").field("rows", &self.len()).finish_non_exhaustive()
    }
}

impl Buffer {
    fn new(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Text => Self::Text { places: FxHashMap::default(), codes: Vec::new() },
            ColumnKind::Integer => Self::Integer(Vec::new()),
            ColumnKind::Real => Self::Real(Vec::new()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Text { codes, .. } => codes.len(),
            Self::Integer(numbers) => numbers.len(),
            Self::Real(numbers) => numbers.len(),
        }
    }

    fn push(&mut self, field: CsvField<'_>) {
        match (self, field) {
            (Self::Text { places, codes }, CsvField::Text(label)) => {
                let next = places.len() as u32;
                let code = match places.get(label) {
                    Some(&code) => code,
                    None => *places.entry(label.to_owned()).or_insert(next),
                };
                codes.push(code);
            }
            (Self::Integer(numbers), CsvField::Integer(number)) => {
                numbers.push(i64::try_from(number).expect("a count has at most 63 bits"));
            }
            (Self::Real(numbers), CsvField::Integer(number)) => numbers.push(number as f64),
            (Self::Real(numbers), CsvField::Real(number)) => numbers.push(number),
            _ => panic!("a field has the kind of its column"),
        }
    }

    /// The labels of a column of them, by their codes.
    fn labels(&self) -> Option<ParquetLabels> {
        let Self::Text { places, .. } = self else { return None };
        let mut labels: Vec<(&String, &u32)> = places.iter().collect();
        labels.sort_unstable_by_key(|(_, code)| **code);
        Some(ParquetLabels::new(labels.into_iter().map(|(label, _)| label)))
    }

    fn column<'a>(&'a self, labels: Option<&'a ParquetLabels>) -> ParquetColumn<'a> {
        match self {
            Self::Text { codes, .. } => ParquetColumn::Labels(labels.expect("a column of labels has some"), codes),
            Self::Integer(numbers) => ParquetColumn::Integers(numbers),
            Self::Real(numbers) => ParquetColumn::Reals(numbers),
        }
    }

    fn clear(&mut self) {
        match self {
            Self::Text { places, codes } => {
                places.clear();
                codes.clear();
            }
            Self::Integer(numbers) => numbers.clear(),
            Self::Real(numbers) => numbers.clear(),
        }
    }
}
