//! A table found by iteration, and what is asked of the iteration.

use privacy_core::stop::StopFlag;

/// Tolerance and iteration limit of a fit.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct FitLimits {
    /// Stop when the objective is proved to be within this of its optimum.
    pub gap: f64,
    /// Stop after this many iterations, whatever the gap.
    pub iterations: usize,
    /// Ends the iteration once it is set: the table so far is returned, with its gap.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub stop: StopFlag,
}

impl Default for FitLimits {
    fn default() -> Self {
        Self { gap: 1e-9, iterations: 20_000, stop: StopFlag::never() }
    }
}

/// Non-negative cells that add up to the total, with the quality of their fit.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct FeasibleTable {
    /// One number for each combination, first column fastest.
    pub cells: Vec<f64>,
    /// The objective is at most this far from its optimum, in its own unit.
    pub gap: f64,
    /// The objective: the weighted squared distance, or the logarithm of the likelihood.
    pub objective: f64,
    /// How many iterations it took.
    pub iterations: usize,
}
