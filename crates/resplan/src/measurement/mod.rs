//! The release: every residual measured once, and the answers that follow from it.

pub(crate) mod agreement;
pub(crate) mod answers;
pub(crate) mod batches;
pub(crate) mod integers;
pub(crate) mod lattice;
pub(crate) mod measure;
pub(crate) mod measured;
pub(crate) mod noise;
pub(crate) mod simulate;
pub(crate) mod streams;
pub(crate) mod tables;
#[cfg(all(test, feature = "linalg"))]
mod tests;
pub(crate) mod transform;

pub use measured::{ExactNoise, Measured, NoisyMarginal, SimulatedNoise, StoredNoise};
pub use tables::CheckedTables;
