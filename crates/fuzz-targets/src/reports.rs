//! Randomised reports: files of reports, states of counts, memories of permanent stages.

use disclosure_jobs::disclosure::ldp::{Client, MemoizedResponse, ReportReader, ResponseMemory, Schema};
use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::reports::{
    Counting, EstimateOptions, Job, Population, SetRequest, State, estimate, merge, read_state,
};

/// The schema of the corpus.
pub const SCHEMA: &str = "order = 2\n[[feature]]\nname = \"city\"\nvalues = [\"a\", \"b\", \"c\"]\nprotocol = \"grr\"\n\
                          epsilon = 1.0\n[[feature]]\nname = \"sex\"\nvalues = [\"f\", \"m\"]\nprotocol = \"rr\"\n\
                          epsilon = 1.0\n";
/// The schema of memories in the corpus.
pub const RAPPOR: &str = "order = 1\n[[feature]]\nname = \"city\"\nvalues = [\"a\", \"b\", \"c\"]\nprotocol = \"rappor\"\n\
                      permanent = {p = 0.25, q = 0.75}\ninstantaneous = {p = 0.1, q = 0.9}\n";
const ROOM: f64 = 1e7;

fn job() -> Job {
    Job::parse(SCHEMA).expect("a schema of the tests")
}

fn counted(job: &Job, parts: &[&[u8]]) -> Option<State> {
    let mut counting = Counting::new(job, ROOM, &Silent).ok()?.allowing_repeats();
    parts.iter().try_for_each(|part| counting.add_reports(&mut &**part)).ok()?;
    counting.finish().ok()
}

/// A file of reports: what is accepted is counted, and twice the file is two files merged.
pub(crate) fn reports(bytes: &[u8]) -> bool {
    let job = job();
    let Some(once) = counted(&job, &[bytes]) else { return false };
    let Some(twice) = counted(&job, &[bytes, bytes]) else { return false };
    let files = MemoryFiles::default().with("s", once.to_bytes());
    let merged = merge(&files, &["s", "s"], true, ROOM, &Silent).expect("states that were written");
    assert_eq!(
        merged.without_sources().to_bytes(),
        twice.tally().clone().without_sources().to_bytes(),
        "merged is counted in one pass"
    );
    true
}

/// A state of counts: what is accepted is written as it was read, and estimated or refused.
pub(crate) fn state(bytes: &[u8]) -> bool {
    let job = job();
    let files = MemoryFiles::default().with("s", bytes);
    let _ = merge(&files, &["s", "s"], true, ROOM, &Silent);
    let Ok(state) = read_state(&job, &mut &*bytes, ROOM) else { return false };
    let again = state.to_bytes();
    let back = read_state(&job, &mut &*again, ROOM).expect("what is written is read");
    assert_eq!(back.to_bytes(), again, "and is the same");
    let options = EstimateOptions {
        sets: SetRequest::UpTo(2),
        population: Population::Fixed,
        pairs: false,
        feasible: true,
        covariance: false,
    };
    let _ = estimate(&job, &state, &options, &Silent);
    true
}

/// A memory of permanent stages.
pub(crate) fn memory(bytes: &[u8]) -> bool {
    let schema = Job::parse(RAPPOR).expect("a schema of the tests").schema().clone();
    let client = Client::new(schema);
    let Ok(memory) = ResponseMemory::from_bytes(bytes, &client) else { return false };
    assert_eq!(memory.to_bytes(), bytes, "every byte of a memory is read");
    true
}

/// The row of one person with its permanent stage.
pub(crate) fn response(bytes: &[u8]) -> bool {
    let client = Client::new(Job::parse(RAPPOR).expect("a schema of the tests").schema().clone());
    let Ok(response) = MemoizedResponse::from_bytes(bytes, &client) else { return false };
    assert_eq!(response.to_bytes(), bytes, "every byte of a response is read");
    true
}

/// What a collector hands to its clients.
pub(crate) fn schema(bytes: &[u8]) -> bool {
    let Ok(schema) = Schema::from_bytes(bytes) else { return false };
    assert_eq!(schema.to_bytes(), bytes, "every byte of a schema is read");
    let mut reader = ReportReader::new(&schema);
    assert_eq!(reader.report_bytes(), Client::new(schema).report_bytes(), "who reads and who writes agree");
    let (report, mut row) = (vec![0; reader.report_bytes()], vec![0; reader.stored_columns().div_ceil(64)]);
    let _ = reader.read(&report, &mut row);
    true
}
