//! The tests of `disclosure-web`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod amounts;
mod engines;
mod guard;
mod hostile;
mod labels;
mod parts;
mod plans;
mod same_files;
mod secrets;
mod stranger;
mod way;

mod support;
