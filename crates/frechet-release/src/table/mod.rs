//! What is known of one unknown table: its cells, the rows over them, and what proves a bound.

pub(crate) mod class;
pub(crate) mod error;
pub(crate) mod grid;
pub mod hierarchy;
pub(crate) mod interval;
pub(crate) mod knowledge;
pub(crate) mod published_form;
pub(crate) mod system;
