//! `disclosure ldp`: encode, aggregate, merge, estimate, plan, simulate.

mod args;
mod run;
mod show;

pub(crate) use args::LdpCommand;
pub(crate) use run::run;
