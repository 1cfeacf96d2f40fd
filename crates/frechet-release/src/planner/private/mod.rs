//! Patterns under differential privacy: which numbers are withheld is drawn by a noisy threshold.

pub(crate) mod coarsening;
pub(crate) mod complement;
pub(crate) mod cost;
pub(crate) mod pattern;

#[cfg(test)]
mod tests;
