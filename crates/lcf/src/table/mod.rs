//! A whole table through the filter: decisions, low effect, near duplicates and the rest.

pub(crate) mod audit;
pub(crate) mod filtered;
pub(crate) mod low_effect;
pub(crate) mod near;
pub(crate) mod rest;

pub use audit::{AuditReport, SizeClass};
pub use filtered::{FilteredTable, GroupOutcome, ReportedGroup, TableOptions};
pub use low_effect::FEWEST_MERGING_COLUMNS;
pub use rest::{FEWEST_MERGED, Rest};
