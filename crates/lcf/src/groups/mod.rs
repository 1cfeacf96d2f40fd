//! Groups of a table: bounded states that are filled row by row and that merge.

mod contributions;
pub(crate) mod grouping;
pub(crate) mod labelled_table;
mod labels;
mod open_groups;
mod table_wire;

pub use grouping::{Group, GroupLimits, Groups, RowGroup};
pub use labelled_table::LabelledTable;
pub use labels::LabelledGroups;
