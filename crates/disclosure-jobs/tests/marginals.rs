//! What a release charges, when it charges, and what it refuses.

use std::io::{self, Write};

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::document::FileDigest;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::ledger::{Ledger, MemoryLedger, Uncounted};
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{Job, Planned, Ready};
use disclosure_jobs::observer::{Observer, Silent};
use disclosure_jobs::sink::{MemorySink, Sink};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

fn spec(more: &str) -> String {
    format!(
        "marginals = [[\"sex\", \"age\"]]\nneighbours = \"add-remove\"\n{more}\n[privacy]\nrho = 0.5\n\
         [[attribute]]\nname = \"sex\"\nlabels = [\"f\", \"m\"]\n[[attribute]]\nname = \"age\"\nsize = 3\n"
    )
}

fn planned(more: &str) -> Planned {
    Job::parse(&spec(more), &MemoryFiles::default()).unwrap().plan(&Limits::default(), &Silent).unwrap()
}

fn rows() -> CsvSource {
    CsvSource::bytes("rows.csv", &b"sex,age\nf,0\nm,2\nm,1\nf,0\n"[..])
}

fn ready(more: &str) -> Ready {
    planned(more).read(&rows(), &Silent).unwrap()
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

fn ledger(budget: f64) -> MemoryLedger {
    MemoryLedger::new(budget, planned("").charge_request().terms, &mut rng()).unwrap()
}

/// A sink whose disk is full.
struct Full;

impl Sink for Full {
    fn write_with(
        &mut self,
        _: &str,
        _: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<FileDigest, JobError> {
        Err(JobError::new("E0103", "no space left"))
    }

    fn commit(&mut self) -> Result<(), JobError> {
        unreachable!("nothing was written")
    }
}

#[test]
fn a_release_is_charged_once_and_its_documents_name_the_entry() {
    let mut ledger = ledger(1.0);
    let released = ready("").release(&mut ledger, &mut rng()).unwrap();
    let document = released.write(&mut MemorySink::default(), &Silent).unwrap();
    assert_eq!(ledger.chain().charges().len(), 1);
    assert_eq!(document.ledger_hash.as_deref(), Some(ledger.chain().hash()));
    assert_eq!((ledger.chain().spent(), released.receipt().rho()), (document.cost.rho, document.cost.rho));
}

#[test]
fn a_failure_after_the_charge_says_that_the_budget_is_spent() {
    let released = ready("").release(&mut ledger(1.0), &mut rng()).unwrap();
    let failed = released.write(&mut Full, &Silent).unwrap_err();
    assert!(failed.has_code("E0103") && failed.is_after_spending());
    assert!(failed.next_step().unwrap().contains("was charged to"), "{failed}");
    let uncounted = ready("").release(&mut Uncounted, &mut rng()).unwrap();
    assert!(!uncounted.write(&mut Full, &Silent).unwrap_err().is_after_spending());
}

#[test]
fn what_is_refused_is_not_charged() {
    let mut small = ledger(0.4);
    let refused = ready("").release(&mut small, &mut rng()).unwrap_err();
    assert!(refused.has_code("E0501") && !refused.is_after_spending());
    assert!(small.chain().charges().is_empty());
    let mut ledger = ledger(9.0);
    let continuous = ready("noise = \"continuous\"").release(&mut ledger, &mut rng()).unwrap_err();
    assert!(continuous.has_code("E0214") && ledger.chain().charges().is_empty());
    let other = ready("rows_per_person = 2").release(&mut ledger, &mut rng()).unwrap_err();
    assert!(other.has_code("E0402") && ledger.chain().charges().is_empty());
}

#[test]
fn a_receipt_for_less_than_the_plan_costs_measures_nothing() {
    let planned = planned("");
    let mut request = planned.charge_request();
    request.rho /= 2.0;
    let receipt = ledger(1.0).charge(&request).unwrap();
    let refused = planned.measure(ready("").rows(), receipt, &mut rng()).unwrap_err();
    assert!(refused.has_code("E0502") && refused.is_after_spending());
}

/// An observer that wants every job to stop.
struct Stopped;

impl Observer for Stopped {
    fn stop_flag(&self) -> StopFlag {
        let flag = StopFlag::new();
        flag.set();
        flag
    }
}

#[test]
fn a_simulation_that_is_stopped_says_so() {
    let stopped = ready("").simulate(10, 1, &Stopped).unwrap_err();
    assert!(stopped.has_code("E0108"), "{stopped}");
}

#[test]
fn answers_of_a_release_are_those_of_its_files() {
    let released = ready("").release(&mut Uncounted, &mut rng()).unwrap();
    let mut sink = MemorySink::default();
    released.write(&mut sink, &Silent).unwrap();
    let csv = String::from_utf8(sink.files()["0-sex_by_age.csv"].clone()).unwrap();
    let answers = released.answers(&["age", "sex"]).unwrap();
    assert_eq!((answers.attributes(), answers.len()), (vec!["sex".to_owned(), "age".to_owned()], 6));
    for (line, text) in answers.lines().zip(csv.lines().skip(1)) {
        assert!(text.starts_with(&format!("{},{:?},", line.names.join(","), line.value)), "{text}");
    }
    assert!(released.answers(&["height"]).unwrap_err().has_code("E0222"));
}
