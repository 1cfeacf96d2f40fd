#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod builder;
mod error;
mod files;
mod prelude;

pub mod audit;
pub mod scenarios;

pub use error::Error;
