#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;

mod queries;

mod strategy;

mod planning;

mod accuracy;

mod measurement;

mod after;

#[cfg(feature = "serde")]
mod files;

#[cfg(test)]
mod tests;

pub use accuracy::{MarginOfError, QueryIndex, Variances};
pub use after::{Adjusted, AdjustedMarginal, NonnegativeSpec, PostProcessing, RoundedMarginal, Trust, TrustError};
pub use error::Error;
#[cfg(feature = "serde")]
pub use files::{Origin, PlanFile, StoredError, StoredMeasurement, StoredOrigin};
pub use measurement::{ExactNoise, Measured, NoisyMarginal, SimulatedNoise};
pub use planning::{NormOrder, Objective, Plan, PlanSpec, PlannedAttribute, PlannedMarginal, total_is_public};
pub use privacy_core::accounting::Neighbours;
pub use queries::{Footprint, PlanLimits, QueryBasis, TreeNodes, Workload};
pub use strategy::{Strategy, Tilt};
