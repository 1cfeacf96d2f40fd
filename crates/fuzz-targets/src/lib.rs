#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![allow(clippy::missing_panics_doc, reason = "a target is there to panic")]

mod bases;
mod command;
mod corpus;
mod documents;
mod jobs;
mod mutate;
mod records;
mod release;
mod reports;
mod sql_lexer;
mod statements;
mod tables;

pub use corpus::{corpus_of, fails};
pub use mutate::{Generator, mutant};
pub use records::STORED_FILTER;
pub use reports::{RAPPOR, SCHEMA};

/// The most bytes that a target is given: what is longer is cut by none, and tests limits that have
/// tests of their own.
pub const MOST_BYTES: usize = 1 << 16;

/// What a format is written in, for the one who mutates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// Lines of fields.
    Csv,
    /// Keys, values, tables.
    Toml,
    /// Objects and lists.
    Json,
    /// Words and numbers in a fixed order.
    Words,
    /// Names, and queries about them.
    Sql,
    /// Words of a command, with a NUL between two.
    Arguments,
    /// Bytes: magic numbers, lengths, digests.
    Binary,
}

/// A format, and the function that any bytes are given to.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name: a folder of the corpus.
    pub name: &'static str,
    /// What it is written in.
    pub grammar: Grammar,
    /// Reads the bytes as far as they allow, and says whether they were accepted. Panics where
    /// something is wrong with the reader.
    pub run: fn(&[u8]) -> bool,
}

const fn target(name: &'static str, grammar: Grammar, run: fn(&[u8]) -> bool) -> Target {
    Target { name, grammar, run }
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
    target("stored_plan", Grammar::Json, documents::stored_plan),
    target("measurement", Grammar::Binary, documents::measurement),
    target("certificates", Grammar::Json, documents::certificates),
    target("ledger", Grammar::Json, records::ledger),
    target("registry", Grammar::Words, records::registry),
    target("filter_table", Grammar::Binary, records::filter_table),
    target("ldp_reports", Grammar::Binary, reports::reports),
    target("ldp_state", Grammar::Binary, reports::state),
    target("ldp_memory", Grammar::Binary, reports::memory),
    target("release", Grammar::Json, release::directory),
    target("basis", Grammar::Csv, bases::basis),
    target("sql_identifiers", Grammar::Sql, statements::identifiers),
    target("command_words", Grammar::Arguments, command::words),
];

/// The target of a name.
#[must_use]
pub fn target_named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Runs the target of a name: the door of `fuzz/`.
pub fn run(name: &str, bytes: &[u8]) {
    let target = target_named(name).expect("fuzz/ names targets of this crate");
    let _ = (target.run)(&bytes[..bytes.len().min(MOST_BYTES)]);
}
