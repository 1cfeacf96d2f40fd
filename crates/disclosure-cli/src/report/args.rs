//! The words of `disclosure report`.

use std::path::PathBuf;

use crate::files::WriteArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  disclosure resplan release fixtures/jobs/titanic.toml fixtures/data/titanic.csv -o out
  disclosure report out -o report.html
  disclosure report out --public -o - > page.html

The page is one file: no script, nothing that is fetched. Every file of the release is read and its digest compared.")]
pub(crate) struct ReportArgs {
    /// A directory with the record of a release: manifest.json or release.json
    pub(crate) directory: PathBuf,
    /// The page to write (- for the standard output)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Leave out everything that must stay where the data are
    #[arg(long)]
    pub(crate) public: bool,
    /// Show at most this many lines of a table
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) max_lines: u32,
    /// Print one JSON document on what was written
    #[arg(long)]
    pub(crate) json: bool,
}
