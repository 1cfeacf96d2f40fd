#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod ended;
pub mod error;

pub mod digest;
pub mod document;
pub mod figures;

pub mod input;
mod lock;
pub mod memory_image;
pub mod observer;
pub mod regular;
pub mod sink;

pub mod answers;
pub mod budget;
pub mod ledger;
pub mod limits;
pub mod persons;
pub mod registry;
pub mod secret;

pub mod adaptive;
pub mod marginals;
pub mod synthetic;

pub mod amounts;
pub mod exact;
pub mod filter;
pub mod reports;
pub mod screening;

pub mod pipeline;

pub mod page;
pub mod panics;

pub use disclosure;
pub use error::JobError;
pub use privacy_data;
