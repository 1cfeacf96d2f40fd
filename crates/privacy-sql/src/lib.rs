#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "duckdb"), forbid(unsafe_code))]

mod coding;
#[cfg(feature = "duckdb")]
mod duckdb;
mod error;
mod files;
#[cfg(any(feature = "duckdb", feature = "postgres"))]
mod folding;
mod kept;
mod marginals;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "duckdb", feature = "postgres"))]
mod relation;
mod rows;
mod session;
mod source;
mod statement;
mod sums;
mod table;
mod tabulation;
mod text;
mod unfit;

#[cfg(feature = "duckdb")]
pub use duckdb::DuckdbOpener;
pub use files::FileOpener;
pub use marginals::{Answer, Marginals, Question};
#[cfg(feature = "postgres")]
pub use postgres::PostgresOpener;
pub use source::{EngineCounts, EngineSource};
