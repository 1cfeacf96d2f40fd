//! `disclosure ldp`: encode, aggregate, merge, estimate, plan, simulate.

mod args;

mod spec;
mod work;

mod rows;

mod aggregate;
mod encode;
mod merge;

mod asked;
mod estimate;
mod plan;
mod simulate;

mod show;

pub(crate) use args::LdpCommand;

use crate::error::Failure;

/// Carries a subcommand out.
pub(crate) fn run(command: LdpCommand) -> Result<(), Failure> {
    match command {
        LdpCommand::Encode(args) => encode::run(&args),
        LdpCommand::Aggregate(args) => aggregate::run(&args),
        LdpCommand::Merge(args) => merge::run(&args),
        LdpCommand::Estimate(args) => estimate::run(&args),
        LdpCommand::Plan(args) => plan::run(&args),
        LdpCommand::Simulate(args) => simulate::run(&args),
    }
}
