//! DuckDB gives the rows of the text: codes, tables, texts, domains; and refuses what would write.
#![cfg(feature = "duckdb")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

#[path = "support/duck.rs"]
mod duck;
mod support;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use disclosure_jobs::JobError;
use disclosure_jobs::input::{CsvSource, DataSource, FormatSpec, SourceRequest, TextColumns};
use duck::DuckFile;
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, CountSource, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, Microdata, Schema, TextRow};
use privacy_sql::{DuckdbOpener, EngineSource};
use support::{TOWN, Table, schema};

fn table_format(name: &str) -> FormatSpec {
    FormatSpec { table: Some(name.to_owned()), ..FormatSpec::default() }
}

fn query_format(query: &str) -> FormatSpec {
    FormatSpec { query: Some(query.to_owned()), ..FormatSpec::default() }
}

fn open_at(address: &Path, format: &FormatSpec, threads: usize, stop: &StopFlag) -> Result<EngineSource, JobError> {
    let request = SourceRequest { name: address, format, stop };
    DuckdbOpener::default().with_threads(threads).source(&request).map(|source| source.unwrap())
}

fn open(file: &DuckFile, format: &FormatSpec) -> Result<EngineSource, JobError> {
    open_at(&file.address(), format, 2, &StopFlag::never())
}

fn options() -> CsvOptions {
    CsvOptions::default()
}

fn texts(source: &dyn DataSource, columns: TextColumns<'_>) -> Result<Vec<Vec<String>>, JobError> {
    let mut all = Vec::new();
    let mut keep = |row: &TextRow<'_>| -> Result<(), JobError> {
        all.push(row.fields().map(str::to_owned).collect());
        Ok(())
    };
    source.for_each_text_row(columns, &options(), &mut keep)?;
    Ok(all)
}

/// The codes of all rows, a column at a time, in their order.
fn codes(rows: &Microdata) -> Vec<Vec<u32>> {
    (0..rows.domain().len()).map(|attribute| rows.codes(attribute).collect()).collect()
}

#[test]
fn a_table_has_the_rows_of_its_text_in_their_order() {
    let Some(file) = DuckFile::new() else { return };
    for (seed, rows) in [(1, 30_000), (2, 997), (3, 1)] {
        let table = Table::seeded(seed, rows);
        file.execute("DROP VIEW IF EXISTS seen; DROP TABLE IF EXISTS people");
        file.fill("people", &table);
        file.execute("CREATE VIEW seen AS SELECT * FROM people");
        let text = CsvSource::bytes("t", table.csv().into_bytes());
        let expected = text.read_rows(&schema(), &options()).unwrap();
        let sets = [AttrSet::EMPTY, AttrSet::first(2), AttrSet::single(3), AttrSet::first(3)];
        let marginals = expected.marginals(&sets).unwrap();
        let query = "SELECT * FROM people -- all;\n;";
        for format in [table_format("people"), table_format("main.people"), table_format("seen"), query_format(query)] {
            for threads in [1, 2, 8] {
                let source = open_at(&file.address(), &format, threads, &StopFlag::never()).unwrap();
                let counted = source.count_marginals(&schema(), &options(), &sets).unwrap().unwrap();
                assert_eq!(counted.len(), marginals.len());
                counted.iter().zip(&marginals).for_each(|(ours, theirs)| assert_eq!(ours.cells(), theirs.cells()));
            }
            let source = open(&file, &format).unwrap();
            assert_eq!(codes(&source.read_rows(&schema(), &options()).unwrap()), codes(&expected), "{format:?}");
            let columns = || TextColumns::NamedThenAll(&["user", TOWN]);
            assert_eq!(texts(&source, columns()), texts(&text, columns()));
            let learnt = source.learn_domain(&options()).unwrap();
            assert_eq!(learnt.to_toml(), text.learn_domain(&options()).unwrap().to_toml());
        }
    }
}

