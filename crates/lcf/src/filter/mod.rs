//! Decisions: whether a group is reported, from its sets of entities and one keyed draw.

pub(crate) mod decision;
pub(crate) mod description;
pub(crate) mod group_name;
pub(crate) mod guard;
mod guard_wire;
pub(crate) mod low_count_filter;
mod registry;
mod terms;

pub use decision::{Decision, Reason};
pub use description::{ColumnRule, DrawMode, EntityColumn, FilterDescription, GroupsPerEntity, MAX_COLUMNS};
pub use group_name::GroupName;
pub use guard::DifferenceGuard;
pub use low_count_filter::LowCountFilter;
pub use registry::Registry;
