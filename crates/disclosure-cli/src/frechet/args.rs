//! The words of `disclosure frechet`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use disclosure_jobs::exact::PatternOptions;

use crate::files::WriteArgs;
use crate::format::TablesArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum FrechetCommand {
    /// What the published numbers tell about every cell: its least and its largest count, proved
    #[command(after_help = "\
Examples:
  disclosure frechet bounds fixtures/jobs/frechet-titanic.toml
  disclosure frechet bounds fixtures/jobs/frechet-titanic.toml --certificates proofs.json
  disclosure frechet verify proofs.json")]
    Bounds(BoundsArgs),
    /// Which groups are disclosed, why, and to whom; ends in exit code 4 when the target is
    /// missed
    #[command(after_help = "\
Examples:
  disclosure frechet audit fixtures/jobs/frechet-admissions.toml
  disclosure frechet audit --jj fixtures/frechet/wp22_two_in_every_line.jj")]
    Audit(AuditArgs),
    /// What two periods of one population, or two successive releases, disclose only together;
    /// then ends in exit code 4
    #[command(after_help = "Example: disclosure frechet diff january.toml february.toml")]
    Diff(DiffArgs),
    /// The release that keeps the most: what goes out exactly, in groups, with noise, or not at
    /// all, and why
    #[command(after_help = "Example: disclosure frechet plan fixtures/jobs/frechet-admissions.toml")]
    Plan(JobArgs),
    /// Carry the plan out: a CSV for each table, in a new directory; nothing is written when the
    /// target is missed
    #[command(after_help = "Example: disclosure frechet release fixtures/jobs/frechet-admissions.toml -o out")]
    Release(ReleaseArgs),
    /// Round one table with all its totals to multiples of a base, at random and so that totals
    /// stay sums: a CSV for the table and for each of its totals, in a new directory
    #[command(after_help = "Example: disclosure frechet round job.toml --base 5 -o out")]
    Round(RoundArgs),
    /// Move every number of one table with all its totals by a deviation that a secret and the
    /// people it counts decide (the cell-key method): a CSV for the table and for each of its
    /// totals, in a new directory
    #[command(after_help = "\
Example: disclosure frechet perturb fixtures/jobs/frechet-cell-key.toml --secret-file cells.key --new-secret -o out")]
    Perturb(PerturbArgs),
    /// Check a file of certificates with nothing but additions and comparisons
    #[command(after_help = "Example: disclosure frechet verify proofs.json")]
    Verify(VerifyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct JobArgs {
    /// What is published, and what must not follow from it (TOML; - for the standard input)
    pub(crate) spec: PathBuf,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BoundsArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// When numbers contradict each other, also say by how many people they do, and what they
    /// tell when that is granted
    #[arg(long)]
    pub(crate) slack: bool,
    /// Write what proves every bound. It holds tables that may be the true one: keep it where the
    /// data are
    #[arg(long, value_name = "FILE")]
    pub(crate) certificates: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Also count the tables that fit the published numbers, up to this many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count_tables: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// What is published, and what must not follow from it (TOML; - for the standard input)
    #[arg(required_unless_present = "jj", conflicts_with = "jj")]
    pub(crate) spec: Option<PathBuf>,
    /// Instead, a suppression pattern that tau-ARGUS or sdcTable wrote: which sensitive cells the
    /// published ones give away
    #[arg(long, value_name = "FILE", conflicts_with = "slack")]
    pub(crate) jj: Option<PathBuf>,
    /// With --jj: simplex steps of one linear program
    #[arg(long, value_name = "N", conflicts_with = "spec", default_value_t = PatternOptions::default().steps, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: u64,
    /// With --jj: linear programs in the search for one whole-number bound; 0 leaves the bounds
    /// of the linear programs
    #[arg(long, value_name = "N", conflicts_with = "spec", default_value_t = PatternOptions::default().nodes)]
    pub(crate) nodes: u32,
    /// With --jj: simplex steps of all cells together; what comes after them is not decided
    #[arg(long, value_name = "N", conflicts_with = "spec", default_value_t = PatternOptions::default().all_steps, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) all_steps: u64,
    /// Seconds for everything together; what is not decided by then is unknown, and misses the
    /// target. In the place of seconds in [limits] of a job
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) seconds: Option<u32>,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// When numbers contradict each other, also say by how many people they do, and what they
    /// tell when that is granted
    #[arg(long)]
    pub(crate) slack: bool,
    /// Also draw this many tables consistent with the release, and report where the count of each
    /// class lies: the posterior of an attacker with a uniform prior over the assignments of
    /// people. A proxy
    #[arg(long, value_name = "N", conflicts_with = "jj", value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    pub(crate) draws: Option<u64>,
    /// Also plan the release, and say what a reader learns who runs this program on the tables
    /// consistent with it; ends in exit code 4 if that is a withheld number
    #[arg(long, conflicts_with = "jj")]
    pub(crate) algorithm_aware: bool,
    /// Write what proves the bounds of every class, with the two tables that show its ends. The
    /// true one may be among them: keep it where the data are
    #[arg(long, value_name = "FILE")]
    pub(crate) certificates: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The job of the first period (TOML)
    pub(crate) before: PathBuf,
    /// The job of the second, over the same attributes and with the same policy
    pub(crate) after: PathBuf,
    /// At most this many of the people who stayed changed their response, or were exchanged for
    /// similar people
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1 << 53))]
    pub(crate) changed: u64,
    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// What --certificates wrote (- for the standard input)
    pub(crate) certificates: PathBuf,
    /// One JSON document instead of a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// The directory to make; it must not exist, or be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
    /// Spend the cost of decide_on = "private" from this ledger (see `disclosure ledger open`)
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RoundArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Every number becomes a multiple of this, less than this away
    #[arg(long, value_name = "N")]
    pub(crate) base: u64,
    /// The directory to make; it must not exist, or be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PerturbArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// The file with the 32 secret bytes; nobody but its owner may read it
    #[arg(long, value_name = "KEY")]
    pub(crate) secret_file: PathBuf,
    /// Make that file with a new secret if it is not there. Keep it as long as the data
    #[arg(long)]
    pub(crate) new_secret: bool,
    /// The directory to make; it must not exist, or be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
}
