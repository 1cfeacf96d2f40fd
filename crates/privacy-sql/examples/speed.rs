//! How long every two-way table of 14 columns takes, beside what the engine does with the same
//! rows: reading the columns, `count(*)` of one pair, and `GROUPING SETS` of all pairs.
//!
//! cargo run --release --example speed -- 10000000 2
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use datafusion::arrow::array::{ArrayRef, UInt8Array};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use disclosure_jobs::input::{DataSource, FormatSpec, SourceRequest};
use futures::StreamExt;
use parquet::arrow::ArrowWriter;
use privacy_core::rng::SimRng;
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, Schema};
use privacy_sql::FileOpener;
use rand_core::Rng;

/// Categories of the columns of Adult, numbers in classes.
const SIZES: [u8; 14] = [85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2];

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let rows: usize = words.next().map_or(Ok(1_000_000), |word| word.parse())?;
    let threads: usize = words.next().map_or(Ok(2), |word| word.parse())?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("rows.parquet");
    write(&path, rows)?;
    println!("{rows} rows, {} bytes of Parquet, {threads} threads", std::fs::metadata(&path)?.len());
    timed("91 tables, ours", || ours(&path, threads))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    let config = SessionConfig::new().with_target_partitions(threads);
    let session = SessionContext::new_with_config(config);
    runtime.block_on(session.register_parquet("t", &path.to_string_lossy(), ParquetReadOptions::default()))?;
    let names: Vec<String> = (0..SIZES.len()).map(|column| format!("c{column}")).collect();
    let all = names.join(", ");
    let pairs = (0..14).flat_map(|a| (a + 1..14).map(move |b| format!("(c{a}, c{b})"))).collect::<Vec<_>>().join(", ");
    for (what, query) in [
        ("the columns alone", format!("SELECT {all} FROM t")),
        ("count(*) of one pair", "SELECT c0, c2, count(*) FROM t GROUP BY c0, c2".to_owned()),
        ("91 tables, GROUPING SETS", format!("SELECT {all}, count(*) FROM t GROUP BY GROUPING SETS ({pairs})")),
    ] {
        timed(what, || {
            runtime.block_on(async {
                let mut stream = session.sql(&query).await?.execute_stream().await?;
                let mut answered = 0_u64;
                while let Some(batch) = stream.next().await {
                    answered += batch?.num_rows() as u64;
                }
                Ok(answered)
            })
        })?;
    }
    Ok(())
}

/// Every pair of columns; the total.
fn ours(path: &Path, threads: usize) -> Result<u64, Box<dyn Error>> {
    let (format, stop) = (FormatSpec::default(), StopFlag::never());
    let request = SourceRequest { name: path, format: &format, stop: &stop };
    let source = FileOpener::with_threads(threads).source(&request)?.ok_or("no file of columns")?;
    let attributes = SIZES.iter().enumerate().map(|(c, &size)| AttributeSpec::of_size(format!("c{c}"), size.into()));
    let schema = Schema::new(attributes.collect(), Provenance::Public)?;
    let sets: Vec<AttrSet> = (0..14).flat_map(|a| (a + 1..14).map(move |b| AttrSet::single(a).with(b))).collect();
    let tables = source.count_marginals(&schema, &CsvOptions::default(), &sets)?.ok_or("nothing was counted")?;
    Ok(tables[0].total())
}

fn timed(what: &str, mut work: impl FnMut() -> Result<u64, Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    for _ in 0..3 {
        let start = Instant::now();
        let answered = work()?;
        println!("{what:28} {:8.3} s   {answered}", start.elapsed().as_secs_f64());
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
