//! `disclosure lcf`: filter, explain, odds, advise.

mod args;

mod law;
mod spec;

mod read;
mod secret;

mod promise;
mod report;

mod explain;
mod filter;

mod part;

mod choose;

mod show;

pub(crate) use args::LcfCommand;
pub(crate) use part::{FilterPromises, Filtered, FilteredPart};
pub(crate) use spec::SpecFile as FilteredSpec;

use crate::error::Failure;

/// Carries a subcommand out.
pub(crate) fn run(command: LcfCommand) -> Result<(), Failure> {
    match command {
        LcfCommand::Filter(args) => filter::run(&args),
        LcfCommand::Explain(args) => explain::run(&args),
        LcfCommand::Odds(args) => choose::odds::run(&args),
        LcfCommand::Advise(args) => choose::advise::run(&args),
    }
}
