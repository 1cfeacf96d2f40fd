//! A scheduler and executors as processes: what they count is what one process counts, and what
//! the text says.
#![cfg(all(feature = "ballista", unix))]
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

#[path = "support/parts.rs"]
mod parts;
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, BinaryArray};
use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::filter::Job;
use disclosure_jobs::input::{CsvSource, DataSource};
use disclosure_jobs::observer::Silent;
use ldp_pmdh::{Aggregator, BitNoise, Client, Feature, Protocol, Schema as ReportSchema, StateDetail};
use parts::{Parts, secret_file};
use privacy_core::param::{Epsilon, Probability};
use privacy_core::prf::Secret;
use privacy_core::{AttrSet, Attribute, ContingencyTable, CountSource};
use privacy_data::CsvOptions;
use privacy_sql::{LcfState, ReportCounts};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use support::{TOWN, Table, schema, source, write_arrow, write_parquet};

const SECONDS: u64 = 120;

fn sets() -> Vec<AttrSet> {
    let singles = (0..4).map(AttrSet::single);
    let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| AttrSet::single(a).with(b)));
    [AttrSet::EMPTY].into_iter().chain(singles).chain(pairs).chain([AttrSet::first(3)]).collect()
}

fn cells(tables: &[ContingencyTable]) -> Vec<&[u64]> {
    tables.iter().map(ContingencyTable::cells).collect()
}

/// The rows in parts, so that executors share them.
fn in_parts(folder: &Path, batch: &RecordBatch, parts: usize) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    let rows = batch.num_rows().div_ceil(parts);
    for part in 0..parts {
        let start = (part * rows).min(batch.num_rows());
        let rows = rows.min(batch.num_rows() - start);
        write_parquet(&folder.join(format!("part {part}.parquet")), &batch.slice(start, rows));
    }
    folder.to_owned()
}

fn job(lines: &str) -> Job {
    Job::parse(&format!("always_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n{lines}\n")).unwrap()
}

fn state(job: &Job, byte: u8) -> LcfState {
    LcfState::new(job.clone(), job.filter(&Secret::new(&[byte; 32]).unwrap(), &Silent).unwrap()).unwrap()
}

fn by_town() -> (Job, String) {
    let lines = format!(
        "group_by = [{TOWN:?}, \"age\"]\naid = [{{ column = \"user\", form = \"integer\", null = [\"7\"] }}, \
         {{ column = \"many\", form = \"text\" }}]"
    );
    let town = TOWN.replace('"', "\"\"");
    (job(&lines), format!("SELECT \"{town}\", age, lcf_state(\"user\", many) FROM data GROUP BY \"{town}\", age"))
}

fn report_schema() -> ReportSchema {
    let bits = BitNoise::new(Probability::new(0.1).unwrap(), Probability::new(0.8).unwrap()).unwrap();
    let symbols = Protocol::generalised_response(Epsilon::new(1.0).unwrap(), 3).unwrap();
    let feature = |name: &str, values: usize, protocol: Protocol| {
        Feature::new(Attribute::codes(name, values).unwrap(), protocol).unwrap()
    };
    ReportSchema::new(vec![feature("a", 2, Protocol::RandomisedResponse(bits)), feature("b", 3, symbols)]).unwrap()
}

