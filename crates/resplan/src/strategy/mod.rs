//! How each attribute is measured: its residual queries, their strategy and the tilt.

pub(crate) mod axes;
pub(crate) mod axis;
pub(crate) mod choice;
pub(crate) mod hull;
#[cfg(feature = "linalg")]
pub(crate) mod joint;
pub(crate) mod kinds;
#[cfg(feature = "linalg")]
pub(crate) mod optimum;
#[cfg(feature = "linalg")]
pub(crate) mod precision;

pub use kinds::{Strategy, Tilt};
