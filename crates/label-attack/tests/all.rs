//! The tests of `label-attack`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod attacks;
mod exhaustive;
mod golden;
