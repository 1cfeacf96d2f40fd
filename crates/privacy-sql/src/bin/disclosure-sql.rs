//! The command `disclosure` over data of more kinds: Parquet and Arrow files, and databases.
//!
//! `--explain-sql`, anywhere on the command line, prints every statement for a database before it
//! is sent.
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
    let mut openers: Vec<Box<dyn SourceOpener>> = vec![Box::new(FileOpener::default())];
    #[cfg(feature = "postgres")]
    {
        let opener = privacy_sql::PostgresOpener::default();
        openers.push(Box::new(if explains { opener.with_statements_shown(print_statement) } else { opener }));
    }
    #[cfg(not(feature = "postgres"))]
    let _ = explains;
    openers
}

#[cfg(feature = "postgres")]
#[expect(clippy::print_stderr, reason = "a person asked for it")]
fn print_statement(statement: &str) {
    eprintln!("{statement};\n");
}
