#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "duckdb"), forbid(unsafe_code))]

#[cfg(feature = "ballista")]
mod cluster;
#[cfg(feature = "duckdb")]
mod duckdb;
mod entities;
mod error;
mod files;
#[cfg(any(feature = "duckdb", feature = "postgres"))]
mod folding;
mod kept;
mod lcf_state;
mod marginals;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "duckdb", feature = "postgres"))]
mod relation;
mod report_counts;
mod rows;
mod session;
mod slab;
mod source;
mod sums;
mod table;
mod tabulation;

#[cfg(feature = "ballista")]
pub use cluster::{Cluster, ClusterOpener, ExecutorSpec, Listening, SchedulerSpec, run_executor, run_scheduler};
#[cfg(feature = "duckdb")]
pub use duckdb::DuckdbOpener;
pub use error::job_error;
pub use files::FileOpener;
pub use lcf_state::LcfState;
pub use marginals::{Answer, Marginals, Question};
#[cfg(feature = "postgres")]
pub use postgres::PostgresOpener;
pub use report_counts::ReportCounts;
pub use source::{EngineCounts, EngineSource};
