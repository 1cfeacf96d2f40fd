//! The tests of `adaptive-marginals`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod bounds;
mod privacy;
mod release;
