//! `--slack`: how far numbers that contradict each other are from fitting, and what they tell when that much is granted.

use disclosure::frechet::{Class, Scope, Slack};
use serde::Serialize;

use super::bounds::all_cells;
use super::job::Job;
use super::report::Labels;
use super::show::show_slack;
use crate::error::Failure;
use crate::files::{print, print_json};
use crate::progress;

/// The least slack, and windows at it.
#[derive(Debug, Serialize)]
pub(super) struct SlackReport<'a> {
    pub(super) schema: &'static str,
    pub(super) title: &'a str,
    pub(super) kind: &'static str,
    pub(super) statement: &'static str,
    pub(super) slack: Least,
    pub(super) classes: Vec<Window<'a>>,
}

/// The least number of people by which each statistic may be off.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Least {
    pub(super) people: i64,
    /// Of everybody; null without the composition.
    pub(super) share: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Window<'a> {
    pub(super) class: Labels<'a>,
    pub(super) lower: i64,
    pub(super) upper: i64,
}

/// Shows the slack when it was asked for and numbers contradict each other; the failure stays one.
pub(super) fn meter(failure: Failure, job: &Job, is_json: bool, is_asked: bool, scope: Scope) -> Failure {
    if !is_asked || !failure.has_code("E0371") {
        return failure;
    }
    let shown = progress::during("measuring", || report(job, scope)).and_then(|report| match is_json {
        true => print_json(&report),
        false => print(show_slack(&report).as_bytes()),
    });
    match shown {
        Ok(()) => failure,
        Err(other) => other,
    }
}

fn report(job: &Job, scope: Scope) -> Result<SlackReport<'_>, Failure> {
    let attackers = job.problem.attackers(&job.told);
    let strongest = *attackers.last().expect("somebody reads the release");
    let mut slack = Slack::least(job.problem.knowledge(&job.told, strongest)?, &job.limits)?;
    let mut classes = Vec::new();
    for axes in scope.sets(job.problem.profile()) {
        let axes = job.problem.with_responses(axes);
        for levels in all_cells(job.problem.domain.shape(axes)) {
            let class = Class::new(axes, levels);
            let (lower, upper) = slack.window(&class)?;
            classes.push(Window { class: Labels::of(&job.problem.domain, &class), lower, upper });
        }
    }
    Ok(SlackReport {
        schema: "disclosure.frechet-slack/1",
        title: &job.title,
        kind: "guarantee",
        statement: "every table that fits when each margin, and each other number, may be off by the slack has each count within its bounds",
        slack: Least { people: slack.people(), share: slack.share() },
        classes,
    })
}
