#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;

pub mod game;
pub mod scenarios;

pub use error::Error;
