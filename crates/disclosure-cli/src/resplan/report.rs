//! A plan as programs read it: the fields of `docs/formats.md`.

use std::collections::BTreeSet;

use disclosure::core::AttrSet;
use disclosure::core::accounting::Neighbours;
use disclosure::resplan::{Objective, Plan, PlannedMarginal, QueryBasis};
use serde::Serialize;

use super::after::After;
use super::budget::{EpsilonAtDelta, Terms};
use super::job::Job;
use super::spec::NoiseKind;
use super::table::level;
use crate::display::short_up;

/// A plan: its promise, its cost, its predicted error.
#[derive(Debug, Serialize)]
pub(super) struct PlanReport {
    pub(super) schema: &'static str,
    pub(super) title: String,
    pub(super) promise: Promise,
    pub(super) noise: NoiseKind,
    pub(super) objective: String,
    pub(super) objective_value: f64,
    /// How far that may be above the optimum for the strategies of the attributes, relative.
    /// `null` for replace neighbours: what is certified there is a plan for the sum of the residuals' worst costs.
    pub(super) objective_gap: Option<f64>,
    pub(super) strategy: String,
    pub(super) rmse: f64,
    pub(super) pcost: f64,
    pub(super) rho: f64,
    pub(super) mu: f64,
    pub(super) epsilon_at_delta: Vec<EpsilonAtDelta>,
    /// Least rho for the error that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rho_for_target_rmse: Option<f64>,
    /// Least rho for the largest standard deviation that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rho_for_target_sd: Option<f64>,
    /// What else is made of the measurement.
    pub(super) after: BTreeSet<After>,
    pub(super) answers: f64,
    pub(super) memory_bytes: f64,
    pub(super) attributes: Vec<AttributeReport>,
    pub(super) marginals: Vec<MarginalReport>,
    pub(super) residuals: Vec<ResidualReport>,
}

/// What is promised, of which kind, and against whom.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Promise {
    pub(super) kind: &'static str,
    pub(super) statement: String,
    pub(super) neighbours: Neighbours,
    pub(super) unit: String,
}

/// What is asked about an attribute, and how well it can be measured.
#[derive(Debug, Serialize)]
pub(super) struct AttributeReport {
    pub(super) name: String,
    pub(super) categories: usize,
    pub(super) basis: &'static str,
    pub(super) weighted: bool,
    pub(super) queries: usize,
    /// How far its strategy may be above the best of its kind, relative: certified.
    pub(super) strategy_gap: f64,
}

/// The error of the answers about a marginal.
#[derive(Debug, Serialize)]
pub(super) struct MarginalReport {
    pub(super) attributes: Vec<String>,
    pub(super) queries: f64,
    pub(super) weight: f64,
    pub(super) mean_variance: f64,
    pub(super) max_variance: f64,
    /// Root of the mean variance.
    pub(super) sd: f64,
    /// Of the answer with the largest variance.
    pub(super) ci95_half_width: f64,
    /// The same, for all answers of the marginal to be held at once.
    pub(super) ci95_simultaneous_half_width: f64,
}

/// The noise of a residual.
#[derive(Debug, Serialize)]
pub(super) struct ResidualReport {
    pub(super) attributes: Vec<String>,
    pub(super) sigma2: f64,
}

impl PlanReport {
    pub(super) fn of(job: &Job, plan: &Plan) -> Self {
        let names = |set: AttrSet| plan.domain().names(set).map(str::to_owned).collect();
        let residual = |(set, sigma2): (AttrSet, _)| (names(set), sigma2);
        Self {
            schema: "disclosure.resplan-plan/1",
            title: job.title.clone(),
            promise: Promise::of(job.terms, job.columns.count.as_deref(), plan),
            noise: job.terms.noise,
            objective: match plan.objective() {
                Objective::MaxVariance => "max-variance".to_owned(),
                Objective::NormVariance(order) => format!("norm-{}", order.get()),
                _ => "sum-variance".to_owned(),
            },
            objective_value: plan.objective_value(),
            objective_gap: (plan.neighbours() == Neighbours::AddRemove).then(|| plan.gap()),
            strategy: job.strategy.clone(),
            rmse: plan.rmse(),
            pcost: plan.pcost(),
            rho: plan.pcost() / 2.0,
            mu: plan.pcost().sqrt(),
            epsilon_at_delta: job.terms.epsilons(plan.pcost()),
            rho_for_target_rmse: None,
            rho_for_target_sd: None,
            after: job.after.clone(),
            answers: plan.marginals().map(|marginal| marginal.queries).sum(),
            memory_bytes: job.memory_bytes(plan),
            attributes: attributes(plan),
            marginals: plan.marginals().map(|marginal| MarginalReport::of(plan, &marginal)).collect(),
            residuals: plan
                .residuals()
                .map(residual)
                .map(|(attributes, sigma2)| ResidualReport { attributes, sigma2: sigma2.to_f64() })
                .collect(),
        }
    }
}

