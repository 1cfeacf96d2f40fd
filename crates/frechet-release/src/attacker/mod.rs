//! Attackers: enumeration of a fiber, sampling from it, the maximum-entropy table, linkage of the
//! parts of a release, and noisy numbers beside exact ones.

pub(crate) mod convergence;
pub(crate) mod enumeration;
pub(crate) mod fiber_sampler;
pub(crate) mod linkage;
pub(crate) mod max_entropy;
pub(crate) mod noised;
pub(crate) mod posterior;
pub(crate) mod slice;
