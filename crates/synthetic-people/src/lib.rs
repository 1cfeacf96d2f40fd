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
mod space;

mod choose;
mod draw;
mod model;
mod rows;
mod sampling;

mod exchange;
mod weights;

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
pub use weights::WeightedPeople;
pub use zeros::{PossibleCells, StructuralZero};
