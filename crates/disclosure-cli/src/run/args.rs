//! The words of `disclosure run`.

use std::path::PathBuf;

use clap::Args;

use crate::format::{FormatArgs, TablesArgs};
use crate::limits::LimitArgs;
use crate::new_ledger::NewLedgerArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Example: disclosure run fixtures/jobs/survey.toml -o out --secret-file key --new-secret

The directory appears whole or not at all, and only when every target is met. DIR/release may leave; DIR/review and
DIR/manifest.json are for the owner of the data.")]
pub(crate) struct RunArgs {
    /// What to release, under which promises and targets (TOML; - for the standard input)
    pub(crate) job: PathBuf,
    /// The data (CSV, gzip, Zstandard or XLSX; - for the standard input), in place of those that
    /// the job names
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// The directory to make; it must not exist, or be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
    /// The file with the 32 secret bytes of the [filtered] part; nobody but its owner may read it
    #[arg(long, value_name = "KEY")]
    pub(crate) secret_file: Option<PathBuf>,
    /// Make that file with a new secret if it is not there. Keep it as long as the data
    #[arg(long, requires = "secret_file")]
    pub(crate) new_secret: bool,
    /// Make the registry of a secret that has none (KEY.registry): kinds, forms and laws of
    /// [filtered], which later jobs must have as well. --new-secret does so too
    #[arg(long, requires = "secret_file")]
    pub(crate) register: bool,
    #[command(flatten)]
    pub(crate) new_ledger: NewLedgerArgs,
    /// Screen, audit, plan, filter and attack, show what would leave and its cost, and stop
    /// before any noise is drawn
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print every promise in full with its attacker, and every table, instead of one screen
    #[arg(long, conflicts_with = "json")]
    pub(crate) details: bool,
    /// Print the manifest instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}
