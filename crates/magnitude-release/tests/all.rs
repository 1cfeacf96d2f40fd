//! The tests of `magnitude-release`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod attacks;
mod golden;
mod published;
mod replay;
mod respondents;
mod scale;

mod support;
