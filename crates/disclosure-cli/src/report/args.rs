//! Arguments of `disclosure report`.

use std::path::PathBuf;

use crate::files::WriteArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  disclosure resplan release fixtures/jobs/titanic.toml fixtures/data/titanic.csv -o out
  disclosure report out -o report.html
  disclosure report out --public -o - > page.html

The page is one file without scripts or external resources.
The digest of every file of the release is checked.")]
pub(crate) struct ReportArgs {
    /// The directory of a release, with its manifest.json or release.json
    pub(crate) directory: PathBuf,
    /// The page to write (- for standard output)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Leave out everything that only the owner of the data may see
    #[arg(long)]
    pub(crate) public: bool,
    /// Show at most this many lines of each table
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) max_lines: u32,
    /// Print one JSON document that describes what was written
    #[arg(long)]
    pub(crate) json: bool,
}
