//! Arguments of `disclosure ldp`.

use std::path::PathBuf;

use clap::builder::TypedValueParser as _;
use clap::{Args, Subcommand, ValueEnum};
use disclosure_jobs::reports::{ChangedAnswer, Population, RoundSpec, Rounds};

use crate::files::WriteArgs;
use crate::format::FormatArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum LdpCommand {
    /// The client: write one randomised report for each row. Only the reports may leave
    #[command(after_help = "\
Examples:
  disclosure ldp encode fixtures/jobs/ldp-voters.toml fixtures/data/anes96.csv -o reports.bin
  disclosure ldp encode rappor.toml may.csv --memory people.ldpp --person id -o may.bin

Every run draws new reports. Two reports about one person cost twice the epsilon: encode once, and
send that. RAPPOR features are for several rounds: their permanent stage is kept in --memory.")]
    Encode(EncodeArgs),
    /// Count reports: a state from which joint frequencies are estimated
    #[command(after_help = "\
Examples:
  disclosure ldp aggregate schema.toml monday.bin tuesday.bin -o state.bin
  disclosure ldp aggregate schema.toml --format csv --vouch-for-noise bits.csv -o state.bin

With --format csv, reports were randomised elsewhere, and --vouch-for-noise says that the schema's p and q did it: one column of 0 and 1 for each support bit, named
`feature` (rr) or `feature=value` (any other protocol); lh reports must have been compared with their
hash already.")]
    Aggregate(AggregateArgs),
    /// Add the counts of states, in any order
    #[command(after_help = "Example: disclosure ldp merge north.bin south.bin -o all.bin")]
    Merge(MergeArgs),
    /// Estimate joint counts with their errors, from a state
    #[command(after_help = "\
Examples:
  disclosure ldp estimate schema.toml state.bin                               every column and every pair
  disclosure ldp estimate schema.toml state.bin --sets \"vote=1,educ=6;vote=1\"
  disclosure ldp estimate schema.toml state.bin --pairs --json                also correlations, odds, tests

A column is named `feature` (rr) or `feature=value`; #3 is the third one. Counts are unbiased and may be negative.")]
    Estimate(EstimateArgs),
    /// Compare protocols for a budget, with their predicted variance, before anybody is asked
    #[command(after_help = "\
Example: disclosure ldp plan fixtures/jobs/ldp-plan.toml")]
    Plan(PlanArgs),
    /// Compare claimed errors with those of simulated reports. Nothing here may be published
    #[command(after_help = "\
Example: disclosure ldp simulate fixtures/jobs/ldp-voters.toml fixtures/data/anes96.csv --trials 200 --seed 1")]
    Simulate(SimulateArgs),
}

#[derive(Debug, Args)]
pub(crate) struct EncodeArgs {
    /// What is asked, and how each answer is randomised (TOML; - for the standard input)
    pub(crate) schema: PathBuf,
    /// The rows (CSV; - for the standard input)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) form: FormatArgs,
    /// The file of reports to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Keep the permanent stage of RAPPOR features in this file, by person, and report from it in
    /// every round. As confidential as the answers; made with mode 0600
    #[arg(long, value_name = "FILE", requires = "person")]
    pub(crate) memory: Option<PathBuf>,
    /// The column that names the person of a row, the same in every round
    #[arg(long, value_name = "COLUMN", requires = "memory")]
    pub(crate) person: Option<String>,
    /// What becomes of a person whose answer to a RAPPOR feature is another than before
    #[arg(long, value_enum, default_value_t = Changed::Refuse, requires = "memory")]
    pub(crate) changed: Changed,
    /// There is no other round about these people, so permanent stages are not kept
    #[arg(long, conflicts_with = "memory")]
    pub(crate) once: bool,
    /// Draw both what is kept and what is shown in its place, so that how long a report takes does
    /// not depend on the answer; the reports have the same law
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
    /// The round is refused
    Refuse,
    /// Reports stay about the first answer: one epsilon for ever
    Keep,
    /// The new answer gets a permanent stage of its own: epsilon once more, and reports show when
    /// it changed
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
    /// The schema that the reports were made under (TOML; - for the standard input)
    pub(crate) schema: PathBuf,
    /// Files of reports (- for the standard input)
    #[arg(required = true)]
    pub(crate) reports: Vec<PathBuf>,
    /// The state to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// What the files hold
    #[arg(long, value_enum, default_value_t = Format::Reports)]
    pub(crate) format: Format,
    /// With --format csv: the bits were randomised with exactly the probabilities of the schema.
    /// The epsilon that is printed rests on it
    #[arg(long)]
    pub(crate) vouch_for_noise: bool,
    /// Count a file again that has the same reports as another
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
    /// Reports of `ldp encode`
    Reports,
    /// Support bits, one column each
    Csv,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// States of one schema
    #[arg(required = true)]
    pub(crate) states: Vec<PathBuf>,
    /// Add a state that counted the same file of reports as another, or has the same counts
    #[arg(long)]
    pub(crate) allow_repeats: bool,
    /// Write the counts alone, without the digests of the files that they came from: a repeat is
    /// not noticed any more
    #[arg(long)]
    pub(crate) forget_sources: bool,
    /// The state to write
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
    /// The schema that the reports were made under (TOML; - for the standard input)
    pub(crate) schema: PathBuf,
    /// The state (of `ldp aggregate` or `ldp merge`)
    pub(crate) state: PathBuf,
    /// Sets of columns: commas within a set, semicolons between sets
    #[arg(long, value_name = "SETS", conflicts_with = "order")]
    pub(crate) sets: Option<String>,
    /// All sets of up to this many columns, at most one a feature; without it pairs
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=20).map(usize::from))]
    pub(crate) order: Option<usize>,
    /// The population that intervals are for
    #[arg(long, value_enum, default_value_t = PopulationArg::Super)]
    pub(crate) population: PopulationArg,
    /// Also what two columns have to do with each other: correlation, conditional share, lift,
    /// odds, a test of independence
    #[arg(long)]
    pub(crate) pairs: bool,
    /// Also the count in the nearest and in the likeliest table without negative cells, for sets
    /// of up to 12 columns
    #[arg(long)]
    pub(crate) feasible: bool,
    /// Also the covariance of all counts (in --json)
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
    /// The population that the people were drawn from
    Super,
    /// Only the people who reported
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
    /// The budget and what is expected (TOML; - for the standard input)
    pub(crate) spec: PathBuf,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// What is asked, and how each answer is randomised (TOML; - for the standard input)
    pub(crate) schema: PathBuf,
    /// The rows (CSV; - for the standard input)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) form: FormatArgs,
    /// Sets of columns: commas within a set, semicolons between sets
    #[arg(long, value_name = "SETS", conflicts_with = "order")]
    pub(crate) sets: Option<String>,
    /// All sets of up to this many columns, at most one a feature; without it pairs
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=20).map(usize::from))]
    pub(crate) order: Option<usize>,
    /// How many times everybody reports
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) trials: u64,
    /// Seed of the simulated reports; the same seed gives the same figures
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
    /// Refuse to hold more memory than this, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    max_memory: u64,
}

impl MemoryArgs {
    /// The limit in bytes.
    pub(crate) fn bytes(self) -> f64 {
        self.max_memory as f64 * 1024.0 * 1024.0
    }
}
