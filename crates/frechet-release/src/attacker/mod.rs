//! Attackers with a prior: enumeration of a fiber, sampling from it, and the maximum-entropy table.

pub(crate) mod convergence;
pub(crate) mod enumeration;
pub(crate) mod fiber_sampler;
pub(crate) mod max_entropy;
pub(crate) mod slice;
