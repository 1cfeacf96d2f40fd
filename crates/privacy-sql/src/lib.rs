#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod coding;
mod error;
mod files;
mod marginals;
#[cfg(feature = "postgres")]
mod postgres;
mod rows;
mod session;
mod source;
mod table;
mod tabulation;
mod text;
mod unfit;

pub use files::FileOpener;
pub use marginals::{Answer, Marginals, Question};
#[cfg(feature = "postgres")]
pub use postgres::PostgresOpener;
pub use source::{EngineCounts, EngineSource};
