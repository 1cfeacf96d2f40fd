//! Names and labels of a job are hostile: in every dialect they are names and labels, and nothing
//! else is read or written by them.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

#[cfg(feature = "duckdb")]
#[path = "support/duck.rs"]
mod duck;
#[path = "support/hostile.rs"]
mod hostile;
#[cfg(all(feature = "ballista", unix))]
#[path = "support/parts.rs"]
mod parts;
#[cfg(all(feature = "postgres", unix))]
#[path = "support/server.rs"]
mod server;
mod support;

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, StringArray};
use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::JobError;
#[cfg(any(feature = "postgres", feature = "duckdb"))]
use disclosure_jobs::input::FormatSpec;
use disclosure_jobs::input::{DataSource, TextColumns};
use hostile::HOSTILE;
use privacy_core::{AttrSet, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, Schema, TextRow};
use privacy_sql::EngineSource;
use support::{source, write_arrow, write_parquet};

/// Names that no column has: look-alikes of one, and such as hold a NUL.
const UNKNOWN: [&str; 5] = ["\u{430}g\u{435}", "a\u{2019}b", "age\0", "\0", "a\"b\0\"; DROP TABLE canary; --"];

/// Every label is in every column once: in another row each time.
fn label(row: usize, column: usize) -> &'static str {
    HOSTILE[(row + column) % HOSTILE.len()]
}

#[cfg(any(feature = "postgres", feature = "duckdb"))]
fn csv() -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let line = |texts: Vec<&str>| texts.into_iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    let rows = (0..HOSTILE.len()).map(|row| line((0..HOSTILE.len()).map(|column| label(row, column)).collect()));
    line(HOSTILE.to_vec()) + &rows.collect::<String>()
}

/// The columns of a table, as a statement creates them.
#[cfg(any(feature = "postgres", feature = "duckdb"))]
fn created(kind: &str) -> String {
    HOSTILE.map(|name| format!("{} {kind}", identifier(name))).join(", ")
}

#[cfg(any(feature = "postgres", feature = "duckdb"))]
fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn schema(columns: &[&str]) -> Schema {
    // A label with a NUL is one that nobody has.
    let labels = || HOSTILE.into_iter().chain(["age\0"]);
    let attributes = columns.iter().map(|column| AttributeSpec::of_labels(*column, labels()));
    Schema::new(attributes.collect(), Provenance::Public).unwrap()
}

fn texts(source: &dyn DataSource, columns: &[&str]) -> Result<Vec<Vec<String>>, JobError> {
    let mut all = Vec::new();
    let mut keep = |row: &TextRow<'_>| -> Result<(), JobError> {
        all.push(row.fields().map(str::to_owned).collect());
        Ok(())
    };
    source.for_each_text_row(TextColumns::Named(columns), &CsvOptions::default(), &mut keep)?;
    all.sort();
    Ok(all)
}

fn check(source: &EngineSource) {
    let (options, size) = (CsvOptions::default(), HOSTILE.len());
    let mut expected: Vec<Vec<&str>> =
        (0..size).map(|row| (0..size).map(|column| label(row, column)).collect()).collect();
    expected.sort();
    assert_eq!(texts(source, &HOSTILE).unwrap(), expected);
    // All columns at once, and two by themselves, which a server groups.
    for (columns, set) in [(&HOSTILE[..], AttrSet::first(2)), (&HOSTILE[4..6], AttrSet::first(2))] {
        let schema = schema(columns);
        let tables = source.count_marginals(&schema, &options, &[set, AttrSet::single(1)]).unwrap().unwrap();
        // Of two columns side by side the second has the label behind that of the first.
        let cell = |place: usize| {
            let (first, second) = (place / (size + 1), place % (size + 1));
            u64::from(first < size && second == (first + 1) % size)
        };
        assert!(tables[0].cells().iter().enumerate().all(|(place, &count)| count == cell(place)));
        assert_eq!(tables[1].cells(), [&[1; HOSTILE.len()][..], &[0]].concat());
        assert_eq!(source.read_rows(&schema, &options).unwrap().rows(), size);
    }
    for unknown in UNKNOWN {
        assert!(texts(source, &[unknown]).unwrap_err().has_code("E0308"), "{unknown:?}");
        let schema = schema(&["age", unknown]);
        let counted = source.count_marginals(&schema, &options, &[AttrSet::first(2)]);
        assert!(counted.unwrap_err().has_code("E0308"), "{unknown:?}");
        let options = CsvOptions { count_column: Some(unknown.to_owned()), ..options.clone() };
        let counted = source.count_marginals(&self::schema(&["age"]), &options, &[AttrSet::single(0)]);
        assert!(counted.unwrap_err().has_code("E0308"), "{unknown:?}");
    }
    let learnt = source.learn_domain(&options).unwrap().to_toml();
    assert_eq!(learnt.matches("[[attribute]]").count(), size, "{learnt}");
}

#[cfg(any(feature = "postgres", feature = "duckdb"))]
fn table(name: &str) -> FormatSpec {
    FormatSpec { table: Some(name.to_owned()), ..FormatSpec::default() }
}

