//! The plan: what is published exactly, in groups, with noise, or not at all.

use std::collections::BTreeMap;

use disclosure::frechet::{
    CellStatus, Class, DecisionData, DisclosureRule, DisclosureTarget, Error, Limits, MarginAction, NoiseDivision,
    NoiseSchedule, NoiseStatement, NoisedCell, ReleasePlan, ReleaseProblem, Treatment, plan,
};
use disclosure::privacy_core::promise::Promise;
use disclosure::privacy_core::{ContingencyTable, Domain, Provenance};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::algorithm_aware::AlgorithmAwareDocument;
use crate::exact::attackers::strongest;
use crate::exact::audit::{AuditDocument, AuditOptions, target_missed};
use crate::exact::documents::{ClassLabels, RuleDocument};
use crate::exact::job::{Job, LoadedJob};
use crate::exact::linkage::{exact_numbers, noised_numbers, policy_classes, public_population, withheld_numbers};
use crate::exact::numbers::{ExactNumber, NoisedNumber, PolicyClass, PublicPopulation, WithheldNumber};
use crate::exact::promises;
use crate::exact::refusal::RefusalDocument;
use crate::exact::release::{Released, not_covered};
use crate::exact::schemas::PlanSchema;
use crate::input::DataSource;
use crate::observer::{Observer, check_stop, during};
use privacy_data::Microdata;

/// What would be released: for the owner of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanDocument {
    /// `disclosure.frechet-plan/1`.
    pub schema: PlanSchema,
    /// The title of the job.
    pub title: String,
    /// What the exact numbers promise.
    pub promise: Promise,
    /// When a class counts as disclosed.
    pub policy: RuleDocument,
    /// Whether the exact numbers meet the target.
    pub target_met: bool,
    /// The data on which the plan was decided.
    pub basis: DecisionData,
    /// Whether no choice of the margins and groups considered keeps more exactly.
    pub is_optimal: bool,
    /// How much is kept: weights times the logarithms of the numbers of cells.
    pub utility: f64,
    /// The margins, in the order in which they were asked for.
    pub margins: Vec<MarginDocument>,
    /// What a reader who knows this program learns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm_aware: Option<AlgorithmAwareDocument>,
    /// The noise, if there is any.
    pub noise: Option<NoiseDocument>,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// Why the target is missed and what would meet it, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<RefusalDocument>,
}

impl PlanDocument {
    /// Whether no table can be published, of which at least one was requested.
    #[must_use]
    pub fn publishes_nothing(&self) -> bool {
        !self.margins.is_empty() && self.margins.iter().all(|margin| margin.treatment == Treatment::Withheld)
    }
}

/// What happens to a margin, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarginDocument {
    /// Its attributes.
    pub attributes: Vec<String>,
    /// Its weight.
    pub weight: f64,
    /// What happens to it.
    pub treatment: Treatment,
    /// Number of its cells.
    pub cells: usize,
    /// Number of cells that are published exactly.
    pub exact: usize,
    /// Number of cells that are published with noise.
    pub noised: usize,
    /// Number of cells that are withheld.
    pub suppressed: usize,
    /// The groups of each attribute that is coarsened.
    pub groups: BTreeMap<String, Vec<String>>,
    /// Why, in words.
    pub reasons: Vec<String>,
}

/// The noise, and what it promises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseDocument {
    /// What it promises.
    pub statement: NoiseStatement,
    /// How much smaller the loss might be with another allocation of the budget, relative to it:
    /// certified.
    pub gap: f64,
    /// The noise of each cell.
    pub cells: Vec<NoisedCellDocument>,
}

/// The noise of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoisedCellDocument {
    /// Index of its margin.
    pub action: usize,
    /// Index of the cell in the margin.
    pub cell: usize,
    /// Its share of the budget.
    pub epsilon: f64,
    /// The scale of its discrete Laplace noise, in counts.
    pub scale: f64,
    /// The variance of the noise, in counts squared.
    pub variance: f64,
}

/// What happens to a table that was asked for, in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSummary {
    /// Its attributes.
    pub attributes: Vec<String>,
    /// What happens to it.
    pub treatment: Treatment,
    /// Number of cells that are published exactly.
    pub exact: usize,
    /// Number of cells that are published with noise.
    pub noised: usize,
    /// Number of cells that are withheld.
    pub withheld: usize,
}

