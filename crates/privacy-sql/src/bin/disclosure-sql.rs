//! The command `disclosure` over data of more kinds: Parquet and Arrow files, databases, and
//! files that a cluster counts.
//!
//! `--explain-sql`, anywhere on the command line, prints every statement before it is sent to an
//! engine.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::process::ExitCode;

use disclosure_jobs::input::SourceOpener;
use privacy_sql::FileOpener;

fn main() -> ExitCode {
    let (asked, words): (Vec<OsString>, Vec<OsString>) = std::env::args_os().partition(|word| word == "--explain-sql");
    disclosure_cli::run_command(&words, openers(!asked.is_empty()))
}

/// What opens data that are not text.
fn openers(explains: bool) -> Vec<Box<dyn SourceOpener>> {
    let on_statement: fn(&str) = if explains { print_statement } else { quiet };
    vec![
        // An address of a cluster has a path in it, so it comes before files.
        #[cfg(feature = "ballista")]
        Box::new(privacy_sql::ClusterOpener::default().with_statements_shown(on_statement)),
        Box::new(FileOpener::default().with_statements_shown(on_statement)),
        #[cfg(feature = "postgres")]
        Box::new(privacy_sql::PostgresOpener::default().with_statements_shown(on_statement)),
        #[cfg(feature = "duckdb")]
        Box::new(privacy_sql::DuckdbOpener::default().with_statements_shown(on_statement)),
    ]
}

fn quiet(_: &str) {}

#[expect(clippy::print_stderr, reason = "a person asked for it")]
fn print_statement(statement: &str) {
    eprintln!("{statement};\n");
}
