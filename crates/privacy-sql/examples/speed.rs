//! How long every two-way table of 14 columns takes, beside what an engine does with the same rows:
//! reading the columns, `count(*)` of one pair, and `GROUPING SETS` of all pairs.
//!
//! A file that is named is written once and kept. A table `t` of DuckDB or PostgreSQL that was
//! filled from it is measured beside it, and so is an address of a cluster with the same file.
//!
//! cargo run --release --example speed -- 10000000 2 rows.parquet duckdb:rows.duckdb
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

#[path = "support/clock.rs"]
mod clock;

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clock::{cpu_seconds, forget_peak, peak_mebibytes};
use datafusion::arrow::array::{ArrayRef, UInt8Array};
use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::JobError;
use disclosure_jobs::input::{DataSource, FormatSpec, SourceOpener, SourceRequest, TextColumns};
use parquet::arrow::ArrowWriter;
use privacy_core::rng::SimRng;
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, Schema, TextRow};
use privacy_sql::{FileOpener, Question};
use rand_core::Rng;

/// Categories of the columns of Adult, numbers in classes.
const SIZES: [u8; 14] = [85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2];

/// More rows are minutes of work for an engine that groups by every set: DuckDB alone is asked,
/// once.
const MOST_GROUPED: usize = 1_000_000;

/// More rows of a file are measured by the tables alone.
const MOST_QUERIED: usize = 20_000_000;

/// How often everything else is measured.
const RUNS: u32 = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let rows: usize = words.next().map_or(Ok(1_000_000), |word| word.parse())?;
    let threads: usize = words.next().map_or(Ok(2), |word| word.parse())?;
    let folder = tempfile::tempdir()?;
    let path = words.next().map_or_else(|| folder.path().join("rows.parquet"), PathBuf::from);
    if !path.exists() {
        write(&path, rows)?;
    }
    println!("{rows} rows, {} bytes of Parquet, {threads} threads", std::fs::metadata(&path)?.len());
    timed("100 states, merged", RUNS, || merged(100))?;
    measure(&path, "data", threads, rows)?;
    for address in words {
        println!("{address}");
        measure(Path::new(&address), "t", threads, rows)?;
    }
    Ok(())
}

/// Ours, and what the engine answers by itself.
fn measure(data: &Path, table: &str, threads: usize, rows: usize) -> Result<(), Box<dyn Error>> {
    let is_cluster = data.to_string_lossy().starts_with("ballista://");
    let is_duckdb = data.to_string_lossy().starts_with("duckdb:");
    let is_file = table == "data" || is_cluster;
    let whole = FormatSpec { table: (!is_file).then(|| table.to_owned()), ..FormatSpec::default() };
    timed("91 tables, ours", RUNS, || tabulated(&*open(data, &whole, threads)?))?;
    // A cluster takes no query.
    if is_cluster || (is_file && rows > MOST_QUERIED) {
        return Ok(());
    }
    let all = (0..SIZES.len()).map(|column| format!("c{column}")).collect::<Vec<_>>().join(", ");
    let pairs = (0..14).flat_map(|a| (a + 1..14).map(move |b| format!("(c{a}, c{b})"))).collect::<Vec<_>>().join(", ");
    for (what, query) in [
        ("the columns alone", format!("SELECT {} FROM {table}", sums())),
        ("count(*) of one pair", format!("SELECT c0, c2, count(*) AS n FROM {table} GROUP BY c0, c2")),
        (
            "91 tables, GROUPING SETS",
            format!("SELECT {all}, count(*) AS n FROM {table} GROUP BY GROUPING SETS ({pairs})"),
        ),
    ] {
        let is_long = query.contains("GROUPING SETS") && rows > MOST_GROUPED;
        if is_long && !is_duckdb {
            continue;
        }
        let format = FormatSpec { query: Some(query), ..FormatSpec::default() };
        timed(what, if is_long { 1 } else { RUNS }, || answered(&*open(data, &format, threads)?))?;
    }
    Ok(())
}

/// A sum of every column: reads all of them, and groups nothing.
fn sums() -> String {
    let sums = (0..SIZES.len())
        .map(|column| format!("sum(c{column}) AS {}", if column == 0 { "n".into() } else { format!("s{column}") }));
    sums.collect::<Vec<_>>().join(", ")
}

