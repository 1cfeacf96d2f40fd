//! Controlled rounding: a whole table, with all its totals, in multiples of a base.

pub(crate) mod controlled;

mod cycles;
mod search;
