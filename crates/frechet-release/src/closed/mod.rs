//! Closed forms and flows: bounds for the structures that need no linear program.

pub(crate) mod coupling;
pub(crate) mod decomposition;
pub(crate) mod disjoint;
pub(crate) mod flow;
pub(crate) mod forms;
pub(crate) mod network;
pub(crate) mod parity;
pub(crate) mod residual;
