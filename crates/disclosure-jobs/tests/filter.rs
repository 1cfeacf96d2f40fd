//! The filter as a library: no file system, no terminal; documents that come back from their
//! JSON.

use std::fmt::Debug;
use std::num::NonZeroU32;
use std::sync::Mutex;

use disclosure_jobs::JobError;
use disclosure_jobs::digest::sha256;
use disclosure_jobs::disclosure::privacy_core::param::Probability;
use disclosure_jobs::disclosure::privacy_core::prf::Secret;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::filter::{
    AdviceJob, CountsKind, CountsSpec, Decided, HardThreshold, Job, OddsRequest, Reason, odds,
};
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::observer::{Observer, Silent};
use disclosure_jobs::privacy_data::TableFormat;
use disclosure_jobs::sink::{MemorySink, Sink};
use serde::Serialize;
use serde::de::DeserializeOwned;

const SPEC: &str = "group_by = [\"town\"]\nentity = [\"user\"]\nalways_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n\
     counts = \"exact\"\n";

const EXACT: &str = "counts = \"exact\"\n";

/// 20 users in a, one in b, 3 rows without a user in c.
fn rows() -> String {
    let many: String = (0..20).map(|user| format!("a,{user}\n")).collect();
    format!("town,user\n{many}b,77\nc,\nc,\nc,\n")
}

fn decided(spec: &str, rows: &str, observer: &dyn Observer) -> Result<Decided, JobError> {
    let job = Job::parse(spec)?;
    let filter = job.filter(&Secret::new(&[7; 32]).unwrap(), observer)?;
    job.plan(&CsvSource::bytes("rows", rows.as_bytes()), &filter, observer)
}

fn csv(spec: &str) -> Vec<u8> {
    let mut out = Vec::new();
    decided(spec, &rows(), &Silent).unwrap().release(None).unwrap().write_csv(&mut out).unwrap();
    out
}

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(document: &T) {
    let json = serde_json::to_string(document).unwrap();
    let back: T = serde_json::from_str(&json).unwrap();
    assert_eq!(&back, document);
    assert_eq!(serde_json::to_string(&back).unwrap(), json);
}

#[test]
fn groups_leave_through_a_sink_in_memory() {
    let released = decided(SPEC, &rows(), &Silent).unwrap().release(Some("*")).unwrap();
    let mut sink = MemorySink::default();
    released.write(TableFormat::Csv, &mut sink, "groups.csv").unwrap();
    sink.commit().unwrap();
    assert_eq!(sink.files()["groups.csv"], b"town,rows\na,20\n");
    assert!(released.document().rest.is_none(), "one entity in two groups is not enough for a rest");
}

#[test]
fn documents_come_back_from_their_json() {
    let decided = decided(SPEC, &rows(), &Silent).unwrap();
    round_trip(decided.release(None).unwrap().document());
    let audit = decided.audit();
    let reasons: Vec<Reason> = audit.groups.iter().map(|group| group.reason).collect();
    assert_eq!(reasons, [Reason::Certain, Reason::BelowFloor, Reason::NoEntity]);
    assert!(audit.entities[0].one_more.iter().map(|one| one.n).eq(2..=15), "the sizes that a draw decides about");
    round_trip(&audit);
    round_trip(&decided.explain(&["b"]).unwrap());
    assert!(decided.explain(&["nowhere"]).unwrap_err().has_code("E0398"));
}

#[test]
fn odds_and_advice_come_back_from_their_json() {
    let (law, prior) = (HardThreshold::at_least(5).unwrap().into(), Probability::new(0.5).unwrap());
    for kind in [CountsKind::Hidden, CountsKind::Rounded, CountsKind::Noisy, CountsKind::Exact] {
        let counts = CountsSpec::new(kind, None, None);
        round_trip(
            &odds(&OddsRequest { law, prior, groups_per_entity: NonZeroU32::MIN, up_to: None, counts }).unwrap(),
        );
    }
    let files = MemoryFiles::default().with("sizes.csv", "entities,groups\n1,40\n20,3\n");
    let target = "always_suppress_upper_bound = 2\nepsilon = 1.0\ndelta = 1e-2\ngroup_sizes = \"sizes.csv\"\n";
    round_trip(&AdviceJob::parse(target, &files).unwrap().advise(&Silent).unwrap());
}

#[test]
fn the_old_key_of_entities_is_accepted_and_means_the_same() {
    assert_eq!(csv(SPEC), csv(&SPEC.replace("entity", "aid")));
    let both = format!("aid = \"row\"\n{SPEC}");
    assert!(Job::parse(&both).unwrap_err().has_code("E0210"), "one key under two names");
}

#[derive(Default)]
struct Recorder {
    notes: Mutex<Vec<String>>,
    flag: StopFlag,
}

impl Observer for Recorder {
    fn note(&self, text: &str) {
        self.notes.lock().unwrap().push(text.to_owned());
    }

    fn stop_flag(&self) -> StopFlag {
        self.flag.clone()
    }
}

#[test]
fn kinds_that_were_taken_from_names_are_a_note_and_a_set_flag_stops_the_job() {
    let recorder = Recorder { flag: StopFlag::new(), ..Recorder::default() };
    let two = SPEC.replace("[\"user\"]", "[\"user\", \"town\"]");
    decided(&two, &rows(), &recorder).unwrap();
    assert_eq!(recorder.notes.lock().unwrap().len(), 1);
    recorder.flag.set();
    assert!(decided(SPEC, &rows(), &recorder).unwrap_err().has_code("E0108"));
}

