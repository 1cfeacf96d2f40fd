//! What a job may take before it is refused.

use disclosure::resplan;

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