#[test]
fn every_type_has_the_text_that_files_have_of_it() {
    let Some(file) = DuckFile::new() else { return };
    let long = "a text that is longer than twelve bytes, é";
    let columns = [
        ("1::TINYINT", "1"),
        ("-3::BIGINT", "-3"),
        ("18446744073709551615::UBIGINT", "18446744073709551615"),
        ("170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727"),
        ("1::DOUBLE", "1"),
        ("0.1::FLOAT", "0.1"),
        ("-0.5::DOUBLE", "-0.5"),
        ("1.50::DECIMAL(5, 2)", "1.50"),
        ("true", "true"),
        ("DATE '2024-10-04'", "2024-10-04"),
        ("TIMESTAMP '2024-10-04 01:02:03'", "2024-10-04 01:02:03"),
        ("TIME '01:02:03'", "01:02:03"),
        ("'blue'::ENUM('red', 'blue')", "blue"),
        ("'twelve bytes'", "twelve bytes"),
        ("'a text that is longer than twelve bytes, é'", long),
        ("NULL::DOUBLE", ""),
        ("NULL", ""),
        ("''", ""),
    ];
    let values: Vec<String> = columns.iter().enumerate().map(|(c, (value, _))| format!("{value} AS c{c}")).collect();
    file.execute(&format!("CREATE TABLE t AS SELECT {}, 'x'::BLOB AS bytes, [1] AS list", values.join(", ")));
    let source = open(&file, &table_format("t")).unwrap();
    let names: Vec<String> = (0..columns.len()).map(|c| format!("c{c}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let expected: Vec<&str> = columns.iter().map(|(_, text)| *text).collect();
    assert_eq!(texts(&source, TextColumns::Named(&names)).unwrap(), [expected]);
    for refused in ["bytes", "list"] {
        assert!(texts(&source, TextColumns::Named(&[refused])).unwrap_err().has_code("E0337"));
    }
}

#[test]
fn rows_that_do_not_fit_are_counted_and_no_value_is_said() {
    let Some(file) = DuckFile::new() else { return };
    file.execute("CREATE TABLE t (x VARCHAR); INSERT INTO t VALUES ('a'), ('secret'), ('secret'), (NULL), ('')");
    file.execute("CREATE TABLE empty (x VARCHAR)");
    let schema = Schema::new(vec![AttributeSpec::of_labels("x", ["a"])], Provenance::Public).unwrap();
    let source = open(&file, &table_format("t")).unwrap();
    let counted = source.count_marginals(&schema, &options(), &[AttrSet::EMPTY]).unwrap_err();
    assert_eq!(counted, source.read_rows(&schema, &options()).unwrap_err());
    assert!(counted.message().contains("4 rows have a value outside the domain, 2 of them NULL"), "{counted}");
    assert!(counted.has_code("E0336") && !counted.message().contains("secret"));
    let empty = open(&file, &table_format("empty")).unwrap();
    assert!(empty.counts(Arc::new(schema), &options()).marginals(&[AttrSet::EMPTY]).is_err(), "no row is no table");
    // A value that the engine cannot take ends a reading, and is not repeated.
    file.execute("CREATE TABLE late AS SELECT CASE n WHEN 199999 THEN 'secret' ELSE n::VARCHAR END AS x FROM range(200000) AS r(n)");
    let failing = open(&file, &query_format("SELECT CAST(x AS INTEGER) AS x FROM late")).unwrap_err();
    assert!(failing.has_code("E0339") && !failing.to_string().contains("secret"), "{failing}");
}

#[test]
fn names_are_identifiers_whatever_they_hold() {
    let Some(file) = DuckFile::new() else { return };
    let hostile =
        ["a\"b", "\"; DROP TABLE people; --", "a'b", "x) TO '/tmp/owned", "two\nlines", "\u{430}ge", "100% $1"];
    file.execute("CREATE TABLE people AS SELECT 7 AS age");
    for (place, name) in hostile.iter().enumerate() {
        let quoted = format!("\"{}\"", name.replace('"', "\"\""));
        file.execute(&format!("CREATE TABLE {quoted} AS SELECT {place} AS {quoted}"));
    }
    for (place, name) in hostile.iter().enumerate() {
        let source = open(&file, &table_format(name)).unwrap();
        assert_eq!(texts(&source, TextColumns::Named(&[name])).unwrap(), [[place.to_string()]], "{name}");
    }
    for name in ["", "nowhere", "a.b.c", "people; DROP TABLE people", "people\0", "'people'", "read_csv('/etc/passwd')"]
    {
        let refused = open(&file, &table_format(name)).unwrap_err();
        assert!(refused.has_code("E0349"), "{name}: {refused}");
    }
    // A look-alike of a column is another one.
    let source = open(&file, &table_format("people")).unwrap();
    assert!(texts(&source, TextColumns::Named(&["\u{430}ge"])).unwrap_err().has_code("E0308"));
}

#[test]
fn a_query_reads_its_file_and_writes_nothing() {
    let Some(file) = DuckFile::new() else { return };
    file.execute("CREATE TABLE t AS SELECT 1 AS x");
    let before = std::fs::read(file.path()).unwrap();
    let outside = file.folder().join("outside.csv");
    std::fs::write(&outside, "x\nsecret\n").unwrap();
    let owned = file.folder().join("owned");
    for query in [
        "DELETE FROM t RETURNING x".to_owned(),
        "INSERT INTO t VALUES (2) RETURNING x".to_owned(),
        "CREATE TABLE u AS SELECT 1 AS x".to_owned(),
        "SELECT 1 AS x; DROP TABLE t".to_owned(),
        "SELECT 1) AS a; DROP TABLE t; --".to_owned(),
        "COMMIT".to_owned(),
        "SET threads = 1".to_owned(),
        "PRAGMA enable_external_access = true".to_owned(),
        "INSTALL httpfs".to_owned(),
        "SELEC x".to_owned(),
        "SELECT nowhere FROM t".to_owned(),
        "SELECT 1 AS x, 2 AS x".to_owned(),
        String::new(),
        format!("ATTACH '{}' AS other", owned.display()),
        format!("COPY t TO '{}'", owned.display()),
        format!("SELECT * FROM read_csv('{}')", outside.display()),
        format!("SELECT * FROM '{}'", outside.display()),
        format!("SELECT content AS x FROM read_text('{}')", outside.display()),
        format!("SELECT * FROM glob('{}/*')", file.folder().display()),
    ] {
        let error = open(&file, &query_format(&query)).and_then(|source| source.learn_domain(&options())).unwrap_err();
        assert!(["E0349", "E0307"].iter().any(|code| error.has_code(code)), "{query}: {error}");
        assert!(!error.message().contains("secret"), "{error}");
    }
    assert_eq!(std::fs::read(file.path()).unwrap(), before);
    let mut left: Vec<_> = std::fs::read_dir(file.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["outside.csv", "t.duckdb"], "nothing is left beside the file");
}

#[test]
fn what_is_no_file_of_duckdb_is_refused() {
    let Some(file) = DuckFile::new() else { return };
    file.execute("CREATE TABLE t AS SELECT 1 AS x");
    let text = file.folder().join("text");
    std::fs::write(&text, "x\n1\nand more than twelve bytes").unwrap();
    let cut = file.folder().join("cut");
    std::fs::write(&cut, &std::fs::read(file.path()).unwrap()[..5000]).unwrap();
    let addresses = [text.display().to_string(), cut.display().to_string(), file.folder().display().to_string()];
    let others = [":memory:", "", "md:base", "s3://bucket/t.duckdb", "nowhere.duckdb"].map(str::to_owned);
    for address in addresses.into_iter().chain(others) {
        let address = format!("duckdb:{address}");
        let error = open_at(Path::new(&address), &table_format("t"), 1, &StopFlag::never()).unwrap_err();
        assert!(error.has_code("E0731"), "{address}: {error}");
    }
    let format = FormatSpec { separator: Some(";".to_owned()), ..table_format("t") };
    assert!(open(&file, &format).unwrap_err().has_code("E0350"));
    assert!(open(&file, &FormatSpec::default()).unwrap_err().has_code("E0350"));
    let request =
        SourceRequest { name: Path::new("t.parquet"), format: &FormatSpec::default(), stop: &StopFlag::never() };
    assert!(DuckdbOpener::default().source(&request).unwrap().is_none(), "a path is not its own");
}

#[test]
fn a_job_that_is_stopped_ends_its_statement() {
    let Some(file) = DuckFile::new() else { return };
    file.execute("CREATE TABLE t AS SELECT n FROM range(100000) AS r(n)");
    let stop = StopFlag::new();
    let slow = query_format("SELECT count(*) AS x FROM t a, t b WHERE (a.n * b.n) % 7 = 3");
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.set();
        });
        assert!(open_at(&file.address(), &slow, 1, &stop).unwrap_err().is_stop());
    });
    assert!(start.elapsed() < Duration::from_secs(5));
    // A reading that is under way ends, and is never taken for a shorter table.
    let stop = StopFlag::new();
    let source = open_at(&file.address(), &table_format("t"), 1, &stop).unwrap();
    let mut rows = 0;
    let mut each = |_: &TextRow<'_>| -> Result<(), JobError> {
        rows += 1;
        stop.set();
        Ok(())
    };
    let ended = source.for_each_text_row(TextColumns::Named(&["n"]), &options(), &mut each);
    match ended {
        Ok(()) => assert_eq!(rows, 100_000),
        Err(error) => assert!(error.is_stop(), "{error}"),
    }
}

#[test]
fn a_count_column_and_two_attributes_of_one_column_are_read() {
    let Some(file) = DuckFile::new() else { return };
    file.execute("CREATE TABLE t AS SELECT * FROM (VALUES ('a', 3), ('b', 0), ('a', 4)) AS v(x, n)");
    let mut attributes = vec![AttributeSpec::of_labels("x", ["a", "b"]), AttributeSpec::of_labels("y", ["b", "a"])];
    attributes[1].column = Some("x".to_owned());
    let schema = Schema::new(attributes, Provenance::Public).unwrap();
    let options = CsvOptions { count_column: Some("n".to_owned()), ..options() };
    let source = open(&file, &table_format("t")).unwrap();
    let tables = source.count_marginals(&schema, &options, &[AttrSet::first(2)]).unwrap().unwrap();
    assert_eq!(tables[0].cells(), [0, 7, 0, 0]);
}
