//! Arguments of `disclosure frechet`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use disclosure_jobs::exact::PatternOptions;

use crate::files::WriteArgs;
use crate::format::TablesArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum FrechetCommand {
    /// Compute the smallest and the largest possible count of every cell, given the published
    /// numbers, with proofs
    #[command(after_help = "\
Examples:
  disclosure frechet bounds fixtures/jobs/frechet-titanic.toml
  disclosure frechet bounds fixtures/jobs/frechet-titanic.toml --certificates proofs.json
  disclosure frechet verify proofs.json")]
    Bounds(BoundsArgs),
    /// Report which groups are disclosed, why, and to whom. Exit code 4 if the target is missed
    #[command(after_help = "\
Examples:
  disclosure frechet audit fixtures/jobs/frechet-admissions.toml
  disclosure frechet audit --jj fixtures/frechet/wp22_two_in_every_line.jj")]
    Audit(AuditArgs),
    /// Find what two reference periods, or two successive releases, disclose only in combination.
    /// Exit code 4 if they do
    #[command(after_help = "Example: disclosure frechet diff january.toml february.toml")]
    Diff(DiffArgs),
    /// Plan the release that retains the most: what is published exactly, merged, with noise, or
    /// suppressed, and why
    #[command(after_help = "Example: disclosure frechet plan fixtures/jobs/frechet-admissions.toml")]
    Plan(JobArgs),
    /// Carry out the plan: one file per table, in a new directory. Nothing is written if the target
    /// is missed
    #[command(after_help = "Example: disclosure frechet release fixtures/jobs/frechet-admissions.toml -o out")]
    Release(ReleaseArgs),
    /// Apply controlled random rounding to a table and all its totals: multiples of a base that
    /// still add up. Writes one file per table to a new directory
    #[command(after_help = "Example: disclosure frechet round job.toml --base 5 -o out")]
    Round(RoundArgs),
    /// Perturb a table and all its totals with the cell-key method: a secret key and the people in
    /// a cell determine its deviation. Writes one file per table to a new directory
    #[command(after_help = "\
Example: disclosure frechet perturb fixtures/jobs/frechet-cell-key.toml --secret-file cells.key --new-secret -o out")]
    Perturb(PerturbArgs),
    /// Verify a file of certificates, using additions and comparisons only
    #[command(after_help = "Example: disclosure frechet verify proofs.json")]
    Verify(VerifyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct JobArgs {
    /// The job: what is published, and the disclosure rule (TOML; - for standard input)
    pub(crate) spec: PathBuf,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BoundsArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// If numbers contradict each other, also report by how many people, and what they disclose
    /// within that slack
    #[arg(long)]
    pub(crate) slack: bool,
    /// Write a proof of every bound. The file contains tables that may be the true one: keep it as
    /// confidential as the data
    #[arg(long, value_name = "FILE")]
    pub(crate) certificates: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Also count the tables that are consistent with the published numbers, up to this many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count_tables: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// The job: what is published, and the disclosure rule (TOML; - for standard input)
    #[arg(required_unless_present = "jj", conflicts_with = "jj")]
    pub(crate) spec: Option<PathBuf>,
    /// Audit a suppression pattern written by tau-ARGUS or sdcTable instead: which sensitive cells
    /// can be derived from the published ones
    #[arg(long, value_name = "FILE", conflicts_with = "slack")]
    pub(crate) jj: Option<PathBuf>,
    /// With --jj: largest number of simplex steps for one linear program
    #[arg(long, value_name = "N", conflicts_with = "spec", default_value_t = PatternOptions::default().steps, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: u64,
    /// With --jj: largest number of linear programs in the search for one integer bound; 0 keeps
    /// the bounds of the linear relaxation
    #[arg(long, value_name = "N", conflicts_with = "spec", default_value_t = PatternOptions::default().nodes)]
    pub(crate) nodes: u32,
    /// With --jj: largest number of simplex steps for all cells together; cells after that remain
    /// undecided
    #[arg(long, value_name = "N", conflicts_with = "spec", default_value_t = PatternOptions::default().all_steps, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) all_steps: u64,
    /// Time limit in seconds for the whole audit; a cell that is undecided by then misses the
    /// target. Overrides seconds in [limits] of the job
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) seconds: Option<u32>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// If numbers contradict each other, also report by how many people, and what they disclose
    /// within that slack
    #[arg(long)]
    pub(crate) slack: bool,
    /// Also draw this many tables consistent with the release, and report the distribution of each
    /// class count: the posterior of an attacker with a uniform prior over the assignments of
    /// people. This is a proxy for real attackers
    #[arg(long, value_name = "N", conflicts_with = "jj", value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    pub(crate) draws: Option<u64>,
    /// Also plan the release, and report what readers learn by running this program on the tables
    /// consistent with it. Exit code 4 if they learn a suppressed number
    #[arg(long, conflicts_with = "jj")]
    pub(crate) algorithm_aware: bool,
    /// Write a proof of the bounds of every class, with the two tables that attain them. The true
    /// table may be among them: keep the file as confidential as the data
    #[arg(long, value_name = "FILE")]
    pub(crate) certificates: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The job of the first reference period (TOML)
    pub(crate) before: PathBuf,
    /// The job of the second reference period, with the same attributes and disclosure rule (TOML)
    pub(crate) after: PathBuf,
    /// Largest number of people in both periods who changed their response, or were exchanged for
    /// similar people
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1 << 53))]
    pub(crate) changed: u64,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The file that --certificates wrote (- for standard input)
    pub(crate) certificates: PathBuf,
    /// Print one JSON document instead of a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// The directory to create; it must not exist, or must be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
    /// Charge the cost of decide_on = "private" to this ledger (see `disclosure ledger open`)
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RoundArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// The rounding base: every number becomes a multiple of it, and moves by less than it
    #[arg(long, value_name = "N")]
    pub(crate) base: u64,
    /// The directory to create; it must not exist, or must be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PerturbArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// The file with the 32-byte secret key; only its owner may have read permission
    #[arg(long, value_name = "KEY")]
    pub(crate) secret_file: PathBuf,
    /// Create the key file with a new secret key if it does not exist. Keep the key as long as the
    /// data
    #[arg(long)]
    pub(crate) new_secret: bool,
    /// Create the registry (KEY.registry) of a key that has none. It records the design and the
    /// attributes of this job, which later jobs must match. --new-secret creates it as well
    #[arg(long)]
    pub(crate) register: bool,
    /// The directory to create; it must not exist, or must be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
}
