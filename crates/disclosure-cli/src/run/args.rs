//! Arguments of `disclosure run`.

use std::path::PathBuf;

use clap::Args;

use crate::format::{FormatArgs, TablesArgs};
use crate::limits::LimitArgs;
use crate::new_ledger::NewLedgerArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Example: disclosure run fixtures/jobs/survey.toml -o out --secret-file key --new-secret

The directory is created complete or not at all, and only if every target is met.
DIR/release can be published. DIR/review and DIR/manifest.json are for the owner of the data only.")]
pub(crate) struct RunArgs {
    /// The job: what to release, with which guarantees and targets (TOML; - for standard input)
    pub(crate) job: PathBuf,
    /// The data (CSV, also compressed with gzip or Zstandard, or XLSX; - for standard input),
    /// instead of the file that the job names
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// The directory to create; it must not exist, or must be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
    /// The file with the 32-byte secret key of the [filtered] part; only its owner may have read
    /// permission
    #[arg(long, value_name = "KEY")]
    pub(crate) secret_file: Option<PathBuf>,
    /// Create the key file with a new secret key if it does not exist. Keep the key as long as the
    /// data
    #[arg(long, requires = "secret_file")]
    pub(crate) new_secret: bool,
    /// Create the registry (KEY.registry) of a key that has none. It records the identifiers and
    /// threshold distributions of [filtered], which later jobs must match. --new-secret creates it
    /// as well
    #[arg(long, requires = "secret_file")]
    pub(crate) register: bool,
    #[command(flatten)]
    pub(crate) new_ledger: NewLedgerArgs,
    /// Screen, audit, plan, filter and attack, show what would be released and its cost, and stop
    /// before any noise is drawn
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print every guarantee in full with its attacker, and every table, instead of a one-screen
    /// summary
    #[arg(long, conflicts_with = "json")]
    pub(crate) details: bool,
    /// Print the manifest (JSON) instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}
