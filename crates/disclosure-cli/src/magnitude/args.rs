//! The words of `disclosure magnitude`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::files::WriteArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum MagnitudeCommand {
    /// Which cells are withheld and why, and what a reader knows of each: for the owner of the data
    #[command(after_help = "Example: disclosure magnitude plan fixtures/jobs/magnitude-firms.toml")]
    Plan(PlanArgs),
    /// Write the table without them; nothing is written when the rule cannot be kept
    #[command(after_help = "Example: disclosure magnitude release fixtures/jobs/magnitude-firms.toml -o out")]
    Release(ReleaseArgs),
    /// What the published cells of a pattern of amounts give away: a JJ file of tau-ARGUS or
    /// sdcTable
    #[command(after_help = "Example: disclosure magnitude audit pattern.jj --decimals 2")]
    Audit(AuditArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The table, the rule, and who attacks (TOML; - for the standard input)
    pub(crate) spec: PathBuf,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Write what proves the interval of every withheld cell, for `disclosure frechet verify`. It
    /// holds tables that may be the true one: keep it where the data are
    #[arg(long, value_name = "FILE")]
    pub(crate) certificates: Option<PathBuf>,
    /// Write the table with its pattern for tau-ARGUS or sdcTable. It holds the data
    #[arg(long, value_name = "FILE")]
    pub(crate) jj: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    /// The table, the rule, and who attacks (TOML; - for the standard input)
    pub(crate) spec: PathBuf,
    /// Print release.json instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// The directory to make; it must not exist, or be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// The pattern (JJ)
    pub(crate) file: PathBuf,
    /// Digits after the point that its amounts have at most
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=9))]
    pub(crate) decimals: u8,
    /// Simplex steps of one linear program
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: Option<u64>,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Write what proves every bound. It holds tables that may be the true one: keep it where the
    /// data are
    #[arg(long, value_name = "FILE")]
    pub(crate) certificates: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}
