//! Estimates and their covariances: on full tables of a few columns, and for any sets over many.
//!
//! Counts and estimates of a full table of `n` columns are slices of `2^n` numbers, indexed by
//! column set: bit `i` of the index is column `i`, and entry 0 is the number of reports.

mod error;
mod interval;

mod transform;

mod covariance;
mod cube;
mod law;

mod influence;
mod joint;
mod lattice;
mod parity;
mod score;
mod source;
mod union;

mod column_sets;
mod sets;

pub mod cost;

mod onehot;

pub use column_sets::column_sets;
pub use covariance::{Covariance, Population};
pub use error::EstimateError;
pub use influence::Influence;
pub use interval::{ConfidenceInterval, ConfidenceLevel, ConfidenceLevelError};
pub use law::CountLaw;
pub use onehot::{OneHot, constrain_sum};
pub use sets::{Estimate, Estimator};
pub use transform::{cells_from_reports, counts_from_truth, mean_over_reports, reports_from_cells, truth_from_counts};

/// Most columns of a full table, and of one set: 2^20 numbers, 8 MiB.
pub const MOST_TABLE_COLUMNS: usize = 20;
