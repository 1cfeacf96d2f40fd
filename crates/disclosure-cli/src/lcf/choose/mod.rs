//! Choosing a law: what it gives away, and which one keeps a target. No data is read.

pub(super) mod args;

mod sizes;
mod words;

mod report;

pub(super) mod advise;
pub(super) mod odds;

mod show;
