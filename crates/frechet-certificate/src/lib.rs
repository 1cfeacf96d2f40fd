#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod bound;
mod checker;
mod proof;
mod row;
mod table;

#[cfg(feature = "json")]
mod collector;
#[cfg(feature = "json")]
mod document;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "json")]
mod refusal;

pub use bound::{Bound, Ratio, Witness};
pub use checker::{Checker, Flaw, MalformedSystem};
pub use proof::{Multipliers, Node, Proof, Side, Split};
pub use row::Row;
pub use table::SparseTable;

#[cfg(feature = "json")]
pub use collector::Collector;
#[cfg(feature = "json")]
pub use document::{Certificates, Claim, MOST_BYTES, MOST_WORK, SCHEMA, Summary, verify};
#[cfg(feature = "json")]
pub use refusal::Refusal;
