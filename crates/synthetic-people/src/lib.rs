#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;

mod cells;
mod tree;
mod zeros;

mod beliefs;
mod measurement;

mod entropy;
mod fit;

mod choose;
mod model;
mod rows;

mod replicate;

pub use choose::{model_cells, strongest};
pub use error::Error;
pub use fit::{FitReport, FitSpec};
pub use measurement::{Along, Measurement};
pub use model::{Model, ModelSpec};
pub use privacy_core::AttrSet;
pub use rand_core;
pub use replicate::Replicate;
pub use rows::Rows;
pub use zeros::{PossibleCells, StructuralZero};
