//! The tests of `hetero-screen`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod estimate;
mod exhaustive;
mod golden;
mod properties;
mod search;
mod statistics;
mod stop;
mod table;

mod support;
