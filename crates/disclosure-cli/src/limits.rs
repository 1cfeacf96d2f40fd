//! The limits of a run, as arguments of several commands.

use disclosure_jobs::limits::Limits;

/// What a run may take.
#[derive(Debug, clap::Args)]
pub(crate) struct LimitArgs {
    /// Refuse to release more than this number of marginals
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) max_marginals: u64,
    /// Refuse to release more than this number of values
    #[arg(long, value_name = "N", default_value_t = 2_000_000_000)]
    pub(crate) max_answers: u64,
    /// Refuse a job that would use more memory than this, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 8192)]
    pub(crate) max_memory: u64,
    /// Refuse a plan that would take longer than this to compute, in seconds on one core
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub(crate) max_planning: u64,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            marginals: self.max_marginals,
            answers: self.max_answers,
            memory_bytes: self.max_memory.saturating_mul(1 << 20),
            planning_seconds: self.max_planning,
        }
    }
}
