//! The arguments of the command.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::input::EncodingName;
use disclosure_jobs::marginals::WeightsName;
use serde::Deserialize;

use crate::adaptive::AdaptiveCommand;
use crate::files::WriteArgs;
use crate::format::{FormatArgs, TablesArgs};
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

/// Decide what may be published about people, and publish it.
#[derive(Debug, Parser)]
#[command(
    name = "disclosure",
    version,
    max_term_width = 100,
    after_help = "\
Example: every 1- and 2-way marginal of a table, with noise, under 0.5-zCDP
  disclosure resplan release fixtures/jobs/titanic.toml fixtures/data/titanic.csv -o out

Exit codes: 0 done, 1 failed, 2 words of the command or a spec, 3 bad data, 4 refused by your own target,
5 budget exhausted, 6 over a resource limit, 130 stopped. `disclosure explain E0301` explains an error code."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print nothing but errors, and what --json or a standard output is asked for
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The whole pipeline on one table: screen, audit, plan, attack, and release what meets every
    /// target
    Run(RunArgs),
    /// Noisy marginals under one privacy budget, with the least noise there is
    #[command(subcommand)]
    Resplan(ResplanCommand),
    /// Marginals that are chosen under the budget, where a model of the earlier ones errs most, and
    /// rows of the model
    #[command(subcommand)]
    Adaptive(AdaptiveCommand),
    /// Rows of people who do not exist, from a stored measurement of noisy marginals
    Synth(SynthArgs),
    /// What exactly published numbers disclose about every group
    #[command(subcommand)]
    Frechet(FrechetCommand),
    /// Tables of amounts: which sums disclose a respondent, and which cells to withhold
    #[command(subcommand)]
    Magnitude(MagnitudeCommand),
    /// Groups of few people vanish at a noisy threshold that is the same however they are asked
    /// for
    #[command(subcommand)]
    Lcf(LcfCommand),
    /// Joint frequencies from answers that are randomised before they leave the person they are
    /// about
    #[command(subcommand)]
    Ldp(LdpCommand),
    /// How much of the labels a solver would reconstruct from released counts
    #[command(subcommand)]
    Screen(ScreenCommand),
    /// One page that tells the story of a release: promises, tables with charts, files and
    /// digests
    Report(ReportArgs),
    /// Write a domain.toml for a CSV file, and say what was learnt from the data
    Init(InitArgs),
    /// A workbench in the browser, on this machine: a table to a release, with what each choice
    /// costs
    #[cfg(feature = "serve")]
    Serve(crate::serve::ServeArgs),
    /// A file that counts what releases from one data set have spent
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Explain an error code: what is wrong, why it is refused, what to do next
    Explain {
        /// The code, for example E0301
        code: String,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ResplanCommand {
    /// The error of every marginal before any data is seen
    #[command(after_help = "Example: disclosure resplan plan fixtures/jobs/titanic.toml")]
    Plan(PlanArgs),
    /// Draw the noise and write every marginal, with its error, into a new directory
    #[command(after_help = "\
Example: disclosure resplan release fixtures/jobs/titanic.toml fixtures/data/titanic.csv -o out

The directory appears whole or not at all. With --ledger, the budget is written down before the noise is drawn.")]
    Release(Box<ReleaseArgs>),
    /// Measured error beside the predicted, over repeated simulated noise. Nothing here may be
    /// published
    #[command(after_help = "\
Example: disclosure resplan simulate fixtures/jobs/titanic.toml fixtures/data/titanic.csv --trials 1000 --seed 1")]
    Simulate(SimulateArgs),
    /// Any table within those that were measured, later, from measurement.bin
    #[command(after_help = "\
Examples:
  disclosure resplan answer out/measurement.bin                                  what it holds
  disclosure resplan answer out/measurement.bin --marginal \"Class,Sex\"           one table, with its errors
  disclosure resplan answer out/measurement.bin --query \"Class=1st,Sex=Female\"    one number
  disclosure resplan answer out/measurement.bin --marginal Sex --marginal \"\" -o more
  disclosure resplan answer out/measurement.bin --export-mbi residuals.json      for mbi (private-pgm)

Answers cost nothing: anyone who has the measurement has them all.")]
    Answer(AnswerArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct PlanArgs {
    /// What to release, under which budget (TOML; - for the standard input), or a stored plan
    pub(crate) spec: PathBuf,
    /// Store the plan in this file, to be released later with `resplan release FILE DATA`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Plan as if the spec had these weights, to compare: a release takes what the spec says
    #[arg(long, value_name = "NAME", conflicts_with = "output")]
    pub(crate) weights: Option<Weights>,
    /// Also say the least rho for this root mean square error, in counts
    #[arg(long, value_name = "COUNTS")]
    pub(crate) target_rmse: Option<f64>,
    /// Also say the least rho for which no standard deviation is above this, in counts
    #[arg(long, value_name = "COUNTS")]
    pub(crate) target_sd: Option<f64>,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// How much each table counts in a plan.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Weights {
    /// The same root mean square error for all tables
    EqualError,
    /// Every answer counts alike
    ByCells,
    /// Every table counts alike
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
    /// The measurement (measurement.bin of a release, or what `simulate -o` stored)
    pub(crate) measurement: PathBuf,
    /// A table to answer, as names with commas between them; \"\" is the total. May be given
    /// several times
    #[arg(long, value_name = "NAMES")]
    pub(crate) marginal: Vec<String>,
    /// A single answer, as NAME=ANSWER with commas between them; NAME<=LABEL for prefix sums. May
    /// be given several times
    #[arg(long, value_name = "ANSWERS", conflicts_with = "output")]
    pub(crate) query: Vec<String>,
    /// The directory to make, with a file for each table; it must not exist, or be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
    /// Write the independent measurements behind all tables, as JSON for mbi (private-pgm)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["marginal", "query", "output", "json"])]
    pub(crate) export_mbi: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// One JSON document instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SimulateArgs {
    /// What to release, under which budget (TOML; - for the standard input), or a stored plan
    pub(crate) spec: PathBuf,
    /// The data (CSV, gzip, Zstandard or XLSX; - for the standard input)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// How many times to draw the noise
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) trials: u64,
    /// Seed of the simulated noise; the same seed gives the same figures
    #[arg(long, value_name = "S")]
    pub(crate) seed: u64,
    /// Also store the measurement of the first trial, to try `resplan answer` on
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  disclosure init survey.csv > domain.toml
  disclosure init survey.csv -o start --bins age=0,18,30,65 --quantiles income=5 --missing NA,NaN

A directory gets domain.toml, and job.toml with every section of a job, most of them as comments.")]
pub(crate) struct InitArgs {
    /// The data (CSV, gzip, Zstandard or XLSX; - for the standard input)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// The column with counts, if a line stands for many rows
    #[arg(long, value_name = "COLUMN")]
    pub(crate) count: Option<String>,
    /// How bytes spell text
    #[arg(long, value_enum, default_value_t = EncodingArg::Utf8)]
    pub(crate) encoding: EncodingArg,
    /// Bins of a column of numbers, by their edges; numbers above the last have a bin of their own
    #[arg(long, value_name = "COLUMN=EDGES")]
    pub(crate) bins: Vec<String>,
    /// Bins of a column of numbers with about as many rows each; the edges are learnt from the data
    #[arg(long, value_name = "COLUMN=N")]
    pub(crate) quantiles: Vec<String>,
    /// Texts that mean a missing value, with commas between them, besides the empty field
    #[arg(long, value_name = "TEXTS")]
    pub(crate) missing: Option<String>,
    /// A new directory for domain.toml and job.toml, instead of domain.toml on the standard output
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
    /// Start a ledger: the budget of one data set, never to be raised
    #[command(after_help = "Example: disclosure ledger open census.ledger --rho 1 --neighbours add-remove")]
    Open {
        /// The file to make
        ledger: PathBuf,
        /// The whole budget, in rho of zCDP
        #[arg(long)]
        rho: f64,
        /// What neighbouring tables differ in, for every release
        #[arg(long, value_parser = neighbours)]
        neighbours: Neighbours,
        /// How many rows one person may have
        #[arg(long, value_name = "M", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        rows_per_person: u32,
    },
    /// Check every line of a ledger, and show what is left
    Show {
        /// The ledger
        ledger: PathBuf,
        /// One JSON document instead of a table
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
