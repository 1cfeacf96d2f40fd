//! A plan as programs read it: the fields of `docs/formats.md`.

use disclosure::core::AttrSet;
use disclosure::core::accounting::Neighbours;
use disclosure::core::param::Probability;
use disclosure::resplan::{Objective, Plan};
use serde::Serialize;

use super::budget::EpsilonAtDelta;
use super::spec::{NoiseKind, Spec};
use crate::screen::short_up;

/// A plan: its promise, its cost, its predicted error.
#[derive(Debug, Serialize)]
pub(super) struct PlanReport {
    pub(super) schema: &'static str,
    pub(super) title: String,
    pub(super) promise: Promise,
    pub(super) noise: NoiseKind,
    pub(super) objective: String,
    pub(super) objective_value: f64,
    /// How far that may be above the optimum, relative.
    pub(super) objective_gap: f64,
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
    pub(super) cells: f64,
    pub(super) memory_bytes: f64,
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

/// The error of a marginal. Every query of an identity marginal is a cell.
#[derive(Debug, Serialize)]
pub(super) struct MarginalReport {
    pub(super) attributes: Vec<String>,
    pub(super) queries: f64,
    pub(super) weight: f64,
    pub(super) mean_variance: f64,
    pub(super) max_variance: f64,
    pub(super) sd: f64,
    pub(super) ci95_half_width: f64,
}

/// The noise of a residual.
#[derive(Debug, Serialize)]
pub(super) struct ResidualReport {
    pub(super) attributes: Vec<String>,
    pub(super) sigma2: f64,
}

impl PlanReport {
    pub(super) fn of(spec: &Spec, plan: &Plan) -> Self {
        let names = |set: AttrSet| plan.domain().names(set).map(str::to_owned).collect();
        let marginal = |m: disclosure::resplan::PlannedMarginal| MarginalReport {
            attributes: names(m.attributes),
            queries: m.cells,
            weight: m.weight,
            mean_variance: m.variance,
            max_variance: m.variance,
            sd: m.variance.sqrt(),
            ci95_half_width: half_width(plan, m.attributes),
        };
        let footprint = spec.plan.workload.footprint(plan.domain());
        Self {
            schema: "disclosure.resplan-plan/1",
            title: spec.title.clone(),
            promise: Promise::of(spec, plan),
            noise: spec.noise,
            objective: match plan.objective() {
                Objective::MaxVariance => "max-variance".to_owned(),
                Objective::NormVariance(order) => format!("norm-{}", order.get()),
                _ => "sum-variance".to_owned(),
            },
            objective_value: plan.objective_value(),
            objective_gap: plan.gap(),
            rmse: plan.rmse(),
            pcost: plan.pcost(),
            rho: plan.pcost() / 2.0,
            mu: plan.pcost().sqrt(),
            epsilon_at_delta: spec.budget.epsilons(plan.pcost()),
            rho_for_target_rmse: None,
            rho_for_target_sd: None,
            cells: footprint.cells,
            memory_bytes: footprint.bytes(),
            marginals: plan.marginals().map(marginal).collect(),
            residuals: plan
                .residuals()
                .map(|(set, sigma2)| ResidualReport { attributes: names(set), sigma2: sigma2.to_f64() })
                .collect(),
        }
    }
}

/// Level of every interval.
pub(super) const LEVEL: f64 = 0.95;

/// Half the width of the interval around a cell of a planned marginal.
fn half_width(plan: &Plan, set: AttrSet) -> f64 {
    let level = Probability::new(LEVEL).expect("a level is a probability");
    plan.half_width(set, level).expect("only planned marginals are asked for")
}

impl Promise {
    fn of(spec: &Spec, plan: &Plan) -> Self {
        let rho = plan.pcost() / 2.0;
        let (kind, statement) = match spec.noise {
            NoiseKind::Discrete => ("guarantee", format!("{}-zCDP", short_up(rho))),
            NoiseKind::Continuous => ("none", "simulation only: floating-point noise protects nobody".to_owned()),
        };
        let unit = match plan.rows_per_person() {
            1 => "a row of the data".to_owned(),
            rows => format!("a person, who has at most {rows} rows"),
        };
        Self { kind, statement, neighbours: plan.neighbours(), unit }
    }

    /// Neighbouring tables, in words.
    pub(super) fn relation(&self) -> &'static str {
        match self.neighbours {
            Neighbours::AddRemove => "that is added or removed",
            Neighbours::Replace => "that is replaced by another",
        }
    }
}
