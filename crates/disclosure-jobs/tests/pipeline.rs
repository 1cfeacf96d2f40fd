//! What a pipeline refuses, and that nothing is left behind when it is stopped.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use std::sync::Mutex;
use std::time::{Duration, Instant};

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::ledger::{LedgerTerms, MemoryLedger, Uncounted};
use disclosure_jobs::observer::{Observer, Silent};
use disclosure_jobs::pipeline::{Job, Planned};
use disclosure_jobs::sink::MemorySink;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

const COLUMNS: &str = "[[attribute]]\nname = \"x\"\nlabels = [\"a\", \"b\"]\n\n\
                       [[attribute]]\nname = \"y\"\nlabels = [\"n\", \"y\"]\n";
const NOISE: &str = "[budget]\nrho = 0.5\nneighbours = \"add-remove\"\n[noisy]\nup_to = 1\n";

fn source() -> CsvSource {
    CsvSource::bytes("people.csv", [b"x,y\n".as_slice(), &b"a,n\nb,y\na,y\n".repeat(20)].concat())
}

fn planned(sections: &str, observer: &dyn Observer) -> Result<Planned, JobError> {
    let files = MemoryFiles::default();
    Job::parse(&format!("{sections}\n{COLUMNS}"), &files)?.plan(&source(), observer)
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

/// Stops the job when a stage of this name begins.
struct StopAt {
    stage: &'static str,
    flag: StopFlag,
    since: Mutex<Option<Instant>>,
}

impl StopAt {
    fn new(stage: &'static str) -> Self {
        Self { stage, flag: StopFlag::new(), since: Mutex::default() }
    }
}

impl Observer for StopAt {
    fn stage_started(&self, stage: &str) {
        if stage == self.stage {
            self.flag.set();
            *self.since.lock().unwrap() = Some(Instant::now());
        }
    }

    fn stop_flag(&self) -> StopFlag {
        self.flag.clone()
    }
}

#[test]
fn a_job_that_is_stopped_ends_at_once_with_a_code_of_its_own() {
    let exact = "[exact]\nmargins = [[\"x\"]]\ntau = 0\nkappa = 1\ndecide_on = \"counts\"\n";
    for (sections, stage) in [
        (NOISE.to_owned(), "reading"),
        (NOISE.to_owned(), "planning"),
        (exact.to_owned(), "auditing"),
        (exact.to_owned(), "attacking what leaves"),
    ] {
        let observer = StopAt::new(stage);
        let error = planned(&sections, &observer).unwrap_err();
        assert!(error.has_code("E0108"), "{stage}: {error}");
        let since = observer.since.lock().unwrap().unwrap();
        assert!(since.elapsed() < Duration::from_secs(1), "{stage}");
    }
}

#[test]
fn a_release_that_misses_a_target_is_refused_before_it_is_charged() {
    let sections = format!("{NOISE}[targets]\nmax_rmse = 0.1\n");
    let planned = planned(&sections, &Silent).unwrap();
    assert!(planned.require_targets().unwrap_err().has_code("E0421"));
    let target = &planned.findings().targets[0];
    assert!(!target.met && target.name == "noisy-rmse");
    let terms = LedgerTerms { neighbours: serde_json::from_str("\"add-remove\"").unwrap(), rows_per_person: 1 };
    let mut ledger = MemoryLedger::new(1.0, terms).unwrap();
    assert!(planned.release(&mut ledger, &mut rng()).unwrap_err().has_code("E0421"));
    assert!(ledger.chain().charges().is_empty());
}

#[test]
fn the_ledger_is_asked_before_the_work_and_charged_once() {
    let terms = LedgerTerms { neighbours: serde_json::from_str("\"add-remove\"").unwrap(), rows_per_person: 1 };
    let mut ledger = MemoryLedger::new(0.7, terms).unwrap();
    let files = MemoryFiles::default();
    let text = format!("{NOISE}\n{COLUMNS}");
    let job = || Job::parse(&text, &files).unwrap();
    let planned = job().plan_against(&source(), &ledger, &Silent).unwrap();
    assert!(ledger.chain().charges().is_empty(), "a plan is free");
    let released = planned.release(&mut ledger, &mut rng()).unwrap();
    let manifest = released.write(&mut MemorySink::default(), &Silent).unwrap();
    assert_eq!(manifest.budget.unwrap().ledger_hash.as_deref(), Some(ledger.chain().hash()));
    assert!(job().plan_against(&source(), &ledger, &Silent).unwrap_err().has_code("E0501"));
}

#[test]
fn a_filter_without_its_secret_is_refused() {
    let filter = "[filtered]\ngroup_by = [\"x\"]\naid = \"row\"\nlaw = { name = \"hard\", at_least = 5 }\n";
    assert!(planned(filter, &Silent).unwrap_err().has_code("E0245"));
}

#[test]
fn a_release_has_a_statement_that_names_only_what_may_leave() {
    let released = planned(NOISE, &Silent).unwrap().release(&mut Uncounted, &mut rng()).unwrap();
    let mut sink = MemorySink::default();
    let manifest = released.write(&mut sink, &Silent).unwrap();
    assert_eq!(manifest.files.len() + 1, sink.files().len());
    for file in &manifest.files {
        assert_eq!(file.may_leave, file.path.starts_with("release/"), "{}", file.path);
        assert_eq!(file.bytes, sink.files()[&file.path].len() as u64);
    }
    let statement = String::from_utf8(sink.files()["release/release.json"].clone()).unwrap();
    assert!(!statement.contains("review") && statement.contains("\"noisy/plan.json\""));
}
