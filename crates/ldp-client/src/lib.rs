#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod error;

mod probability;

mod channel;
mod epsilon;
mod noise;

mod feature;
mod schema;

mod coins;
mod hash;
mod parity;

pub mod bits;
mod report;

mod client;
mod memoized;
mod memory;
pub mod wire;

// In tests, too: they need no host.
#[cfg(any(feature = "wasm", test))]
pub mod wasm;

pub use channel::{Channel, ChannelError};
pub use client::Client;
pub use error::{ColumnError, FormatError, ReportError, RowError, SchemaError};
pub use feature::{Feature, Protocol, ProtocolKind};
pub use memoized::MemoizedResponse;
pub use memory::{ChangedAnswer, ResponseMemory};
pub use noise::BitNoise;
pub use parity::Parities;
pub use probability::FixedProbability;
pub use report::ReportReader;
pub use schema::{MAX_COLUMNS, Schema, SupportColumn};
pub use wire::{REPORTS_HEADER_BYTES, ReportsHeader};
