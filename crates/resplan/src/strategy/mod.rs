//! How each attribute is measured: its residual queries, their strategy and the tilt.

pub(crate) mod axes;
pub(crate) mod axis;
pub(crate) mod choice;
pub(crate) mod hull;
pub(crate) mod optimum;
pub(crate) mod precision;

pub use precision::{Strategy, Tilt};
