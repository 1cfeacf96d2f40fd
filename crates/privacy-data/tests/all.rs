//! The tests of `privacy-data`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod canary;
mod domain_file;
mod fixtures;
mod malformed;
mod output_dir;
mod parquet;
mod properties;

mod common;
