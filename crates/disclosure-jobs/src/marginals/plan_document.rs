//! `plan.json`: what a plan promises, what it costs, and how large its errors will be.

use std::collections::BTreeSet;

use disclosure::privacy_core::accounting::{DominatingPair, Neighbours};
use disclosure::privacy_core::param::Probability;
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use disclosure::privacy_core::{AttrSet, Attribute};
use disclosure::resplan::{Design, Objective, PlannedAttribute, PlannedMarginal, QueryBasis};
use serde::{Deserialize, Serialize};

use super::job::Details;
use super::spec::Adjustment;
use crate::budget::{CostTerms, EpsilonAtDelta, NoiseKind};
use crate::figures::short_up;

/// Level of every interval.
pub const INTERVAL_LEVEL: f64 = 0.95;

/// The level of every interval, as a checked parameter.
pub(super) fn level() -> Probability {
    Probability::new(INTERVAL_LEVEL).expect("a level is a probability")
}

/// The format of [`PlanDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlanSchema {
    /// The first version.
    #[serde(rename = "disclosure.resplan-plan/1")]
    V1,
}

/// A plan: its promise, its cost, its predicted errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlanDocument {
    /// The format of this document.
    pub schema: PlanSchema,
    /// The title of the job.
    pub title: String,
    /// What a release promises.
    pub promise: Promise,
    /// The noise that is drawn.
    pub noise: NoiseKind,
    /// What is made small: `sum-variance`, `max-variance`, `equal-error` or `norm-ORDER`.
    pub objective: String,
    /// The value of the objective, in counts squared.
    pub objective_value: f64,
    /// How far that may be above the optimum for the strategies of the attributes, relative; not
    /// above that of other strategies. `null` for replace neighbours, unless all attributes are
    /// measured together: the certificate is for the sum of the residuals' worst costs, which is
    /// above the cost of the plan.
    pub objective_gap: Option<f64>,
    /// How far it may be above that of any unbiased mechanism with Gaussian noise at this cost,
    /// relative: certified. Only of `resplan plan`, and only where a bound is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_to_any_mechanism: Option<f64>,
    /// The strategy that was asked for.
    pub strategy: String,
    /// The attributes that one strategy measures together; then `objective_gap` is that to any
    /// unbiased mechanism with Gaussian noise at this cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured_together: Vec<String>,
    /// Root of the mean variance over all answers, in counts.
    pub rmse: f64,
    /// Privacy cost: twice rho, rounded up.
    pub pcost: f64,
    /// Rho of zCDP, rounded up.
    pub rho: f64,
    /// Mu of Gaussian differential privacy, rounded up: for discrete noise a little above the root
    /// of `pcost`. `null` where none is known, because noise is less than a step of its integers.
    pub mu: Option<f64>,
    /// The cost in epsilon, rounded up.
    pub epsilon_at_delta: Vec<EpsilonAtDelta>,
    /// The smallest rho for the root mean square error that was asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rho_for_target_rmse: Option<f64>,
    /// The smallest rho for the largest standard deviation that was asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rho_for_target_sd: Option<f64>,
    /// What else is made of the measurement.
    #[serde(rename = "after")]
    pub adjustments: BTreeSet<Adjustment>,
    /// How many numbers are released.
    pub answers: f64,
    /// Predicted memory, in bytes.
    pub memory_bytes: f64,
    /// The attributes of the domain, in order.
    pub attributes: Vec<AttributeSummary>,
    /// The marginals of the workload, in order.
    pub marginals: Vec<MarginalSummary>,
    /// The residuals that are measured, each with its noise.
    pub residuals: Vec<ResidualSummary>,
}

/// The queries about an attribute, and how well they can be answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttributeSummary {
    /// The attribute.
    pub name: String,
    /// How many categories it has.
    pub categories: usize,
    /// What is asked about it.
    pub basis: BasisName,
    /// Whether its queries have weights.
    pub weighted: bool,
    /// How many queries there are about it alone.
    pub queries: usize,
    /// How far its strategy may be above the best of its kind, relative: certified, for its own
    /// queries alone.
    pub strategy_gap: f64,
}

