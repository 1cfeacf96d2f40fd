//! How much noise each residual gets, chosen without looking at the data.

pub(crate) mod adjacency;
pub(crate) mod any_mechanism;
pub(crate) mod bounds;
pub(crate) mod budget;
pub(crate) mod closure;
pub(crate) mod corners;
pub(crate) mod cost;
pub(crate) mod design;
pub(crate) mod equal;
#[cfg(feature = "linalg")]
pub(crate) mod joint;
pub(crate) mod least_budget;
pub(crate) mod minimax;
pub(crate) mod norm;
pub(crate) mod plan;
pub(crate) mod rows;
pub(crate) mod spec;
#[cfg(all(test, feature = "linalg"))]
mod tests;
#[cfg(feature = "linalg")]
pub(crate) mod together;

pub use adjacency::total_is_public;
pub use design::{Design, PlannedAttribute, PlannedMarginal};
pub use plan::Plan;
pub use spec::{NormOrder, Objective, PlanSpec};
