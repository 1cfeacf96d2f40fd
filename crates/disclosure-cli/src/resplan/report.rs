//! A plan as programs read it: the fields of `docs/formats.md`.

use disclosure::core::AttrSet;
use disclosure::core::accounting::Neighbours;
use disclosure::resplan::Plan;
use serde::Serialize;

use super::budget::EpsilonAtDelta;
use super::spec::{NoiseKind, Spec};

/// A plan: its promise, its cost, its predicted error.
#[derive(Debug, Serialize)]
pub(super) struct PlanReport {
    pub(super) schema: &'static str,
    pub(super) title: String,
    pub(super) promise: Promise,
    pub(super) noise: NoiseKind,
    pub(super) objective: &'static str,
    pub(super) objective_value: f64,
    pub(super) rmse: f64,
    pub(super) pcost: f64,
    pub(super) rho: f64,
    pub(super) mu: f64,
    pub(super) epsilon_at_delta: Vec<EpsilonAtDelta>,
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
        };
        let footprint = spec.plan.workload.footprint(plan.domain());
        Self {
            schema: "disclosure.resplan-plan/1",
            title: spec.title.clone(),
            promise: Promise::of(spec, plan),
            noise: spec.noise,
            objective: "sum-variance",
            objective_value: plan.objective(),
            rmse: plan.rmse(),
            pcost: plan.pcost(),
            rho: plan.pcost() / 2.0,
            mu: plan.pcost().sqrt(),
            epsilon_at_delta: spec.budget.epsilons(plan.pcost()),
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

impl Promise {
    fn of(spec: &Spec, plan: &Plan) -> Self {
        let rho = plan.pcost() / 2.0;
        let (kind, statement) = match spec.noise {
            NoiseKind::Discrete => ("guarantee", format!("{}-zCDP", up_to_six_digits(rho))),
            NoiseKind::Continuous => ("none", "simulation only: floating-point noise protects nobody".to_owned()),
        };
        let unit = match plan.rows_per_person() {
            1 => "a row of the data".to_owned(),
            rows => format!("a person with at most {rows} rows"),
        };
        Self { kind, statement, neighbours: plan.neighbours(), unit }
    }

    /// Neighbouring tables, in words.
    pub(super) fn relation(&self) -> &'static str {
        match self.neighbours {
            Neighbours::AddRemove => "added or removed",
            Neighbours::Replace => "replaced",
        }
    }
}

/// A cost with six significant digits, rounded up: what is stated holds.
fn up_to_six_digits(cost: f64) -> f64 {
    if cost == 0.0 {
        return 0.0;
    }
    let unit = 10.0_f64.powi(5 - cost.log10().floor() as i32);
    let stated = (cost * unit).ceil() / unit;
    if stated >= cost { stated } else { cost }
}

#[cfg(test)]
mod tests {
    use super::up_to_six_digits;

    #[test]
    fn a_stated_cost_is_never_below_the_cost() {
        for (cost, stated) in [(0.499_999_999_93, 0.5), (1.234_561, 1.234_57), (0.0, 0.0), (2.0, 2.0), (1e-7, 1e-7)] {
            assert_eq!(up_to_six_digits(cost), stated);
        }
        for i in 1..10_000 {
            let cost = f64::from(i).powf(3.7) * 1e-9;
            assert!(up_to_six_digits(cost) >= cost && up_to_six_digits(cost) <= cost * 1.000_01);
        }
    }
}
