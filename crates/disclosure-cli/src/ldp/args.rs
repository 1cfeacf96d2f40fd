//! Arguments of `disclosure ldp`.

use std::path::PathBuf;

use clap::builder::TypedValueParser as _;
use clap::{Args, Subcommand, ValueEnum};
use disclosure_jobs::reports::{ChangedAnswer, Population, RoundSpec, Rounds};

use crate::files::WriteArgs;
use crate::format::FormatArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum LdpCommand {
    /// Run the client: write one randomised report per row. Only the reports may leave the device
    #[command(after_help = "\
Examples:
  disclosure ldp encode fixtures/jobs/ldp-voters.toml fixtures/data/anes96.csv -o reports.bin
  disclosure ldp encode rappor.toml may.csv --memory people.ldpp --person id -o may.bin

Every run draws new reports. Two reports about one person cost twice the epsilon, so encode once.
RAPPOR features support several rounds: --memory keeps each person's permanent response.")]
    Encode(EncodeArgs),
    /// Count reports into a state, from which joint frequencies are estimated
    #[command(after_help = "\
Examples:
  disclosure ldp aggregate schema.toml monday.bin tuesday.bin -o state.bin
  disclosure ldp aggregate schema.toml --format csv --vouch-for-noise bits.csv -o state.bin

Use --format csv for bits that another program randomised; --vouch-for-noise confirms that it used p
and q of the schema. The file has one column of 0s and 1s per support bit, named `feature` (rr) or
`feature=value` (other protocols). For lh, the file holds the support of each value, not the hashes.")]
    Aggregate(AggregateArgs),
    /// Add up the counts of several states, in any order
    #[command(after_help = "Example: disclosure ldp merge north.bin south.bin -o all.bin")]
    Merge(MergeArgs),
    /// Estimate joint counts and their standard errors from a state
    #[command(after_help = "\
Examples:
  Every column and every pair:
    disclosure ldp estimate schema.toml state.bin
  Two sets:
    disclosure ldp estimate schema.toml state.bin --sets \"vote=1,educ=6;vote=1\"
  Also correlations, odds ratios and tests:
    disclosure ldp estimate schema.toml state.bin --pairs --json

A column is named `feature` (rr) or `feature=value`; #3 is the third column.
Estimated counts are unbiased and can be negative.")]
    Estimate(EstimateArgs),
    /// Compare protocols for a budget by their predicted variance, before any data is collected
    #[command(after_help = "\
Example: disclosure ldp plan fixtures/jobs/ldp-plan.toml")]
    Plan(PlanArgs),
    /// Compare the stated errors with the errors of simulated reports. Do not publish any of the
    /// output
    #[command(after_help = "\
Example: disclosure ldp simulate fixtures/jobs/ldp-voters.toml fixtures/data/anes96.csv --trials 200 --seed 1")]
    Simulate(SimulateArgs),
}

#[derive(Debug, Args)]
pub(crate) struct EncodeArgs {
    /// The schema: the features, and how each answer is randomised (TOML; - for standard input)
    pub(crate) schema: PathBuf,
    /// The rows (CSV; - for standard input)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) form: FormatArgs,
    /// The report file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Keep each person's permanent randomised response (RAPPOR) in this file, and report from it
    /// in every round. The file is as confidential as the answers and is created with mode 0600
    #[arg(long, value_name = "FILE", requires = "person")]
    pub(crate) memory: Option<PathBuf>,
    /// The column that identifies the person; identifiers must be the same in every round
    #[arg(long, value_name = "COLUMN", requires = "memory")]
    pub(crate) person: Option<String>,
    /// What to do when a person's answer to a RAPPOR feature differs from earlier rounds
    #[arg(long, value_enum, default_value_t = Changed::Refuse, requires = "memory")]
    pub(crate) changed: Changed,
    /// State that these people report only once, so that permanent responses need not be kept
    #[arg(long, conflicts_with = "memory")]
    pub(crate) once: bool,
    /// Draw every random value whether or not it is used, so that timing does not depend on the
    /// answer; the reports have the same distribution
    #[arg(long)]
    pub(crate) constant_shape: bool,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

impl EncodeArgs {
    /// What is said about other rounds.
    pub(crate) fn rounds(&self) -> Rounds {
        match (&self.memory, &self.person) {
            (Some(memory), Some(person)) => Rounds::Remembered(RoundSpec {
                memory: memory.clone(),
                person: person.clone(),
                changed: self.changed.into(),
            }),
            _ if self.once => Rounds::Once,
            _ => Rounds::Unstated,
        }
    }
}

/// What becomes of a changed answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Changed {
    /// Refuse the round
    Refuse,
    /// Keep reporting the first answer: epsilon is paid once
    Keep,
    /// Draw a new permanent response for the new answer: costs epsilon again, and reports show when
    /// the answer changed
    Draw,
}

