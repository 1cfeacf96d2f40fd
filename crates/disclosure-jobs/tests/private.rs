//! Jobs with `decide_on = "private"`: what they refuse, what they charge, and what they publish.

use disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::JobError;
use disclosure_jobs::exact::{DecisionData, Job, LoadedJob, ReleaseDocument, Treatment};
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::ledger::{Ledger, LedgerTerms, MemoryLedger, Uncounted};
use disclosure_jobs::observer::Silent;
use disclosure_jobs::sink::MemorySink;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

const PATTERN: &str = "pattern = { epsilon = 1.0, delta = 1e-6, neighbours = \"add-remove\", rows_per_person = 1 }\n";
const LABELS: &str = "[[attribute]]\nname = \"a\"\nlabels = [\"x\", \"y\", \"z\"]\n\
                      [[attribute]]\nname = \"b\"\nlabels = [\"p\", \"q\", \"r\"]\n";
/// One small count, and one of nobody.
const COUNTS: [u64; 9] = [2, 70, 90, 80, 75, 60, 95, 85, 0];

fn spec(more: &str, attributes: &str) -> String {
    format!(
        "data = \"d.csv\"\ncount = \"n\"\nmargins = [[\"a\"], [\"b\"], [\"a\", \"b\"]]\ntau = 0\nkappa = 3\n\
         decide_on = \"private\"\n{more}{attributes}"
    )
}

fn loaded(spec: &str) -> Result<LoadedJob, JobError> {
    let line =
        |(cell, count): (usize, &u64)| format!("{},{},{count}\n", ["x", "y", "z"][cell / 3], ["p", "q", "r"][cell % 3]);
    let lines: String = COUNTS.iter().enumerate().map(line).collect();
    let source = CsvSource::bytes("d.csv", format!("a,b,n\n{lines}").into_bytes());
    Job::parse(spec, "test", &MemoryFiles::default())?.load(&source, &Silent)
}

fn released(spec: &str, ledger: &mut dyn Ledger) -> Result<(ReleaseDocument, String), JobError> {
    let planned = loaded(spec)?.plan_privately()?;
    let mut sink = MemorySink::default();
    let record = planned.release(ledger, &mut ChaCha20Rng::from_seed([1; 32]))?.write(&mut sink)?;
    let files = sink.files().values().map(|file| String::from_utf8(file.clone()).unwrap());
    Ok((record, files.collect()))
}

#[test]
fn a_plan_states_cost_and_threshold_and_a_release_publishes_the_large_counts() {
    let spec = spec(PATTERN, LABELS);
    let plan = loaded(&spec).unwrap().plan_privately().unwrap().document();
    assert_eq!((plan.coarsenings, plan.pattern.least_count), (1, 3));
    assert!(plan.threshold > 10 && plan.threshold < 30, "{}", plan.threshold);
    assert!(plan.pattern.promise.guarantee.contains("(1, 1e-6)-differential privacy"));
    assert!((plan.pattern.cost.rho - 0.5).abs() < 1e-6);

    let (record, text) = released(&spec, &mut Uncounted).unwrap();
    assert_eq!(record.basis, DecisionData::Private);
    assert_eq!(record.pattern.as_ref().unwrap().cost, plan.pattern.cost);
    assert_eq!(record.algorithm_aware.as_ref().unwrap(), &plan.algorithm_aware);
    assert!(!record.algorithm_aware.as_ref().unwrap().is_lost());
    let treatments: Vec<Treatment> = record.files.iter().map(|file| file.treatment).collect();
    assert_eq!(treatments, [Treatment::Exact, Treatment::Exact, Treatment::Suppressed]);
    // The two cells below the threshold, and for each another one in its row and its column.
    let withheld = record.files[2].suppressed;
    assert!((4..=7).contains(&withheld), "{withheld}");
    assert!(text.contains("x,,162") || text.contains("x,162"), "{text}");
    assert!(!text.contains(",2,0,exact") && !text.contains(",0,0,exact"));
    assert!(record.mechanism.exact.contains("threshold"));
    assert!(record.not_covered.iter().any(|open| open.contains("weights the consistent tables")));
}

#[test]
fn the_ledger_is_charged_before_the_pattern_is_drawn() {
    let terms = LedgerTerms { neighbours: Neighbours::AddRemove, rows_per_person: 1 };
    let mut ledger = MemoryLedger::new(0.8, terms, &mut ChaCha20Rng::from_seed([7; 32])).unwrap();
    let spec = spec(PATTERN, LABELS);
    let (record, _) = released(&spec, &mut ledger).unwrap();
    assert!(record.pattern.unwrap().ledger_hash.is_some());
    assert_eq!(released(&spec, &mut ledger).unwrap_err().exit_code(), 5, "0.8 covers one release of 0.5");
    let other = spec.replace("add-remove", "replace");
    assert!(released(&other, &mut ledger).is_err(), "costs under other terms do not add up");
}

#[test]
fn what_the_mode_does_not_take_is_refused() {
    let refused = |spec: String| {
        let error = loaded(&spec).and_then(LoadedJob::plan_privately).map(|_| ()).unwrap_err();
        (error.code().to_owned(), error.exit_code())
    };
    let no_budget = ("E0234".to_owned(), 2);
    assert_eq!(refused(spec("", LABELS)), no_budget);
    assert_eq!(refused(spec(PATTERN, LABELS).replace("\"private\"", "\"robust\"")), no_budget);
    assert_eq!(refused(spec(&format!("{PATTERN}epsilon = 1.0\n"), LABELS)), no_budget);
    assert_eq!(refused(spec(&format!("{PATTERN}known = [{{ value = 557 }}]\n"), LABELS)), no_budget);
    assert_eq!(refused(spec(&PATTERN.replace("rows_per_person = 1", "rows_per_person = 0"), LABELS)), no_budget);
    assert_eq!(refused(spec(&PATTERN.replace("1.0", "0.0"), LABELS)), ("E0210".to_owned(), 2));
    assert_eq!(refused(spec(PATTERN, "")).0, "E0401", "labels that were read off the data tell who is there");
}
