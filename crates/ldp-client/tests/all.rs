//! The tests of `ldp-client`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod constant_shape;
mod local_hashing;
mod vectors;