#[test]
fn a_cluster_counts_what_one_process_and_the_text_count() {
    let directory = tempfile::tempdir().unwrap();
    let secret = secret_file(directory.path(), 7);
    let table = Table::seeded(1, 6000);
    let text = CsvSource::bytes("t", table.csv().into_bytes());
    let folder = in_parts(&directory.path().join("a lake"), &table.batch(), 7);
    let arrow = directory.path().join("arrow");
    write_arrow(&arrow, &table.batch());
    let rows = text.read_rows(&schema(), &CsvOptions::default()).unwrap();
    let expected = rows.marginals(&sets()).unwrap();
    let (job, query) = by_town();
    let function = state(&job, 7);
    let groups = job.group(&text, function.filter(), &Silent).unwrap().to_bytes(function.filter()).unwrap();
    let (schema_of_reports, mut rng) = (report_schema(), ChaCha20Rng::from_seed([3; 32]));
    let client = Client::new(schema_of_reports.clone());
    let reports: Vec<Vec<u8>> =
        (0..3000_u32).map(|row| client.randomise(&[row % 2, row % 3], &mut rng).unwrap()).collect();
    let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(&reports));
    let reported = RecordBatch::try_from_iter([("report", column)]).unwrap();
    let reported = in_parts(&directory.path().join("reports"), &reported, 5);

    let mut parts = Parts::start(&[Some(&secret)]);
    for executors in [1, 2] {
        for path in [&folder, &arrow] {
            let schema = Arc::new(schema());
            let here = source(path, 2).unwrap();
            let here = here.counts(Arc::clone(&schema), &CsvOptions::default()).marginals(&sets()).unwrap();
            let there = parts.source(path, SECONDS).unwrap();
            let counts = there.counts(schema, &CsvOptions::default()).marginals(&sets()).unwrap();
            assert!(cells(&counts) == cells(&expected) && cells(&here) == cells(&expected), "{executors} {path:?}");
            assert_eq!(there.columns().len(), 5);
        }
        let session = parts.session(&folder);
        session.register(function.clone());
        let answer = function.grouped(&session.query(&query).unwrap()).unwrap();
        assert!(answer.to_bytes(function.filter()).unwrap() == groups, "{executors}");
        for detail in [StateDetail::Full, StateDetail::UpTo(2), StateDetail::Reports] {
            let mut whole = Aggregator::new(schema_of_reports.clone(), detail, 1e9).unwrap();
            whole.push_all(&reports.concat()).unwrap();
            let session = parts.session(&reported);
            session.register(ReportCounts::new(schema_of_reports.clone(), detail, 1e9).unwrap());
            let counted = session.query("SELECT report_counts(report) FROM data").unwrap();
            let counted = counted[0].column(0).as_binary::<i64>().value(0);
            assert!(counted == whole.finish().unwrap().to_bytes(), "{executors} {detail:?}");
        }
        parts.add_executor(Some(&secret));
    }
}

#[test]
fn an_executor_without_the_secret_or_with_another_refuses() {
    let directory = tempfile::tempdir().unwrap();
    let other = secret_file(directory.path(), 8);
    let folder = in_parts(&directory.path().join("lake"), &Table::seeded(1, 500).batch(), 2);
    let (job, query) = by_town();
    for (secret, words) in [(None, "this executor has no secret"), (Some(&*other), "this executor has another secret")]
    {
        let parts = Parts::start(&[secret]);
        let session = parts.session(&folder);
        session.register(state(&job, 7));
        let error = session.query(&query).unwrap_err();
        assert!(error.has_code("E0733") && error.message().contains(words), "{}: {error}", error.code());
        // It counts what takes no secret.
        assert_eq!(session.query("SELECT count(*) FROM data").unwrap()[0].num_rows(), 1);
    }
}

#[test]
fn rows_that_do_not_fit_and_queries_that_cannot_be_run_are_errors_of_the_first_attempt() {
    let directory = tempfile::tempdir().unwrap();
    let secret = secret_file(directory.path(), 7);
    let folder = in_parts(&directory.path().join("lake"), &Table::seeded(1, 500).batch(), 2);
    let parts = Parts::start(&[Some(&secret)]);
    let session = parts.session(&folder);
    assert!(session.query("SELECT nothing FROM data").unwrap_err().has_code("E0349"));
    assert!(session.query("DROP TABLE data").unwrap_err().has_code("E0349"));
    let job = job("group_by = [\"age\"]\naid = [{ column = \"many\", form = \"integer\" }]");
    session.register(state(&job, 7));
    let error = session.query("SELECT age, lcf_state(many) FROM data GROUP BY age").unwrap_err();
    assert_eq!((error.code(), error.message()), ("E0397", "argument 1 of lcf_state: an identifier is not an integer"));
    // The schema without a category for NULL.
    let mut attributes = support::attributes();
    attributes[0].missing = None;
    let schema = privacy_data::Schema::new(attributes, privacy_core::Provenance::Public).unwrap();
    let there = parts.source(&folder, SECONDS).unwrap();
    let counted = there.count_marginals(&schema, &CsvOptions::default(), &[AttrSet::first(2)]);
    assert!(counted.unwrap_err().has_code("E0336"));
}

