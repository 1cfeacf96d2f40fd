//! The tests without a mutant, and then with each: those that reach it, until one fails.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::Mutant;
use super::areas::{Area, is_of};
use super::build::Program;
use super::process::{self, End};
use super::results::{Outcome, Results};
use crate::workspace::{self, Error};

/// How many tests may be cut off before they are run for longer.
const MOST_CUT_OFF: usize = 3;

/// A test, as it is without a mutant.
pub(super) struct Test<'a> {
    program: &'a Program,
    name: String,
    duration: Duration,
    /// The mutants whose place it executes.
    reached: BTreeSet<u32>,
}

impl Test<'_> {
    fn shown(&self) -> String {
        format!("{} {}", self.program.name, self.name)
    }

    /// Long beside its duration without a mutant, since the machine may be busy.
    fn limit(&self) -> Duration {
        (20 * self.duration).max(Duration::from_secs(10))
    }

    /// For a first try: another test may fail at once.
    fn short_limit(&self) -> Duration {
        (5 * self.duration).max(Duration::from_secs(1))
    }
}

/// Runs all tests without a mutant; those that take longer than `limit` are left out, by name.
pub(super) fn baseline<'a>(
    (programs, area): (&'a [Program], &Area),
    limit: Duration,
    jobs: usize,
    scratch: &Path,
) -> Result<(Vec<Test<'a>>, Vec<String>), Error> {
    let all: Vec<(usize, &Program, String)> = programs
        .iter()
        .flat_map(|program| process::tests(program).into_iter().map(move |name| (program, name)))
        .filter(|(program, name)| area.has_test(program, name))
        .enumerate()
        .map(|(index, (program, name))| (index, program, name))
        .collect();
    if let Some(unknown) = area.tests.iter().find(|module| !all.iter().any(|(_, _, name)| is_of(name, module))) {
        return Err(Error::Mutants(format!("no program of tests has a module {unknown}")));
    }
    let (found, slow, failed) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    in_parallel(&all, jobs, |(index, program, name)| {
        let path = scratch.join(format!("reached-{}-{index}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let shown = format!("{} {name}", program.name);
        match process::run(program, name, ("MUTANTS_REACHED", &path.to_string_lossy()), limit) {
            End::Passed(duration) => {
                let reached = workspace::read(&path).unwrap_or_default();
                let reached = reached.lines().filter_map(|line| line.parse().ok()).collect();
                push(&found, (*index, Test { program, name: name.clone(), duration, reached }));
            }
            End::TimedOut => push(&slow, shown),
            End::Failed => push(&failed, shown),
        }
        let _ = std::fs::remove_file(&path);
        Ok(())
    })?;
    let failed = taken(failed);
    if !failed.is_empty() {
        return Err(Error::Mutants(format!("tests fail without a mutant: {}", failed.join(", "))));
    }
    let mut found = taken(found);
    found.sort_by_key(|(index, _)| *index);
    Ok((found.into_iter().map(|(_, test)| test).collect(), taken(slow)))
}

/// Runs each mutant, those that are not begun by the end of the time excepted; the outcomes go into
/// the file as they come.
pub(super) fn run(
    mutants: &[&Mutant],
    tests: &[Test<'_>],
    (jobs, until): (usize, Option<Instant>),
    results: &mut Results,
) -> Result<(), Error> {
    let kills: Mutex<BTreeMap<usize, u32>> = Mutex::default();
    let (results, done) = (Mutex::new(results), Mutex::new(0));
    in_parallel(mutants, jobs, |mutant| {
        if is_over(until) {
            return Ok(());
        }
        let order = order(tests, mutant.number, &locked(&kills).clone());
        let (outcome, by) = outcome(tests, &order, mutant.number);
        if let Some(index) = by {
            *locked(&kills).entry(index).or_default() += 1;
        }
        let by = by.map(|index| tests[index].shown());
        locked(&results).add(mutant, outcome, by.as_deref())?;
        let mut done = locked(&done);
        *done += 1;
        let word = if outcome.is_caught() { "caught" } else { "SURVIVED" };
        println!("{done}/{} {word} {}", mutants.len(), mutant.shown());
        Ok(())
    })
}

/// Whether the time is over, if there is an end of it.
pub(super) fn is_over(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() > until)
}

/// The tests that reach a mutant, those first that kill most per second.
fn order(tests: &[Test<'_>], mutant: u32, kills: &BTreeMap<usize, u32>) -> Vec<usize> {
    let reaching = tests.iter().enumerate().filter(|(_, test)| test.reached.contains(&mutant));
    let mut order: Vec<usize> = reaching.map(|(index, _)| index).collect();
    let rate = |index: &usize| {
        let killed = kills.get(index).copied().unwrap_or_default();
        f64::from(killed + 1) / (tests[*index].duration.as_secs_f64() + 0.005)
    };
    order.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    order
}

/// Runs tests until one fails. One that takes long is first cut off, since another may fail at
/// once; a few of those are then run for as long as they may take.
fn outcome(tests: &[Test<'_>], order: &[usize], mutant: u32) -> (Outcome, Option<usize>) {
    let run = |index: usize, limit: Duration| {
        process::run(tests[index].program, &tests[index].name, ("MUTANT", &mutant.to_string()), limit)
    };
    let mut cut_off = Vec::new();
    for (place, &index) in order.iter().enumerate() {
        match run(index, tests[index].short_limit()) {
            End::Passed(_) => {}
            End::Failed => return (Outcome::Caught, Some(index)),
            End::TimedOut => cut_off.push(index),
        }
        if cut_off.len() == MOST_CUT_OFF || place + 1 == order.len() {
            for index in cut_off.drain(..) {
                match run(index, tests[index].limit()) {
                    End::Passed(_) => {}
                    End::Failed => return (Outcome::Caught, Some(index)),
                    End::TimedOut => return (Outcome::TimedOut, Some(index)),
                }
            }
        }
    }
    (if order.is_empty() { Outcome::Unreached } else { Outcome::Survived }, None)
}

/// Does something with each item, in order, a few at a time; stops at the first error.
fn in_parallel<T: Sync>(items: &[T], jobs: usize, each: impl Fn(&T) -> Result<(), Error> + Sync) -> Result<(), Error> {
    let (queue, failed) = (Mutex::new(items.iter()), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let Some(item) = locked(&queue).next().filter(|_| locked(&failed).is_none()) else { return };
                    if let Err(error) = each(item) {
                        *locked(&failed) = Some(error);
                    }
                }
            });
        }
    });
    taken(failed).map_or(Ok(()), Err)
}

/// A lock; a thread that panicked with it left nothing half done.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn taken<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn push<T>(list: &Mutex<Vec<T>>, item: T) {
    locked(list).push(item);
}
