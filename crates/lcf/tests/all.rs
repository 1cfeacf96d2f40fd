//! The tests of `lcf`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod advice;
mod contributions;
mod decisions;
mod group_states;
mod guard;
#[cfg(feature = "compat")]
mod incumbents;
mod laws;
mod lines;
mod numbers;
mod odds;
mod published_tables;
mod serde;
mod simulation;
mod states;
mod tables;
