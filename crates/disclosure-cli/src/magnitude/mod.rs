//! `disclosure magnitude`: plan, release, audit.

mod args;
mod commands;
mod show;

pub(crate) use args::MagnitudeCommand;

use crate::error::Failure;

/// Carries a subcommand out.
pub(crate) fn run(command: MagnitudeCommand) -> Result<(), Failure> {
    match command {
        MagnitudeCommand::Plan(args) => commands::plan(&args),
        MagnitudeCommand::Release(args) => commands::release(&args),
        MagnitudeCommand::Audit(args) => commands::audit(&args),
    }
}
