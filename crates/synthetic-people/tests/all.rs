//! The tests of `synthetic-people`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod model;
mod weights;
