//! The tests of `disclosure-report`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod page;
mod print;
mod properties;

mod support;
