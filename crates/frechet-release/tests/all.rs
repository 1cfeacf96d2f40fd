//! The tests of `frechet-release`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod always_an_answer;
mod cell_key;
mod cycles;
mod errata;
mod exhaustive;
mod golden;
mod interop;
mod lanes;
mod large_audits;
mod large_plans;
mod linked;
mod model;
mod network;
mod noised;
mod parity;
mod perturbation_laws;
mod planner;
mod policy;
mod posterior;
mod properties;
mod release;
mod robust;
mod rounding;
mod scale;
mod serde;
mod slack;
mod stability;
mod statistics;
mod stop;
mod structure;
mod suppression;

mod common;
