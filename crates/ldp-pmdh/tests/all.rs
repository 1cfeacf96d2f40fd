//! The tests of `ldp-pmdh`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod client_law;
mod coverage;
mod derived;
mod designs;
mod errata;
mod estimators;
mod exhaustive;
mod feasible;
mod fits;
mod golden;
mod intervals;
mod joint_symbol;
mod limits;
mod pairs;
mod parity;
mod parity_intervals;
mod planner;
mod possible;
mod reports;
mod sample_sizes;
mod serde;
mod simulated_laws;
mod statistics;
mod streams;
mod subset_selection;

mod support;
