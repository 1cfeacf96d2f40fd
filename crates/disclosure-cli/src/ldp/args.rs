//! The words of `disclosure ldp`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum LdpCommand {
    /// The client: one randomised report for each row. Only the reports may leave
    #[command(after_help = "\
Example: disclosure ldp encode fixtures/jobs/ldp-voters.toml fixtures/data/anes96.csv -o reports.bin

Every run draws new reports. Two reports about one person cost twice the epsilon: encode once, and send that.")]
    Encode(EncodeArgs),
    /// Count reports: a state from which joint frequencies are estimated
    #[command(after_help = "\
Examples:
  disclosure ldp aggregate schema.toml monday.bin tuesday.bin -o state.bin
  disclosure ldp aggregate schema.toml --format csv bits.csv -o state.bin

With --format csv, reports were randomised elsewhere: one column of 0 and 1 for each support bit, named `feature` (rr) or
`feature=value` (any other protocol); lh reports must have been compared with their hash already.")]
    Aggregate(AggregateArgs),
    /// Add the counts of states, in any order
    #[command(after_help = "Example: disclosure ldp merge north.bin south.bin -o all.bin")]
    Merge(MergeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct EncodeArgs {
    /// What is asked, and how each answer is randomised (TOML; - for the standard input)
    pub(crate) schema: PathBuf,
    /// The rows (CSV; - for the standard input)
    pub(crate) data: PathBuf,
    /// The file of reports to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// One JSON document instead of words
    #[arg(long)]
    pub(crate) json: bool,
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
    /// What the files hold
    #[arg(long, value_enum, default_value_t = Format::Reports)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    /// One JSON document instead of words
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
    /// The state to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    /// One JSON document instead of words
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a run may take.
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
