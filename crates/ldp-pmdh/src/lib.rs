#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod error;

mod chance;
mod channel;
mod epsilon;
mod noise;

mod feature;
mod schema;

mod coins;
mod hash;
mod report;

mod client;
mod wire;

mod counts;
mod kernel;
mod slices;
mod store;

mod aggregator;
mod state;
mod tally;

pub mod estimate;

pub mod derived;
pub mod feasible;

pub mod planner;
mod simulate;

pub use aggregator::{Aggregator, Keep, MAX_FULL_COLUMNS};
pub use chance::Chance;
pub use channel::{Channel, ChannelError};
pub use client::{Client, Remembered};
pub use counts::Counts;
pub use error::{ReportError, RowError, SchemaError, StateError};
pub use feature::{Feature, Protocol};
pub use kernel::Kernel;
pub use noise::BitNoise;
pub use schema::{Column, MAX_COLUMNS, Schema};
pub use simulate::Simulator;
pub use state::State;
pub use store::MAX_ORDER;
pub use tally::{STATE_HEADER_BYTES, Tally};
pub use wire::{REPORTS_HEADER_BYTES, ReportsHeader};
