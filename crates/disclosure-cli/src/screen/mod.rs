//! `disclosure screen`: model, table, search, simulate.

mod args;

mod spec;

mod columns;
mod report;

mod attacks;

mod model;
mod search;
mod simulate;
mod table;

mod part;

mod show;
mod show_attack;

pub(crate) use args::ScreenCommand;
pub(crate) use part::ScreenPart;
pub(crate) use spec::SpecFile as ScreenSection;

use crate::error::Failure;

/// Carries a subcommand out.
pub(crate) fn run(command: ScreenCommand) -> Result<(), Failure> {
    match command {
        ScreenCommand::Model(args) => model::run(&args),
        ScreenCommand::Table(args) => table::run(&args),
        ScreenCommand::Search(args) => search::run(&args),
        ScreenCommand::Simulate(args) => simulate::run(&args),
    }
}
