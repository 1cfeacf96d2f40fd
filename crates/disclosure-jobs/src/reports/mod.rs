//! Randomised reports under local differential privacy: encode, count, estimate.

mod error;

pub use error::bad_report;
