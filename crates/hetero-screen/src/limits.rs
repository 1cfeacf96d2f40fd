//! How much work a question may take.

use crate::error::Error;

/// How much work a question may take. It is estimated before it is begun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Groups of subsets that are gone over one by one, for one share of classes and a small threshold; more are put on a lattice.
    pub groups: f64,
    /// Additions on the lattice, each about a nanosecond.
    pub lattice_steps: f64,
    /// Terms of the exact variance; beyond it the variance is not computed.
    pub variance_terms: f64,
    /// Visits of a distinct row of a table to a subset of its columns.
    pub visits: f64,
    /// Memory, in bytes.
    pub bytes: f64,
}

impl Default for Limits {
    /// About two seconds for the model at most, half a minute for a table, and a gigabyte.
    fn default() -> Self {
        Self { groups: 2_100_000.0, lattice_steps: 2e9, variance_terms: 4e7, visits: 1e10, bytes: 1e9 }
    }
}

impl Limits {
    /// Refuses what is above a limit.
    pub(crate) fn check(what: &'static str, needed: f64, limit: f64) -> Result<(), Error> {
        if needed <= limit { Ok(()) } else { Err(Error::TooLarge { what, needed, limit }) }
    }
}
