//! `disclosure frechet diff`: what two cycles, or the releases before and after, tell together that neither tells alone.

use disclosure::frechet::{DifferencingAudit, DifferencingFinding, DisclosureStatus, PeriodGroup, audit_differencing};
use serde::Serialize;

use super::args::DiffArgs;
use super::job::Job;
use super::reasons::why;
use super::report::{Found, Labels, PolicyReport, Promise, class_of};
use super::show::show_diff;
use crate::error::Failure;
use crate::files::{print, print_json};
use crate::progress;

/// The groups of every class in scope, with what both cycles prove about each.
#[derive(Debug, Serialize)]
pub(super) struct DiffReport<'a> {
    pub(super) schema: &'static str,
    pub(super) before: &'a str,
    pub(super) after: &'a str,
    pub(super) promise: Promise,
    pub(super) policy: PolicyReport,
    /// So many votes of those who stayed may have changed.
    pub(super) changed: u64,
    pub(super) target_met: bool,
    pub(super) by_difference: usize,
    pub(super) small_differences: usize,
    pub(super) unknown: usize,
    pub(super) groups: Vec<GroupReport<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct GroupReport<'a> {
    pub(super) class: Labels<'a>,
    pub(super) group: PeriodGroup,
    #[serde(flatten)]
    pub(super) found: Found,
    pub(super) is_by_difference: bool,
    pub(super) is_small_difference: bool,
    pub(super) why: String,
}

/// Judges two jobs together. What they disclose only together is a failure, after everything was said.
pub(super) fn run(args: &DiffArgs) -> Result<(), Failure> {
    let (before, after) = (Job::read(&args.before)?, Job::read(&args.after)?);
    let within = |failure: Failure| failure.within(&args.after);
    let report = progress::during("differencing", || report(args, &before, &after))?;
    match args.json {
        true => print_json(&report)?,
        false => print(show_diff(&report).as_bytes())?,
    }
    if report.target_met {
        return Ok(());
    }
    let failure =
        Failure::new("E0413", "with the numbers of before, they disclose a group that neither discloses alone");
    Err(within(failure.next("the groups are listed above as by difference; publish fewer or coarser tables after")))
}

fn report<'a>(args: &DiffArgs, before: &'a Job, after: &'a Job) -> Result<DiffReport<'a>, Failure> {
    if before.policy != after.policy {
        let message = "the two jobs have other tau, beta, kappa or classes";
        return Err(Failure::new("E0240", message).within(&args.after));
    }
    before.check_classes(before.policy.scope())?;
    // Each is checked by itself first, so that an error names the file it is about.
    let first = before.solver().map_err(|failure| failure.within(&args.before))?;
    let second = after.solver().map_err(|failure| failure.within(&args.after))?;
    let found = audit_differencing(first.knowledge(), second.knowledge(), args.changed, &before.policy, before.limits);
    let found = found.map_err(|error| Failure::from(error).within(&args.after))?;
    Ok(DiffReport {
        schema: "disclosure.frechet-diff/1",
        before: &before.title,
        after: &after.title,
        promise: Promise::of_cycles(before, after, args.changed),
        policy: PolicyReport { target: None, ..PolicyReport::of(before) },
        changed: args.changed,
        target_met: found.is_met(),
        by_difference: found.by_difference,
        small_differences: found.findings.iter().filter(|found| found.is_small_difference).count(),
        unknown: found.unknown,
        groups: groups(before, &found),
    })
}

fn groups<'a>(job: &'a Job, found: &DifferencingAudit) -> Vec<GroupReport<'a>> {
    found.findings.iter().map(|found| group(job, found)).collect()
}

fn group<'a>(job: &'a Job, found: &DifferencingFinding) -> GroupReport<'a> {
    let class = class_of(&found.finding, job.problem.candidates);
    let mut why = why(&found.finding, &job.policy);
    if found.is_by_difference && found.finding.status == DisclosureStatus::Disclosed {
        why += "; by the difference alone";
    }
    GroupReport {
        class: Labels::of(&job.problem.domain, &class),
        group: found.group,
        found: Found::of(&found.finding),
        is_by_difference: found.is_by_difference,
        is_small_difference: found.is_small_difference,
        why,
    }
}
