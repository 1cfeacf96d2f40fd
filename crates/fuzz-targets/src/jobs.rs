//! Specifications of every job: read and checked, with no row of data.

use std::path::Path;

use disclosure_jobs::document::json_of;
use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::{amounts, exact, filter, marginals, pipeline, reports, screening};

/// Files that jobs may name.
fn files() -> MemoryFiles {
    MemoryFiles::default()
        .with("domain.toml", "learnt_from_data = false\n[[attribute]]\nname = \"a\"\nsize = 3\n")
        .with("domain.json", "{\"a\": 3}")
        .with("h.csv", "a;x;all\nb;x;all\nc;y;all\nd;y;all\n")
        .with("q.csv", "a,b,c\n1,0,0\n0,1,-1\n")
        .with("sizes.csv", "entities,groups\n1,40\n20,3\n")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

pub(crate) fn noisy(bytes: &[u8]) -> bool {
    marginals::Job::parse(text(bytes), &files()).is_ok()
}

pub(crate) fn exact(bytes: &[u8]) -> bool {
    exact::Job::parse(text(bytes), "any", &files()).is_ok()
}

pub(crate) fn filter(bytes: &[u8]) -> bool {
    let is_advice = filter::AdviceJob::parse(text(bytes), &files()).is_ok();
    filter::Job::parse(text(bytes)).is_ok() || is_advice
}

pub(crate) fn reports(bytes: &[u8]) -> bool {
    let is_accepted = reports::Job::parse(text(bytes)).is_ok();
    if let Ok(document) = reports::plan(text(bytes)) {
        let json = String::from_utf8(json_of(&document)).expect("JSON is UTF-8");
        let back: reports::PlanDocument = serde_json::from_str(&json).expect("what is written is read");
        assert_eq!(String::from_utf8(json_of(&back)).ok(), Some(json), "and is the same");
    }
    is_accepted
}

pub(crate) fn amounts(bytes: &[u8]) -> bool {
    amounts::Job::parse(text(bytes), "any", &files()).is_ok()
}

pub(crate) fn screening(bytes: &[u8]) -> bool {
    screening::ScreeningJob::parse(text(bytes), Path::new("any")).is_ok_and(|job| job.check().is_ok())
}

pub(crate) fn pipeline(bytes: &[u8]) -> bool {
    let files = files();
    pipeline::Job::parse(text(bytes), &files).is_ok_and(|job| job.warnings().len() < 100)
}
