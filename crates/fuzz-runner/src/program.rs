//! Runs targets on mutants of the corpus, for a time or a number of times:
//! `PROGRAM --seconds N | --runs N [--only NAME] [--seed N]`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command speaks to its user")]

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::corpus::outcome;
use crate::{Generator, Target, corpus_of, fails, mutant};

/// A target that takes longer on one input has found something as well.
const LONGEST: Duration = Duration::from_secs(5);

struct Options {
    /// Shared by the targets; without it, `runs` of each.
    seconds: u64,
    runs: Option<u64>,
    only: Option<String>,
    seed: u64,
}

fn options() -> Result<Options, String> {
    let mut options = Options { seconds: 60, runs: None, only: None, seed: 1 };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} takes a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{word} takes a whole number"));
        match word.as_str() {
            "--seconds" => options.seconds = number()?,
            "--runs" => options.runs = Some(number()?),
            "--seed" => options.seed = number()?,
            "--only" => options.only = Some(value),
            _ => return Err(format!("{word} is not known: --seconds N, --runs N, --only NAME, --seed N")),
        }
    }
    match options {
        Options { runs: Some(0), .. } | Options { runs: None, seconds: 0, .. } => Err("0 runs find nothing".to_owned()),
        options => Ok(options),
    }
}

/// The program of these targets: reads its arguments, and fails where a target does.
#[must_use]
pub fn program(targets: &[Target]) -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let chosen: Vec<&Target> =
        targets.iter().filter(|target| options.only.as_deref().is_none_or(|only| only == target.name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = targets.iter().map(|target| target.name).collect();
        eprintln!("no target of this name: {}", names.join(", "));
        return ExitCode::from(2);
    }
    let limit = match options.runs {
        Some(runs) => Limit::Runs(runs),
        None => Limit::Time(Duration::from_secs(options.seconds) / chosen.len() as u32),
    };
    let failed = chosen.iter().filter(|target| !run(target, limit, options.seed)).count();
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether an input takes too long again, and once more: a busy machine stops any program for
/// seconds.
fn is_slow(target: &Target, bytes: &[u8]) -> bool {
    (0..2).all(|_| {
        let began = Instant::now();
        let _ = fails(target, bytes);
        began.elapsed() > LONGEST
    })
}

/// When a target has run for long enough.
#[derive(Clone, Copy)]
enum Limit {
    Time(Duration),
    Runs(u64),
}

impl Limit {
    fn is_reached(self, started: Instant, runs: u64) -> bool {
        match self {
            Self::Time(share) => started.elapsed() >= share,
            Self::Runs(wanted) => runs >= wanted,
        }
    }
}

/// The input of a run: the files of the corpus as they are, then mutants.
fn input(target: &Target, corpus: &[Vec<u8>], run: u64, number: u64) -> Vec<u8> {
    let file = usize::try_from(run).ok().and_then(|run| corpus.get(run));
    file.cloned().unwrap_or_else(|| {
        let mut draw = Generator::new(number);
        let [one, other] = [0, 1].map(|_| corpus.get(draw.below(corpus.len())).map_or(&[][..], Vec::as_slice));
        mutant(target, one, other, &mut draw)
    })
}

/// Runs a target to a limit, and says how it went; false where an input made it fail.
fn run(target: &Target, limit: Limit, seed: u64) -> bool {
    let corpus = corpus_of(target);
    if corpus.is_empty() {
        println!("{:<16} FAILED: it has no corpus", target.name);
        return false;
    }
    let (started, mut runs, mut slowest) = (Instant::now(), 0_u64, Duration::ZERO);
    let mut accepted = 0_u64;
    while !limit.is_reached(started, runs) {
        // Each run has a seed of its own, so that it can be done again alone.
        let number = seed.wrapping_mul(0x0100_0000_01b3).wrapping_add(runs);
        let bytes = input(target, &corpus, runs, number);
        let began = Instant::now();
        let outcome = outcome(target, &bytes);
        let took = began.elapsed();
        accepted += u64::from(outcome == Ok(true));
        let failure = outcome.err();
        (runs, slowest) = (runs + 1, slowest.max(took));
        if failure.is_some() || (took > LONGEST && is_slow(target, &bytes)) {
            let path = Path::new("target").join(format!("fuzz-{}-{number}", target.name));
            let _ = std::fs::create_dir_all("target");
            let kept =
                if std::fs::write(&path, &bytes).is_ok() { path.display().to_string() } else { "nowhere".into() };
            let words = failure.unwrap_or_else(|| format!("took {} s", took.as_secs()));
            println!("{:<16} FAILED in run {runs}: {words}; the input is in {kept}", target.name);
            return false;
        }
    }
    let rate = runs as f64 / started.elapsed().as_secs_f64();
    let share = 100.0 * accepted as f64 / runs as f64;
    let slowest = slowest.as_millis();
    println!(
        "{:<16} {runs:>10} runs, {rate:>8.0} a second, {share:>4.1} % accepted, slowest {slowest} ms",
        target.name
    );
    true
}
