//! The tests of `resplan`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod after;
mod bases;
mod covariances;
mod designs;
mod gaussian;
mod golden;
mod joint;
mod limits;
mod margins;
mod release;
mod replaced;
mod serde;
mod statistics;
mod stop;
mod stored;
mod strategies;
mod tables;
mod together;
mod unequal;
