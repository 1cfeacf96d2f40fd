//! The tests of `attack-sim`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod audits;
mod scenarios_adaptive;
mod scenarios_frechet;
mod scenarios_lcf;
mod scenarios_ldp;
mod scenarios_magnitude;
mod scenarios_resplan;
mod scenarios_screen;