/// A release that was planned. Nothing was drawn or written.
#[derive(Debug)]
pub struct Planned {
    pub(super) job: LoadedJob,
    pub(super) plan: ReleasePlan,
    pub(super) algorithm_aware: AlgorithmAwareDocument,
}

impl Job {
    /// Reads the data, and plans the release that keeps the most within what the job allows.
    ///
    /// # Errors
    /// As [`Job::load`] and [`LoadedJob::plan`].
    pub fn plan(self, source: &dyn DataSource, observer: &dyn Observer) -> Result<Planned, JobError> {
        let loaded = self.load(source, observer)?;
        check_stop(observer)?;
        loaded.plan(observer)
    }
}

impl LoadedJob {
    /// Plans the release that keeps the most within what the job allows.
    ///
    /// # Errors
    /// E0215 for an attribute that has the name of an output column; E0236 without data; E0238
    /// for a plan on public sizes that nobody knows; E0412 where nothing that is withheld
    /// protects a class; E0621 above a limit.
    pub fn plan(self, observer: &dyn Observer) -> Result<Planned, JobError> {
        self.plan_with_effort(1, observer)
    }

    /// Does the same; the reader who knows this program looks at `effort` times as many tables.
    pub(super) fn plan_with_effort(self, effort: u64, observer: &dyn Observer) -> Result<Planned, JobError> {
        let plan = during(observer, "planning", || self.release_plan())?;
        let algorithm_aware =
            during(observer, "planning for other tables", || AlgorithmAwareDocument::of(&self, &plan, effort))?;
        Ok(Planned { job: self, plan, algorithm_aware })
    }

    /// The true table. A plan is carried out on it.
    pub(super) fn table(&self) -> Result<&ContingencyTable, JobError> {
        let without = || JobError::new("E0236", "a plan requires data: write data = \"table.csv\"");
        self.problem.table.as_ref().ok_or_else(without)
    }

    pub(super) fn release_plan(&self) -> Result<ReleasePlan, JobError> {
        let (problem, table) = (self.release_problem()?, self.table()?);
        let problem = match self.means.decision_data {
            DecisionData::PublicSizes => problem,
            DecisionData::Counts => problem.decide_on_counts(table)?,
            DecisionData::Robust => problem.decide_robustly(table)?,
            DecisionData::Private => {
                return Err(JobError::new("E0234", "only a release draws the pattern of decide_on = \"private\""));
            }
        };
        plan(&problem).map_err(|error| self.labelled(error))
    }

    /// A refusal with the labels of the class that it is about, in the place of positions. Labels
    /// that were read off the data are not for messages.
    fn labelled(&self, error: Error) -> JobError {
        if self.problem.domain.provenance() != Provenance::Public {
            return error.into();
        }
        let (Error::Unprotectable { axes, levels } | Error::GroupWithinIntervalWidth { axes, levels }) = &error else {
            return error.into();
        };
        let class = ClassLabels::of(&self.problem.domain, &Class::new(axes.iter().copied().collect(), levels.clone()));
        let words = match &error {
            Error::Unprotectable { .. } => "withholding numbers cannot protect it",
            _ => "it has no more people than min_interval_width, and withholding numbers cannot protect it",
        };
        JobError::from(error).with_message(format!("{}: {words}", class.text()))
    }

    /// What is requested, and which means a plan may use.
    pub(super) fn release_problem(&self) -> Result<ReleaseProblem, JobError> {
        self.check_classes(self.rule.scope())?;
        let background = self.problem.background(&self.disclosed, strongest(self))?;
        let mut problem = ReleaseProblem::new(background, self.rule, self.target, self.limits.clone());
        for (&set, &weight) in &self.disclosed.margins {
            problem = problem.request_margin(self.problem.with_response(set), weight)?;
        }
        for (&axis, hierarchy) in &self.hierarchies {
            problem = problem.with_hierarchy(axis, hierarchy.clone())?;
        }
        if self.means.merging {
            problem = problem.allow_merging();
        }
        if self.means.suppression {
            problem = problem.allow_suppression();
        }
        if let Some(noise) = self.means.noise {
            problem = problem.allow_noise(noise);
        }
        if self.means.division == NoiseDivision::AllCells {
            problem = problem.divide_over_all_cells();
        }
        Ok(problem)
    }
}

