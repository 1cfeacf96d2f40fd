//! Scenarios of `frechet-release`: can an attacker with an engine of their own do what a verdict, a plan or a statement says nobody
//! can?
//!
//! All but the auditors of noise claim that something never happens: one trial in which it does contradicts them.

mod electorate;
mod facts;
mod verdicts;

mod auxiliary;
mod bounds;
mod complement;
mod linked;
mod noise;
mod releases;
mod slips;

use super::Attackers;
use crate::game::{Claim, Quantity};

pub(super) const ATTACKERS: Attackers = &[
    ("linear-program", bounds::build),
    ("linear-program-on-a-table", bounds::build_on_table),
    ("complement", complement::build),
    ("auxiliary-count", auxiliary::build),
    ("linked-tables", linked::build),
    ("dp-auditor", noise::build),
];

/// Shares of trials, each claimed to be 0.
fn never(names: &[&str]) -> Vec<Quantity> {
    let claim = Claim::at_most(0.0).expect("0 is a rate");
    names.iter().map(|name| Quantity::share(*name, claim).expect("0 is a rate")).collect()
}
