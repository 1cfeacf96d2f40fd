//! The words of `disclosure lcf`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::choose::args::{AdviseArgs, OddsArgs};

#[derive(Debug, Subcommand)]
pub(crate) enum LcfCommand {
    /// The groups of a table that are large enough to be shown, under a noisy threshold that stays the same
    #[command(after_help = "\
Example:
  disclosure lcf filter fixtures/jobs/lcf-visits.toml fixtures/data/visits.csv --secret-file key --new-secret --rest

Keep the key as long as the data stays: under another key small groups draw again, and draws can be averaged.")]
    Filter(FilterArgs),
    /// Why a group is shown or not, for the owner of the data
    #[command(after_help = "\
Example:
  disclosure lcf explain fixtures/jobs/lcf-visits.toml fixtures/data/visits.csv --secret-file key --group \"Bonn,eye\"")]
    Explain(ExplainArgs),
    /// What a noisy threshold gives away: how likely groups are reported, and what a decision tells an attacker
    #[command(after_help = "\
Examples:
  disclosure lcf odds --mean 8 --sd 1.5 --floor 2
  disclosure lcf odds --mean 8 --sd 1.5 --floor 2 --up-to 10 --json
  disclosure lcf odds --law optimal-selection --epsilon 1 --delta 1e-5 --at-least 2")]
    Odds(OddsArgs),
    /// The parameters that suppress least and keep what an attacker may gain below a target
    #[command(after_help = "Example: disclosure lcf advise fixtures/jobs/lcf-advise.toml")]
    Advise(AdviseArgs),
}

/// What a decision depends on.
#[derive(Debug, Args)]
pub(crate) struct JobArgs {
    /// How to group, whom to protect, and the law of the threshold (TOML; - for the standard input)
    pub(crate) spec: PathBuf,
    /// The data (CSV; - for the standard input)
    pub(crate) data: PathBuf,
    /// The file with the 32 secret bytes; nobody but its owner may read it
    #[arg(long, value_name = "KEY")]
    pub(crate) secret_file: PathBuf,
    /// Make that file with a new secret if it is not there. Keep it as long as the data
    #[arg(long)]
    pub(crate) new_secret: bool,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Write the groups to this CSV file
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Show all suppressed groups as one, where they are at least two and enough people together; LABEL stands for their labels
    #[arg(long, value_name = "LABEL", num_args = 0..=1, require_equals = true, default_missing_value = "*")]
    pub(crate) rest: Option<String>,
    /// Write what happened to every group, shown or not, to this JSON file. It stays where the data are
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// The labels of the group, in the order of group_by, with commas between them, quoted as in CSV
    #[arg(long, value_name = "LABELS")]
    pub(crate) group: String,
}