impl Planned {
    /// What would be released, and whether it meets the target: for the owner of the data. The
    /// attacker is run for this.
    ///
    /// # Errors
    /// As [`LoadedJob::audit`].
    pub fn document(&self) -> Result<PlanDocument, JobError> {
        let (job, plan) = (&self.job, &self.plan);
        Ok(PlanDocument {
            schema: PlanSchema::V1,
            title: job.title.clone(),
            promise: promises::of_release(job),
            policy: RuleDocument::of(job),
            target_met: self.is_target_met()?,
            basis: plan.decision_data(),
            is_optimal: plan.is_optimal(),
            utility: plan.utility(),
            margins: plan.actions().iter().map(|action| MarginDocument::of(&job.problem.domain, action)).collect(),
            algorithm_aware: Some(self.algorithm_aware.clone()),
            noise: plan.schedule().map(NoiseDocument::from),
            notes: plan.notes(),
            refusal: None,
        })
    }

    /// Whether the exact numbers meet the target. The attacker is run for this.
    ///
    /// # Errors
    /// As [`LoadedJob::audit`].
    pub fn is_target_met(&self) -> Result<bool, JobError> {
        match self.plan.check(self.job.table()?) {
            Ok(_) => Ok(true),
            Err(Error::TargetMissed { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// What would follow if everything that was asked for were published as it is: for the owner
    /// of the data.
    ///
    /// # Errors
    /// As [`LoadedJob::audit`].
    pub fn audit(&self, observer: &dyn Observer) -> Result<AuditDocument, JobError> {
        Ok(self.job.audit(AuditOptions::default(), observer)?.0)
    }

    /// What is to be found.
    #[must_use]
    pub fn target(&self) -> DisclosureTarget {
        self.job.target
    }

    /// What the exact numbers promise.
    #[must_use]
    pub fn promise(&self) -> Promise {
        promises::of_release(&self.job)
    }

    /// What the promise of the exact numbers leaves open.
    #[must_use]
    pub fn not_covered(&self) -> Vec<String> {
        not_covered(&self.job, &self.algorithm_aware)
    }

    /// What a reader who knows this program learns.
    #[must_use]
    pub fn algorithm_aware(&self) -> &AlgorithmAwareDocument {
        &self.algorithm_aware
    }

    /// The widest interval that counts as disclosed, in counts.
    #[must_use]
    pub fn min_interval_width(&self) -> u64 {
        self.job.rule.min_interval_width()
    }

    /// How much work a question may take.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.job.limits.clone()
    }

    /// What the noise promises, where anything is noised.
    #[must_use]
    pub fn noise_statement(&self) -> Option<&NoiseStatement> {
        Some(&self.plan.schedule()?.statement)
    }

    /// The data on which the plan was decided.
    #[must_use]
    pub fn decision_data(&self) -> DecisionData {
        self.plan.decision_data()
    }

    /// What happens to each table that was asked for.
    #[must_use]
    pub fn tables(&self) -> Vec<TableSummary> {
        let summary = |action: &MarginAction| TableSummary {
            attributes: attributes(&self.job.problem.domain, action),
            treatment: action.treatment,
            exact: count(action, CellStatus::Exact),
            noised: count(action, CellStatus::Noised),
            withheld: withheld(&self.job.problem.domain, action),
        };
        self.plan.actions().iter().map(summary).collect()
    }

    /// Every exact number that leaves, and everything that the attacker is assumed to know
    /// besides.
    ///
    /// # Errors
    /// E0621 for a table that is too large.
    pub fn exact_numbers(&self) -> Result<Vec<ExactNumber>, JobError> {
        exact_numbers(&self.job, &self.plan)
    }

    /// Every number that was asked for and does not leave exactly: what is withheld or noised,
    /// and the single cells of what leaves in groups. Cells that are publicly empty are left out.
    ///
    /// # Errors
    /// E0621 for a table that is too large.
    pub fn withheld_numbers(&self) -> Result<Vec<WithheldNumber>, JobError> {
        withheld_numbers(&self.job, &self.plan)
    }

    /// Every number that leaves with noise, and its count.
    ///
    /// # Errors
    /// E0621 for a table that is too large.
    pub fn noised_numbers(&self) -> Result<Vec<NoisedNumber>, JobError> {
        noised_numbers(&self.job, &self.plan)
    }

    /// Every class that the rule is about.
    ///
    /// # Errors
    /// E0621 for a table that is too large.
    pub fn policy_classes(&self) -> Result<Vec<PolicyClass>, JobError> {
        policy_classes(&self.job)
    }

    /// The population table, where that is public and a response is counted.
    #[must_use]
    pub fn public_population(&self) -> Option<PublicPopulation> {
        public_population(&self.job)
    }

    /// When a class counts as disclosed.
    #[must_use]
    pub fn rule(&self) -> DisclosureRule {
        self.job.rule
    }

    /// Runs the attacker, draws the noise, and consumes the plan.
    ///
    /// # Errors
    /// E0411 when the target is missed: nothing was drawn then. As [`LoadedJob::audit`].
    pub fn release(self, rng: &mut dyn CryptoRng) -> Result<Released, JobError> {
        let Self { job, plan, algorithm_aware } = self;
        let (published, _) = plan.release(job.table()?, rng).map_err(|error| match error {
            Error::TargetMissed { .. } => target_missed(job.target),
            error => error.into(),
        })?;
        Ok(Released { job, published, algorithm_aware, pattern: None, receipt: None })
    }
}

/// Plans for rows that were read for several parts of a pipeline.
impl Job {
    /// The same as [`Job::plan`] for rows that were read already.
    ///
    /// # Errors
    /// As [`Job::load_rows`] and [`LoadedJob::plan`].
    pub fn plan_rows(self, rows: &Microdata, observer: &dyn Observer) -> Result<Planned, JobError> {
        let loaded = self.load_rows(rows, observer)?;
        loaded.check_columns()?;
        loaded.plan(observer)
    }
}

impl From<&NoiseSchedule> for NoiseDocument {
    fn from(schedule: &NoiseSchedule) -> Self {
        let cells = schedule.cells.iter().map(NoisedCellDocument::from).collect();
        Self { statement: schedule.statement.clone(), gap: schedule.gap, cells }
    }
}

impl From<&NoisedCell> for NoisedCellDocument {
    fn from(noised: &NoisedCell) -> Self {
        let &NoisedCell { action, cell, epsilon, scale, variance, .. } = noised;
        Self { action, cell, epsilon, scale, variance }
    }
}

impl MarginDocument {
    fn of(domain: &Domain, action: &MarginAction) -> Self {
        let recodings = action.margin.iter().flat_map(|margin| margin.axes.iter().zip(&margin.recodings));
        let coarse = recodings.filter(|(_, recoding)| !recoding.is_finest()).map(|(&axis, recoding)| {
            let labels = recoding.groups().iter().map(|group| group.label.clone()).collect();
            (domain.attributes()[axis].name().to_owned(), labels)
        });
        Self {
            attributes: attributes(domain, action),
            weight: action.weight,
            treatment: action.treatment,
            cells: action.statuses.len(),
            exact: count(action, CellStatus::Exact),
            noised: count(action, CellStatus::Noised),
            suppressed: withheld(domain, action),
            groups: coarse.collect(),
            reasons: action.reasons.clone(),
        }
    }
}

fn attributes(domain: &Domain, action: &MarginAction) -> Vec<String> {
    domain.names(action.axes.iter().copied().collect()).map(str::to_owned).collect()
}

/// Number of cells that are withheld: all of a table that is not published, which has no statuses.
fn withheld(domain: &Domain, action: &MarginAction) -> usize {
    match action.treatment {
        Treatment::Withheld => action.axes.iter().map(|&axis| domain.cardinality(axis)).product(),
        _ => count(action, CellStatus::Suppressed),
    }
}

fn count(action: &MarginAction, status: CellStatus) -> usize {
    action.statuses.iter().filter(|own| **own == status).count()
}
