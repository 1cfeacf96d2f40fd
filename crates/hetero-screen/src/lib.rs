#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod laws;
mod limits;
mod spec;

mod coverage;
mod lattice;
mod released;
mod sizes;
mod subsets;
mod tails;
mod variance;

mod proxy;

mod ceiling;
mod channel;
mod evidence;
mod evolution;

mod report;
mod search;

mod cube;
mod majority;
mod realised;
mod records;
mod table;

pub use ceiling::ceiling;
pub use coverage::{Bracketed, Coverage, CoverageMethod};
pub use error::Error;
pub use evolution::Estimate;
pub use laws::{Classes, Column};
pub use limits::ScreenLimits;
pub use proxy::{
    AccuracyInterval, ScreenTargets, SourceProxy, TargetLevel, accuracy_interval, failure_bound, required_evidence,
    row_error,
};
pub use records::{CodedColumn, Records};
pub use report::{ScreenReport, screen};
pub use search::{GridPoint, ScreenGrid, ScreenSetting, grid, largest_order, smallest_noise, smallest_threshold};
pub use spec::{ScreenSpec, Suppression, UniformNoise};
pub use table::{Covered, IdenticalFeatures, RealisedCoverage, RowRisk, Spread, TableScreen};
pub use variance::own_variance;