fn open(data: &Path, format: &FormatSpec, threads: usize) -> Result<Box<dyn DataSource>, Box<dyn Error>> {
    let stop = StopFlag::never();
    let request = SourceRequest { name: data, format, stop: &stop };
    let openers: Vec<Box<dyn SourceOpener>> = vec![
        #[cfg(feature = "ballista")]
        Box::new(privacy_sql::ClusterOpener::default()),
        Box::new(FileOpener::with_threads(threads)),
        #[cfg(feature = "postgres")]
        Box::new(privacy_sql::PostgresOpener::default()),
        #[cfg(feature = "duckdb")]
        Box::new(privacy_sql::DuckdbOpener::default().with_threads(threads)),
    ];
    for opener in openers {
        if let Some(source) = opener.open(&request)? {
            return Ok(source);
        }
    }
    Err("no engine knows the data".into())
}

/// The rows of an answer.
fn answered(source: &dyn DataSource) -> Result<u64, Box<dyn Error>> {
    let mut rows = 0;
    let mut each = |_: &TextRow<'_>| -> Result<(), JobError> {
        rows += 1;
        Ok(())
    };
    source.for_each_text_row(TextColumns::Named(&["n"]), &CsvOptions::default(), &mut each)?;
    Ok(rows)
}

fn schema() -> Result<Schema, Box<dyn Error>> {
    let attributes = SIZES.iter().enumerate().map(|(c, &size)| AttributeSpec::of_size(format!("c{c}"), size.into()));
    Ok(Schema::new(attributes.collect(), Provenance::Public)?)
}

/// Every pair of columns.
fn pairs() -> Vec<AttrSet> {
    (0..14).flat_map(|a| (a + 1..14).map(move |b| AttrSet::single(a).with(b))).collect()
}

/// The tables of all pairs; the total.
fn tabulated(source: &dyn DataSource) -> Result<u64, Box<dyn Error>> {
    let tables = source.count_marginals(&schema()?, &CsvOptions::default(), &pairs())?;
    Ok(tables.ok_or("nothing was counted")?[0].total())
}

/// The states of this number of machines, added up; their bytes.
fn merged(machines: usize) -> Result<u64, Box<dyn Error>> {
    let question = Question::new(Arc::new(schema()?), &pairs(), None)?;
    let state = question.merged([])?;
    let merged = question.merged(std::iter::repeat_n(&state[..], machines))?;
    Ok((merged.len() * machines) as u64)
}

fn timed(what: &str, runs: u32, mut work: impl FnMut() -> Result<u64, Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    for _ in 0..runs {
        forget_peak();
        let (start, used) = (Instant::now(), cpu_seconds());
        let answered = work()?;
        let (wall, used, peak) = (start.elapsed().as_secs_f64(), cpu_seconds() - used, peak_mebibytes());
        println!("{what:28} {wall:8.3} s wall {used:8.2} s of this process {peak:6} MiB at most   {answered}");
    }
    Ok(())
}

/// Rows that are skewed as answers are: the smaller of two draws.
fn write(path: &Path, rows: usize) -> Result<(), Box<dyn Error>> {
    let mut rng = SimRng::for_trial(1, "engines/speed", 0);
    let names: Vec<String> = (0..SIZES.len()).map(|column| format!("c{column}")).collect();
    let mut writer: Option<ArrowWriter<File>> = None;
    for start in (0..rows).step_by(1 << 20) {
        let rows = (rows - start).min(1 << 20);
        let mut column = |size: u8| -> ArrayRef {
            let mut draw = || (rng.next_u32() % u32::from(size)) as u8;
            Arc::new(UInt8Array::from_iter_values((0..rows).map(|_| draw().min(draw()))))
        };
        let columns: Vec<ArrayRef> = SIZES.iter().map(|&size| column(size)).collect();
        let batch = RecordBatch::try_from_iter(names.iter().zip(columns))?;
        let writer = match &mut writer {
            Some(writer) => writer,
            none => none.insert(ArrowWriter::try_new(File::create(path)?, batch.schema(), None)?),
        };
        writer.write(&batch)?;
    }
    if let Some(writer) = writer {
        writer.close()?;
    }
    Ok(())
}
