//! Groups of a table: bounded states that are filled row by row and that merge.

pub(crate) mod grouping;
pub(crate) mod labels;
mod open_groups;
mod table_wire;

pub use grouping::{Group, GroupLimits, Groups, RowGroup};
pub use labels::{LabelledGroups, LabelledTable};
