//! The scenarios: every promise of every mechanism, its attacker, and the fault that the attacker
//! must expose.
//!
//! A scenario is an [`Entry`] of a TOML file: what is claimed, at which parameters, by how many
//! trials. The name of its attacker decides what is built ([`build`]); the name under
//! `negative_control` is the fault of the negative control. The same names serve to seed faults
//! in the promise itself, which the same attacker must then contradict: that is how the validator
//! is tested.

mod adaptive;
mod differencing;
mod frechet;
mod lcf;
mod ldp;
mod magnitude;
mod resplan;
pub mod screen;

use crate::builder::Attackers;
pub use crate::builder::{Blueprint, Built};
pub use crate::files::{Entry, SeededFault, Trials, read, read_seeded_faults};

/// All attackers, by the first word of their scenarios' identifiers.
const MECHANISMS: &[(&str, Attackers)] = &[
    ("screen", screen::ATTACKERS),
    ("ldp", ldp::ATTACKERS),
    ("lcf", lcf::ATTACKERS),
    ("frechet", frechet::ATTACKERS),
    ("magnitude", magnitude::ATTACKERS),
    ("resplan", resplan::ATTACKERS),
    ("differencing", differencing::ATTACKERS),
    ("adaptive", adaptive::ATTACKERS),
];

/// Builds a scenario.
///
/// # Errors
/// [`Error::Scenario`](crate::Error::Scenario) for an attacker, a parameter or a fault that is
/// not known, and what the mechanism refuses.
pub fn build(blueprint: &Blueprint<'_>) -> Built {
    let about = blueprint.about();
    let attackers = MECHANISMS.iter().find(|(mechanism, _)| *mechanism == about.mechanism());
    let builder = attackers.and_then(|(_, attackers)| attackers.iter().find(|(name, _)| *name == about.attacker));
    match builder {
        Some((_, build)) => build(blueprint),
        None => Err(blueprint.refuse(format!("no attacker \"{}\" of {}", about.attacker, about.mechanism()))),
    }
}
