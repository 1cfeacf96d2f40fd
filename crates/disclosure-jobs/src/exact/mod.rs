//! Exact tables: what exact numbers disclose about every group, and which may be released.

mod error;

pub use error::too_many_cells;
