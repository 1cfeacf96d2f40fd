//! The jobs of randomised reports in memory: pinned bytes, documents that come back, and a stop
//! that leaves nothing.

use std::fmt::Debug;
use std::path::Path;

use disclosure_jobs::digest::sha256;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::document::json_of;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::observer::{Observer, Silent};
use disclosure_jobs::reports::{
    Counting, EncodeDocument, EstimateDocument, EstimateOptions, Job, PlanDocument, Population, Rounds, SetRequest,
    SimulationDocument, SimulationOptions, State, StateDocument, estimate, merge, plan, simulate,
};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;
use serde::de::DeserializeOwned;

const ROOM: f64 = 1e9;

fn fixture(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    std::fs::read_to_string(root.join(name)).unwrap()
}

fn voters() -> (Job, CsvSource) {
    let job = Job::parse(&fixture("jobs/ldp-voters.toml")).unwrap();
    (job, CsvSource::bytes("anes96.csv", fixture("data/anes96.csv").into_bytes()))
}

fn encoded(job: &Job, source: &CsvSource) -> (EncodeDocument, Vec<u8>) {
    let mut reports = Vec::new();
    let mut rng = ChaCha20Rng::from_seed([7; 32]); // tests only
    let document =
        job.plan(source, &Rounds::Unstated, &Silent).unwrap().release(&mut reports, &Silent, &mut rng).unwrap();
    (document, reports)
}

fn counted(job: &Job, reports: &[u8]) -> State {
    let mut counting = Counting::new(job, ROOM, &Silent).unwrap();
    counting.add_reports(&mut &*reports).unwrap();
    counting.finish().unwrap()
}

/// A document as it is written reads back as itself, and a document of another schema does not.
#[track_caller]
fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(document: &T) {
    let json = json_of(document);
    assert_eq!(&serde_json::from_slice::<T>(&json).unwrap(), document);
    let other = String::from_utf8(json).unwrap().replacen("/1\"", "/9\"", 1);
    assert!(serde_json::from_str::<T>(&other).is_err());
}

#[track_caller]
fn has_digest(document: &impl Serialize, digest: &str) {
    assert_eq!(sha256(&json_of(document)), digest);
}

/// Digests of the files that the command writes for this job under this generator: a change is a
/// change of the format or of the numbers.
#[test]
fn reports_and_states_have_the_pinned_bytes() {
    let (job, source) = voters();
    let (document, reports) = encoded(&job, &source);
    assert_eq!(sha256(&reports), "23b1ac12f36279f719b7198fccd5bd482044b46eb93b432654491bab05e9979c");
    assert_eq!((document.reports, document.report_bytes), (944, 2));

    let bytes = counted(&job, &reports).to_bytes();
    assert_eq!(sha256(&bytes), "58a157f93cd711033b92f0a131cae3628c67f514e9ea0f614c27be95a1a8ff1b");
    let files = MemoryFiles::default().with("state.bin", bytes);
    let merged = merge(&files, &["state.bin", "state.bin"], true, ROOM, &Silent).unwrap();
    let twice = merge(&files, &["state.bin", "state.bin"], false, ROOM, &Silent).unwrap_err();
    assert!(twice.has_code("E0399"));
    assert_eq!(sha256(&merged.to_bytes()), "c404ad322cdbfe9aee4de1b19071174460a437ecb7aa08825978b1b1e25ce09c");
}

#[test]
fn documents_have_the_pinned_bytes() {
    let (job, source) = voters();
    let state = counted(&job, &encoded(&job, &source).1);
    let pairs =
        EstimateOptions { sets: SetRequest::UpTo(2), pairs: true, feasible: true, ..EstimateOptions::default() };
    let estimates = estimate(&job, &state, &pairs, &Silent).unwrap();
    has_digest(&estimates, "d991e7136624c61ff5a3480c5eb4e292dc5cc5258bd1c0e27358f0951e977adf");
    let listed = EstimateOptions {
        sets: SetRequest::Listed("vote;party=2,vote".to_owned()),
        population: Population::Fixed,
        covariance: true,
        ..EstimateOptions::default()
    };
    let estimates = estimate(&job, &state, &listed, &Silent).unwrap();
    has_digest(&estimates, "719fb9a44a149e1447ab12cb5bcf79e2a1b26f31a212bb61fd5acf17b91a3267");
    let planned = plan(&fixture("jobs/ldp-plan.toml")).unwrap();
    has_digest(&planned, "cdd22c7badb43f302779483556dff6976f29d69dc399f2ef7f12881bd366a14c");
    let options = SimulationOptions { sets: SetRequest::UpTo(1), trials: 3, seed: 1, max_bytes: 4096.0 * 1048576.0 };
    let simulated = simulate(&job, &source, &options, &Silent).unwrap();
    has_digest(&simulated, "9d49c856646987f0b53c0b6773a536799943e0b6d927f1c4756f5fa159059a96");
}

