#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;

mod basis;
mod nodes;
mod workload;

mod axes;
mod axis;
mod choice;
mod hull;
mod optimum;
mod strategy;

mod adjacency;
mod bounds;
mod budget;
mod closure;
mod cost;
mod covariance;
mod interval;
mod minimax;
mod norm;
mod plan;
mod rows;
mod spec;
mod variance;

mod batches;
mod integers;
mod noise;
mod streams;
mod transform;

mod answers;
mod measure;
mod measured;
mod simulate;

mod after;

#[cfg(feature = "serde")]
mod archive;
#[cfg(feature = "serde")]
mod stored;

#[cfg(test)]
mod tests;

pub use adjacency::total_is_public;
pub use after::{Adjusted, AdjustedMarginal, Label, NonnegativeSpec, RoundedMarginal, Trust, TrustError};
#[cfg(feature = "serde")]
pub use archive::{Origin, StoredMeasurement, StoredOrigin};
pub use basis::Basis;
pub use covariance::Answer;
pub use error::Error;
pub use interval::Interval;
pub use measured::{Measured, NoisyMarginal, Release, Simulation};
pub use nodes::Nodes;
pub use plan::{Plan, PlannedAttribute, PlannedMarginal};
pub use privacy_core::accounting::Neighbours;
pub use spec::{NormOrder, Objective, PlanSpec};
#[cfg(feature = "serde")]
pub use stored::{PlanFile, StoredError};
pub use strategy::{Strategy, Tilt};
pub use variance::Variances;
pub use workload::{Footprint, Limits, Workload};
