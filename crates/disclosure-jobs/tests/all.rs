//! The tests of `disclosure-jobs`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod adaptive;
mod amounts;
mod crash_points;
mod digests_marginals;
mod digests_pipeline;
mod exact_settings;
mod examples;
mod filter;
mod marginals;
mod neighbours;
mod persons;
mod pipeline;
mod private;
mod reports;
mod start;
mod statements;
mod synthetic;
mod tables_parquet;
