//! `disclosure resplan`: plan, release, simulate, answer.

mod bases;
mod budget;
mod job;
mod names;
mod spec;
mod stored;

mod report;
mod table;

mod answer;
mod asked;
mod mbi;
mod plan;
mod release;
mod simulate;

mod part;

mod after;
mod outputs;
mod show;

pub(crate) use budget::{Budget, EpsilonAtDelta, PrivacySpec};
pub(crate) use part::{Frame as NoisyFrame, MeasuredPart, NoisyPart};
pub(crate) use spec::{NoiseKind, SpecFile as NoisySpec};

use crate::args::ResplanCommand;
use crate::error::Failure;

/// Carries a subcommand out.
pub(crate) fn run(command: ResplanCommand) -> Result<(), Failure> {
    match command {
        ResplanCommand::Plan(args) => plan::run(&args),
        ResplanCommand::Release(args) => release::run(&args),
        ResplanCommand::Simulate(args) => simulate::run(&args),
        ResplanCommand::Answer(args) => answer::run(&args),
    }
}
