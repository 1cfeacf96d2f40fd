//! A person as a column: at most `rows_per_person` rows of each are counted, the promise names the
//! person, and the number of rows that were left out is reported to the owner alone.

use disclosure_jobs::JobError;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::ledger::{MemoryLedger, Uncounted};
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{Job, Planned, ReleaseDocument};
use disclosure_jobs::observer::Silent;
use disclosure_jobs::pipeline;
use disclosure_jobs::sink::MemorySink;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

const WARDS: &str = "[[attribute]]\nname = \"ward\"\nlabels = [\"a\", \"b\", \"c\"]\n";

/// Person 1 has six rows, person 2 three, persons 3 and 4 one each: 11 rows, 6 with at most 2 each.
const VISITS: &str = "pid,ward\n1,a\n1,a\n1,b\n2,c\n1,c\n2,c\n3,a\n2,a\n1,b\n4,b\n1,a\n";

fn visits() -> CsvSource {
    CsvSource::bytes("visits.csv", VISITS.as_bytes())
}

/// So much budget that the noise is 0 in nearly every draw.
fn spec(keys: &str) -> String {
    format!("marginals = [[], [\"ward\"]]\nneighbours = \"add-remove\"\n{keys}\nprivacy = {{ rho = 1e6 }}\n{WARDS}")
}

fn planned(keys: &str) -> Result<Planned, JobError> {
    Job::parse(&spec(keys), &MemoryFiles::default())?.plan(&Limits::default(), &Silent)
}

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn released(planned: Planned, seed: u8) -> (ReleaseDocument, MemorySink) {
    let mut sink = MemorySink::default();
    let ready = planned.read(&visits(), &Silent).unwrap();
    let released = ready.release(&mut Uncounted, &mut rng(seed)).unwrap();
    (released.write(&mut sink, &Silent).unwrap(), sink)
}

fn text(sink: &MemorySink, name: &str) -> String {
    String::from_utf8(sink.files()[name].to_vec()).unwrap()
}

/// The values of a table, rounded.
fn values(sink: &MemorySink, name: &str, column: usize) -> Vec<i64> {
    let csv = text(sink, name);
    let value = |line: &str| line.split(',').nth(column).unwrap().parse::<f64>().unwrap().round() as i64;
    csv.lines().skip(1).map(value).collect()
}

#[test]
fn at_most_so_many_rows_of_each_person_are_in_the_tables() {
    let keys = "person = \"pid\"\nrows_per_person = 2";
    let mut tables = std::collections::BTreeSet::new();
    for seed in 0..8 {
        let (_, sink) = released(planned(keys).unwrap(), seed);
        assert_eq!(values(&sink, "0-total.csv", 0), [6]);
        let wards = values(&sink, "1-ward.csv", 1);
        assert_eq!(wards.iter().sum::<i64>(), 6);
        tables.insert(wards);
    }
    assert!(tables.len() > 1, "which rows are counted is drawn anew for each release");
    let (_, sink) = released(planned("rows_per_person = 2").unwrap(), 0);
    assert_eq!(values(&sink, "0-total.csv", 0), [11], "without a person every row is counted");
}

#[test]
fn the_promise_names_the_person_and_no_published_file_says_how_many_rows_were_left_out() {
    let planned = planned("person = \"pid\"\nrows_per_person = 2").unwrap();
    let unit = planned.document().promise.unit.unwrap();
    assert_eq!(unit, "a person (column \"pid\") with all of their rows, of which at most 2 are counted");
    let ready = planned.read(&visits(), &Silent).unwrap();
    let owner = ready.persons().unwrap().clone();
    assert_eq!((owner.persons, owner.persons_with_more, owner.rows, owner.rows_left_out), (4, 2, 11, 5));
    let mut sink = MemorySink::default();
    let released = ready.release(&mut Uncounted, &mut rng(1)).unwrap();
    let document = released.write(&mut sink, &Silent).unwrap();
    assert_eq!(document.promise.unit.unwrap(), unit);
    assert!(document.not_covered.iter().any(|own| own.contains("rows of a person beyond 2")));
    for name in ["release.json", "plan.json"] {
        let text = text(&sink, name);
        assert!(!text.contains("left_out") && !text.contains("persons"), "{name}: {text}");
    }
}

