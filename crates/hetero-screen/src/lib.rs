#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod spec;

pub use error::Error;
pub use spec::{Classes, Column, Noise, ScreenSpec, Suppression};
