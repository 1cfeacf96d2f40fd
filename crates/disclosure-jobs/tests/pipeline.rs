//! What a pipeline refuses, and that nothing is left behind when it is stopped.

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
        (exact.to_owned(), "attacking the planned release"),
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
    let mut ledger = MemoryLedger::new(1.0, terms, &mut rng()).unwrap();
    assert!(planned.release(&mut ledger, &mut rng()).unwrap_err().has_code("E0421"));
    assert!(ledger.chain().charges().is_empty());
}

#[test]
fn the_ledger_is_asked_before_the_work_and_charged_once() {
    let terms = LedgerTerms { neighbours: serde_json::from_str("\"add-remove\"").unwrap(), rows_per_person: 1 };
    let mut ledger = MemoryLedger::new(0.7, terms, &mut rng()).unwrap();
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

/// Two tables of exact counts with a small cell, and noisy counts of the same cells.
fn beside(rho: f64, max_posterior: f64) -> String {
    format!(
        "[exact]\nmargins = [[\"x\"], [\"y\"], [\"x\", \"y\"]]\ntau = 0\nkappa = 3\ndecide_on = \"counts\"\nclasses = \"cells\"\n\
         [budget]\nrho = {rho}\nneighbours = \"add-remove\"\n[noisy]\nmarginals = [[\"x\", \"y\"]]\n\
         [targets]\nmax_posterior = {max_posterior}\n"
    )
}

fn planned_on(rows: &[u8], sections: &str) -> Planned {
    let source = CsvSource::bytes("people.csv", [b"x,y\n".as_slice(), rows].concat());
    let columns = "[[attribute]]\nname = \"x\"\nlabels = [\"a\", \"b\", \"c\"]\n\n\
                   [[attribute]]\nname = \"y\"\nlabels = [\"n\", \"y\", \"z\"]\n";
    let files = MemoryFiles::default();
    Job::parse(&format!("{sections}\n{columns}"), &files).unwrap().plan(&source, &Silent).unwrap()
}

/// 3 x 3 counts of which one is 2.
fn rows() -> Vec<u8> {
    let counts = [("a,n\n", 9), ("a,y\n", 2), ("a,z\n", 7), ("b,n\n", 6), ("b,y\n", 8), ("b,z\n", 5), ("c,n\n", 7)];
    let counts = counts.into_iter().chain([("c,y\n", 4), ("c,z\n", 6)]);
    counts.flat_map(|(row, times)| row.as_bytes().repeat(times)).collect()
}

#[test]
fn a_reader_of_noisy_numbers_is_held_to_max_posterior_before_the_charge_and_after_the_noise() {
    // Much noise says little; the figure of the release itself is for the owner.
    let planned = planned_on(&rows(), &beside(0.001, 0.9));
    let findings = planned.findings().posterior.clone().unwrap();
    assert!(findings.withheld >= 4 && findings.is_whole, "{findings:?}");
    let simulated = findings.simulated.unwrap();
    assert!(simulated.largest < 0.9 && findings.blind.largest < simulated.largest + 0.05, "{findings:?}");
    let released = planned.release(&mut Uncounted, &mut rng()).unwrap();
    let mut sink = MemorySink::default();
    released.write(&mut sink, &Silent).unwrap();
    let file = |name: &str| String::from_utf8(sink.files()[name].clone()).unwrap();
    let attack: serde_json::Value = serde_json::from_str(&file("review/attack.json")).unwrap();
    let largest = attack["noisy_numbers"]["released"]["largest"].as_f64().unwrap();
    assert!(largest > 0.0 && largest <= 0.9);
    let statement = file("release/release.json");
    assert!(statement.contains("a probability above 0.9") && !statement.contains("guessed_right"));
    // Little noise is refused before it is charged.
    let precise = planned_on(&rows(), &beside(20.0, 0.9));
    assert!(precise.findings().posterior.as_ref().unwrap().expected() > 0.99);
    assert!(precise.require_targets().unwrap_err().has_code("E0421"));
    // At the limit that half of all releases keep, noise decides, and is paid for.
    let limit = planned_on(&rows(), &beside(0.2, 0.999)).findings().posterior.as_ref().unwrap().expected();
    let terms = LedgerTerms { neighbours: serde_json::from_str("\"add-remove\"").unwrap(), rows_per_person: 1 };
    let mut outcomes = [0, 0];
    for seed in 0..12 {
        let mut ledger = MemoryLedger::new(1.0, terms, &mut rng()).unwrap();
        let planned = planned_on(&rows(), &beside(0.2, limit));
        planned.require_targets().unwrap();
        let released = planned.release(&mut ledger, &mut ChaCha20Rng::from_seed([seed; 32]));
        assert_eq!(ledger.chain().charges().len(), 1);
        match released {
            Ok(_) => outcomes[0] += 1,
            Err(error) => {
                assert!(error.has_code("E0421") && error.to_string().contains("max-posterior"), "{error}");
                outcomes[1] += 1;
            }
        }
    }
    assert!(outcomes.iter().all(|&times| times > 0), "{outcomes:?}");
}

#[test]
fn max_posterior_is_a_probability_about_exact_tables() {
    let refused = |sections: &str| {
        let files = MemoryFiles::default();
        Job::parse(&format!("{sections}\n{COLUMNS}"), &files).unwrap_err()
    };
    assert!(refused(&format!("{NOISE}[targets]\nmax_posterior = 0.5\n")).has_code("E0244"));
    assert!(refused(&beside(1.0, 1.5)).has_code("E0244"));
    // Without noise the exact numbers alone are judged.
    let exact = beside(1.0, 0.01).replace("rho = 1\nneighbours = \"add-remove\"\n", "").replace("[budget]\n", "");
    let exact = exact.replace("[noisy]\nmarginals = [[\"x\", \"y\"]]\n", "");
    let planned = planned_on(&rows(), &exact);
    assert!(planned.findings().posterior.as_ref().unwrap().simulated.is_none());
    assert!(planned.require_targets().unwrap_err().has_code("E0421"));
}
