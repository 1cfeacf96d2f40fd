//! Which classes a set of published numbers discloses.

pub(crate) mod classes;
pub(crate) mod derived;
pub(crate) mod differencing;
mod linked_moves;
mod linked_suppression;
pub(crate) mod linked_tables;
pub(crate) mod primary;
pub(crate) mod reference_periods;
pub(crate) mod rule;
