//! The words of `disclosure lcf odds` and `disclosure lcf advise`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct OddsArgs {
    #[command(flatten)]
    pub(crate) law: LawArgs,
    /// The attacker's prior probability that a group has the one entity more
    #[arg(long, value_name = "P", default_value_t = 0.5)]
    pub(crate) prior: f64,
    /// How many groups one entity may be in, for what one release promises
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) groups_per_entity: NonZeroU32,
    /// The largest group that is listed; without it, the smallest one that is always reported
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) up_to: Option<u32>,
    /// One JSON document instead of a table
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
    /// Groups of at most so many entities are never reported: always_suppress_upper_bound, at least 1 (clamped-normal)
    #[arg(long, value_name = "ENTITIES")]
    pub(crate) floor: Option<f64>,
    /// Groups of fewer entities are never reported, at least 2 (thin-uniform, elm, optimal-selection, hard)
    #[arg(long, value_name = "ENTITIES")]
    pub(crate) at_least: Option<u32>,
    /// Distance of the mean from the smallest reported size, in standard deviations over the root of 2 (elm)
    #[arg(long)]
    pub(crate) gap: Option<f64>,
    /// Epsilon of one release, of all groups of an entity together (optimal-selection)
    #[arg(long)]
    pub(crate) epsilon: Option<f64>,
    /// Delta of one release, of all groups of an entity together (optimal-selection)
    #[arg(long)]
    pub(crate) delta: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LawName {
    /// A normal threshold, clamped on both sides
    ClampedNormal,
    /// Three equally likely thresholds
    ThinUniform,
    /// The law of Diffix today: a normal threshold, clamped below
    Elm,
    /// The most that (epsilon, delta)-differential privacy lets one release report
    OptimalSelection,
    /// A threshold without noise
    Hard,
}

#[derive(Debug, Args)]
pub(crate) struct AdviseArgs {
    /// What an attacker may gain (TOML; - for the standard input)
    pub(crate) spec: PathBuf,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}
