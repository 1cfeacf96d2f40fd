//! The steps of a measurement beside their definitions.

mod batches;
mod integers;
mod lattice;
