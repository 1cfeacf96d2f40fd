//! How long the entities of all groups take, beside what the engine does with the same rows:
//! `count(*)` and `count(DISTINCT person)`. Rows in memory, 10^6 people, 5,000 and 1.7 million
//! groups.
//!
//! cargo run --release --example speed_groups -- 10000000 2
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

#[path = "support/clock.rs"]
mod clock;

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use clock::{cpu_seconds, forget_peak, peak_mebibytes};
use datafusion::arrow::array::{ArrayRef, Int64Array};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::datasource::MemTable;
use datafusion::logical_expr::AggregateUDF;
use datafusion::prelude::{SessionConfig, SessionContext};
use disclosure_jobs::filter::Job;
use disclosure_jobs::observer::Silent;
use privacy_core::prf::Secret;
use privacy_core::rng::SimRng;
use privacy_sql::{LcfState, job_error};
use rand_core::Rng;
use tokio::runtime::Runtime;

const PEOPLE: u64 = 1_000_000;
const BATCH: usize = 8192;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let rows: usize = words.next().map_or(Ok(1_000_000), |word| word.parse())?;
    let threads: usize = words.next().map_or(Ok(2), |word| word.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).build()?;
    for groups in [5_000, 1_700_000] {
        println!("{rows} rows, {groups} groups at most, {threads} threads");
        let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(threads));
        session.register_table("visits", Arc::new(visits(rows, groups, threads)?))?;
        measure(&runtime, &session)?;
    }
    Ok(())
}

fn measure(runtime: &Runtime, session: &SessionContext) -> Result<(), Box<dyn Error>> {
    let spec = "group_by = [\"town\"]\naid = [{ column = \"person\", form = \"integer\" }]\n\
                always_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n";
    let job = Job::parse(spec)?;
    let function = LcfState::new(job.clone(), job.filter(&Secret::new(&[7; 32])?, &Silent)?)?;
    session.register_udaf(AggregateUDF::from(function.clone()));
    for asked in ["count(*)", "lcf_state(person)", "count(DISTINCT person)"] {
        let query = format!("SELECT town, {asked} FROM visits GROUP BY town");
        for _ in 0..3 {
            forget_peak();
            let (start, used) = (Instant::now(), cpu_seconds());
            let answered = runtime.block_on(async { session.sql(&query).await?.collect().await });
            let batches = answered.map_err(|error| job_error(&error))?;
            let groups: usize = batches.iter().map(RecordBatch::num_rows).sum();
            shown(asked, start, used, groups);
            if asked == "lcf_state(person)" {
                let (start, used) = (Instant::now(), cpu_seconds());
                function.grouped(&batches)?;
                shown("its groups read", start, used, groups);
            }
        }
    }
    Ok(())
}

fn shown(what: &str, start: Instant, used: f64, groups: usize) {
    let (wall, used) = (start.elapsed().as_secs_f64(), cpu_seconds() - used);
    let peak = peak_mebibytes();
    println!("{what:28} {wall:8.3} s wall {used:8.2} s of this process {peak:6} MiB at most   {groups} groups");
}

/// Rows of random people in random groups, in as many parts as there are threads.
fn visits(rows: usize, groups: u64, threads: usize) -> Result<MemTable, Box<dyn Error>> {
    let mut rng = SimRng::for_trial(1, "engines/speed-groups", groups);
    let mut column = |below: u64, rows: usize| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values((0..rows).map(|_| (rng.next_u64() % below) as i64)))
    };
    let mut parts = vec![Vec::new(); threads];
    for (batch, start) in (0..rows).step_by(BATCH).enumerate() {
        let rows = (rows - start).min(BATCH);
        let columns = [("town", column(groups, rows)), ("person", column(PEOPLE, rows))];
        parts[batch % threads].push(RecordBatch::try_from_iter(columns)?);
    }
    Ok(MemTable::try_new(parts[0][0].schema(), parts)?)
}
