//! `disclosure resplan`: plan, release, simulate, answer.

mod answer;
mod plan;
mod release;
mod simulate;

mod show;

pub(crate) use show::name_of;

use std::path::Path;

use disclosure_jobs::document::Titled;
use disclosure_jobs::input::FileSystem;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{Job, Planned, longest_text};

use crate::args::{ResplanCommand, Weights};
use crate::error::Failure;
use crate::files::read_text_at_most;
use crate::observer::Terminal;

/// Carries a subcommand out.
pub(crate) fn run(command: ResplanCommand) -> Result<(), Failure> {
    match command {
        ResplanCommand::Plan(args) => plan::run(&args),
        ResplanCommand::Release(args) => release::run(&args),
        ResplanCommand::Simulate(args) => simulate::run(&args),
        ResplanCommand::Answer(args) => answer::run(&args),
    }
}

/// The plan of a spec, with other weights if they are given; or a stored plan.
fn planned(spec: &Path, weights: Option<Weights>, limits: &Limits, observer: &Terminal) -> Result<Planned, Failure> {
    let text = read_text_at_most(spec, longest_text)?;
    let files = FileSystem::beside(spec);
    let planned = match weights {
        None => Planned::parse(&text, &files, limits, observer),
        Some(weights) => Job::parse(&text, &files)
            .and_then(|job| job.with_weights(weights.into()))
            .and_then(|job| job.plan(limits, observer)),
    };
    let planned = planned.map_err(|failure| failure.within(spec))?;
    Ok(match spec.file_stem() {
        Some(stem) => planned.with_default_title(&stem.to_string_lossy()),
        None => planned,
    })
}
