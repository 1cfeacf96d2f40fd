//! What is refused: rows that do not fit, data that change, files that are no table, queries that
//! reach further than the data.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BinaryArray, Int32Array, StringArray};
use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::input::{CsvSource, DataSource, FormatSpec, TextColumns};
use privacy_core::{AttrSet, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, Schema};
use support::{Table, schema, source, source_with, write_parquet};

fn parquet(directory: &Path, batch: &RecordBatch) -> PathBuf {
    let path = directory.join("t.parquet");
    write_parquet(&path, batch);
    path
}

fn of(spec: AttributeSpec) -> Schema {
    Schema::new(vec![spec], Provenance::Public).unwrap()
}

/// The code and the message of both ways to read a column.
fn refused(path: &Path, schema: &Schema) -> (String, String) {
    let options = CsvOptions::default();
    let source = source(path, 2).unwrap();
    let counted = source.count_marginals(schema, &options, &[schema.domain().all()]).unwrap_err();
    let read = source.read_rows(schema, &options).unwrap_err();
    assert_eq!(counted, read, "both ways say the same");
    (counted.code().to_owned(), counted.message().to_owned())
}

#[test]
fn rows_that_do_not_fit_are_counted_and_never_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let labels: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("secret"), Some(""), Some("secret")]));
    let path = parquet(directory.path(), &RecordBatch::try_from_iter([("x", labels)]).unwrap());
    let (code, message) = refused(&path, &of(AttributeSpec::of_labels("x", ["a"])));
    assert_eq!(code, "E0336");
    assert!(message.ends_with("column \"x\": 4 rows have a value outside the domain, 2 of them NULL or an empty text"));
    assert!(!message.contains("secret"));
}

#[test]
fn no_rows_and_no_column_are_what_they_are_for_text() {
    let directory = tempfile::tempdir().unwrap();
    let path = parquet(directory.path(), &Table::seeded(1, 5).batch().slice(0, 0));
    assert_eq!(refused(&path, &schema()).0, "E0302");
    let text = CsvSource::bytes("t", &b"age\n"[..]);
    assert!(
        text.read_rows(&of(AttributeSpec::of_size("age", 9)), &CsvOptions::default()).unwrap_err().has_code("E0302")
    );
    assert_eq!(refused(&path, &of(AttributeSpec::of_size("nowhere", 2))).0, "E0308");
    let rows = source(&path, 1).unwrap().for_each_text_row(
        TextColumns::Named(&["nowhere"]),
        &CsvOptions::default(),
        &mut |_| Ok(()),
    );
    assert!(rows.unwrap_err().has_code("E0308"));
}

#[test]
fn bytes_are_neither_labels_nor_numbers() {
    let directory = tempfile::tempdir().unwrap();
    let column: ArrayRef = Arc::new(BinaryArray::from(vec![&b"a"[..]]));
    let path = parquet(directory.path(), &RecordBatch::try_from_iter([("x", column)]).unwrap());
    assert_eq!(refused(&path, &of(AttributeSpec::of_labels("x", ["a"]))).0, "E0337");
}

#[test]
fn a_file_that_changed_is_noticed_by_the_next_reading() {
    let directory = tempfile::tempdir().unwrap();
    let path = parquet(directory.path(), &Table::seeded(1, 500).batch());
    let (source, options) = (source(&path, 2).unwrap(), CsvOptions::default());
    source.read_rows(&schema(), &options).unwrap();
    write_parquet(&path, &Table::seeded(2, 400).batch());
    let counted = source.count_marginals(&schema(), &options, &[AttrSet::EMPTY]);
    let code = counted.unwrap_err().code();
    assert!(["E0338", "E0339"].contains(&code), "{code}");
}

#[test]
fn damaged_files_and_mixed_folders_are_refused_without_a_value() {
    let directory = tempfile::tempdir().unwrap();
    let path = parquet(directory.path(), &Table::seeded(1, 500).batch());
    let bytes = std::fs::read(&path).unwrap();
    for kept in [6, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..kept]).unwrap();
        let error = source(&path, 1).err().unwrap();
        assert!(error.has_code("E0339"), "{kept}: {error}");
    }
    std::fs::write(&path, &bytes).unwrap();
    std::fs::write(directory.path().join("more.csv"), "x,y\n").unwrap();
    assert!(source(directory.path(), 1).unwrap_err().has_code("E0339"));
}

#[test]
fn a_query_reads_the_data_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let path = parquet(directory.path(), &Table::seeded(1, 50).batch());
    let other = directory.path().join("other.csv");
    std::fs::write(&other, "a\n1\n").unwrap();
    let other = other.display().to_string();
    for query in [
        "DROP TABLE data".to_owned(),
        "SELECT 1; SELECT 2".to_owned(),
        "SET datafusion.catalog.information_schema = true".to_owned(),
        format!("COPY data TO '{other}x' STORED AS PARQUET"),
        format!("CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '{other}'"),
        format!("SELECT * FROM '{other}'"),
        "INSERT INTO data VALUES (1)".to_owned(),
        "SELECT nowhere FROM data".to_owned(),
        "SELEC age".to_owned(),
    ] {
        let format = FormatSpec { query: Some(query.clone()), ..FormatSpec::default() };
        let error = source_with(&path, 1, &format).err().unwrap_or_else(|| panic!("{query} ran"));
        assert!(error.has_code("E0349"), "{query}: {error:?}");
    }
    let values = FormatSpec { query: Some("SELECT CAST(many AS INT) FROM data".into()), ..FormatSpec::default() };
    let error = source_with(&path, 1, &values).err().unwrap();
    assert!(error.has_code("E0339") && !error.message().contains("'c"), "{error}");
}

#[test]
fn what_is_declared_for_text_does_not_suit_columns() {
    let directory = tempfile::tempdir().unwrap();
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let path = parquet(directory.path(), &RecordBatch::try_from_iter([("x", numbers)]).unwrap());
    for text in ["table = \"t\"", "separator = \";\"", "sheet = \"s\""] {
        let format: FormatSpec = privacy_data::parse_toml(text).unwrap();
        assert!(source_with(&path, 1, &format).unwrap_err().has_code("E0350"), "{text}");
    }
}
