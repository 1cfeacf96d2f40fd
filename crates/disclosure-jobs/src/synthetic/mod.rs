//! Synthetic people: rows from a stored measurement.
//!
//! ```text
//! Measurement::synthesise    Synthesis: a model, its rows, and how far they are from what was measured
//! Synthesis::write           the rows, in the columns and labels of the domain
//! ```
//!
//! Post-processing: the measurement and coins decide everything, so no ledger is charged.

mod document;
mod error;
mod fitted;
mod model;
mod request;
mod synthesis;
mod unmeasured;

pub use document::{FitSummary, SyntheticDocument, SyntheticMarginal, SyntheticSchema, UnmeasuredMarginal};
pub use request::{SynthesisRequest, TooLarge};
pub use synthesis::Synthesis;

pub(crate) use synthesis::{synthesise, write_rows};
