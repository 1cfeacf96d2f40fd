//! Every kind of release, byte by byte: the workbench makes the files that its job makes by itself.

use std::path::PathBuf;

use crate::support::{Bench, DAY, SEED, files, people};
use disclosure_jobs::adaptive::AdaptiveJob;
use disclosure_jobs::document::{Imprint, Titled};
use disclosure_jobs::input::{CsvSource, FileSystem};
use disclosure_jobs::ledger::Uncounted;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::pipeline::Job;
use disclosure_jobs::reports;
use disclosure_jobs::secret::read_secret;
use disclosure_jobs::sink::DirectorySink;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed(SEED)
}

fn opened(rows: usize) -> Bench {
    let bench = Bench::with(&[("people.csv", &people(rows))]);
    bench.open("people.csv");
    bench
}

/// Releases what was chosen, and returns the files with those that the library makes of the job.
fn both(bench: &Bench, make: impl FnOnce(&Bench, &str, DirectorySink)) -> [Vec<(String, Vec<u8>)>; 2] {
    assert_eq!(bench.choose("run", &[("title", "Survey"), ("owner", "Office"), ("release", "1")]), "releases");
    assert!(bench.page("releases").contains("files are as the record says"));
    let job = std::fs::read_to_string(bench.path("disclosure-workbench/job-1.toml")).unwrap();
    make(bench, &job, DirectorySink::create(&bench.path("out")).unwrap());
    ["disclosure-workbench/release-1", "out"].map(|folder| files(&bench.path(folder)))
}

fn source(bench: &Bench) -> CsvSource {
    CsvSource::file(bench.path("people.csv"))
}

fn beside(bench: &Bench) -> FileSystem {
    let job: PathBuf = bench.path("disclosure-workbench/job-1.toml");
    FileSystem::beside(&job)
}

/// What `disclosure run` does.
fn run(bench: &Bench, job: &str, mut sink: DirectorySink) {
    let files = beside(bench);
    let job = Job::parse(job, &files).unwrap();
    let key = bench.path("disclosure-workbench/key");
    let job = if job.needs_secret() { job.with_secret(read_secret(&key).unwrap()) } else { job };
    let planned = job.plan(&source(bench), &Silent).unwrap().with_default_date(DAY);
    let released = planned.release(&mut Uncounted, &mut rng()).unwrap();
    released.write(&mut sink, &Silent).unwrap();
}

#[test]
fn exact_tables_with_an_attack_on_a_column_are_the_same() {
    let bench = opened(80);
    bench.choose("ways", &[("exact", "1")]);
    let rule = [("min_interval_width", "0"), ("min_frequency", "5"), ("decide_on", "counts")];
    bench.choose("exact", &[&rule[..], &[("add", "1"), ("attribute", "1"), ("attribute", "2")]].concat());
    bench.choose("screening", &[("target", "3"), ("known", "1"), ("known", "2")]);
    let part =
        [("part", "1"), ("target", "3"), ("known", "1"), ("known", "2"), ("suppress_below", "5"), ("noise", "2")];
    bench.choose("screen", &[&part[..], &[("target_accuracy", "0,99")]].concat());
    let [made, again] = both(&bench, run);
    assert_eq!(made, again);
    assert!(made.iter().any(|(name, _)| name.starts_with("release/exact/")));
    assert!(made.iter().any(|(name, _)| name == "review/screen.json"), "the prediction is for the owner");
}

#[test]
fn groups_behind_a_threshold_are_the_same() {
    let bench = opened(240);
    bench.choose("ways", &[("filter", "1")]);
    let law = [("bound", "2"), ("mean", "8"), ("sd", "1,5"), ("scale", "4"), ("attribute", "1"), ("attribute", "2")];
    assert_eq!(bench.choose("filter", &law), "check");
    let [made, again] = both(&bench, run);
    assert_eq!(made, again);
    assert!(made.iter().any(|(name, _)| name == "release/filtered.csv"));
}

#[test]
fn synthetic_rows_are_the_same() {
    let bench = opened(300);
    bench.keep_columns(&[("treatment.0", "out")]);
    bench.choose("tables", &[("up_to", "2")]);
    assert_eq!(bench.choose("ways", &[("alone", "rows")]), "rows");
    assert!(bench.page("rows").contains("tables to choose from"));
    assert_eq!(bench.choose("rows", &[("rho", "2,5"), ("rounds", "6"), ("rows", "120")]), "rows");
    assert!(
        bench.page("rows").contains("2.5-zCDP for the choice of tables and the noise together"),
        "{}",
        bench.page("rows")
    );
    bench.choose("check", &[]);
    assert!(bench.page("check").contains("nothing stands against the release"));
    let [made, again] = both(&bench, |bench, job, mut sink| {
        let files = beside(bench);
        let planned = AdaptiveJob::parse(job, &files).unwrap().plan(&Limits::default()).unwrap();
        let ready = planned.with_default_date(DAY).read(&source(bench), &Silent).unwrap();
        let released = ready.release(&mut Uncounted, &Silent, &mut rng()).unwrap();
        released.write(&mut sink).unwrap();
    });
    assert_eq!(made, again);
    let rows = made.iter().find(|(name, _)| name == "rows.csv").map(|(_, bytes)| bytes.clone()).unwrap();
    assert_eq!(String::from_utf8(rows).unwrap().lines().count(), 121);
    let page = bench.post("report", &[("number", "1"), ("public", "1")]).text();
    assert!(page.contains("Synthetic rows") && page.contains("What was chosen"), "{page}");
    let command = bench.page("releases");
    assert!(command.contains("disclosure adaptive release disclosure-workbench/job-1.toml people.csv -o out"));
}

#[test]
fn randomised_answers_are_the_same() {
    let bench = opened(300);
    assert_eq!(bench.choose("ways", &[("alone", "reports")]), "answers");
    assert!(bench.page("answers").contains("Choose the columns of a report"));
    assert_eq!(bench.choose("answers", &[("epsilon", "1,5"), ("attribute", "1"), ("attribute", "2")]), "check");
    bench.choose("check", &[]);
    assert!(bench.page("check").contains("nothing stands against the release"));
    let [made, again] = both(&bench, |bench, job, mut sink| {
        let job = reports::Job::parse(job).unwrap();
        let imprint = Imprint { owner: Some("Office".to_owned()), date: Some(DAY.to_owned()) };
        reports::release(&job, "Survey", imprint, &source(bench), &mut sink, &Silent, &mut rng()).unwrap();
    });
    assert_eq!(made, again);
    assert_eq!(made.len(), 4, "reports, state, estimates, record");
    let page = bench.post("report", &[("number", "1"), ("public", "1")]).text();
    assert!(page.contains("local differential privacy with epsilon 3") && page.contains("95 %"), "{page}");
    assert!(!bench.path("disclosure-workbench/domain-1.toml").exists());
}
