#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;

mod workload;

mod budget;
mod plan;

mod score;
mod select;

mod fitting;
mod release;

mod bounds;

pub use bounds::{BoundBasis, ErrorBound, ErrorBounds, JointConfidence};
pub use error::Error;
pub use plan::{AdaptivePlan, AdaptiveSpec, MODELS_IN_MEMORY, PlanLimits};
pub use release::{AdaptiveRelease, Round};
pub use synthetic_people::{Measurement, Model, PossibleCells, StructuralZero};
