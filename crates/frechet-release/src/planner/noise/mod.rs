//! Noise on counts: what it costs, how a budget is allocated, and when exact numbers imply it.

pub(crate) mod allocation;
pub(crate) mod by_request;
pub(crate) mod row_space;
pub(crate) mod statement;
