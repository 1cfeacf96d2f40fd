//! Posterior draws of the joint table.