#[test]
fn every_document_comes_back() {
    let (job, source) = voters();
    let (document, reports) = encoded(&job, &source);
    comes_back::<EncodeDocument>(&document);
    let state = counted(&job, &reports);
    comes_back::<StateDocument>(&StateDocument::new(state.tally(), Some(job.schema())));
    comes_back::<StateDocument>(&StateDocument::new(state.tally(), None));
    let options = EstimateOptions {
        sets: SetRequest::Listed("vote,educ=3;party=2".to_owned()),
        pairs: true,
        feasible: true,
        covariance: true,
        ..EstimateOptions::default()
    };
    comes_back::<EstimateDocument>(&estimate(&job, &state, &options, &Silent).unwrap());
    comes_back::<PlanDocument>(&plan(&fixture("jobs/ldp-plan.toml")).unwrap());
    let options = SimulationOptions { sets: SetRequest::UpTo(1), trials: 3, seed: 1, max_bytes: ROOM };
    comes_back::<SimulationDocument>(&simulate(&job, &source, &options, &Silent).unwrap());
}

/// An epsilon that is infinite is `null` in JSON, and infinite again when it is read.
#[test]
fn an_infinite_epsilon_survives_the_way_through_json() {
    let certain = "[[feature]]\nname = \"a\"\nvalues = [\"0\", \"1\"]\nprotocol = \"rr\"\np = 0.0\nq = 0.5\n";
    let job = Job::parse(certain).unwrap();
    let (document, reports) = encoded(&job, &CsvSource::bytes("a.csv", b"a\n0\n1\n".as_slice()));
    assert_eq!(document.epsilon_per_report, f64::INFINITY);
    assert!(String::from_utf8(json_of(&document)).unwrap().contains("\"epsilon_per_report\": null"));
    comes_back::<EncodeDocument>(&document);
    comes_back::<StateDocument>(&StateDocument::new(counted(&job, &reports).tally(), Some(job.schema())));
}

/// An observer whose flag is set from the start.
struct Stopped(StopFlag);

impl Observer for Stopped {
    fn stop_flag(&self) -> StopFlag {
        self.0.clone()
    }
}

#[test]
fn a_set_flag_stops_every_job_with_its_code() {
    let (job, source) = voters();
    let (_, reports) = encoded(&job, &source);
    let state = counted(&job, &reports);
    let stopped = Stopped(StopFlag::new());
    stopped.0.set();
    assert!(job.plan(&source, &Rounds::Unstated, &stopped).unwrap_err().has_code("E0108"));
    let mut counting = Counting::new(&job, ROOM, &stopped).unwrap();
    assert!(counting.add_reports(&mut reports.as_slice()).unwrap_err().has_code("E0108"));
    let refused = estimate(&job, &state, &EstimateOptions::default(), &stopped).unwrap_err();
    assert!(refused.has_code("E0108"));
    let options = SimulationOptions { sets: SetRequest::Pairs, trials: 3, seed: 1, max_bytes: ROOM };
    assert!(simulate(&job, &source, &options, &stopped).unwrap_err().has_code("E0108"));
    let files = MemoryFiles::default().with("a", state.to_bytes());
    assert!(merge(&files, &["a"], false, ROOM, &stopped).unwrap_err().has_code("E0108"));
}

#[test]
fn a_table_with_more_columns_than_one_reading_takes_is_read_in_parts() {
    let names: Vec<String> = (0..130).map(|i| format!("f{i}")).collect();
    let feature = |name: &String| {
        format!("[[feature]]\nname = \"{name}\"\nvalues = [\"0\", \"1\"]\nprotocol = \"rr\"\np = 0.0\nq = 1.0\n")
    };
    let text: String = std::iter::once("order = 1\n".to_owned()).chain(names.iter().map(feature)).collect();
    let job = Job::parse(&text).unwrap();
    let row = |one: usize| (0..130).map(|i| if i == one { "1" } else { "0" }).collect::<Vec<_>>().join(",");
    let table = [names.join(","), row(0), row(129), row(129)].join("\n");
    let (_, reports) = encoded(&job, &CsvSource::bytes("wide.csv", table.into_bytes()));
    let options = EstimateOptions { sets: SetRequest::Listed("f0;f1;f129".to_owned()), ..EstimateOptions::default() };
    let estimates = estimate(&job, &counted(&job, &reports), &options, &Silent).unwrap();
    assert_eq!(estimates.sets.iter().map(|set| set.count).collect::<Vec<_>>(), [1.0, 0.0, 2.0]);
}
