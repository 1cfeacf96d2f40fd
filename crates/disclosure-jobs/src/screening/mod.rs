//! Screening: how many labels a solver is expected to reconstruct.

mod error;

pub use error::of_table;
