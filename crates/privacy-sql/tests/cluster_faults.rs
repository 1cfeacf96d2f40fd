//! Executors and schedulers that are killed while they count: the same answer, or an error with a
//! code within the time of the query, and never another answer.
#![cfg(all(feature = "ballista", unix))]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test ends where something is missing")]

#[path = "support/parts.rs"]
mod parts;
mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{ArrayRef, Int32Array};
use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::JobError;
use disclosure_jobs::input::DataSource;
use parts::Parts;
use privacy_core::stop::{Progress, StopFlag};
use privacy_core::{AttrSet, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, Schema};
use support::write_parquet;

/// Rows of one file.
const ROWS: i32 = 60_000;
/// Categories of each of three columns: the table over all of them is 8 MB, so that the last stage,
/// which merges the states of all parts, takes a while.
const CATEGORIES: i32 = 100;
/// The shortest query that is worth a kill, on this machine.
const WORTH: Duration = Duration::from_secs(3);

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

/// What came of a question, and how long it took.
struct Outcome {
    answer: Result<Vec<Vec<u64>>, JobError>,
    took: Duration,
    /// The shares that were done, as the job heard of them.
    shares: Vec<f64>,
}

/// When a fault is made.
enum Moment {
    After(Duration),
    /// As soon as a part of the query is done: on a machine that may have become faster since it
    /// was last measured, a time would be too late for an answer that must not come.
    UnderWay,
}

/// Asks, and disturbs the cluster after a while.
fn disturbed(
    parts: &mut Parts,
    folder: &Path,
    seconds: u64,
    moment: Moment,
    fault: impl FnOnce(&mut Parts, &StopFlag),
) -> Outcome {
    let progress = Arc::new(Progress::default());
    let stop = StopFlag::new().with_progress(Arc::clone(&progress));
    let source = parts.stoppable_source(folder, seconds, &stop).unwrap();
    let (start, is_answered) = (Instant::now(), AtomicBool::new(false));
    let (answer, shares) = std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let answer = counted(&source);
            is_answered.store(true, Ordering::Relaxed);
            answer
        });
        let heard = scope.spawn(|| {
            let mut shares = Vec::new();
            while !is_answered.load(Ordering::Relaxed) {
                shares.extend(progress.share());
                sleep(Duration::from_millis(20));
            }
            shares
        });
        match moment {
            Moment::After(pause) => sleep(pause),
            Moment::UnderWay => {
                while !is_answered.load(Ordering::Relaxed) && progress.share().is_none_or(|share| share == 0.0) {
                    sleep(Duration::from_millis(5));
                }
            }
        }
        fault(parts, &stop);
        (asked.join().unwrap(), heard.join().unwrap())
    });
    Outcome { answer, took: start.elapsed(), shares }
}

fn undisturbed(_: &mut Parts, _: &StopFlag) {}

/// The folders of states that executors keep: each has one for a query.
fn kept(parts: &Parts) -> BTreeSet<PathBuf> {
    let listed = |folder: PathBuf| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let works = parts.executors.iter().map(|executor| executor.work.as_ref().unwrap().path().to_owned());
    // Beside them is a folder of the engine for what does not fit into memory.
    let is_of_a_query = |path: &PathBuf| !path.to_string_lossy().contains("/datafusion-");
    works.flat_map(listed).flat_map(listed).filter(is_of_a_query).collect()
}

/// Waits until executors keep no more than before.
fn wait_until_nothing_more_is_kept(parts: &Parts, before: &BTreeSet<PathBuf>) {
    let until = Instant::now() + Duration::from_secs(30);
    while !kept(parts).is_subset(before) {
        assert!(Instant::now() < until, "states of a query that nobody waits for are kept");
        sleep(Duration::from_millis(50));
    }
}

/// Adds files until a query takes a while; what came of that query.
fn grown(parts: &mut Parts, lake: &mut Lake) -> Outcome {
    lake.grow(32);
    loop {
        let found = disturbed(parts, &lake.folder, 300, Moment::After(Duration::ZERO), undisturbed);
        assert!(found.answer.as_ref().unwrap() == &lake.expected());
        if found.took > WORTH {
            return found;
        }
        lake.grow(lake.copies * 2);
    }
}

