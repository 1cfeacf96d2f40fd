//! Parquet files of labelled tables, a group of rows at a time.
//!
//! Columns are flat: labels are strings under a dictionary, and are never null; integers are
//! `INT64`; other numbers are `DOUBLE`, null where they are not finite. Pages are compressed with
//! Snappy. The bytes follow from the names, the numbers and the version of this program alone:
//! there is no time, no path and no order of threads in them.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use crate::tables::ColumnKind;

/// The most rows of a group: what is held at once. A reader may give each group to a thread.
pub const GROUP_ROWS: usize = 1 << 17;

/// Rows that are handed over at once.
const BATCH: usize = 1 << 12;

/// Bytes of a dictionary of numbers, beyond which they are written as they are. Noised numbers
/// hardly ever come twice, standard deviations and whole counts do.
const DICTIONARY_OF_NUMBERS: usize = 1 << 17;

/// Bytes of a dictionary of labels: those of a whole group.
const DICTIONARY_OF_LABELS: usize = 1 << 26;

/// Labels that codes stand for.
#[derive(Clone)]
pub struct ParquetLabels(Vec<ByteArray>);

impl ParquetLabels {
    /// Code 0 is the first of these labels.
    #[must_use]
    pub fn new(labels: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Self(labels.into_iter().map(|label| ByteArray::from(label.as_ref())).collect())
    }
}

/// How many there are may be shown, labels may not.
impl std::fmt::Debug for ParquetLabels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetLabels").field("labels", &self.0.len()).finish_non_exhaustive()
    }
}

/// A column of one group of rows.
#[derive(Clone, Copy, Debug)]
pub enum ParquetColumn<'a> {
    /// A label for each row: its place in a list.
    Labels(&'a ParquetLabels, &'a [u32]),
    /// Whole numbers.
    Integers(&'a [i64]),
    /// Numbers; null where they are not finite.
    Reals(&'a [f64]),
}

/// A file that is written as it is made.
pub struct ParquetFile<W: Write> {
    out: W,
    // The writer wants an output that other threads may have; what it makes is handed on here.
    writer: SerializedFileWriter<Vec<u8>>,
}

impl<W: Write> std::fmt::Debug for ParquetFile<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetFile").finish_non_exhaustive()
    }
}

impl<W: Write> ParquetFile<W> {
    /// A file with these columns, in this order, and no row.
    ///
    /// # Errors
    /// None that a domain leads to: its names are all different.
    pub fn new<'a>(out: W, columns: impl IntoIterator<Item = (&'a str, ColumnKind)>) -> io::Result<Self> {
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("disclosure version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::SNAPPY)
            .set_dictionary_page_size_limit(DICTIONARY_OF_NUMBERS)
            .set_statistics_enabled(EnabledStatistics::Chunk);
        let mut fields = Vec::new();
        for (name, kind) in columns {
            if kind == ColumnKind::Text {
                let path = ColumnPath::new(vec![name.to_owned()]);
                properties = properties
                    .set_column_dictionary_page_size_limit(path.clone(), DICTIONARY_OF_LABELS)
                    .set_column_statistics_enabled(path, EnabledStatistics::None);
            }
            fields.push(field(name, kind).map_err(failed)?);
        }
        let schema = Type::group_type_builder("table").with_fields(fields).build().map_err(failed)?;
        let writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties.build()));
        Ok(Self { out, writer: writer.map_err(failed)? })
    }

    /// Writes a group of rows: all columns, of one length, at most [`GROUP_ROWS`].
    ///
    /// # Errors
    /// What the output reports.
    ///
    /// # Panics
    /// If there are other columns than the file has, or a code without a label.
    pub fn write_group(&mut self, columns: &[ParquetColumn<'_>]) -> io::Result<()> {
        let mut group = self.writer.next_row_group().map_err(failed)?;
        let mut columns = columns.iter();
        while let Some(mut writer) = group.next_column().map_err(failed)? {
            let column = columns.next().expect("a group has the columns of the file");
            write_column(&mut writer, *column).and_then(|()| writer.close()).map_err(failed)?;
        }
        assert!(columns.next().is_none(), "a group has the columns of the file");
        group.close().map_err(failed)?;
        self.writer.flush()?;
        let made = self.writer.inner_mut();
        self.out.write_all(made)?;
        made.clear();
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// What the output reports.
    pub fn finish(mut self) -> io::Result<()> {
        let made = self.writer.into_inner().map_err(failed)?;
        self.out.write_all(&made)
    }
}

fn failed(error: ParquetError) -> io::Error {
    io::Error::other(error)
}

/// A column of the schema.
fn field(name: &str, kind: ColumnKind) -> Result<TypePtr, ParquetError> {
    let (physical, repetition) = match kind {
        ColumnKind::Text => (Physical::BYTE_ARRAY, Repetition::REQUIRED),
        ColumnKind::Integer => (Physical::INT64, Repetition::REQUIRED),
        ColumnKind::Real => (Physical::DOUBLE, Repetition::OPTIONAL),
    };
    let field = Type::primitive_type_builder(name, physical).with_repetition(repetition);
    let field = match kind {
        ColumnKind::Text => field.with_logical_type(Some(LogicalType::String)).with_converted_type(ConvertedType::UTF8),
        ColumnKind::Integer | ColumnKind::Real => field,
    };
    field.build().map(Arc::new)
}

fn write_column(writer: &mut SerializedColumnWriter<'_>, column: ParquetColumn<'_>) -> Result<(), ParquetError> {
    match column {
        ParquetColumn::Labels(labels, codes) => {
            let writer = writer.typed::<ByteArrayType>();
            let mut batch: Vec<ByteArray> = Vec::with_capacity(BATCH);
            for codes in codes.chunks(BATCH) {
                batch.clear();
                batch.extend(codes.iter().map(|&code| labels.0[code as usize].clone()));
                writer.write_batch(&batch, None, None)?;
            }
        }
        ParquetColumn::Integers(numbers) => {
            let writer = writer.typed::<Int64Type>();
            numbers.chunks(BATCH).try_for_each(|batch| writer.write_batch(batch, None, None).map(drop))?;
        }
        ParquetColumn::Reals(numbers) => {
            let writer = writer.typed::<DoubleType>();
            let (mut batch, mut levels) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
            for numbers in numbers.chunks(BATCH) {
                batch.clear();
                levels.clear();
                levels.extend(numbers.iter().map(|number| i16::from(number.is_finite())));
                batch.extend(numbers.iter().filter(|number| number.is_finite()));
                writer.write_batch(&batch, Some(&levels), None)?;
            }
        }
    }
    Ok(())
}
