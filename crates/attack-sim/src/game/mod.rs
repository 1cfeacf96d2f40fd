//! Games in which attackers judge a promise.
//!
//! A [`Game`] makes a world, shows a part of it, and says whether an answer succeeded. An [`Attacker`] answers from the view alone.
//! A [`Scenario`] states what share of trials should succeed, and plays four times: the attacker, the same in a **control** world
//! with people outside the data, a **blind** attacker who needs no release, and the attacker against a **broken twin** of the
//! promise, which must be exposed: without that, silence means nothing.
//!
//! An attacker is handed a view, never the world, and what it is handed is all that it has:
//!
//! ```compile_fail,E0308
//! use attack_sim::game::Attacker;
//! use attack_sim::game::labels::PortfolioAttacker;
//! use attack_sim::{LabelWorld, Limits};
//! use disclosure::core::rng::SimRng;
//!
//! fn cheat(world: &LabelWorld, rng: &mut SimRng) {
//!     PortfolioAttacker::new(Limits::default()).answer(world, rng); // expects a view
//! }
//! ```
//!
//! Trials are independent and each has its own stream of a [`SimRng`](disclosure::core::rng::SimRng), so that a seed gives the same
//! verdict at any number of threads, and the intervals (Clopper and Pearson 1934) are exact for the number of trials.

mod interval;
pub mod labels;
mod scenario;
mod traits;
mod verdict;

pub use interval::{Tally, clopper_pearson};
pub use scenario::{About, Finding, Judged, Scenario};
pub use traits::{Attacker, Game, play};
pub use verdict::{Claim, Kind, Verdict};
