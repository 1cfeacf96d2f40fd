//! Audits in which attackers test a promise.
//!
//! An [`Audit`] draws a world, shows a part of it, and measures an answer. An [`Attacker`]
//! answers from the view alone. Three kinds of [`Scenario`]:
//!
//! - a [`TrialScenario`] measures shares and means over trials, and compares them with what is
//!   claimed of them;
//! - a [`LossScenario`] runs a mechanism on two neighbouring inputs, and measures a lower bound
//!   on epsilon, mu or rho;
//! - an [`EnumeratedScenario`] computes epsilon from the laws of all outcomes.
//!
//! Each measures four things (an enumeration reads four laws): the attacker, the same compared with
//! **people outside the data**, a **blind** attacker who needs no release, and the attacker
//! against a **negative control**, the same promise with a fault in it, which must be exposed:
//! without that, silence means nothing. Where they can, the first three are measured on the same
//! trials.
//!
//! An attacker is handed a view, never the world, and what it is handed is all that it has:
//!
//! ```compile_fail,E0308
//! use attack_sim::audit::Attacker;
//! use attack_sim::scenarios::screen::PortfolioAttacker;
//! use disclosure::privacy_core::rng::SimRng;
//! use label_attack::{AttackLimits, LabelWorld};
//!
//! fn cheat(world: &LabelWorld, rng: &mut SimRng) {
//!     PortfolioAttacker::new(AttackLimits::default()).answer(world, rng); // expects a view
//! }
//! ```
//!
//! Trials are independent and each has its own stream of a
//! [`SimRng`](disclosure::privacy_core::rng::SimRng), so that a seed gives the same verdict at
//! any number of threads. Intervals of shares (Clopper and Pearson 1934) are exact for the number
//! of trials.

mod claim;
mod enumeration;
mod finding;
mod loss;
mod scenario;
mod tally;
mod trials;

pub use claim::{Claim, Kind, Measurement, Quantity};
pub use enumeration::{Enumerable, EnumeratedScenario, epsilon_of};
pub use finding::{About, Finding, Runs, Verdict};
pub use loss::{LossScenario, NeighbouringInputs, PrivacyLoss, Side, coin_toss};
pub use scenario::{Scenario, TrialScenario};
pub use tally::{Tally, clopper_pearson};
pub use trials::{Attacker, Audit, BitAudit, HiddenBit, release_rng, run_trials};
