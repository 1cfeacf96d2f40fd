//! Games in which attackers judge a promise.
//!
//! A [`Game`] makes a world, shows a part of it, and measures an answer. An [`Attacker`] answers from the view alone.
//! Three kinds of [`Judged`] claims:
//!
//! - a [`Scenario`] measures shares and means over trials, and holds them against what is claimed of them;
//! - an [`Audit`] runs a mechanism on two neighbouring inputs, and measures a lower bound on epsilon, mu or rho;
//! - an [`Enumeration`] computes epsilon from the laws of all outcomes.
//!
//! Each plays four times (an enumeration reads four laws): the attacker, the same with a **control** of people outside the data, a **blind** attacker who needs no
//! release, and the attacker against a **broken twin** of the promise, which must be exposed: without that, silence means nothing.
//!
//! An attacker is handed a view, never the world, and what it is handed is all that it has:
//!
//! ```compile_fail,E0308
//! use attack_sim::game::Attacker;
//! use attack_sim::scenarios::screen::PortfolioAttacker;
//! use disclosure::core::rng::SimRng;
//! use label_attack::{AttackLimits, LabelWorld};
//!
//! fn cheat(world: &LabelWorld, rng: &mut SimRng) {
//!     PortfolioAttacker::new(AttackLimits::default()).answer(world, rng); // expects a view
//! }
//! ```
//!
//! Trials are independent and each has its own stream of a [`SimRng`](disclosure::core::rng::SimRng), so that a seed gives the same
//! verdict at any number of threads. Intervals of shares (Clopper and Pearson 1934) are exact for the number of trials.

mod audit;
mod claim;
mod enumeration;
mod scenario;
mod tally;
mod traits;
mod verdict;

pub use audit::{Audit, CoinToss, Loss, Neighbours, Side};
pub use claim::{Claim, Kind, Measurement, Quantity};
pub use enumeration::{Enumerable, Enumeration, epsilon_of};
pub use scenario::{Judged, Scenario};
pub use tally::{Tally, clopper_pearson};
pub use traits::{Attacker, Game, play, release_rng};
pub use verdict::{About, Finding, Plays, Verdict};
