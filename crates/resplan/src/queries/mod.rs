//! What is asked: the queries about each attribute, and the marginals to be released.

pub(crate) mod basis;
pub(crate) mod family;
#[cfg(feature = "serde")]
pub(crate) mod text;
pub(crate) mod tree;
pub(crate) mod workload;

pub use basis::QueryBasis;
pub use family::SetFamily;
pub use tree::TreeNodes;
pub use workload::{Footprint, PlanLimits, Workload};
