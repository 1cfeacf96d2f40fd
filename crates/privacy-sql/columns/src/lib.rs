//! Columns of an engine's batches as the texts that a file would have, and as the codes, weights
//! and identifiers that jobs read: what `privacy-sql` does with every batch, without an engine, so
//! that its tests and its fuzz target compile none.
#![forbid(unsafe_code)]

mod coding;
mod decimal;
mod identifiers;
mod temporal;
mod text;
mod unfit;

pub use coding::{ColumnCoder, weights};
pub use identifiers::for_each_identifier;
pub use text::{Texts, unreadable_type};
pub use unfit::{Unfit, check};