/// The rows as columns of texts.
fn batch() -> RecordBatch {
    let column = |column| Arc::new(StringArray::from_iter_values((0..HOSTILE.len()).map(|row| label(row, column))));
    let columns = HOSTILE.iter().enumerate().map(|(place, name)| -> (&str, ArrayRef) { (name, column(place)) });
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn names_and_labels_of_files_are_no_sql() {
    let directory = tempfile::tempdir().unwrap();
    let batch = batch();
    let (parquet, arrow) = (directory.path().join("t.parquet"), directory.path().join("t.arrow"));
    write_parquet(&parquet, &batch);
    write_arrow(&arrow, &batch);
    for path in [parquet, arrow] {
        check(&source(&path, 2).unwrap());
    }
    // The names of files are no patterns, and no queries.
    for name in HOSTILE.into_iter().filter(|name| !name.contains('/')) {
        let path = directory.path().join(name);
        write_parquet(&path, &batch);
        let read = source(&path, 1).and_then(|source| texts(&source, &["age"]));
        // The engine has no path with a line in it.
        match name.contains('\n') {
            true => assert!(read.unwrap_err().has_code("E0339")),
            false => assert_eq!(read.unwrap().len(), HOSTILE.len(), "{name}"),
        }
        std::fs::remove_file(path).unwrap();
    }
}

#[cfg(all(feature = "postgres", unix))]
#[test]
fn names_and_labels_of_a_server_are_no_sql() {
    let Some(server) = server::Server::start() else { return };
    let stop = privacy_core::stop::StopFlag::never();
    let open = |format: &FormatSpec| {
        let address = server.address("owner");
        let request = disclosure_jobs::input::SourceRequest { name: &address, format, stop: &stop };
        server.opener().source(&request).map(|source| source.unwrap())
    };
    server.execute(&format!(
        "CREATE TABLE canary (x int); INSERT INTO canary VALUES (7); CREATE TABLE people ({})",
        created("text")
    ));
    server.fill("people", &csv());
    check(&open(&table("people")).unwrap());
    check(&open(&FormatSpec { query: Some("SELECT * FROM people".to_owned()), ..FormatSpec::default() }).unwrap());
    for name in HOSTILE {
        let quoted = identifier(name);
        server.execute(&format!("CREATE TABLE {quoted} AS SELECT 1 AS {quoted}"));
        assert_eq!(texts(&open(&table(name)).unwrap(), &[name]).unwrap(), [["1"]], "{name}");
    }
    // The server would cut the longer name off, and read the table of the shorter one.
    let longest = "n".repeat(63);
    server.execute(&format!("CREATE TABLE {longest} AS SELECT 1 AS x"));
    assert!(open(&table(&longest)).is_ok());
    let others = ["canary; DROP TABLE canary", "canary\0", "Canary", "\u{441}anary", "pg_read_file('/etc/passwd')"];
    for name in others.into_iter().map(str::to_owned).chain([format!("{longest}n")]) {
        let refused = open(&table(&name)).map(|_| ()).unwrap_err();
        assert!(refused.has_code("E0349"), "{name:?}: {refused}");
    }
    assert_eq!(texts(&open(&table("canary")).unwrap(), &["x"]).unwrap(), [["7"]]);
}

#[cfg(feature = "duckdb")]
#[test]
fn names_and_labels_of_duckdb_are_no_sql() {
    let Some(file) = duck::DuckFile::new() else { return };
    let path = file.folder().join("rows.csv");
    std::fs::write(&path, csv()).unwrap();
    file.execute(&format!(
        "CREATE TABLE canary AS SELECT 7 AS x; CREATE TABLE people ({});\n\
         COPY people FROM '{}' (HEADER, QUOTE '\"', ESCAPE '\"', DELIMITER ',')",
        created("VARCHAR"),
        path.display()
    ));
    check(&file.table("people"));
    for name in HOSTILE {
        let quoted = identifier(name);
        file.execute(&format!("CREATE TABLE {quoted} AS SELECT 1 AS {quoted}"));
        assert_eq!(texts(&file.table(name), &[name]).unwrap(), [["1"]], "{name}");
    }
    let stop = privacy_core::stop::StopFlag::never();
    for name in ["canary; DROP TABLE canary", "canary\0", "\u{441}anary", "read_text('/etc/passwd')", "'/etc/passwd'"] {
        let request =
            disclosure_jobs::input::SourceRequest { name: &file.address(), format: &table(name), stop: &stop };
        let refused = privacy_sql::DuckdbOpener::default().source(&request).map(|_| ()).unwrap_err();
        assert!(refused.has_code("E0349"), "{name:?}: {refused}");
    }
    assert_eq!(texts(&file.table("canary"), &["x"]).unwrap(), [["7"]]);
}

#[cfg(all(feature = "ballista", unix))]
#[test]
fn names_and_labels_of_a_cluster_are_no_sql() {
    let directory = tempfile::tempdir().unwrap();
    let parts = parts::Parts::start(&[None]);
    let path = directory.path().join("t.parquet");
    write_parquet(&path, &batch());
    check(&parts.source(&path, 120).unwrap());
    let (schema, options) = (schema(&["age"]), CsvOptions::default());
    // Beside other files, so that a pattern would find more of them.
    for name in HOSTILE.into_iter().filter(|name| !name.contains('/')) {
        let path = directory.path().join(name);
        write_parquet(&path, &batch());
        let address = url::Url::from_file_path(&path).unwrap().path().to_owned();
        let counted = parts.source(std::path::Path::new(&address), 120);
        let counted = counted.and_then(|source| source.count_marginals(&schema, &options, &[AttrSet::EMPTY]));
        match name.contains('\n') {
            true => assert!(counted.unwrap_err().has_code("E0339")),
            false => assert_eq!(counted.unwrap().unwrap()[0].cells(), [HOSTILE.len() as u64], "{name}"),
        }
    }
}