/// What is asked about an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BasisName {
    /// Its categories.
    Identity,
    /// Sums of the first categories.
    Prefix,
    /// Sums of consecutive categories.
    Range,
    /// Sums over the nodes of a tree.
    Hierarchical,
    /// Queries from a file.
    Queries,
}

/// The errors of the answers about a marginal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarginalSummary {
    /// Its attributes; none for the total.
    pub attributes: Vec<String>,
    /// How many answers it has.
    pub queries: f64,
    /// Its weight in the objective.
    pub weight: f64,
    /// Mean variance of its answers, in counts squared.
    pub mean_variance: f64,
    /// The largest variance of an answer.
    pub max_variance: f64,
    /// Root of the mean variance, in counts.
    pub sd: f64,
    /// Half width of the 95 % interval of the answer with the largest variance.
    pub ci95_half_width: f64,
    /// The same, for all answers of the marginal to be covered at once.
    pub ci95_simultaneous_half_width: f64,
}

/// The noise of a residual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResidualSummary {
    /// Its attributes; none for the total.
    pub attributes: Vec<String>,
    /// The variance of its noise, in counts squared; 0 for a total that is public.
    pub sigma2: f64,
}

impl PlanDocument {
    pub(super) fn new(details: &Details, plan: &Design) -> Self {
        Self {
            schema: PlanSchema::V1,
            title: details.title().to_owned(),
            promise: details.promise(plan),
            noise: details.cost_terms.noise,
            objective: objective_name(plan.objective()),
            objective_value: plan.objective_value(),
            objective_gap: (plan.neighbours() == Neighbours::AddRemove || plan.joint_queries().is_some())
                .then(|| plan.gap()),
            gap_to_any_mechanism: None,
            strategy: details.strategy.clone(),
            measured_together: plan.joint_queries().map_or_else(Vec::new, |(block, _)| names(plan, block)),
            rmse: plan.rmse(),
            pcost: pcost_of(plan),
            rho: pcost_of(plan) / 2.0,
            mu: mu_of(details.cost_terms.noise, plan),
            epsilon_at_delta: details.cost_terms.epsilons(pcost_of(plan), dominating_pair(plan).as_ref()),
            rho_for_target_rmse: None,
            rho_for_target_sd: None,
            adjustments: details.adjustments.clone(),
            answers: plan.marginals().map(|marginal| marginal.queries).sum(),
            memory_bytes: details.memory_bytes(plan),
            attributes: attributes(plan),
            marginals: marginals(plan),
            residuals: residuals(plan),
        }
    }
}

fn objective_name(objective: Objective) -> String {
    match objective {
        Objective::MaxVariance => "max-variance".to_owned(),
        Objective::EqualError => "equal-error".to_owned(),
        Objective::NormVariance(order) => format!("norm-{}", order.get()),
        _ => "sum-variance".to_owned(),
    }
}

/// What a release spends; 0 where it is free.
pub(super) fn pcost_of(plan: &Design) -> f64 {
    if plan.is_free() { 0.0 } else { plan.pcost().get() }
}

/// What dominates a release with discrete noise.
pub(super) fn dominating_pair(plan: &Design) -> Option<DominatingPair> {
    match plan.is_free() {
        true => Some(DominatingPair::default()),
        false => plan.gaussian_cost().map(DominatingPair::gaussian),
    }
}

/// Mu of Gaussian differential privacy; 0 where a release is free.
fn mu_of(noise: NoiseKind, plan: &Design) -> Option<f64> {
    let cost = match noise {
        NoiseKind::Continuous => Some(plan.pcost()),
        NoiseKind::Discrete => plan.gaussian_cost(),
    };
    if plan.is_free() { Some(0.0) } else { cost.map(|cost| cost.mu().get()) }
}

