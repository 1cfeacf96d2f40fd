//! The tests of `ldp-pmdh`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod client_law;
mod coverage;
mod derived;
mod errata;
mod exhaustive;
mod feasible;
mod golden;
mod joint_symbol;
mod parity;
mod planner;
mod possible;
mod reports;
#[cfg(feature = "serde")]
mod serde;
mod statistics;
mod subset_selection;

mod support;
