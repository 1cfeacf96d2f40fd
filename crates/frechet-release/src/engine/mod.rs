//! Bounds for any rows: propagation, moves within the fiber, linear programs, branch and bound.

pub(crate) mod branch_and_bound;
mod class_rows;
pub(crate) mod conflict;
pub(crate) mod dual;
pub(crate) mod general;
pub(crate) mod known_tables;
pub(crate) mod linear_program;
pub(crate) mod markov_moves;
mod nearer;
pub(crate) mod query;
mod shown;
pub(crate) mod shuttle;
pub(crate) mod simplex;
pub(crate) mod sought;

#[cfg(test)]
mod tests;
