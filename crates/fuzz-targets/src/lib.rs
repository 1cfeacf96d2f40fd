#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![allow(clippy::missing_panics_doc, reason = "a target is there to panic")]

mod bases;
mod command;
mod documents;
mod jobs;
mod records;
mod release;
mod reports;
mod seals;
mod sql_lexer;
mod statements;
mod tables;

pub use fuzz_runner::{Generator, Grammar, MOST_BYTES, Seal, Target, corpus_of, fails, mutant};
pub use records::STORED_FILTER;
pub use reports::{RAPPOR, SCHEMA};

const fn target(name: &'static str, grammar: Grammar, run: fn(&[u8]) -> bool) -> Target {
    Target { name, grammar, seal: None, run }
}

/// A target of a format that ends in a digest or a seal, and what writes it again.
const fn sealed(target: Target, seal: Seal) -> Target {
    Target { seal: Some(seal), ..target }
}

/// Every target.
pub const TARGETS: &[Target] = &[
    target("csv", Grammar::Csv, tables::csv),
    target("csv_form", Grammar::Csv, tables::csv_in_any_form),
    target("packed", Grammar::Binary, tables::packed),
    target("domain_toml", Grammar::Toml, tables::domain_toml),
    target("domain_json", Grammar::Json, tables::domain_json),
    target("hierarchy", Grammar::Csv, tables::hierarchy),
    target("queries", Grammar::Csv, tables::queries),
    target("jj", Grammar::Words, tables::jj),
    target("job_noisy", Grammar::Toml, jobs::noisy),
    target("job_exact", Grammar::Toml, jobs::exact),
    target("job_filter", Grammar::Toml, jobs::filter),
    target("job_reports", Grammar::Toml, jobs::reports),
    target("job_amounts", Grammar::Toml, jobs::amounts),
    target("job_screening", Grammar::Toml, jobs::screening),
    target("job_pipeline", Grammar::Toml, jobs::pipeline),
    sealed(target("stored_plan", Grammar::Json, documents::stored_plan), seals::stored_plan),
    sealed(target("measurement", Grammar::Json, documents::measurement), seals::measurement),
    target("certificates", Grammar::Json, documents::certificates),
    sealed(target("ledger", Grammar::Json, records::ledger), seals::ledger),
    sealed(target("registry", Grammar::Words, records::registry), seals::registry),
    sealed(target("filter_table", Grammar::Binary, records::filter_table), seals::state),
    target("ldp_reports", Grammar::Binary, reports::reports),
    sealed(target("ldp_state", Grammar::Binary, reports::state), seals::checksum),
    sealed(target("ldp_memory", Grammar::Binary, reports::memory), seals::checksum),
    sealed(target("release", Grammar::Json, release::directory), seals::release),
    target("basis", Grammar::Csv, bases::basis),
    target("sql_identifiers", Grammar::Sql, statements::identifiers),
    target("command_words", Grammar::Arguments, command::words),
    sealed(target("filter_answers", Grammar::Binary, records::filter_answers), seals::state),
    sealed(target("group_state", Grammar::Binary, records::group_state), seals::state),
    sealed(target("entity_set", Grammar::Binary, records::entity_set), seals::entity_set),
    sealed(target("ldp_response", Grammar::Binary, reports::response), seals::checksum),
    sealed(target("ldp_schema", Grammar::Binary, reports::schema), seals::schema),
];

/// The target of a name.
#[must_use]
pub fn target_named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Runs the target of a name: the door of `fuzz/`.
pub fn run(name: &str, bytes: &[u8]) {
    let target = target_named(name).expect("fuzz/ names targets of this crate");
    let bytes = &bytes[..bytes.len().min(MOST_BYTES)];
    let _ = (target.run)(bytes);
    if let Some(seal) = target.seal {
        let _ = (target.run)(&seal(bytes));
    }
}
