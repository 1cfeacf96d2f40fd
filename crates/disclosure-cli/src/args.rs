//! The arguments of the command.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::input::EncodingName;
use disclosure_jobs::marginals::WeightsName;
use serde::Deserialize;

use crate::adaptive::AdaptiveCommand;
use crate::files::WriteArgs;
use crate::format::{FormatArgs, OutputTablesArgs};
use crate::frechet::FrechetCommand;
use crate::lcf::LcfCommand;
use crate::ldp::LdpCommand;
use crate::limits::LimitArgs;
use crate::magnitude::MagnitudeCommand;
use crate::release::ReleaseArgs;
use crate::report::ReportArgs;
use crate::run::RunArgs;
use crate::screen::ScreenCommand;
use crate::synth::SynthArgs;

/// Statistical disclosure control: decide what can be published about people, and publish it.
#[derive(Debug, Parser)]
#[command(
    name = "disclosure",
    version,
    max_term_width = 100,
    after_help = "\
Example: release every 1-way and 2-way marginal of a table with noise, under 0.5-zCDP
  disclosure resplan release fixtures/jobs/titanic.toml fixtures/data/titanic.csv -o out

Exit codes:
  0    success
  1    operating system or engine failure
  2    invalid command line or specification
  3    invalid data
  4    refused: a target of yours is missed
  5    budget exhausted
  6    resource limit exceeded
  130  stopped

Run `disclosure explain E0301` for an explanation of error code E0301."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print only errors, and output requested with --json or `-o -`
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the whole pipeline on one table: screen, audit, plan, attack, and release the parts only
    /// if every target is met
    Run(RunArgs),
    /// Release noisy marginals with minimum error under one privacy budget (ResidualPlanner)
    #[command(subcommand)]
    Resplan(ResplanCommand),
    /// Release adaptively selected noisy marginals, and synthetic rows from a model fitted to them
    #[command(subcommand)]
    Adaptive(AdaptiveCommand),
    /// Generate synthetic rows from a stored measurement of noisy marginals
    Synth(SynthArgs),
    /// Find and prevent disclosure from exactly published counts: bounds, audits, suppression,
    /// rounding
    #[command(subcommand)]
    Frechet(FrechetCommand),
    /// Protect magnitude tables: find the sums that disclose a respondent, and the cells to
    /// suppress
    #[command(subcommand)]
    Magnitude(MagnitudeCommand),
    /// Suppress small groups with a keyed, noisy threshold (low-count filter)
    #[command(subcommand)]
    Lcf(LcfCommand),
    /// Estimate joint frequencies from answers randomised on each person's device (local
    /// differential privacy)
    #[command(subcommand)]
    Ldp(LdpCommand),
    /// Predict how many labels a solver could reconstruct from released counts
    #[command(subcommand)]
    Screen(ScreenCommand),
    /// Write a one-page HTML report of a release: guarantees, tables with charts, files and digests
    Report(ReportArgs),
    /// Write a domain.toml for a data file, and report what was learnt from the data
    Init(InitArgs),
    /// Start the workbench in the browser, on this machine: go from a table to a release and see
    /// what each choice costs
    #[cfg(feature = "serve")]
    Serve(crate::serve::ServeArgs),
    /// Keep a ledger of the privacy budget that releases from one data set have spent
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Explain an error code: what is wrong, why it is refused, and what to do next
    Explain {
        /// The code, for example E0301
        code: String,
    },
    /// Print the completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ResplanCommand {
    /// Predict the error of every marginal, before any data is read
    #[command(after_help = "Example: disclosure resplan plan fixtures/jobs/titanic.toml")]
    Plan(PlanArgs),
    /// Draw the noise and write every marginal, with its error, to a new directory
    #[command(after_help = "\
Example: disclosure resplan release fixtures/jobs/titanic.toml fixtures/data/titanic.csv -o out

The directory is created complete or not at all.
With --ledger, the budget is charged before the noise is drawn.")]
    Release(Box<ReleaseArgs>),
    /// Compare the measured error with the predicted error over repeated simulated noise. Do not
    /// publish any of the output
    #[command(after_help = "\
Example: disclosure resplan simulate fixtures/jobs/titanic.toml fixtures/data/titanic.csv --trials 1000 --seed 1")]
    Simulate(SimulateArgs),
    /// Compute any marginal of the measured ones, at any later time, from measurement.bin
    #[command(after_help = "\
Examples:
  List the marginals of a measurement:
    disclosure resplan answer out/measurement.bin
  One table, with its errors:
    disclosure resplan answer out/measurement.bin --marginal \"Class,Sex\"
  One number:
    disclosure resplan answer out/measurement.bin --query \"Class=1st,Sex=Female\"
  Two tables, written to a directory:
    disclosure resplan answer out/measurement.bin --marginal Sex --marginal \"\" -o more
  All measurements, for mbi (private-pgm):
    disclosure resplan answer out/measurement.bin --export-mbi residuals.json

