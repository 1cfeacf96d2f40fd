//! The tests of `privacy-data`, in one program, since each program is linked for itself.

mod canary;
mod domain_file;
mod fixtures;
mod malformed;
mod output_dir;
mod parquet;
mod properties;

mod common;
