//! Arguments of `disclosure magnitude`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::files::WriteArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum MagnitudeCommand {
    /// Show which cells are suppressed, why, and what a reader can infer about each. For the owner
    /// of the data only
    #[command(after_help = "Example: disclosure magnitude plan fixtures/jobs/magnitude-firms.toml")]
    Plan(PlanArgs),
    /// Write the table without the suppressed cells; nothing is written if the rule cannot be
    /// satisfied
    #[command(after_help = "Example: disclosure magnitude release fixtures/jobs/magnitude-firms.toml -o out")]
    Release(ReleaseArgs),
    /// Audit a suppression pattern of a magnitude table (a JJ file of tau-ARGUS or sdcTable)
    #[command(after_help = "Example: disclosure magnitude audit pattern.jj --decimals 2")]
    Audit(AuditArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The table, the sensitivity rule and the attackers (TOML; - for standard input)
    pub(crate) spec: PathBuf,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a proof of the interval of every suppressed cell, for `disclosure frechet verify`. The
    /// file contains tables that may be the true one: keep it as confidential as the data
    #[arg(long, value_name = "FILE")]
    pub(crate) certificates: Option<PathBuf>,
    /// Write the table and its suppression pattern for tau-ARGUS or sdcTable. The file contains the
    /// data
    #[arg(long, value_name = "FILE")]
    pub(crate) jj: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    /// The table, the sensitivity rule and the attackers (TOML; - for standard input)
    pub(crate) spec: PathBuf,
    /// Print release.json instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// The directory to create; it must not exist, or must be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// The suppression pattern (JJ file)
    pub(crate) file: PathBuf,
    /// Largest number of decimal digits in the amounts
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=9))]
    pub(crate) decimals: u8,
    /// Largest number of simplex steps for one linear program
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: Option<u64>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a proof of every bound. The file contains tables that may be the true one: keep it as
    /// confidential as the data
    #[arg(long, value_name = "FILE")]
    pub(crate) certificates: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}
