//! Executors and schedulers that are killed while they count: the same answer, or an error with a
//! code within the time of the query, and never another answer.
#![cfg(all(feature = "ballista", unix))]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test ends where something is missing")]

#[path = "support/parts.rs"]
mod parts;
mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{ArrayRef, Int32Array};
use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::JobError;
use disclosure_jobs::input::DataSource;
use parts::Parts;
use privacy_core::{AttrSet, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, Schema};
use support::write_parquet;

/// Rows of one file.
const ROWS: i32 = 60_000;
/// Categories of each of three columns: the table over all of them is 8 MB, so that the last stage,
/// which merges the states of all parts, takes a while.
const CATEGORIES: i32 = 100;
/// The shortest query that is worth a kill, on this machine.
const WORTH: Duration = Duration::from_secs(2);

/// A folder with the same file many times.
struct Lake {
    folder: PathBuf,
    copies: u64,
}

impl Lake {
    fn new(folder: PathBuf) -> Self {
        std::fs::create_dir(&folder).unwrap();
        let column = |step: i32| -> ArrayRef {
            Arc::new(Int32Array::from_iter_values((0..ROWS).map(|row| (row * step + row / 7) % CATEGORIES)))
        };
        let columns = [("a", column(1)), ("b", column(7)), ("c", column(31))];
        write_parquet(&folder.join("0.parquet"), &RecordBatch::try_from_iter(columns).unwrap());
        Self { folder, copies: 1 }
    }

    fn grow(&mut self, copies: u64) {
        for copy in self.copies..copies {
            std::fs::hard_link(self.folder.join("0.parquet"), self.folder.join(format!("{copy}.parquet"))).unwrap();
        }
        self.copies = copies;
    }

    /// The tables of one file, times the files.
    fn expected(&self) -> Vec<Vec<u64>> {
        let one = counted(&support::source(&self.folder.join("0.parquet"), 2).unwrap()).unwrap();
        one.into_iter().map(|cells| cells.into_iter().map(|count| count * self.copies).collect()).collect()
    }
}

fn counted(source: &dyn DataSource) -> Result<Vec<Vec<u64>>, JobError> {
    let attributes = ["a", "b", "c"].map(|name| AttributeSpec::of_size(name, CATEGORIES as usize));
    let schema = Schema::new(attributes.to_vec(), Provenance::Public).unwrap();
    let sets = [AttrSet::first(3), AttrSet::first(2), AttrSet::single(0).with(2), AttrSet::single(1), AttrSet::EMPTY];
    let tables = source.count_marginals(&schema, &CsvOptions::default(), &sets)?.unwrap();
    Ok(tables.into_iter().map(|table| table.cells().to_vec()).collect())
}

/// Asks, and disturbs the cluster after a while; gives the answer and how long it took.
fn disturbed(
    parts: &mut Parts,
    folder: &Path,
    seconds: u64,
    after: Duration,
    fault: impl FnOnce(&mut Parts),
) -> (Result<Vec<Vec<u64>>, JobError>, Duration) {
    let source = parts.source(folder, seconds).unwrap();
    let start = Instant::now();
    let answer = std::thread::scope(|scope| {
        let asked = scope.spawn(|| counted(&source));
        sleep(after);
        fault(parts);
        asked.join().unwrap()
    });
    (answer, start.elapsed())
}

#[test]
fn no_fault_gives_another_answer() {
    let directory = tempfile::tempdir().unwrap();
    let mut lake = Lake::new(directory.path().join("lake"));
    lake.grow(32);
    let mut parts = Parts::start(&[None, None]);
    let usual = loop {
        let (answer, took) = disturbed(&mut parts, &lake.folder, 300, Duration::ZERO, |_| {});
        assert!(answer.unwrap() == lake.expected());
        if took > WORTH || lake.copies >= 512 {
            break took;
        }
        lake.grow(lake.copies * 2);
    };
    let expected = lake.expected();
    let seconds = 2 * usual.as_secs() + 20;
    eprintln!("{} files, {usual:.1?} without a fault", lake.copies);

    for share in [0.02, 0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95, 1.0] {
        let kill_one = |parts: &mut Parts| drop(parts.executors.remove(0));
        let (answer, took) = disturbed(&mut parts, &lake.folder, seconds, usual.mul_f64(share), kill_one);
        eprintln!("one executor killed at {share}: {took:.1?}, {:?}", answer.as_ref().map(|_| ()));
        match answer {
            Ok(answer) => {
                assert!(answer == expected, "{share}");
                parts.add_executor(None);
            }
            // The executor that is left may wait for the lost one without an end, and then answers
            // nothing any more.
            Err(error) => {
                assert!(error.has_code("E0732") && took < Duration::from_secs(3 * seconds + 30), "{share}: {error}");
                parts = Parts::start(&[None, None]);
            }
        }
    }

    // No executor is left: an error within the time that the query has.
    let seconds = usual.as_secs() + 3;
    let (answer, took) = disturbed(&mut parts, &lake.folder, seconds, usual / 2, |parts| parts.executors.clear());
    eprintln!("both executors killed: {took:.1?}");
    assert!(answer.unwrap_err().has_code("E0732"));
    assert!(took < Duration::from_secs(3 * seconds + 60), "{took:?}");
    // Nothing of it is in the way of the next query.
    parts.add_executor(None);
    let (answer, _) = disturbed(&mut parts, &lake.folder, 300, Duration::ZERO, |_| {});
    assert!(answer.unwrap() == expected);

    // Nor is an answer lost when an executor comes after its scheduler has lost all others.
    let (answer, took) = disturbed(&mut parts, &lake.folder, 300, usual / 2, |parts| {
        parts.executors.clear();
        parts.add_executor(None);
    });
    eprintln!("the only executor replaced: {took:.1?}");
    assert!(answer.unwrap() == expected);

    let (answer, took) = disturbed(&mut parts, &lake.folder, 300, usual / 2, |parts| drop(parts.scheduler.take()));
    eprintln!("the scheduler killed: {took:.1?}");
    assert!(answer.unwrap_err().has_code("E0732"));
    assert!(took < Duration::from_secs(60), "{took:?}");
}