#[test]
fn parts_end_when_they_are_asked_and_leave_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let folder = in_parts(&directory.path().join("lake"), &Table::seeded(1, 500).batch(), 2);
    let mut parts = Parts::start(&[None]);
    assert_eq!(parts.session(&folder).query("SELECT count(*) FROM data").unwrap().len(), 1);
    let executor = &mut parts.executors[0];
    let work = executor.work.as_ref().unwrap().path().to_owned();
    assert_eq!(std::fs::read_dir(&work).unwrap().count(), 1, "states are in a folder of their own");
    assert_eq!(executor.terminate(), Some(0));
    assert_eq!(std::fs::read_dir(&work).unwrap().count(), 0, "which is gone");
    assert_eq!(parts.scheduler.as_mut().unwrap().terminate(), Some(0));
}

fn engine(words: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_disclosure-engine")).args(words).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn parts_refuse_networks_that_nobody_trusts_and_secrets_that_others_can_read() {
    for words in [
        &["scheduler", "--listen", "0.0.0.0:50050"][..],
        &["scheduler", "--listen", "8.8.8.8:50050", "--trusted-network"],
        &["scheduler", "--listen", "10.0.0.1:50050"],
        &["executor", "--listen", "192.168.0.1:50051"],
        &["executor", "--scheduler", "10.0.0.1:50050"],
    ] {
        let (code, said) = engine(words);
        assert!(code == 1 && said.contains("E0734"), "{words:?}: {code} {said}");
    }
    let directory = tempfile::tempdir().unwrap();
    let open = secret_file(directory.path(), 7);
    std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let (code, said) = engine(&["executor", "--secret-file", &open.display().to_string()]);
    assert!(code == 4 && said.contains("E0407"), "{code} {said}");
}

#[test]
fn a_release_names_the_cluster_as_its_data() {
    let directory = tempfile::tempdir().unwrap();
    let folder = in_parts(&directory.path().join("lake"), &Table::seeded(1, 2000).batch(), 3);
    let spec = "marginals = [[\"age\"]]\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n\
        [[attribute]]\nname = \"age\"\nsize = 90\nmissing = \"category\"\n";
    std::fs::write(directory.path().join("spec.toml"), spec).unwrap();
    let parts = Parts::start(&[None]);
    let address = parts.address(&folder, SECONDS).display().to_string();
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_disclosure-sql"));
        let output = command.args(words).current_dir(directory.path()).output().unwrap();
        (output.status.code().unwrap(), output.stdout, String::from_utf8(output.stderr).unwrap())
    };
    let simulated =
        |data: &str| run(&["resplan", "simulate", "spec.toml", data, "--trials", "3", "--seed", "1", "--json"]);
    let (code, there, err) = simulated(&address);
    assert_eq!(code, 0, "{err}");
    assert!(there == simulated("lake").1, "the same bits as from the files");
    let (code, _, err) = run(&["resplan", "release", "spec.toml", &address, "-o", "out", "--explain-sql"]);
    assert!(code == 0 && err.contains("marginals(\"age\")"), "{err}");
    let (code, _, err) = run(&["resplan", "release", "spec.toml", &address, "-o", "no", "--query", "SELECT 1"]);
    assert!(code != 0 && err.contains("E0350"), "{err}");
    assert!(!directory.path().join("no").exists());
}
