//! `disclosure frechet`: bounds, audit, diff, plan, release, round, perturb, verify.

mod args;

mod commands;
mod load;
mod pattern;
mod release;

mod show;
mod show_pattern;
mod show_plan;

pub(crate) use args::FrechetCommand;

use crate::error::Failure;

/// Carries a subcommand out.
pub(crate) fn run(command: FrechetCommand) -> Result<(), Failure> {
    match command {
        FrechetCommand::Bounds(args) => commands::bounds(&args),
        FrechetCommand::Audit(args) => commands::audit(&args),
        FrechetCommand::Diff(args) => commands::diff(&args),
        FrechetCommand::Plan(args) => commands::plan(&args),
        FrechetCommand::Release(args) => release::release(&args),
        FrechetCommand::Round(args) => release::round(&args),
        FrechetCommand::Perturb(args) => release::perturb(&args),
        FrechetCommand::Verify(args) => commands::verify(&args),
    }
}
