//! Whole releases under a fixed generator: those of a Parquet file, of a table of DuckDB and of a
//! cluster are those of their text, byte for byte.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

#[cfg(feature = "duckdb")]
#[path = "support/duck.rs"]
mod duck;
#[cfg(all(feature = "ballista", unix))]
#[path = "support/parts.rs"]
mod parts;
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use disclosure_jobs::document::json_of;
use disclosure_jobs::input::{CsvSource, DataSource, FileSystem, MemoryFiles};
use disclosure_jobs::ledger::{MemoryLedger, Uncounted};
use disclosure_jobs::limits::Limits;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::sink::MemorySink;
use disclosure_jobs::{exact, filter, marginals, pipeline, reports};
use privacy_core::prf::Secret;
use privacy_data::{CsvOptions, Schema};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use support::{Table, source, write_parquet};

type Files = BTreeMap<String, Vec<u8>>;

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

/// Adds the bytes of the release of one source for every number of threads, and compares.
fn same(table: &Table, release: impl Fn(&dyn DataSource) -> Files) -> Files {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    write_parquet(&path, &table.batch());
    let expected = release(&CsvSource::bytes("t.csv", table.csv().into_bytes()));
    assert!(!expected.is_empty());
    for threads in [1, 2, 8] {
        assert_eq!(release(&source(&path, threads).unwrap()), expected, "{threads} threads");
    }
    #[cfg(feature = "duckdb")]
    if let Some(file) = duck::DuckFile::new() {
        file.fill("t", table);
        assert_eq!(release(&file.table("t")), expected, "DuckDB");
    }
    // An audit takes minutes, and asks the cluster for no other tables than a release.
    #[cfg(all(feature = "ballista", unix))]
    for executors in [1, 2].into_iter().filter(|_| expected.contains_key("release.json")) {
        let parts = parts::Parts::start(&vec![None; executors]);
        let there = parts.source(&path, 120).unwrap();
        assert_eq!(release(&there), expected, "a cluster of {executors} executors");
    }
    expected
}

/// Compares the release of a file of text with those of its columns as texts.
fn same_as_of_texts(path: &Path, release: impl Fn(&dyn DataSource) -> Files) {
    let csv = std::fs::read(path).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let columns = directory.path().join("t.parquet");
    write_parquet(&columns, &as_texts(&csv));
    let expected = release(&CsvSource::bytes("t.csv", csv));
    assert!(!expected.is_empty());
    assert_eq!(release(&source(&columns, 2).unwrap()), expected);
    #[cfg(feature = "duckdb")]
    if let Some(file) = duck::DuckFile::new() {
        file.execute(&format!(
            "CREATE TABLE t AS FROM read_csv('{}', header = true, all_varchar = true)",
            path.display()
        ));
        assert_eq!(release(&file.table("t")), expected, "DuckDB");
    }
}

const DOMAIN: &str = "[[attribute]]\nname = \"town\"\ncolumn = \"to\\\"wn; --\"\nlabels = [\"plain\"]\nother = \"rest\"\nmissing = \"category\"\n\
     [[attribute]]\nname = \"age\"\nsize = 90\nmissing = \"category\"\n\
     [[attribute]]\nname = \"income\"\nbins = [0, 250, 500, 1000]\n";

#[test]
fn tables_with_noise_are_the_same_bytes() {
    for (place, more) in ["", "person = \"many\"\nrows_per_person = 2\n"].into_iter().enumerate() {
        let text = format!(
            "title = \"t\"\nmarginals = [[\"town\", \"age\"], [\"income\"]]\nneighbours = \"add-remove\"\n{more}[privacy]\nrho = 0.5\n{DOMAIN}"
        );
        let files = same(&Table::seeded(1, 5000), |source| {
            let planned = marginals::Job::parse(&text, &MemoryFiles::default()).unwrap();
            let planned = planned.plan(&Limits::default(), &Silent).unwrap();
            let mut ledger = MemoryLedger::new(1.0, planned.charge_request().terms, &mut rng()).unwrap();
            let ready = planned.read(source, &Silent).unwrap();
            let is_engine = source.count_marginals(&schema(), &CsvOptions::default(), &[]).unwrap().is_some();
            assert_eq!(
                ready.rows().rows().is_none(),
                is_engine && place == 0,
                "an engine counts, unless persons have rows"
            );
            let released = ready.release(&mut ledger, &mut rng()).unwrap();
            let mut sink = MemorySink::default();
            released.write(&mut sink, &Silent).unwrap();
            sink.files().clone()
        });
        assert!(files.contains_key("release.json"), "{:?}", files.keys());
    }
}

