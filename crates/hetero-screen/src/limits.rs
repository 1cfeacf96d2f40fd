//! How much work a question may take.

use privacy_core::stop::StopFlag;

use crate::error::Error;

/// How much work a question may take. It is estimated before it is begun.
#[derive(Clone, Debug, PartialEq)]
pub struct ScreenLimits {
    /// Groups of subsets that are summed one by one, for one share of classes and a small
    /// threshold; more are put on a lattice.
    pub groups: f64,
    /// Additions on the lattice, each about a nanosecond.
    pub lattice_steps: f64,
    /// Terms of the exact variance; beyond it the variance is not computed.
    pub variance_terms: f64,
    /// Visits of a distinct row of a table to a subset of its columns.
    pub visits: f64,
    /// Memory, in bytes.
    pub bytes: f64,
    /// Ends the call with [`Error::Stopped`] once it is set; looked at in every loop that may
    /// take 50 ms.
    pub stop: StopFlag,
}

impl Default for ScreenLimits {
    /// About two seconds for the model at most, half a minute for a table, and a gigabyte.
    fn default() -> Self {
        Self {
            groups: 2_100_000.0,
            lattice_steps: 2e9,
            variance_terms: 4e7,
            visits: 1e10,
            bytes: 1e9,
            stop: StopFlag::never(),
        }
    }
}

impl ScreenLimits {
    /// Refuses what is above a limit.
    pub(crate) fn check(what: &'static str, needed: f64, limit: f64) -> Result<(), Error> {
        if needed <= limit { Ok(()) } else { Err(Error::TooLarge { what, needed, limit }) }
    }

    /// Refuses to go on once the flag is set. Loops that end early for it are followed by this.
    pub(crate) fn check_stop(&self) -> Result<(), Error> {
        if self.stop.is_set() { Err(Error::Stopped) } else { Ok(()) }
    }
}
