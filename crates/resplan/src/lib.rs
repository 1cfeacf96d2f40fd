#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod workload;

mod adjacency;
mod closure;
mod cost;
mod interval;
mod norm;
mod plan;

mod batches;
mod parallel;
mod streams;
mod transform;

mod measure;
mod measured;
mod simulate;

#[cfg(test)]
mod tests;

pub use error::Error;
pub use measured::{Measured, NoisyMarginal, Release, Simulation};
pub use plan::{NormOrder, Objective, Plan, PlanSpec, PlannedMarginal};
pub use privacy_core::accounting::Neighbours;
pub use workload::{Footprint, Limits, Workload};
