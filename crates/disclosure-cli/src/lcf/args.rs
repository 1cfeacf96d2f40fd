//! The arguments of `disclosure lcf`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use disclosure_jobs::disclosure::privacy_core::param::{Delta, Epsilon, ParamError, Probability, StdDev};
use disclosure_jobs::filter::{
    ClampedNormal, CountsKind, CountsSpec, Elm, HardThreshold, OptimalSelection, ThinUniform, ThresholdLaw,
};

use crate::error::Failure;
use crate::files::WriteArgs;
use crate::format::{FormatArgs, OutputTablesArgs};

#[derive(Debug, Subcommand)]
pub(crate) enum LcfCommand {
    /// Show the groups of a table that reach a noisy threshold; repeated runs with one key give the
    /// same answer
    #[command(after_help = "\
Example:
  disclosure lcf filter fixtures/jobs/lcf-visits.toml fixtures/data/visits.csv --secret-file visits.key --new-secret --rest

Keep the key as long as the data exist. A new key draws new thresholds, and an attacker can average
over the draws.")]
    Filter(FilterArgs),
    /// Count the groups in one part of the data and store them, for `lcf filter` and `lcf explain`
    /// to use later
    #[command(after_help = "\
Examples:
  disclosure lcf group SPEC.toml monday.csv --secret-file KEY -o monday.groups
  disclosure lcf group SPEC.toml tuesday.csv --secret-file KEY --add monday.groups -o both.groups
  disclosure lcf filter SPEC.toml both.groups --secret-file KEY

The file contains keyed hashes of identifiers: keep it as confidential as the data. Add each part only once.")]
    Group(GroupArgs),
    /// Explain why a group is shown or suppressed. For the owner of the data only
    #[command(after_help = "\
Example:
  disclosure lcf explain fixtures/jobs/lcf-visits.toml fixtures/data/visits.csv --secret-file visits.key --group \"Bonn,eye\"")]
    Explain(ExplainArgs),
    /// Compute what a noisy threshold reveals: the reporting probability of each group size, and
    /// what an attacker learns
    #[command(after_help = "\
Examples:
  disclosure lcf odds --mean 8 --sd 1.5 --floor 2
  disclosure lcf odds --mean 8 --sd 1.5 --floor 2 --up-to 10 --json
  disclosure lcf odds --law optimal-selection --epsilon 1 --delta 1e-5 --at-least 2")]
    Odds(OddsArgs),
    /// Find the parameters that suppress least while keeping what an attacker learns below a target
    #[command(after_help = "Example: disclosure lcf advise fixtures/jobs/lcf-advise.toml")]
    Advise(AdviseArgs),
}

