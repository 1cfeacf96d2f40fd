//! The words of `disclosure screen`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use disclosure::screen::Limits;

#[derive(Debug, Subcommand)]
pub(crate) enum ScreenCommand {
    /// Screen a release that is described, before there is a table
    #[command(after_help = "Example: disclosure screen model fixtures/jobs/screen-model.toml")]
    Model(ModelArgs),
    /// Screen a release of an actual table: its own value counts, and the realised coverage of every row
    #[command(after_help = "\
Examples:
  disclosure screen table fixtures/jobs/screen-voters.toml fixtures/data/anes96.csv
  disclosure screen table fixtures/jobs/screen-voters.toml fixtures/data/anes96.csv --rows ranked.csv

Everything here is computed from the data: keep it where they are.")]
    Table(TableArgs),
    /// The smallest threshold, the smallest noise and the largest order that keep target_accuracy
    #[command(after_help = "\
Examples:
  disclosure screen search fixtures/jobs/screen-model.toml
  disclosure screen search fixtures/jobs/screen-model.toml --grid grid.csv")]
    Search(SearchArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// What is released about what kind of table (TOML; - for the standard input)
    pub(crate) spec: PathBuf,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TableArgs {
    /// What is released (TOML; - for the standard input)
    pub(crate) spec: PathBuf,
    /// The data (CSV; - for the standard input)
    pub(crate) data: PathBuf,
    /// Write every row's coverage and exposure, the most exposed first: line of the data, and numbers. Keep it where the data are
    #[arg(long, value_name = "FILE")]
    pub(crate) rows: Option<PathBuf>,
    /// Refuse to visit the rows of the table more often than this
    #[arg(long, value_name = "N", default_value_t = 10_000_000_000)]
    pub(crate) max_visits: u64,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What is released about what kind of table, with target_accuracy (TOML; - for the standard input)
    pub(crate) spec: PathBuf,
    /// Write the estimate at every threshold and noise of [grid] as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) grid: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a run may take.
#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// Refuse to hold more memory than this, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(crate) max_memory: u64,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        Limits { bytes: self.max_memory as f64 * 1024.0 * 1024.0, ..Limits::default() }
    }
}
