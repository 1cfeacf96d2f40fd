//! `disclosure lcf`: filter, group, explain, odds, advise.

mod args;
mod commands;
mod show;
mod show_odds;

pub(crate) use args::LcfCommand;

use crate::error::Failure;

/// Carries a subcommand out.
pub(crate) fn run(command: LcfCommand) -> Result<(), Failure> {
    match command {
        LcfCommand::Filter(args) => commands::filter(&args),
        LcfCommand::Group(args) => commands::group(&args),
        LcfCommand::Explain(args) => commands::explain(&args),
        LcfCommand::Odds(args) => commands::odds(&args),
        LcfCommand::Advise(args) => commands::advise(&args),
    }
}
