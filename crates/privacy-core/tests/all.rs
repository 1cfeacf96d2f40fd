//! The tests of `privacy-core`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod attrs;
mod divide_and_conquer;
mod golden_numbers;
mod linalg;
mod numbers_accounting;
mod numbers_binomial;
mod numbers_discrete;
mod numbers_round;
mod numbers_special;
mod prf;
mod subsets;
mod tables;
