//! Which cells are withheld, and what is published.

pub(crate) mod clean_up;
pub(crate) mod derived;
pub(crate) mod pattern;
pub(crate) mod plan;
pub(crate) mod release;
pub(crate) mod search;
