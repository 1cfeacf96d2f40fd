//! The steps of a measurement beside their definitions.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod batches;
mod integers;
mod lattice;
