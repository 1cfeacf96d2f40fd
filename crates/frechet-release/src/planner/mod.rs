//! Which margins to publish exactly, recoded, with cells suppressed or with noise.

pub(crate) mod action;
pub(crate) mod attack;
pub(crate) mod candidate_recodings;
pub(crate) mod clauses;
pub(crate) mod explain;
pub(crate) mod large;
mod large_swaps;
mod late;
pub(crate) mod margin;
pub(crate) mod noise;
pub(crate) mod plan;
pub(crate) mod private;
pub(crate) mod problem;
pub(crate) mod release;
pub(crate) mod replay;
pub(crate) mod robust;
pub(crate) mod schedule;
pub(crate) mod selection;
pub(crate) mod suppression;
