//! Every number of a pipeline under a fixed generator is the one it was, and its documents are
//! read back as they were written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use disclosure_jobs::digest::sha256;
use disclosure_jobs::disclosure::privacy_core::prf::Secret;
use disclosure_jobs::document::json_of;
use disclosure_jobs::input::{CsvSource, FileSystem, MemoryFiles};
use disclosure_jobs::ledger::Uncounted;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::page::{PageLimits, StoredRelease};
use disclosure_jobs::pipeline::{Job, Manifest, ReleaseStatement};
use disclosure_jobs::sink::MemorySink;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

/// The files of the release of the survey, by their names: made once, and with less that is known
/// of a person, since its attackers take seconds. No table depends on them.
static SURVEY: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(survey);

fn survey() -> BTreeMap<String, Vec<u8>> {
    let path = fixture("jobs/survey.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let known = "known = [\"educ\", \"income\", \"age\"]";
    assert!(text.contains(known));
    let text = text.replace(known, "known = [\"educ\"]");
    let files = FileSystem::beside(&path);
    let source = CsvSource::bytes("anes96.csv", std::fs::read(fixture("data/anes96.csv")).unwrap());
    let job = Job::parse(&text, &files).unwrap().with_secret(Secret::new(&[7; 32]).unwrap());
    let planned = job.plan(&source, &Silent).unwrap();
    planned.require_targets().unwrap();
    let released = planned.release(&mut Uncounted, &mut ChaCha20Rng::from_seed([7; 32])).unwrap();
    let mut sink = MemorySink::default();
    released.write(&mut sink, &Silent).unwrap();
    sink.files().clone()
}

#[test]
fn the_tables_of_the_survey_have_the_bytes_they_had() {
    let files = &*SURVEY;
    let tables = files.iter().filter(|(name, _)| !name.ends_with(".json"));
    let found: BTreeMap<String, String> = tables.map(|(name, bytes)| (name.clone(), sha256(bytes))).collect();
    let text = std::fs::read_to_string(fixture("jobs/DIGESTS.toml")).unwrap();
    let mut expected: BTreeMap<String, BTreeMap<String, String>> = toml::from_str(&text).unwrap();
    assert_eq!(found, expected.remove("survey").unwrap());
}

#[test]
fn documents_are_read_back_as_they_were_written() {
    let files = &*SURVEY;
    let manifest: Manifest = serde_json::from_slice(&files["manifest.json"]).unwrap();
    assert_eq!(json_of(&manifest), files["manifest.json"]);
    let statement: ReleaseStatement = serde_json::from_slice(&files["release/release.json"]).unwrap();
    assert_eq!(json_of(&statement), files["release/release.json"]);
    let other = String::from_utf8(files["manifest.json"].clone()).unwrap().replace("run/1", "run/2");
    assert!(serde_json::from_str::<Manifest>(&other).is_err(), "another version is not believed");
}

#[test]
fn a_page_is_made_of_the_files_in_memory() {
    let stored = SURVEY.iter().fold(MemoryFiles::default(), |all, (name, bytes)| all.with(name, bytes.as_slice()));
    let release = StoredRelease::read(&stored, PageLimits::default()).unwrap();
    let page = release.page();
    assert!(page.has_owner_sections() && page.title == "Voters of 1996");
    let headings: Vec<&str> = page.sections.iter().map(|section| section.heading.as_str()).collect();
    let expected =
        ["What is promised", "What it costs", "Targets", "Tables", "Predictions, audits and attacks", "Files"];
    assert_eq!(headings, [&expected[..], &["Glossary"]].concat());
    // One changed byte, and no page is made.
    let changed = stored.with("release/filtered.csv", "age,income,rows\n");
    assert!(StoredRelease::read(&changed, PageLimits::default()).unwrap_err().has_code("E0387"));
}
