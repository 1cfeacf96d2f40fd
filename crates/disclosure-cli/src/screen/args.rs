//! The arguments of `disclosure screen`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use disclosure_jobs::screening::{AttackEffort, ScreenLimits};

use crate::files::WriteArgs;
use crate::format::FormatArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum ScreenCommand {
    /// Screen a release from a description of the table, before any data exist
    #[command(after_help = "Example: disclosure screen model fixtures/jobs/screen-model.toml")]
    Model(ModelArgs),
    /// Screen a release of an actual table, from its value counts and the coverage of every row
    #[command(after_help = "\
Examples:
  disclosure screen table fixtures/jobs/screen-voters.toml fixtures/data/anes96.csv
  disclosure screen table fixtures/jobs/screen-voters.toml fixtures/data/anes96.csv --rows ranked.csv

All output is computed from the data: keep it as confidential as the data.")]
    Table(TableArgs),
    /// Find the smallest threshold, the smallest noise and the largest order that meet
    /// target_accuracy
    #[command(after_help = "\
Examples:
  disclosure screen search fixtures/jobs/screen-model.toml
  disclosure screen search fixtures/jobs/screen-model.toml --grid grid.csv")]
    Search(SearchArgs),
    /// Draw tables, release them, attack them with solvers, and compare the measured accuracy with
    /// the prediction
    #[command(after_help = "\
Examples:
  disclosure screen simulate fixtures/jobs/screen-model.toml --trials 10 --seed 1
  disclosure screen simulate fixtures/jobs/screen-voters.toml fixtures/data/anes96.csv --trials 10 --seed 1

The accuracies are those of the built-in attackers, and so a lower bound on what an attacker can reach.
With DATA, only the noise is simulated, and the output is as confidential as the data.")]
    Simulate(SimulateArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// The description of the table and of the release (TOML; - for standard input)
    pub(crate) spec: PathBuf,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TableArgs {
    /// The description of the release (TOML; - for standard input)
    pub(crate) spec: PathBuf,
    /// The data (CSV, also compressed with gzip or Zstandard, or XLSX; - for standard input)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Write the line number, coverage and exposure of every row, most exposed first. Keep the file
    /// as confidential as the data
    #[arg(long, value_name = "FILE")]
    pub(crate) rows: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Refuse a table that needs more than this number of row visits
    #[arg(long, value_name = "N", default_value_t = 10_000_000_000)]
    pub(crate) max_visits: u64,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// The description of the table and of the release, with target_accuracy (TOML; - for standard
    /// input)
    pub(crate) spec: PathBuf,
    /// Write the estimate for every threshold and noise level of [grid] as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) grid: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Confirm each candidate setting with this many simulated attacks; reject it if they exceed
    /// the target
    #[arg(long, value_name = "N", requires = "seed", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) confirm: Option<u64>,
    /// Seed of the simulated attacks; the same seed gives the same results
    #[arg(long, value_name = "S", requires = "confirm")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) attack: AttackArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// The description of the table and of the release (TOML; - for standard input)
    pub(crate) spec: PathBuf,
    /// An actual table to release and attack (CSV; - for standard input), instead of simulated
    /// tables
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Number of releases to attack
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) trials: u64,
    /// Seed of the tables and the noise; the same seed gives the same results
    #[arg(long, value_name = "S")]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) attack: AttackArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// The largest simulated attack.
#[derive(Debug, Args)]
pub(crate) struct AttackArgs {
    /// Refuse to attack a release with more entries than this (rows times released tables)
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
    /// Safety margin: the accuracy must stay this far below target_accuracy
    #[arg(long, value_name = "SHARE")]
    pub(crate) margin: Option<f64>,
    /// Refuse a job that would use more memory than this, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(crate) max_memory: u64,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> ScreenLimits {
        ScreenLimits { bytes: self.max_memory as f64 * 1024.0 * 1024.0, ..ScreenLimits::default() }
    }
}
