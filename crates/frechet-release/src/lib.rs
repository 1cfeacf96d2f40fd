#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod class;
mod error;
mod grid;
pub mod hierarchy;
mod knowledge;
mod system;

mod certificate;
mod checker;
mod witness;

mod interval;

mod coupling;
mod split;

mod closed;
mod disjoint;
mod flow;
mod network;
mod parity;
mod residual;

mod dual;
mod lattice;
mod moves;
mod pool;
mod simplex;

mod branch;
mod conflict;
mod engine;
mod program;

mod bounds;

mod audit;

mod fiber;
mod maxent;
mod sample;

pub use audit::{Audit, Closeness, Finding, Mode, Policy, Unanimity, Verdict, audit};
pub use bounds::Solver;
pub use certificate::{Bound, Dual, Proof, Ratio, Side, Tree, Witness};
pub use checker::{Flaw, verify};
pub use class::{Class, Region, Scope};
pub use error::Error;
pub use fiber::{count_tables, visit_tables};
pub use interval::{Interval, Method};
pub use knowledge::Knowledge;
pub use maxent::MaxEntropy;
pub use program::Limits;
pub use sample::{Connectivity, Prior, Walk};
pub use system::{NO_CAPACITY, Row, System};
pub use witness::SparseTable;
