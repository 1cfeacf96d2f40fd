//! A cluster of Ballista: client, scheduler and executors, between which the aggregate functions of
//! this crate travel by what they ask. The cluster counts; rows that are needed one by one are read
//! by this program, from the same files.

mod address;
mod codec;
mod executor;
mod free_threads;
mod functions;
mod network;
mod planned;
mod progress;
mod query;
mod rows;
mod scheduler;
mod wire;

pub use executor::{ExecutorSpec, run_executor};
pub use network::Listening;
pub use query::Cluster;
pub use rows::ClusterOpener;
pub use scheduler::{SchedulerSpec, run_scheduler};

/// Largest message between parts of a cluster. The largest state has 2^25 cells of eight bytes, a
/// quarter of this: rows are counted here where there are more.
const MOST_BYTES_OF_A_MESSAGE: u32 = 1 << 30;

/// The code of an address that is not valid or not safe.
const ADDRESS: &str = "E0734";
/// The code of a cluster that gives no answer.
const NO_ANSWER: &str = "E0732";
/// The code of an executor without the secret.
const NO_SECRET: &str = "E0733";
