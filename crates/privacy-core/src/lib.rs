#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod param;

pub mod attrs;
pub mod domain;
pub mod labels;
#[cfg(feature = "tables")]
pub mod table;

pub mod subsets;

pub mod special;

pub mod binomial;
pub mod normal;

pub mod round;

pub mod accounting;
pub mod promise;

#[cfg(feature = "noise")]
pub mod noise;

pub mod parallel;
pub mod prf;
pub mod rng;
pub mod stop;

#[cfg(feature = "linalg")]
pub mod linalg;

pub use attrs::AttrSet;
pub use domain::{Attribute, Domain, Provenance};
#[cfg(feature = "tables")]
pub use table::{ContingencyTable, CountSource};

#[cfg(feature = "tables")]
pub use ndarray;
pub use rand_core;
