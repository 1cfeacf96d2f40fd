//! Scenarios of `frechet-release`: can an attacker with an engine of their own do what a verdict,
//! a plan or a statement says nobody can?
//!
//! All but the auditors of noise claim that something never happens: one trial in which it does
//! contradicts them.

mod electorate;
mod published_table;
mod verdicts;

mod auxiliary;
mod beside_noise;
mod bounds;
mod cell_key;
mod charged;
mod complement;
mod linked;
mod noise;
mod parts;
mod pattern;
mod releases;
mod replay;
mod rounding;
mod slips;
mod subtraction;

use crate::builder::Attackers;

pub(super) const ATTACKERS: Attackers = &[
    ("linear-program", bounds::build),
    ("linear-program-on-a-table", bounds::build_on_table),
    ("complement", complement::build),
    ("subtraction", subtraction::build),
    ("all-parts", parts::build),
    ("replay", replay::build),
    ("rounding", rounding::build),
    ("cell-key", cell_key::build),
    ("reader-of-patterns", pattern::build),
    ("beside-noise", beside_noise::build),
    ("auxiliary-count", auxiliary::build),
    ("linked-tables", linked::build),
    ("dp-auditor", noise::build),
    ("reader-of-costs", charged::build),
];
