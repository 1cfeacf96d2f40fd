//! What a job may take before it is refused.

use disclosure::resplan;

use crate::error::JobError;
use crate::observer::Observer;

/// Limits on what a job plans, reads and writes. A job that exceeds one ends with E0611.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of marginals that are released.
    pub marginals: u64,
    /// The largest number of numbers that are released.
    pub answers: u64,
    /// The largest amount of memory that is held at once, predicted, in bytes.
    pub memory_bytes: u64,
    /// The largest number of seconds of one core that finding the strategies of attributes may
    /// take, predicted.
    pub planning_seconds: u64,
}

impl Default for Limits {
    /// A million marginals, two thousand million answers, 8 GiB, ten minutes.
    fn default() -> Self {
        Self { marginals: 1_000_000, answers: 2_000_000_000, memory_bytes: 8 << 30, planning_seconds: 600 }
    }
}

/// Beside the columns of synthetic rows, 4 bytes of each: what a draw sorts and shuffles them by.
const COLUMNS_OF_A_DRAW: u64 = 6;

/// The most synthetic rows that are drawn in this memory.
pub(crate) fn rows_within(memory_bytes: u64, attributes: usize) -> u32 {
    let each = 4 * (attributes as u64 + COLUMNS_OF_A_DRAW);
    u32::try_from(memory_bytes / each).unwrap_or(u32::MAX).min(u32::MAX - 1)
}

/// Refuses to draw more rows than that.
pub(crate) fn check_rows(rows: Option<u32>, most: u32) -> Result<(), JobError> {
    match rows {
        Some(rows) if rows > most => {
            let message = format!("the memory limit allows {most} synthetic rows, and {rows} were requested");
            Err(JobError::new("E0611", message).next("request fewer rows, or raise --max-memory"))
        }
        _ => Ok(()),
    }
}

/// What is said where a measured total has more rows than are drawn.
pub(crate) const FEWER_ROWS: &str =
    "The rows are fewer than the measured total, because that many would exceed the memory limit of the run.";

impl Limits {
    /// The limits of a plan, and the flag that stops its making.
    pub(crate) fn of_plans(&self, observer: &dyn Observer) -> resplan::PlanLimits {
        resplan::PlanLimits { stop: observer.stop_flag(), ..self.of_stored() }
    }

    /// The limits of a plan that was stored.
    pub(crate) fn of_stored(&self) -> resplan::PlanLimits {
        resplan::PlanLimits {
            marginals: self.marginals as f64,
            answers: self.answers as f64,
            bytes: self.memory_bytes as f64,
            planning_seconds: self.planning_seconds as f64,
            ..resplan::PlanLimits::default()
        }
    }
}