/// What a decision depends on.
#[derive(Debug, Args)]
pub(crate) struct JobArgs {
    /// The specification: grouping columns, protected entities, and threshold distribution (TOML; -
    /// for standard input)
    pub(crate) spec: PathBuf,
    /// The data (CSV, also compressed with gzip or Zstandard, or XLSX; - for standard input); with
    /// filter and explain, also the groups that `lcf group` stored
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// The file with the 32-byte secret key; only its owner may have read permission
    #[arg(long, value_name = "KEY")]
    pub(crate) secret_file: PathBuf,
    /// Create the key file with a new secret key if it does not exist. Keep the key as long as the
    /// data
    #[arg(long)]
    pub(crate) new_secret: bool,
    /// Create the registry (KEY.registry) of a key that has none. It records the identifiers and
    /// threshold distributions of this job, which later jobs must match. --new-secret creates it as
    /// well
    #[arg(long)]
    pub(crate) register: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GroupArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Write the groups to this file; only its owner has read permission
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Add the groups stored in this file. Can be repeated
    #[arg(long, value_name = "GROUPS")]
    pub(crate) add: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Write the groups to this file: Parquet if its name ends in .parquet, otherwise CSV
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tables: OutputTablesArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Show all suppressed groups merged into one, if there are at least two and they reach the
    /// threshold together; LABEL replaces their labels
    #[arg(long, value_name = "LABEL", num_args = 0..=1, require_equals = true, default_missing_value = "*")]
    pub(crate) rest: Option<String>,
    /// Write the outcome for every group, shown or suppressed, to this JSON file. Keep it as
    /// confidential as the data
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// The labels of the group in the order of group_by, separated by commas and quoted as in CSV
    #[arg(long, value_name = "LABELS")]
    pub(crate) group: String,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct OddsArgs {
    #[command(flatten)]
    pub(crate) law: LawArgs,
    /// The attacker's prior probability that one more entity is in the group
    #[arg(long, value_name = "P", default_value_t = 0.5)]
    pub(crate) prior: f64,
    /// Largest number of groups that one entity may be in; the guarantee of one release depends on
    /// it
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) groups_per_entity: NonZeroU32,
    /// The count published with each group
    #[arg(long, value_enum, default_value_t = CountsName::Hidden)]
    pub(crate) counts: CountsName,
    /// Round counts at random to multiples of this; 10 if not given (rounded, noisy)
    #[arg(long, value_name = "B")]
    pub(crate) base: Option<u32>,
    /// Scale of the noise, in entities; 2 if not given, and half of epsilon in a release (noisy)
    #[arg(long, value_name = "S")]
    pub(crate) scale: Option<f64>,
    /// Largest group size to list [default: the smallest size that is always reported]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) up_to: Option<u32>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// The law of the threshold.
#[derive(Debug, Args)]
pub(crate) struct LawArgs {
    /// The law of the threshold
    #[arg(long, value_enum, default_value_t = LawName::ClampedNormal)]
    pub(crate) law: LawName,
    /// Mean of the threshold, in entities (clamped-normal)
    #[arg(long)]
    pub(crate) mean: Option<f64>,
    /// Standard deviation of the threshold, in entities (clamped-normal, elm)
    #[arg(long)]
    pub(crate) sd: Option<f64>,
    /// Groups of at most this many entities are never reported (always_suppress_upper_bound), at
    /// least 1 (clamped-normal)
    #[arg(long, value_name = "ENTITIES")]
    pub(crate) floor: Option<f64>,
    /// Groups of fewer entities than this are never reported; at least 2 (thin-uniform, elm,
    /// optimal-selection, hard)
    #[arg(long, value_name = "ENTITIES")]
    pub(crate) at_least: Option<u32>,
    /// Distance between the mean and the smallest reportable size, in standard deviations divided
    /// by the square root of 2 (elm)
    #[arg(long)]
    pub(crate) gap: Option<f64>,
    /// Epsilon of one release, for all groups of an entity together (optimal-selection)
    #[arg(long)]
    pub(crate) epsilon: Option<f64>,
    /// Delta of one release, for all groups of an entity together (optimal-selection)
    #[arg(long)]
    pub(crate) delta: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LawName {
    /// Normal threshold, clamped on both sides
    ClampedNormal,
    /// Three equally likely thresholds
    ThinUniform,
    /// Normal threshold, clamped below, as in Diffix Elm
    Elm,
    /// The highest reporting probabilities that (epsilon, delta)-differential privacy permits
    OptimalSelection,
    /// A threshold without noise
    Hard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CountsName {
    /// No number
    Hidden,
    /// The number of entities, rounded at random
    Rounded,
    /// The number of entities with noise, rounded at random in query mode
    Noisy,
    /// The exact number of rows
    Exact,
}

#[derive(Debug, Args)]
pub(crate) struct AdviseArgs {
    /// The specification: the most an attacker may learn (TOML; - for standard input)
    pub(crate) spec: PathBuf,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// A parameter out of its range.
fn out_of_range(error: ParamError) -> Failure {
    Failure::new("E0277", error.to_string())
}

impl OddsArgs {
    /// The number beside a group.
    pub(super) fn counts(&self) -> CountsSpec {
        let kind = match self.counts {
            CountsName::Hidden => CountsKind::Hidden,
            CountsName::Rounded => CountsKind::Rounded,
            CountsName::Noisy => CountsKind::Noisy,
            CountsName::Exact => CountsKind::Exact,
        };
        CountsSpec::new(kind, self.base, self.scale)
    }

    /// The attacker's prior, checked.
    pub(super) fn prior(&self) -> Result<Probability, Failure> {
        Probability::new(self.prior).map_err(out_of_range)
    }
}

impl LawArgs {
    /// The law that the arguments describe: each law takes its own, and no other.
    pub(super) fn law(&self, groups_per_entity: NonZeroU32) -> Result<ThresholdLaw, Failure> {
        self.check_arguments()?;
        Ok(match self.law {
            LawName::ClampedNormal => {
                ClampedNormal::new(self.needed(self.mean, "mean")?, self.spread()?, self.needed(self.floor, "floor")?)?
                    .into()
            }
            LawName::ThinUniform => ThinUniform::at_least(self.least()?)?.into(),
            LawName::Elm => Elm::new(self.least()?, self.needed(self.gap, "gap")?, self.spread()?)?.into(),
            LawName::OptimalSelection => {
                let epsilon = Epsilon::new(self.needed(self.epsilon, "epsilon")?).map_err(out_of_range)?;
                let delta = Delta::new(self.needed(self.delta, "delta")?).map_err(out_of_range)?;
                OptimalSelection::new(epsilon, delta, groups_per_entity, self.least()?)?.into()
            }
            LawName::Hard => HardThreshold::at_least(self.least()?)?.into(),
        })
    }

    fn spread(&self) -> Result<StdDev, Failure> {
        StdDev::new(self.needed(self.sd, "sd")?).map_err(out_of_range)
    }

    fn least(&self) -> Result<u32, Failure> {
        self.needed(self.at_least, "at-least")
    }

    fn needed<T>(&self, given: Option<T>, word: &str) -> Result<T, Failure> {
        given.ok_or_else(|| Failure::new("E0276", format!("--law {} requires --{word}", self.name())))
    }

    /// Refuses arguments of another law: they would silently do nothing.
    fn check_arguments(&self) -> Result<(), Failure> {
        use LawName::{ClampedNormal, Elm, Hard, OptimalSelection, ThinUniform};
        let words = [
            ("mean", self.mean.is_some(), &[ClampedNormal][..]),
            ("sd", self.sd.is_some(), &[ClampedNormal, Elm]),
            ("floor", self.floor.is_some(), &[ClampedNormal]),
            ("at-least", self.at_least.is_some(), &[ThinUniform, Elm, OptimalSelection, Hard]),
            ("gap", self.gap.is_some(), &[Elm]),
            ("epsilon", self.epsilon.is_some(), &[OptimalSelection]),
            ("delta", self.delta.is_some(), &[OptimalSelection]),
        ];
        match words.iter().find(|(_, given, laws)| *given && !laws.contains(&self.law)) {
            Some((word, ..)) => Err(Failure::new("E0276", format!("--law {} does not take --{word}", self.name()))),
            None => Ok(()),
        }
    }

    fn name(&self) -> String {
        self.law.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}
