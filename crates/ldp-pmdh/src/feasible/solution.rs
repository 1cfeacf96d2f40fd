//! A table found by iteration, and what is asked of the iteration.

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// Stop when the objective is proved to be within this of its optimum.
    pub gap: f64,
    /// Stop after so many iterations, however far.
    pub iterations: usize,
}

impl Default for Stopping {
    fn default() -> Self {
        Self { gap: 1e-9, iterations: 20_000 }
    }
}

/// Cells that are not below 0 and add up, with how good they are.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
