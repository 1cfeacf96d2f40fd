//! Parquet files, read back: values, nulls, groups of rows, bytes.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use parquet::basic::{Compression, Encoding};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use privacy_data::{ColumnKind, CsvField, GROUP_ROWS, TableFormat, TableWriter};

const COLUMNS: [(&str, ColumnKind); 3] =
    [("region, \"new\"", ColumnKind::Text), ("n.rows", ColumnKind::Integer), ("sd", ColumnKind::Real)];

/// A line of which everything follows from its number; the standard deviation is missing in every
/// third.
fn line(number: usize) -> (String, i64, Option<f64>) {
    let label = ["北", "", "a,b", "two\nlines", "=1+1"][number % 5];
    let sd = (!number.is_multiple_of(3)).then_some(0.1 * number as f64);
    (format!("{label}{}", number % 1_000 / 5), number as i64 - 40, sd)
}

fn table(rows: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut table = TableWriter::new(TableFormat::Parquet, &mut bytes, COLUMNS).unwrap();
    for number in 0..rows {
        let (label, count, sd) = line(number);
        let fields = [CsvField::Text(&label), CsvField::from(count), CsvField::Real(sd.unwrap_or(f64::NAN))];
        table.line(fields).unwrap();
    }
    table.finish().unwrap();
    bytes
}

fn reader(bytes: &[u8]) -> SerializedFileReader<File> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    SerializedFileReader::new(file).unwrap()
}

#[test]
fn tables_of_several_groups_of_rows_are_read_back() {
    let rows = GROUP_ROWS + 17;
    let reader = reader(&table(rows));
    let metadata = reader.metadata();
    let groups: Vec<i64> = metadata.row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(groups, [GROUP_ROWS as i64, 17]);
    let mut number = 0;
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let fields: Vec<(&String, &Field)> = row.get_column_iter().collect();
        let (label, count, sd) = line(number);
        assert!(fields.iter().map(|(name, _)| name.as_str()).eq(COLUMNS.map(|(name, _)| name)));
        assert_eq!(*fields[0].1, Field::Str(label));
        assert_eq!(*fields[1].1, Field::Long(count));
        match (fields[2].1, sd) {
            (Field::Double(have), Some(want)) => assert_eq!(have.to_bits(), want.to_bits()),
            (have, want) => assert_eq!((have, want), (&Field::Null, None)),
        }
        number += 1;
    }
    assert_eq!(number, rows);
}

#[test]
fn labels_have_dictionaries_and_pages_are_compressed() {
    let reader = reader(&table(5_000));
    let file = reader.metadata().file_metadata();
    assert_eq!(file.created_by(), Some(concat!("disclosure version ", env!("CARGO_PKG_VERSION"))));
    assert!(file.key_value_metadata().is_none());
    let group = reader.metadata().row_group(0);
    assert!(group.columns().iter().all(|column| column.compression() == Compression::SNAPPY));
    assert!(group.column(0).encodings().any(|encoding| encoding == Encoding::RLE_DICTIONARY));
    assert!(group.column(0).statistics().is_none());
}

#[test]
fn the_bytes_are_those_of_the_lines() {
    assert_eq!(table(1_000), table(1_000));
    assert_ne!(table(1_000), table(1_001));
    let empty = reader(&table(0));
    assert_eq!(empty.metadata().file_metadata().num_rows(), 0);
}

#[test]
fn an_output_that_fails_is_an_error() {
    /// A disk with this much room.
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for room in [0, 100] {
        let mut table = TableWriter::new(TableFormat::Parquet, Full(room), [("n", ColumnKind::Integer)]).unwrap();
        (0..100_i64).for_each(|number| table.line([CsvField::from(number)]).unwrap());
        assert_eq!(table.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}

#[test]
fn the_end_of_a_name_says_the_format() {
    for (name, format) in [
        ("people.parquet", TableFormat::Parquet),
        ("deep/people.PARQUET", TableFormat::Parquet),
        ("people.csv", TableFormat::Csv),
        ("parquet", TableFormat::Csv),
        ("people.parquet.txt", TableFormat::Csv),
    ] {
        assert_eq!(TableFormat::of_path(Path::new(name)), format, "{name}");
    }
}

#[test]
#[should_panic(expected = "the kind of its column")]
fn a_field_of_another_kind_is_a_bug() {
    let mut table = TableWriter::new(TableFormat::Parquet, Vec::new(), [("n", ColumnKind::Integer)]).unwrap();
    let _ = table.line([CsvField::Real(0.5)]);
}

#[test]
#[should_panic(expected = "as many fields")]
fn a_line_of_another_width_is_a_bug() {
    let mut table = TableWriter::new(TableFormat::Parquet, Vec::new(), COLUMNS).unwrap();
    let _ = table.line([CsvField::Text("x")]);
}
