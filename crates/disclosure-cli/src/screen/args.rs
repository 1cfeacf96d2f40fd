//! The arguments of `disclosure screen`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use disclosure_jobs::screening::{AttackEffort, ScreenLimits};

use crate::files::WriteArgs;
use crate::format::FormatArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum ScreenCommand {
    /// Screen a release that is described, before there is a table
    #[command(after_help = "Example: disclosure screen model fixtures/jobs/screen-model.toml")]
    Model(ModelArgs),
    /// Screen a release of an actual table: its own value counts, and the realised coverage of
    /// every row
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
    /// Draw tables, release them, and let solvers reconstruct the labels: measured accuracy
    /// beside the predictions
    #[command(after_help = "\
Examples:
  disclosure screen simulate fixtures/jobs/screen-model.toml --trials 10 --seed 1
  disclosure screen simulate fixtures/jobs/screen-voters.toml fixtures/data/anes96.csv --trials 10 --seed 1

Accuracies are what these attackers reached: a lower bound on what can be reached. With data, only the noise is drawn anew, and
everything is computed from the data: keep it where they are.")]
    Simulate(SimulateArgs),
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
    /// The data (CSV, gzip, Zstandard or XLSX; - for the standard input)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Write every row's coverage and exposure, the most exposed first: line of the data, and
    /// numbers. Keep it where the data are
    #[arg(long, value_name = "FILE")]
    pub(crate) rows: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
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
    /// What is released about what kind of table, with target_accuracy (TOML; - for the standard
    /// input)
    pub(crate) spec: PathBuf,
    /// Write the estimate at every threshold and noise of [grid] as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) grid: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Confirm each setting that is found by this many simulated attacks; one that they exceed is
    /// not taken
    #[arg(long, value_name = "N", requires = "seed", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) confirm: Option<u64>,
    /// Seed of the simulated attacks; the same seed gives the same figures
    #[arg(long, value_name = "S", requires = "confirm")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) attack: AttackArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// What is released about what kind of table (TOML; - for the standard input)
    pub(crate) spec: PathBuf,
    /// An actual table to be released and attacked (CSV; - for the standard input), in place of
    /// tables that are drawn
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// How many releases to attack
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) trials: u64,
    /// Seed of tables and noise; the same seed gives the same figures
    #[arg(long, value_name = "S")]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) attack: AttackArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// The largest simulated attack.
#[derive(Debug, Args)]
pub(crate) struct AttackArgs {
    /// Refuse to attack a release that touches rows more often than this
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub(crate) max_entries: u64,
}

impl SearchArgs {
    /// The attacks that confirm what is found, if they are asked for.
    pub(crate) fn effort(&self) -> Option<AttackEffort> {
        let (trials, seed) = self.confirm.zip(self.seed)?;
        Some(AttackEffort { trials, seed, max_entries: self.attack.max_entries })
    }
}

/// The memory of a run, and how safe is safe.
#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// Figures must stay this far below target_accuracy
    #[arg(long, value_name = "SHARE")]
    pub(crate) margin: Option<f64>,
    /// Refuse to hold more memory than this, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(crate) max_memory: u64,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> ScreenLimits {
        ScreenLimits { bytes: self.max_memory as f64 * 1024.0 * 1024.0, ..ScreenLimits::default() }
    }
}
