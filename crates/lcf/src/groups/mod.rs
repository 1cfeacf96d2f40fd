//! Groups of a table: bounded states that are filled row by row and that merge.

pub(crate) mod coded_groups;
mod contributions;
mod group_state;
pub(crate) mod grouping;
pub(crate) mod labelled_table;
mod labels;
mod open_groups;
mod row_queue;
mod table_wire;

pub use group_state::GroupState;
pub use grouping::{Group, GroupLimits, Groups, RowGroup};
pub use labelled_table::LabelledTable;
pub use labels::LabelledGroups;
pub use row_queue::RowQueue;
