#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod error;

mod counts;
mod kernel;
mod slices;
mod sources;
mod store;

mod detail;

mod aggregator;
mod possible;
mod state;
mod stream;
mod tally;

pub mod estimate;

pub mod derived;
pub mod feasible;

pub mod planner;
mod simulate;

pub use aggregator::Aggregator;
pub use counts::Counts;
pub use detail::{MAX_FULL_COLUMNS, StateDetail};
pub use error::StateError;
pub use kernel::Kernel;
pub use ldp_client::{
    BitNoise, ChangedAnswer, Channel, ChannelError, Client, ColumnError, Feature, FixedProbability, FormatError,
    MAX_COLUMNS, MemoizedResponse, Parities, Protocol, ProtocolKind, REPORTS_HEADER_BYTES, ReportError, ReportReader,
    ReportsHeader, ResponseMemory, RowError, Schema, SchemaError, SupportColumn,
};
pub use simulate::Simulator;
pub use state::State;
pub use store::MAX_ORDER;
pub use stream::{StreamError, TallyMerger};
pub use tally::{STATE_HEADER_BYTES, Tally};
