#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod builder;
mod error;
mod facts;
mod files;
mod prelude;
mod wire;

pub mod audit;
pub mod scenarios;

pub use error::Error;