impl From<Changed> for ChangedAnswer {
    fn from(changed: Changed) -> Self {
        match changed {
            Changed::Refuse => Self::Refuse,
            Changed::Keep => Self::KeepFirst,
            Changed::Draw => Self::DrawAgain,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct AggregateArgs {
    /// The schema of the reports (TOML; - for standard input)
    pub(crate) schema: PathBuf,
    /// Report files (- for standard input)
    #[arg(required = true)]
    pub(crate) reports: Vec<PathBuf>,
    /// The state file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Content of the files
    #[arg(long, value_enum, default_value_t = Format::Reports)]
    pub(crate) format: Format,
    /// With --format csv: confirm that the bits were randomised with exactly the probabilities of
    /// the schema. The reported epsilon depends on it
    #[arg(long)]
    pub(crate) vouch_for_noise: bool,
    /// Count a file even if its reports equal those of another file
    #[arg(long)]
    pub(crate) allow_repeats: bool,
    #[command(flatten)]
    pub(crate) form: FormatArgs,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a file of reports holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Reports written by `ldp encode`
    Reports,
    /// Support bits, one column per bit
    Csv,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// State files with the same schema
    #[arg(required = true)]
    pub(crate) states: Vec<PathBuf>,
    /// Add a state even if it counted the same report file as another, or is the same file as one
    /// without the digests of its sources
    #[arg(long)]
    pub(crate) allow_repeats: bool,
    /// Write only the counts, without the digests of the source files; repeated files can then no
    /// longer be detected
    #[arg(long)]
    pub(crate) forget_sources: bool,
    /// The state file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EstimateArgs {
    /// The schema of the reports (TOML; - for standard input)
    pub(crate) schema: PathBuf,
    /// The state file (from `ldp aggregate` or `ldp merge`)
    pub(crate) state: PathBuf,
    /// Sets of columns, separated by semicolons; columns within a set are separated by commas
    #[arg(long, value_name = "SETS", conflicts_with = "order")]
    pub(crate) sets: Option<String>,
    /// Estimate all sets of up to this many columns, with at most one column per feature [default:
    /// 2]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=20).map(usize::from))]
    pub(crate) order: Option<usize>,
    /// The population that the confidence intervals refer to
    #[arg(long, value_enum, default_value_t = PopulationArg::Super)]
    pub(crate) population: PopulationArg,
    /// Also report the association of each pair of columns: correlation, conditional proportion,
    /// lift, odds ratio, and a test of independence
    #[arg(long)]
    pub(crate) pairs: bool,
    /// Also report the counts of the nearest and of the most likely table without negative cells,
    /// for sets of up to 12 columns
    #[arg(long)]
    pub(crate) feasible: bool,
    /// Also report the covariance of all counts (with --json)
    #[arg(long, requires = "json")]
    pub(crate) covariance: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// The population that error bars are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PopulationArg {
    /// The population that the respondents were sampled from
    Super,
    /// The respondents only
    Fixed,
}

impl From<PopulationArg> for Population {
    fn from(population: PopulationArg) -> Self {
        match population {
            PopulationArg::Super => Self::Super,
            PopulationArg::Fixed => Self::Fixed,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The budget and the expected frequencies (TOML; - for standard input)
    pub(crate) spec: PathBuf,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// The schema: the features, and how each answer is randomised (TOML; - for standard input)
    pub(crate) schema: PathBuf,
    /// The rows (CSV; - for standard input)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) form: FormatArgs,
    /// Sets of columns, separated by semicolons; columns within a set are separated by commas
    #[arg(long, value_name = "SETS", conflicts_with = "order")]
    pub(crate) sets: Option<String>,
    /// Estimate all sets of up to this many columns, with at most one column per feature [default:
    /// 2]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=20).map(usize::from))]
    pub(crate) order: Option<usize>,
    /// Number of simulated collections
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) trials: u64,
    /// Seed of the simulated reports; the same seed gives the same results
    #[arg(long, value_name = "S")]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// How much memory a run may take.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct MemoryArgs {
    /// Refuse a job that would use more memory than this, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    max_memory: u64,
}

impl MemoryArgs {
    /// The limit in bytes.
    pub(crate) fn bytes(self) -> f64 {
        self.max_memory as f64 * 1024.0 * 1024.0
    }
}