fn schema() -> Schema {
    support::schema()
}

#[test]
fn audits_of_exact_tables_are_the_same_bytes() {
    let text =
        format!("data = \"t.csv\"\nmargins = [[\"town\"], [\"income\"]]\ntau = 0\nbeta = 0.05\nkappa = 5\n{DOMAIN}");
    same(&Table::seeded(2, 800), |source| {
        let planned = exact::Job::parse(&text, "t", &MemoryFiles::default()).unwrap().plan(source, &Silent).unwrap();
        Files::from([("audit.json".to_owned(), json_of(&planned.audit(&Silent).unwrap()))])
    });
}

#[test]
fn groups_of_entities_are_the_same_bytes() {
    let spec = "group_by = [\"to\\\"wn; --\", \"many\"]\naid = [{ column = \"user\", form = \"integer\" }]\n\
                always_suppress_upper_bound = 1\nmean = 4.0\nsd = 1.0\ncounts = \"exact\"\n";
    let files = same(&Table::seeded(3, 4000), |source| {
        let job = filter::Job::parse(spec).unwrap();
        let filter = job.filter(&Secret::new(&[7; 32]).unwrap(), &Silent).unwrap();
        let released = job.plan(source, &filter, &Silent).unwrap().release(Some("*")).unwrap();
        let mut table = Vec::new();
        released.write_csv(&mut table).unwrap();
        Files::from([("groups.csv".to_owned(), table), ("release.json".to_owned(), json_of(released.document()))])
    });
    assert!(files["groups.csv"].len() > 1000, "groups are shown");
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

#[test]
fn a_pipeline_is_the_same_bytes() {
    let path = fixture("jobs/survey.toml");
    // The attack of [screen] takes a minute and is about the same rows.
    let text = std::fs::read_to_string(&path).unwrap();
    let (start, end) = (text.find("[screen]").unwrap(), text.find("[exact]").unwrap());
    let text = [&text[..start], &text[end..]].concat();
    let release = |source: &dyn DataSource| -> Files {
        let files = FileSystem::beside(&path);
        let job = pipeline::Job::parse(&text, &files).unwrap().with_secret(Secret::new(&[7; 32]).unwrap());
        let planned = job.plan(source, &Silent).unwrap();
        let released = planned.release(&mut Uncounted, &mut rng()).unwrap();
        let mut sink = MemorySink::default();
        released.write(&mut sink, &Silent).unwrap();
        sink.files().clone()
    };
    same_as_of_texts(&fixture("data/anes96.csv"), release);
}

#[test]
fn randomised_reports_are_the_same_bytes() {
    let text = std::fs::read_to_string(fixture("jobs/ldp-voters.toml")).unwrap();
    same_as_of_texts(&fixture("data/anes96.csv"), |source| {
        let job = reports::Job::parse(&text).unwrap();
        let planned = job.plan(source, &reports::Rounds::Unstated, &Silent).unwrap();
        let mut drawn = Vec::new();
        planned.release(&mut drawn, &Silent, &mut rng()).unwrap();
        Files::from([("reports.bin".to_owned(), drawn)])
    });
}

/// A file of text with every column as texts.
fn as_texts(csv: &[u8]) -> datafusion::arrow::record_batch::RecordBatch {
    use datafusion::arrow::array::{ArrayRef, StringArray};
    let options = CsvOptions::default();
    let mut rows = privacy_data::TextRows::with_every_column(csv, Vec::<String>::new(), &options).unwrap();
    let (mut names, mut columns): (Vec<String>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
    while let Some(row) = rows.advance().unwrap() {
        names = row.names().map(str::to_owned).collect();
        columns.resize(names.len(), Vec::new());
        row.fields().zip(&mut columns).for_each(|(field, column)| column.push(field.to_owned()));
    }
    let arrays = columns.into_iter().map(|column| -> ArrayRef { std::sync::Arc::new(StringArray::from(column)) });
    datafusion::arrow::record_batch::RecordBatch::try_from_iter(names.into_iter().zip(arrays)).unwrap()
}