#[test]
fn a_stored_plan_keeps_the_person() {
    let keys = "person = \"pid\"\nexcess_rows = \"drop\"";
    let stored = planned(keys).unwrap().to_stored();
    let planned = Planned::parse(&stored, &MemoryFiles::default(), &Limits::default(), &Silent).unwrap();
    assert_eq!(planned.person().unwrap().column, "pid");
    assert_eq!(values(&released(planned, 3).1, "0-total.csv", 0), [4]);
}

#[test]
fn with_refuse_a_person_with_more_rows_ends_the_job_before_the_charge() {
    let keys = |rows: u32| format!("person = \"pid\"\nexcess_rows = \"refuse\"\nrows_per_person = {rows}");
    let refused = planned(&keys(5)).unwrap().read(&visits(), &Silent).unwrap_err();
    assert!(refused.has_code("E0330") && !refused.to_string().contains("11"), "{refused}");
    let planned = planned(&keys(6)).unwrap();
    let unit = planned.document().promise.unit.unwrap();
    assert_eq!(unit, "a person (column \"pid\") with at most 6 rows; the release discloses that no one has more");
    let mut ledger = MemoryLedger::new(2e6, planned.charge_request().terms, &mut rng(2)).unwrap();
    let ready = planned.read(&visits(), &Silent).unwrap();
    let _ = ready.release(&mut ledger, &mut rng(1)).unwrap();
    assert_eq!(ledger.chain().charges().len(), 1);
}

#[test]
fn what_a_person_does_not_go_with_is_refused() {
    for keys in ["excess_rows = \"refuse\"", "person = \"pid\"\ncount = \"n\""] {
        assert!(planned(keys).unwrap_err().has_code("E0248"), "{keys}");
    }
    let unknown = planned("person = \"who\"").unwrap().read(&visits(), &Silent).unwrap_err();
    assert!(unknown.has_code("E0308"), "{unknown}");
    for sections in [
        "[exact]\nmargins = [[\"ward\"]]\ntau = 0\nkappa = 1\nepsilon = 1.0\n",
        "[exact]\nmargins = [[\"ward\"]]\ntau = 0\nkappa = 1\n[targets]\nmax_posterior = 0.5\n",
    ] {
        assert!(pipeline::Job::parse(&job(sections), &MemoryFiles::default()).unwrap_err().has_code("E0248"));
    }
}

/// A pipeline of noisy tables of persons, and other sections.
fn job(sections: &str) -> String {
    let budget = "[budget]\nrho = 1e6\nneighbours = \"add-remove\"\nperson = \"pid\"\nrows_per_person = 2\n";
    format!("{WARDS}{budget}[noisy]\nmarginals = [[]]\n{sections}")
}

#[test]
fn a_pipeline_bounds_its_noisy_tables_and_tells_the_owner_alone() {
    let files = MemoryFiles::default();
    let text = job("[exact]\nmargins = [[\"ward\"]]\ntau = 0\nkappa = 1\ndecide_on = \"counts\"\n");
    let planned = pipeline::Job::parse(&text, &files).unwrap().plan(&visits(), &Silent).unwrap();
    assert_eq!(planned.manifest().persons.as_ref().unwrap().rows_left_out, 5);
    let unit = planned.manifest().budget.as_ref().unwrap().promise.unit.clone().unwrap();
    assert!(unit.contains("a person (column \"pid\") with all of their rows"), "{unit}");
    let mut sink = MemorySink::default();
    let released = planned.release(&mut Uncounted, &mut rng(5)).unwrap();
    let _ = released.write(&mut sink, &Silent).unwrap();
    assert_eq!(values(&sink, "release/noisy/0-total.csv", 0), [6]);
    for (name, bytes) in sink.files() {
        let holds = String::from_utf8_lossy(bytes).contains("rows_left_out");
        assert_eq!(holds, name == "manifest.json", "{name}");
    }
}

#[test]
fn persons_that_are_replaced_have_a_public_number_and_not_a_public_number_of_rows() {
    let keys = "person = \"pid\"";
    let text = spec(keys).replace("add-remove", "replace").replace("rho = 1e6", "rho = 0.1");
    let planned = Job::parse(&text, &MemoryFiles::default()).unwrap().plan(&Limits::default(), &Silent).unwrap();
    let (_, sink) = released(planned, 2);
    assert_eq!(values(&sink, "0-total.csv", 0), [4], "the number of persons, without noise");
}
