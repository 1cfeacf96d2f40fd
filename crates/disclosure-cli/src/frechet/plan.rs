//! `disclosure frechet plan`: what goes out exactly, in groups, with noise, or not at all.

use std::collections::BTreeMap;

use disclosure::core::{ContingencyTable, Domain};
use disclosure::frechet::{
    CellStatus, DecisionData, Error, MarginAction, NoiseSchedule, NoiseStatement, NoisedCell, ReleasePlan,
    ReleaseProblem as Question, Treatment, plan,
};
use serde::Serialize;

use super::args::JobArgs;
use super::audit::missed;
use super::job::Job;
use super::report::{PolicyReport, Promise};
use super::show_plan::show_plan;
use crate::error::Failure;
use crate::files::{print, print_json};
use crate::progress;

/// What would be released, for the owner's eyes.
#[derive(Debug, Serialize)]
pub(super) struct PlanReport<'a> {
    pub(super) schema: &'static str,
    pub(super) title: &'a str,
    pub(super) promise: Promise,
    pub(super) policy: PolicyReport,
    pub(super) target_met: bool,
    pub(super) basis: DecisionData,
    /// Whether no choice of the margins and cuts considered keeps more exactly.
    pub(super) is_optimal: bool,
    pub(super) utility: f64,
    pub(super) margins: Vec<MarginReport>,
    pub(super) noise: Option<NoiseReport>,
    pub(super) notes: Vec<String>,
}

/// What happens to a margin, and why.
#[derive(Debug, Serialize)]
pub(super) struct MarginReport {
    pub(super) attributes: Vec<String>,
    pub(super) weight: f64,
    pub(super) treatment: Treatment,
    pub(super) cells: usize,
    pub(super) exact: usize,
    pub(super) noised: usize,
    pub(super) suppressed: usize,
    /// The groups of each attribute that is coarsened.
    pub(super) groups: BTreeMap<String, Vec<String>>,
    pub(super) reasons: Vec<String>,
}

/// The noise, and what it promises.
#[derive(Debug, Serialize)]
pub(super) struct NoiseReport {
    pub(super) statement: NoiseStatement,
    /// How much smaller the loss might be with another division of the budget, relative to it: certified.
    pub(super) gap: f64,
    pub(super) cells: Vec<NoisedCell>,
}

impl From<&NoiseSchedule> for NoiseReport {
    fn from(schedule: &NoiseSchedule) -> Self {
        Self { statement: schedule.statement.clone(), gap: schedule.gap, cells: schedule.cells.clone() }
    }
}

/// Shows the plan; one that misses the target is a failure, after everything was said.
pub(super) fn run(args: &JobArgs) -> Result<(), Failure> {
    let job = Job::read(&args.spec)?;
    let report = || PlanReport::of(&job, &job.plan()?, job.table()?);
    let report = progress::during("planning", report).map_err(|failure: Failure| failure.within(&args.spec))?;
    match args.json {
        true => print_json(&report)?,
        false => print(show_plan(&report).as_bytes())?,
    }
    if report.target_met { Ok(()) } else { Err(missed(job.target).within(&args.spec)) }
}

impl Job {
    /// The true table. A plan is carried out on it.
    pub(super) fn table(&self) -> Result<&ContingencyTable, Failure> {
        let without = || Failure::new("E0236", "a plan is made for data: write data = \"table.csv\"");
        self.problem.table.as_ref().ok_or_else(without)
    }

    /// The release that keeps the most within what the spec allows.
    pub(super) fn plan(&self) -> Result<ReleasePlan, Failure> {
        self.check_classes(self.policy.scope())?;
        let table = self.table()?;
        let strongest = *self.problem.attackers(&self.told).last().expect("somebody reads the release");
        let background = self.problem.background(&self.told, strongest)?;
        let mut question = Question::new(background, self.policy, self.target, self.limits);
        for (&set, &weight) in &self.told.margins {
            question = question.request_margin(self.problem.with_responses(set), weight)?;
        }
        for (&axis, hierarchy) in &self.hierarchies {
            question = question.with_hierarchy(axis, hierarchy.clone())?;
        }
        if self.means.merge {
            question = question.allow_merging();
        }
        if self.means.suppress {
            question = question.allow_suppression();
        }
        if let Some(noise) = self.means.noise {
            question = question.allow_noise(noise);
        }
        if self.means.basis == DecisionData::Counts {
            question = question.decide_on_counts(table)?;
        }
        Ok(plan(&question)?)
    }
}

impl<'a> PlanReport<'a> {
    pub(super) fn of(job: &'a Job, plan: &ReleasePlan, table: &ContingencyTable) -> Result<Self, Failure> {
        let target_met = match plan.check(table) {
            Ok(_) => true,
            Err(Error::TargetMissed { .. }) => false,
            Err(error) => return Err(error.into()),
        };
        Ok(Self {
            schema: "disclosure.frechet-plan/1",
            title: &job.title,
            promise: Promise::of_release(job),
            policy: PolicyReport::of(job),
            target_met,
            basis: plan.decision_data(),
            is_optimal: plan.is_optimal(),
            utility: plan.utility(),
            margins: plan.actions().iter().map(|action| MarginReport::of(&job.problem.domain, action)).collect(),
            noise: plan.schedule().map(NoiseReport::from),
            notes: plan.notes(),
        })
    }
}

impl MarginReport {
    fn of(domain: &Domain, action: &MarginAction) -> Self {
        let fates = |fate| action.statuses.iter().filter(|own| **own == fate).count();
        let cuts = action.margin.iter().flat_map(|statistic| statistic.axes.iter().zip(&statistic.recodings));
        let coarse = cuts.filter(|(_, cut)| !cut.is_finest()).map(|(&axis, cut)| {
            let labels = cut.groups().iter().map(|group| group.label.clone()).collect();
            (domain.attributes()[axis].name().to_owned(), labels)
        });
        Self {
            attributes: domain.names(action.axes.iter().copied().collect()).map(str::to_owned).collect(),
            weight: action.weight,
            treatment: action.treatment,
            cells: action.statuses.len(),
            exact: fates(CellStatus::Exact),
            noised: fates(CellStatus::Noised),
            suppressed: fates(CellStatus::Suppressed),
            groups: coarse.collect(),
            reasons: action.reasons.clone(),
        }
    }
}