/// The tests of this file share the machine one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn no_fault_gives_another_answer() {
    let _alone = alone();
    let directory = tempfile::tempdir().unwrap();
    let mut lake = Lake::new(directory.path().join("lake"));
    let mut parts = Parts::start(&[None, None]);
    let found = grown(&mut parts, &mut lake);
    assert!(found.shares.is_sorted(), "{:?}", found.shares);
    assert!(found.shares.iter().any(|&share| share > 0.0), "{:?}", found.shares);
    let (usual, expected) = (found.took, lake.expected());
    // The executor that is left counts everything, some of it again, on a machine that may be busier
    // by then. A query that hangs is seen all the same, only later.
    let seconds = 6 * usual.as_secs() + 60;
    eprintln!("{} files, {usual:.1?} without a fault", lake.copies);

    // The states that the lost executor had are counted again, so every question has its answer.
    for share in [0.02, 0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95, 1.0] {
        let kill_one = |parts: &mut Parts, _: &StopFlag| drop(parts.executors.remove(0));
        let found = disturbed(&mut parts, &lake.folder, seconds, Moment::After(usual.mul_f64(share)), kill_one);
        eprintln!("one executor killed at {share}: {:.1?}, {:?}", found.took, found.answer.as_ref().map(|_| ()));
        assert!(found.answer.unwrap() == expected, "{share}");
        parts.add_executor(None);
    }

    // No executor is left: an error within the time that the query has.
    let seconds = usual.as_secs() + 3;
    let kill_all = |parts: &mut Parts, _: &StopFlag| parts.executors.clear();
    let found = disturbed(&mut parts, &lake.folder, seconds, Moment::UnderWay, kill_all);
    eprintln!("both executors killed: {:.1?}", found.took);
    assert!(found.answer.map(|_| "an answer").unwrap_err().has_code("E0732"));
    assert!(found.took < Duration::from_secs(3 * seconds + 60), "{:?}", found.took);
    // Nothing of it is in the way of the next query.
    parts.add_executor(None);
    let found = disturbed(&mut parts, &lake.folder, 300, Moment::After(Duration::ZERO), undisturbed);
    assert!(found.answer.unwrap() == expected);

    // Nor is an answer lost when an executor comes after its scheduler has lost all others.
    let found = disturbed(&mut parts, &lake.folder, 300, Moment::UnderWay, |parts, _| {
        parts.executors.clear();
        parts.add_executor(None);
    });
    eprintln!("the only executor replaced: {:.1?}", found.took);
    assert!(found.answer.unwrap() == expected);

    let kill_scheduler = |parts: &mut Parts, _: &StopFlag| drop(parts.scheduler.take());
    let found = disturbed(&mut parts, &lake.folder, 300, Moment::UnderWay, kill_scheduler);
    eprintln!("the scheduler killed: {:.1?}", found.took);
    assert!(found.answer.map(|_| "an answer").unwrap_err().has_code("E0732"));
    assert!(found.took < Duration::from_secs(300), "{:?}", found.took);
}

#[test]
fn a_query_that_nobody_waits_for_ends() {
    let _alone = alone();
    let directory = tempfile::tempdir().unwrap();
    let mut lake = Lake::new(directory.path().join("lake"));
    let mut parts = Parts::start(&[None]);
    grown(&mut parts, &mut lake);
    let before = kept(&parts);

    // Its time is over three times, before its first stage has ended.
    let found = disturbed(&mut parts, &lake.folder, 1, Moment::After(Duration::ZERO), undisturbed);
    assert!(found.answer.map(|_| "an answer").unwrap_err().has_code("E0732"));
    wait_until_nothing_more_is_kept(&parts, &before);

    // Its job is stopped.
    let found = disturbed(&mut parts, &lake.folder, 300, Moment::UnderWay, |_, stop| stop.set());
    assert!(found.answer.map(|_| "an answer").unwrap_err().is_stop());
    wait_until_nothing_more_is_kept(&parts, &before);

    let found = disturbed(&mut parts, &lake.folder, 300, Moment::After(Duration::ZERO), undisturbed);
    assert!(found.answer.unwrap() == lake.expected());
}
