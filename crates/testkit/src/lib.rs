//! Fixtures, statistical assertions and brute-force oracles for the workspace's tests.
//!
//! Nothing here imports a crate of the workspace: an oracle that shared code with what it judges
//! would share its mistakes. Everything here is for tests, so misuse panics.
//!
//! - [`fixtures`]: golden values, hexadecimal doubles, relative errors.
//! - [`law`]: do these samples follow this law? Exact critical values, and a twin that must be
//!   refused.
//! - [`judge`]: the same of many laws, for a program.
//! - [`masses`]: the laws of the noise, as that takes them.
//! - [`mod@coin_tree`]: the exact law of a sampler, from every string of coin flips.
//! - [`durations`]: do durations tell two kinds of work apart?
//! - [`tails`]: binomial tails by direct summation.
#![forbid(unsafe_code)]

pub mod coin_tree;
pub mod durations;
pub mod fixtures;
pub mod judge;
pub mod law;
pub mod masses;
mod splitmix;
pub mod tails;

pub use coin_tree::{Path, assert_mass_brackets, coin_tree};
pub use fixtures::{hex_f64, relative_error};
pub use judge::LawJudge;
pub use law::{ERROR_RATE, LawRejected, assert_law, check_law, refute_law};
