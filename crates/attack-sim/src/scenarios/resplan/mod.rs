//! Scenarios of `resplan`: what marginals with noise say of one person, and whether their errors
//! are those that were planned.
//!
//! Attackers run the release path of the crate itself and see what it publishes, the plan, and
//! everybody else's rows. Every faulty twin is that release with one thing wrong
//! ([`mechanism::Fault`]).

mod after;
mod algebra;
mod audit;
mod contribution;
mod coverage;
mod draws;
mod mechanism;
mod reconstruction;
mod refusal;
mod setting;
mod statistic;
mod synthetic;

use crate::builder::Attackers;

pub(super) const ATTACKERS: Attackers = &[
    ("dp-auditor", audit::build),
    ("contributor", contribution::build),
    ("repeated-draws", draws::build),
    ("coverage", coverage::build),
    ("reconstruction", reconstruction::of_one),
    ("all-rows", reconstruction::of_all),
    ("accountant", after::accountant),
    ("twin-tables", after::twin_tables),
    ("synthetic-rows", synthetic::linear),
    ("synthetic-lookalikes", synthetic::lookalike),
];