fn attributes(plan: &Design) -> Vec<AttributeSummary> {
    let attributes = plan.domain().attributes().iter().zip(plan.attributes());
    attributes.map(|(attribute, planned)| AttributeSummary::new(attribute, &planned)).collect()
}

/// The marginals of a plan in the order of its workload, each with its errors.
pub(super) fn marginals(plan: &Design) -> Vec<MarginalSummary> {
    plan.marginals().map(|marginal| MarginalSummary::new(plan, &marginal)).collect()
}

fn residuals(plan: &Design) -> Vec<ResidualSummary> {
    let residuals = plan.residuals();
    residuals.map(|(set, sigma2)| ResidualSummary { attributes: names(plan, set), sigma2: sigma2.to_f64() }).collect()
}

/// The names of the attributes of a marginal.
pub(super) fn names(plan: &Design, set: AttrSet) -> Vec<String> {
    plan.domain().names(set).map(str::to_owned).collect()
}

impl AttributeSummary {
    fn new(attribute: &Attribute, planned: &PlannedAttribute<'_>) -> Self {
        let (basis, weighted) = BasisName::new(planned.basis);
        Self {
            name: attribute.name().to_owned(),
            categories: attribute.cardinality(),
            basis,
            weighted,
            queries: planned.queries,
            strategy_gap: planned.gap,
        }
    }
}

impl BasisName {
    /// The name of a basis, and whether its queries have weights.
    fn new(basis: &QueryBasis) -> (Self, bool) {
        match basis {
            QueryBasis::Prefix => (Self::Prefix, false),
            QueryBasis::Range => (Self::Range, false),
            QueryBasis::Hierarchical(_) => (Self::Hierarchical, false),
            QueryBasis::Queries(_) => (Self::Queries, false),
            QueryBasis::Weighted(basis, _) => (Self::new(basis).0, true),
            _ => (Self::Identity, false),
        }
    }
}

impl MarginalSummary {
    fn new(plan: &Design, marginal: &PlannedMarginal) -> Self {
        let PlannedMarginal { attributes, weight, queries, mean_variance, max_variance, .. } = *marginal;
        const PLANNED: &str = "only planned marginals are asked for";
        let each = plan.margin_of_error(attributes, level()).expect(PLANNED);
        let all = plan.simultaneous_margin_of_error(attributes, level(), queries).expect(PLANNED);
        Self {
            attributes: names(plan, attributes),
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

impl Details {
    /// The promise of a plan, with the person where a column says who that is.
    fn promise(&self, plan: &Design) -> Promise {
        let promise = promise(self.cost_terms, self.columns.count.as_deref(), plan);
        match &self.columns.person {
            Some(person) => promise.with_unit(person.unit(plan.rows_per_person())),
            None => promise,
        }
    }
}

/// The promise of a plan. `count` is the column that says how many rows a line of the data stands
/// for, if there is one.
fn promise(terms: CostTerms, count: Option<&str>, plan: &Design) -> Promise {
    let rho = pcost_of(plan) / 2.0;
    let (kind, guarantee) = match terms.noise {
        NoiseKind::Discrete => (PromiseKind::Guarantee, format!("{}-zCDP", short_up(rho))),
        NoiseKind::Continuous => {
            (PromiseKind::None, "simulation only: floating-point noise gives no protection".to_owned())
        }
    };
    // A line that stands for several is protected no better than one of them.
    let unit = match (plan.rows_per_person(), count) {
        (1, None) => "a row of the data".to_owned(),
        (1, Some(column)) => format!("one person counted in column {column:?}"),
        (rows, None) => format!("a person with at most {rows} rows"),
        (rows, Some(column)) => format!("a person counted at most {rows} times in column {column:?}"),
    };
    Promise::new(kind, guarantee).with_neighbours(plan.neighbours()).with_unit(unit)
}

/// What a measurement file says that it was released under. It does not know whether a column
/// counted its rows.
pub(super) fn promise_of_file(plan: &Design) -> Promise {
    promise(CostTerms::DISCRETE, None, plan).with_unit("the unit that the release states")
}