Answers cost no budget: anyone who has the measurement can compute them all.")]
    Answer(AnswerArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct PlanArgs {
    /// The specification of the release and its budget (TOML; - for standard input), or a stored
    /// plan
    pub(crate) spec: PathBuf,
    /// Store the plan in this file; `resplan release FILE DATA` releases it later
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Plan as if the specification had these weights, for comparison; a release always uses the
    /// weights of the specification
    #[arg(long, value_name = "NAME", conflicts_with = "output")]
    pub(crate) weights: Option<Weights>,
    /// Also report the smallest rho that reaches this root mean square error, in counts
    #[arg(long, value_name = "COUNTS")]
    pub(crate) target_rmse: Option<f64>,
    /// Also report the smallest rho for which no standard deviation exceeds this, in counts
    #[arg(long, value_name = "COUNTS")]
    pub(crate) target_sd: Option<f64>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// How much each table counts in a plan.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Weights {
    /// Every table has the same root mean square error
    EqualError,
    /// Every answer has the same weight
    ByCells,
    /// Every table has the same weight
    ByTables,
}

impl From<Weights> for WeightsName {
    fn from(weights: Weights) -> Self {
        match weights {
            Weights::EqualError => Self::EqualError,
            Weights::ByCells => Self::ByCells,
            Weights::ByTables => Self::ByTables,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct AnswerArgs {
    /// The measurement (measurement.bin of a release, or the file that `simulate -o` wrote)
    pub(crate) measurement: PathBuf,
    /// A table to compute, as attribute names separated by commas; "" is the total. Can be repeated
    #[arg(long, value_name = "NAMES")]
    pub(crate) marginal: Vec<String>,
    /// A single answer, as NAME=ANSWER pairs separated by commas; NAME<=LABEL for prefix sums. Can
    /// be repeated
    #[arg(long, value_name = "ANSWERS", conflicts_with = "output")]
    pub(crate) query: Vec<String>,
    /// The directory to create, with one file per table; it must not exist, or must be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tables: OutputTablesArgs,
    /// Write the independent measurements behind all tables as JSON, for mbi (private-pgm)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["marginal", "query", "output", "json"])]
    pub(crate) export_mbi: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SimulateArgs {
    /// The specification of the release and its budget (TOML; - for standard input), or a stored
    /// plan
    pub(crate) spec: PathBuf,
    /// The data (CSV, also compressed with gzip or Zstandard, or XLSX; - for standard input)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Number of times to draw the noise
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) trials: u64,
    /// Seed of the simulated noise; the same seed gives the same results
    #[arg(long, value_name = "S")]
    pub(crate) seed: u64,
    /// Also store the measurement of the first trial, to try out `resplan answer`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  disclosure init survey.csv > domain.toml
  disclosure init survey.csv -o start --bins age=0,18,30,65 --quantiles income=5 --missing NA,NaN

With -o, the directory also gets a job.toml with every section of a job, most of them commented out.")]
pub(crate) struct InitArgs {
    /// The data (CSV, also compressed with gzip or Zstandard, or XLSX; - for standard input)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// The column that holds the counts, if a line stands for several rows
    #[arg(long, value_name = "COLUMN")]
    pub(crate) count: Option<String>,
    /// Character encoding of the file
    #[arg(long, value_enum, default_value_t = EncodingArg::Utf8)]
    pub(crate) encoding: EncodingArg,
    /// Divide a numeric column into bins with these edges; numbers above the last edge form a bin
    /// of their own
    #[arg(long, value_name = "COLUMN=EDGES")]
    pub(crate) bins: Vec<String>,
    /// Divide a numeric column into N bins with about equally many rows; the edges are learnt from
    /// the data
    #[arg(long, value_name = "COLUMN=N")]
    pub(crate) quantiles: Vec<String>,
    /// Texts that mark a missing value, separated by commas, in addition to the empty field
    #[arg(long, value_name = "TEXTS")]
    pub(crate) missing: Option<String>,
    /// Write domain.toml and job.toml to this new directory, instead of domain.toml to standard
    /// output
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
pub(crate) enum EncodingArg {
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    #[serde(rename = "latin1")]
    Latin1,
}

impl From<EncodingArg> for privacy_data::Encoding {
    fn from(encoding: EncodingArg) -> Self {
        match encoding {
            EncodingArg::Utf8 => Self::Utf8,
            EncodingArg::Latin1 => Self::Latin1,
        }
    }
}

impl From<EncodingArg> for EncodingName {
    fn from(encoding: EncodingArg) -> Self {
        match encoding {
            EncodingArg::Utf8 => Self::Utf8,
            EncodingArg::Latin1 => Self::Latin1,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// Create a ledger with the budget of one data set; the budget can never be raised
    #[command(after_help = "Example: disclosure ledger open census.ledger --rho 1 --neighbours add-remove")]
    Open {
        /// The file to create
        ledger: PathBuf,
        /// The total budget, in rho of zCDP
        #[arg(long)]
        rho: f64,
        /// Neighbouring relation of every release: add-remove or replace
        #[arg(long, value_parser = neighbours)]
        neighbours: Neighbours,
        /// Largest number of rows per person
        #[arg(long, value_name = "M", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        rows_per_person: u32,
    },
    /// Verify every line of a ledger, and show the remaining budget
    Show {
        /// The ledger
        ledger: PathBuf,
        /// Print one JSON document instead of a table
        #[arg(long)]
        json: bool,
    },
}

fn neighbours(word: &str) -> Result<Neighbours, String> {
    match word {
        "add-remove" => Ok(Neighbours::AddRemove),
        "replace" => Ok(Neighbours::Replace),
        _ => Err("write add-remove or replace".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        super::Args::command().debug_assert();
    }
}
