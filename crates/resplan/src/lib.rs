#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// Without factorisations no attribute has residual queries of its own: the code that uses them
// stays, unreached.
#![cfg_attr(not(feature = "linalg"), allow(dead_code))]

mod error;

mod queries;

mod strategy;

mod planning;

mod accuracy;

mod measurement;

mod contributions;

mod after;

#[cfg(feature = "files")]
mod files;

#[cfg(test)]
#[cfg(feature = "linalg")]
mod tests;

pub use accuracy::{Answer, MarginOfError, QueryIndex, Variances};
pub use after::{Adjusted, AdjustedMarginal, NonnegativeSpec, PostProcessing, RoundedMarginal, Trust, TrustError};
pub use contributions::ContributionBound;
pub use error::Error;
#[cfg(feature = "files")]
pub use files::{Origin, PlanFile, StoredError, StoredMeasurement, StoredOrigin};
pub use measurement::{CheckedTables, ExactNoise, Measured, NoisyMarginal, SimulatedNoise, StoredNoise};
pub use ndarray;
pub use planning::{Design, NormOrder, Objective, Plan, PlanSpec, PlannedAttribute, PlannedMarginal, total_is_public};
pub use privacy_core::accounting::Neighbours;
pub use rand_core;

pub use queries::{Footprint, PlanLimits, QueryBasis, SetFamily, TreeNodes, Workload};
pub use strategy::{Strategy, Tilt};
