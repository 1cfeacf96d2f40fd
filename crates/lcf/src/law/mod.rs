//! Laws of the threshold: the probability that a group of `n` distinct entities is reported.
//!
//! Every constructor refuses parameters that could ever report a group of one entity, and
//! parameters that need a table longer than [`MAX_CAP`]. A law alone decides nothing:
//! [`ThresholdTable`](crate::ThresholdTable) turns it into integers, which do.
//!
//! Sources: "Operation of LCF" (the clamped normal law); the thin-spread and Elm laws of Diffix;
//! Desfontaines, Voss, Gipson and Mandayam, "Differentially private partition selection" (PoPETs
//! 2022).

pub(crate) mod composition;
pub(crate) mod draws;
pub(crate) mod error;
pub(crate) mod probability;

pub(crate) mod clamped_normal;
mod elm;
mod hard;
mod selection;
mod thin_uniform;

pub(crate) mod threshold_law;
pub(crate) mod threshold_table;

#[cfg(test)]
pub(crate) mod tests;

pub use clamped_normal::{ClampedNormal, unclamped_reporting_probability};
pub use elm::Elm;
pub use error::{LawError, MAX_CAP};
pub use hard::HardThreshold;
pub use probability::ReportingProbability;
pub use selection::{OptimalSelection, SelectionShare};
pub use thin_uniform::ThinUniform;
pub use threshold_law::ThresholdLaw;
pub use threshold_table::ThresholdTable;
