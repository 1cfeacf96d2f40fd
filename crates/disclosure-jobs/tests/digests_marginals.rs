//! Every file of a release under a fixed generator has the bytes it had.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use disclosure_jobs::adaptive::AdaptiveJob;
use disclosure_jobs::digest::sha256;
use disclosure_jobs::document::json_of;
use disclosure_jobs::input::{CsvSource, FileSystem};
use disclosure_jobs::ledger::Uncounted;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{AnswersDocument, Measurement, PlanDocument, Planned, ReleaseDocument};
use disclosure_jobs::observer::Silent;
use disclosure_jobs::sink::MemorySink;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

fn planned(job: &str) -> Planned {
    let path = fixture(&format!("jobs/{job}.toml"));
    let text = std::fs::read_to_string(&path).unwrap();
    Planned::parse(&text, &FileSystem::beside(&path), &Limits::default(), &Silent).unwrap()
}

/// The files of a release, by their names.
fn released(job: &str, data: &str) -> BTreeMap<String, Vec<u8>> {
    let ready = planned(job).read(&CsvSource::file(fixture(&format!("data/{data}.csv"))), &Silent).unwrap();
    let released = ready.release(&mut Uncounted, &mut ChaCha20Rng::from_seed([7; 32])).unwrap();
    let mut sink = MemorySink::default();
    released.write(&mut sink, &Silent).unwrap();
    sink.files().clone()
}

/// The digests that a job's files must have.
fn digests(job: &str) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(fixture("jobs/DIGESTS.toml")).unwrap();
    let mut all: BTreeMap<String, BTreeMap<String, String>> = toml::from_str(&text).unwrap();
    all.remove(job).unwrap()
}

fn check(job: &str, data: &str) {
    let mut files = released(job, data);
    let mut measurement =
        Measurement::open("measurement.bin", Cursor::new(&files["measurement.bin"]), &Limits::default()).unwrap();
    let answers = measurement.document(&measurement.all()).unwrap();
    files.insert("answers".to_owned(), json_of(&answers));
    let ready = planned(job).read(&CsvSource::file(fixture(&format!("data/{data}.csv"))), &Silent).unwrap();
    files.insert("simulation".to_owned(), json_of(&ready.simulate(5, 1, &Silent).unwrap()));
    let found: BTreeMap<String, String> = files.iter().map(|(name, bytes)| (name.clone(), sha256(bytes))).collect();
    assert_eq!(found, digests(job), "{job}");
}

#[test]
fn the_release_of_voters_has_the_bytes_it_had() {
    check("voters", "anes96");
}

#[test]
fn the_release_of_titanic_has_the_bytes_it_had() {
    check("titanic", "titanic");
}

#[test]
fn documents_are_read_back_as_they_were_written() {
    let files = released("voters", "anes96");
    let release: ReleaseDocument = serde_json::from_slice(&files["release.json"]).unwrap();
    let plan: PlanDocument = serde_json::from_slice(&files["plan.json"]).unwrap();
    assert_eq!((json_of(&release), json_of(&plan)), (files["release.json"].clone(), files["plan.json"].clone()));
    assert_eq!(plan, planned("voters").document());
    let mut measurement =
        Measurement::open("measurement.bin", Cursor::new(&files["measurement.bin"]), &Limits::default()).unwrap();
    let answers = measurement.document(&measurement.all()).unwrap();
    assert_eq!(serde_json::from_slice::<AnswersDocument>(&json_of(&answers)).unwrap(), answers);
    let other = String::from_utf8(files["release.json"].clone()).unwrap().replace("release/1", "release/2");
    assert!(serde_json::from_str::<ReleaseDocument>(&other).is_err(), "another version is not believed");
}

#[test]
fn a_stored_plan_releases_the_bytes_of_its_spec() {
    let stored = planned("voters").to_stored();
    let again = Planned::parse(&stored, &FileSystem::new("/nowhere"), &Limits::default(), &Silent).unwrap();
    let ready = again.read(&CsvSource::file(fixture("data/anes96.csv")), &Silent).unwrap();
    let released = ready.release(&mut Uncounted, &mut ChaCha20Rng::from_seed([7; 32])).unwrap();
    let mut sink = MemorySink::default();
    released.write(&mut sink, &Silent).unwrap();
    assert_eq!(sha256(&sink.files()["measurement.bin"]), digests("voters")["measurement.bin"]);
    assert_eq!(sha256(&sink.files()["plan.json"]), digests("voters")["plan.json"]);
}

#[test]
fn the_adaptive_release_of_titanic_has_the_tables_and_rows_it_had() {
    let path = fixture("jobs/titanic-adaptive.toml");
    let job = AdaptiveJob::parse(&std::fs::read_to_string(&path).unwrap(), &FileSystem::beside(&path)).unwrap();
    let rows = CsvSource::file(fixture("data/titanic.csv"));
    let ready = job.plan(&Limits::default()).unwrap().read(&rows, &Silent).unwrap();
    let released = ready.release(&mut Uncounted, &Silent, &mut ChaCha20Rng::from_seed([7; 32])).unwrap();
    let mut sink = MemorySink::default();
    released.write(&mut sink).unwrap();
    let tables = sink.files().iter().filter(|(name, _)| name.ends_with(".csv"));
    let found: BTreeMap<String, String> = tables.map(|(name, bytes)| (name.clone(), sha256(bytes))).collect();
    assert_eq!(found, digests("adaptive"));
}
