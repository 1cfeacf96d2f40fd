//! Decisions: whether a group is reported, from its sets of entities and one keyed draw.

pub(crate) mod decision;
pub(crate) mod description;
pub(crate) mod group_name;
pub(crate) mod guard;
pub(crate) mod low_count_filter;

pub use decision::{Decision, Reason};
pub use description::{ColumnRule, DrawMode, EntityColumn, FilterDescription, MAX_COLUMNS};
pub use group_name::GroupName;
pub use guard::DifferenceGuard;
pub use low_count_filter::LowCountFilter;