/// The bytes of the fixture under a fixed secret: a change of a decision, a label or a format
/// shows here.
#[test]
fn the_fixture_has_the_bytes_it_had() {
    let fixture = |name: &str| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
    let noisy = std::fs::read_to_string(fixture("jobs/lcf-visits.toml")).unwrap();
    let spec = noisy.replace("counts = \"noisy\"", "counts = \"exact\"");
    let rows = std::fs::read_to_string(fixture("data/visits.csv")).unwrap();
    let mut with_noise = Vec::new();
    decided(&noisy, &rows, &Silent).unwrap().release(Some("*")).unwrap().write_csv(&mut with_noise).unwrap();
    assert_eq!(sha256(&with_noise), "83640c3c3effc533ba65501d4bb13b81ca5bee179b76ae1c546a6a45c24ec71f");
    let decided = decided(&spec, &rows, &Silent).unwrap();
    let released = decided.release(Some("*")).unwrap();
    let mut csv = Vec::new();
    released.write_csv(&mut csv).unwrap();
    assert_eq!(sha256(&csv), "4a6122fbd0b58f65b32531d0df8241d5df8db8b82921f2c1f228f1677fee35e7");
    let groups = serde_json::to_vec(&released.document().groups).unwrap();
    assert_eq!(sha256(&groups), "32c04daef795e4bde459ab4b269a6209fcfd74ac0cece56a96a5f37e0408e73d");
    let audited = serde_json::to_vec(&decided.audit().groups).unwrap();
    assert_eq!(sha256(&audited), "368bb5cc9a880f8329275ebaae444482e313fe8fb9a0afde37c8dac8cd1354dd");
}

#[test]
fn counts_are_hidden_unless_the_job_asks_for_them() {
    let word = |counts: &str| String::from_utf8(csv(&format!("{}{counts}", SPEC.replace(EXACT, "")))).unwrap();
    assert_eq!(word(""), "town\na\n");
    assert_eq!(word("counts = \"hidden\"\n"), "town\na\n");
    assert_eq!(word("counts = \"exact\"\n"), "town,rows\na,20\n");
    assert_eq!(word("counts = { kind = \"exact\", of = \"entities\" }\n"), "town,entities\na,20\n");
    for (counts, base) in [("\"rounded\"", 10), ("\"noisy\"", 10), ("{ kind = \"rounded\", base = 7 }", 7)] {
        let text = word(&format!("counts = {counts}\n"));
        let number: u64 = text.strip_prefix("town,entities\na,").unwrap().trim().parse().unwrap();
        assert!(number.is_multiple_of(base) && number.abs_diff(20) < 60, "{counts}: {text}");
    }
}

#[test]
fn counts_that_no_promise_covers_are_refused() {
    let plain = SPEC.replace(EXACT, "");
    let publish = format!("{plain}draws = \"publish\"\ngroups_per_entity = 1\n");
    for spec in [
        format!("{plain}counts = {{ kind = \"rounded\", base = 1 }}\n"),
        format!("{plain}counts = {{ kind = \"rounded\", scale = 2.0 }}\n"),
        format!("{plain}counts = {{ kind = \"hidden\", base = 5 }}\n"),
        format!("{plain}counts = {{ kind = \"noisy\", of = \"rows\" }}\n"),
        format!("{plain}counts = {{ kind = \"noisy\", scale = 0.1 }}\n"),
        format!("{publish}counts = \"rounded\"\n"),
        format!("{publish}counts = \"noisy\"\n"),
        format!("{publish}counts = {{ kind = \"noisy\", base = 5, scale = 2.0 }}\n"),
        plain.replace("[\"user\"]", "[\"user\", \"town\"]") + "counts = \"rounded\"\n",
    ] {
        let refused = decided(&spec, &rows(), &Silent).unwrap_err();
        assert!(refused.has_code("E0283"), "{spec}: {refused:?}");
    }
    assert!(decided(&format!("{publish}counts = {{ kind = \"noisy\", scale = 2.0 }}\n"), &rows(), &Silent).is_ok());
}

#[test]
fn the_promise_is_about_the_whole_line() {
    let promise =
        |spec: &str| decided(spec, &rows(), &Silent).unwrap().release(None).unwrap().document().promise.clone();
    let plain = SPEC.replace(EXACT, "");
    let exact = promise(SPEC);
    assert!(
        exact.calibration.contains("the counts of rows are exact")
            && exact.calibration.contains("probability at most 1"),
        "{exact:?}"
    );
    let hidden = promise(&plain);
    assert!(hidden.calibration.contains("no counts are published"), "{hidden:?}");
    let law = "law = { name = \"optimal-selection\", epsilon = 1.0, delta = 1e-5, groups_per_entity = 1, pre_threshold = 2 }\n";
    let published =
        "group_by = [\"town\"]\nentity = [\"user\"]\ndraws = \"publish\"\ngroups_per_entity = 1\n".to_owned() + law;
    let said = |counts: &str| promise(&format!("{published}{counts}")).publication.unwrap().into_owned();
    assert!(
        said("counts = \"noisy\"\n")
            .contains("together with their noisy counts, is (1, 0.00001)-differentially private")
    );
    assert!(said("counts = \"exact\"\n").contains("the exact counts are not covered"));
    assert!(said("").contains("which groups one publication contains is (1, 0.00001)"));
}
