//! `disclosure frechet`: bounds, audit, diff, plan, release, verify.

mod args;

mod facts;
mod spec;

mod columns;
mod job;
mod problem;

mod attackers;
mod reasons;
mod report;

mod audit;
mod bounds;
mod certificates;
mod diff;
mod jj;
mod plan;
mod release;
mod sampled;
mod slack;
mod verify;

mod part;

mod show;
mod show_pattern;
mod show_plan;

pub(crate) use args::FrechetCommand;
pub(crate) use part::{ExactPart, NoiseCost, ReleasedExact, Sum, Withheld};
pub(crate) use spec::SpecFile as ExactSpec;

use crate::error::Failure;

/// Carries a subcommand out.
pub(crate) fn run(command: FrechetCommand) -> Result<(), Failure> {
    match command {
        FrechetCommand::Bounds(args) => bounds::run(&args),
        FrechetCommand::Audit(args) => audit::run(&args),
        FrechetCommand::Diff(args) => diff::run(&args),
        FrechetCommand::Plan(args) => plan::run(&args),
        FrechetCommand::Release(args) => release::run(&args),
        FrechetCommand::Verify(args) => verify::run(&args),
    }
}
