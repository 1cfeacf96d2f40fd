//! Plans on the counts that survive a reader who knows the planner.

pub(crate) mod blocks;
pub(crate) mod group;
pub(crate) mod ladder;
pub(crate) mod search;
mod ways;