fn attributes(plan: &Plan) -> Vec<AttributeReport> {
    let attributes = plan.domain().attributes().iter().zip(plan.attributes());
    let report = |(attribute, planned): (&disclosure::core::Attribute, disclosure::resplan::PlannedAttribute<'_>)| {
        let (basis, weighted) = basis_name(planned.basis);
        AttributeReport {
            name: attribute.name().to_owned(),
            categories: attribute.cardinality(),
            basis,
            weighted,
            queries: planned.queries,
            strategy_gap: planned.gap,
        }
    };
    attributes.map(report).collect()
}

fn basis_name(basis: &QueryBasis) -> (&'static str, bool) {
    match basis {
        QueryBasis::Prefix => ("prefix", false),
        QueryBasis::Range => ("range", false),
        QueryBasis::Hierarchical(_) => ("hierarchical", false),
        QueryBasis::Queries(_) => ("queries", false),
        QueryBasis::Weighted(basis, _) => (basis_name(basis).0, true),
        _ => ("identity", false),
    }
}

impl MarginalReport {
    pub(super) fn of(plan: &Plan, marginal: &PlannedMarginal) -> Self {
        let PlannedMarginal { attributes, weight, queries, mean_variance, max_variance, .. } = *marginal;
        const PLANNED: &str = "only planned marginals are asked for";
        let each = plan.margin_of_error(attributes, level()).expect(PLANNED);
        let all = plan.simultaneous_margin_of_error(attributes, level(), queries).expect(PLANNED);
        Self {
            attributes: plan.domain().names(attributes).map(str::to_owned).collect(),
            queries,
            weight,
            mean_variance,
            max_variance,
            sd: mean_variance.sqrt(),
            ci95_half_width: each.half_width(max_variance),
            ci95_simultaneous_half_width: all.half_width(max_variance),
        }
    }
}

impl Promise {
    /// `counted`: the column whose numbers say how many a line of the data stands for, if there is one.
    pub(super) fn of(terms: Terms, counted: Option<&str>, plan: &Plan) -> Self {
        let rho = plan.pcost() / 2.0;
        let (kind, statement) = match terms.noise {
            NoiseKind::Discrete => ("guarantee", format!("{}-zCDP", short_up(rho))),
            NoiseKind::Continuous => ("none", "simulation only: floating-point noise protects nobody".to_owned()),
        };
        // A line that stands for several is protected no better than one of them.
        let unit = match (plan.rows_per_person(), counted) {
            (1, None) => "a row of the data".to_owned(),
            (1, Some(column)) => format!("one of those that column {column:?} counts"),
            (rows, None) => format!("a person with at most {rows} rows"),
            (rows, Some(column)) => format!("a person who is at most {rows} of those that column {column:?} counts"),
        };
        Self { kind, statement, neighbours: plan.neighbours(), unit }
    }

    /// What a measurement file says that it was released under. Whether its rows were counted in a column it does not know.
    pub(super) fn of_file(plan: &Plan) -> Self {
        let unit = "what the release calls its unit".to_owned();
        Self { unit, ..Self::of(Terms::DISCRETE, None, plan) }
    }

    /// Neighbouring tables, in words.
    pub(super) fn relation(&self) -> &'static str {
        match self.neighbours {
            Neighbours::AddRemove => "added or removed",
            Neighbours::Replace => "replaced by another",
        }
    }
}
