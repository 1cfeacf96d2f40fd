//! Estimates and their covariances: on full tables of a few columns, and on any sets over many.

mod covariance;
mod cube;
mod error;
mod law;
mod transform;

pub use covariance::{Covariance, Population};
pub use error::EstimateError;
pub use law::CountLaw;
pub use transform::{cells_from_reports, counts_from_truth, mean_over_reports, reports_from_cells, truth_from_counts};

/// Most columns of a full table: 2^20 numbers, 8 MiB.
pub const MOST_TABLE_COLUMNS: usize = 20;
