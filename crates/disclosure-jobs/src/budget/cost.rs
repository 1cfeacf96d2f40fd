//! `[privacy]`: one budget, in the currency the user thinks in.

use disclosure::privacy_core::accounting::{AccountingError, DominatingPair, PrivacyCost, gaussian, zcdp};
use disclosure::privacy_core::param::{Delta, Epsilon, Mu, Rho};
use disclosure::privacy_core::round::mul_down;
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::figures::short_up;

/// Which noise a spec asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseKind {
    /// Exact integers: the noise of a release.
    #[default]
    Discrete,
    /// Floating point: simulation only.
    Continuous,
}

/// `[privacy]` as it is written: exactly one of `rho`, `mu`, `pcost`, or `epsilon` with `delta`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivacySpec {
    /// Rho of zero-concentrated differential privacy.
    pub rho: Option<f64>,
    /// Mu of Gaussian differential privacy.
    pub mu: Option<f64>,
    /// Privacy cost: twice rho.
    pub pcost: Option<f64>,
    /// Epsilon of approximate differential privacy, at `delta`.
    pub epsilon: Option<f64>,
    /// Delta of approximate differential privacy.
    pub delta: Option<f64>,
}

/// A budget that was checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// What may be spent, rounded down.
    pub cost: PrivacyCost,
    /// What discrete noise may cost in Gaussian differential privacy; `None` for a budget in rho.
    pub gaussian: Option<GaussianBudget>,
    /// How costs are stated to the user.
    pub terms: CostTerms,
}

/// What discrete Gaussian noise may cost in Gaussian differential privacy, as `mu^2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GaussianBudget {
    /// Besides the cost in rho: the budget is a mu.
    Required(PrivacyCost),
    /// In the place of the cost in rho, which is smaller: the budget is an epsilon at a delta, and
    /// either bound keeps it.
    Instead(PrivacyCost),
}

/// How a cost is stated: for which noise, and at which delta.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostTerms {
    /// The noise that the cost is of.
    pub noise: NoiseKind,
    /// The delta of the user's own promise, if it has one.
    delta: Option<Delta>,
}

/// An epsilon and the delta it holds at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpsilonAtDelta {
    /// Epsilon of approximate differential privacy, rounded up.
    pub epsilon: f64,
    /// Its delta.
    pub delta: f64,
    /// What the conversion of rho alone gives, where `epsilon` is the smaller one that follows
    /// from Gaussian differential privacy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon_by_zcdp: Option<f64>,
}

impl Budget {
    /// Checks `[privacy]` for this noise.
    ///
    /// # Errors
    /// E0212 unless exactly one budget is given, E0225 when a number is out of its range.
    pub fn new(spec: &PrivacySpec, noise: NoiseKind) -> Result<Self, JobError> {
        let mut gaussian = None;
        let cost = match (spec.rho, spec.mu, spec.pcost, spec.epsilon, spec.delta) {
            (Some(rho), None, None, None, None) => Rho::new(rho).and_then(PrivacyCost::from_rho),
            // mu-GDP is mu^2 / 2-zCDP; the square is a budget, and rounded down.
            (None, Some(mu), None, None, None) => {
                let cost = Mu::new(mu).and_then(|mu| PrivacyCost::new(mul_down(mu.get(), mu.get())));
                gaussian = cost.ok().filter(|_| noise == NoiseKind::Discrete).map(GaussianBudget::Required);
                cost
            }
            (None, None, Some(cost), None, None) => PrivacyCost::new(cost),
            (None, None, None, Some(epsilon), Some(delta)) => return Self::at_delta(epsilon, delta, noise),
            _ => {
                return Err(JobError::new(
                    "E0212",
                    "[privacy] takes exactly one of rho, mu, pcost, or epsilon with delta",
                ));
            }
        };
        Ok(Self { cost: cost.map_err(out_of_range)?, gaussian, terms: CostTerms { noise, delta: None } })
    }

    /// The largest cost that keeps this epsilon and delta.
    fn at_delta(epsilon: f64, delta: f64, noise: NoiseKind) -> Result<Self, JobError> {
        let epsilon = Epsilon::new(epsilon).map_err(out_of_range)?;
        let delta = Delta::new(delta).map_err(out_of_range)?;
        let cost = match noise {
            NoiseKind::Discrete => zcdp::rho(epsilon, delta).and_then(|rho| Ok(PrivacyCost::from_rho(rho)?)),
            NoiseKind::Continuous => gaussian::cost(epsilon, delta),
        };
        let cost = cost.map_err(out_of_range)?;
        let by_curve = gaussian::cost(epsilon, delta).ok().filter(|_| noise == NoiseKind::Discrete);
        let gaussian = by_curve.filter(|other| *other > cost).map(GaussianBudget::Instead);
        Ok(Self { cost, gaussian, terms: CostTerms { noise, delta: Some(delta) } })
    }
}

fn out_of_range(error: impl Into<AccountingError>) -> JobError {
    JobError::new("E0225", format!("[privacy]: {}", error.into()))
}

impl CostTerms {
    /// Whether the user gave a delta.
    pub(crate) fn has_own_delta(&self) -> bool {
        self.delta.is_some()
    }

    /// The delta of the user's own promise.
    pub(crate) fn own_delta(&self) -> Option<f64> {
        self.delta.map(Delta::get)
    }

    /// The terms of exact noise without a delta of the user's own.
    pub(crate) const DISCRETE: Self = Self { noise: NoiseKind::Discrete, delta: None };

    /// What a privacy cost means in epsilon: at the user's own delta, or at two customary ones.
    /// The exact curve for continuous noise; for discrete noise the smaller of the zCDP bound and
    /// of what follows from `pair`, where it is known. Never low.
    #[must_use]
    pub fn epsilons(&self, pcost: f64, pair: Option<&DominatingPair>) -> Vec<EpsilonAtDelta> {
        let Ok(cost) = PrivacyCost::new(pcost) else { return Vec::new() };
        let deltas = match self.delta {
            Some(delta) => vec![delta],
            None => [1e-6, 1e-9].into_iter().filter_map(|delta| Delta::new(delta).ok()).collect(),
        };
        deltas.into_iter().filter_map(|delta| self.epsilon_at(cost, pair, delta)).collect()
    }

    fn epsilon_at(&self, cost: PrivacyCost, pair: Option<&DominatingPair>, delta: Delta) -> Option<EpsilonAtDelta> {
        match self.noise {
            NoiseKind::Discrete => EpsilonAtDelta::new(Some(cost.rho()), pair, delta),
            NoiseKind::Continuous => {
                let epsilon = gaussian::epsilon(cost, delta).ok()?.get();
                Some(EpsilonAtDelta { epsilon, delta: delta.get(), epsilon_by_zcdp: None })
            }
        }
    }
}

impl EpsilonAtDelta {
    /// The statement in words, with numbers rounded up: for tables and messages.
    #[must_use]
    pub fn statement(&self) -> String {
        let by_zcdp = self.epsilon_by_zcdp.map_or_else(String::new, |other| format!(" ({} by zCDP)", short_up(other)));
        format!("epsilon {} at delta {:e}{by_zcdp}", short_up(self.epsilon), self.delta)
    }

    /// The smaller of what rho and the dominating pair give. `None` where neither gives anything.
    pub(crate) fn new(rho: Option<Rho>, pair: Option<&DominatingPair>, delta: Delta) -> Option<Self> {
        let by_zcdp = rho.and_then(|rho| zcdp::epsilon(rho, delta).ok()).map(Epsilon::get);
        let by_curve = pair.and_then(|pair| pair.epsilon(delta).ok()).map(Epsilon::get);
        let delta = delta.get();
        match (by_curve, by_zcdp) {
            (Some(epsilon), Some(other)) if epsilon < other => {
                Some(Self { epsilon, delta, epsilon_by_zcdp: Some(other) })
            }
            (Some(epsilon), None) | (_, Some(epsilon)) => Some(Self { epsilon, delta, epsilon_by_zcdp: None }),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(text: &str, noise: NoiseKind) -> Result<f64, JobError> {
        Budget::new(&toml::from_str(text).unwrap(), noise).map(|budget| budget.cost.get())
    }

    #[test]
    fn every_currency_is_read() {
        let discrete = |text| budget(text, NoiseKind::Discrete).unwrap();
        assert_eq!(discrete("rho = 0.5"), 1.0);
        assert_eq!(discrete("mu = 2"), 4.0);
        assert_eq!(discrete("pcost = 0.25"), 0.25);
        // Published values: 0.0611132 by zCDP, 0.0718515 exactly (continuous noise only).
        assert!((discrete("epsilon = 1\ndelta = 1e-5") - 0.061_113_2).abs() < 1e-6);
        let continuous = budget("epsilon = 1\ndelta = 1e-5", NoiseKind::Continuous).unwrap();
        assert!((continuous - 0.071_851_5).abs() < 1e-6);
    }

    #[test]
    fn anything_but_one_budget_is_refused() {
        for text in [
            "",
            "rho = 1\nmu = 1",
            "epsilon = 1",
            "delta = 1e-6",
            "rho = 1\ndelta = 1e-6",
            "rho = 0",
            "rho = nan",
            "pcost = -1",
            "mu = inf",
            "epsilon = 1\ndelta = 1",
            "epsilon = 0\ndelta = 0.1",
        ] {
            assert!(budget(text, NoiseKind::Discrete).is_err(), "{text}");
        }
    }

    #[test]
    fn discrete_noise_may_cost_more_where_its_curve_is_known() {
        let spec = toml::from_str("epsilon = 1\ndelta = 1e-5").unwrap();
        let budget = Budget::new(&spec, NoiseKind::Discrete).unwrap();
        let Some(GaussianBudget::Instead(cost)) = budget.gaussian else { panic!("{budget:?}") };
        assert!((cost.get() - 0.071_851_5).abs() < 1e-6 && cost > budget.cost);
        let [stated] = budget.terms.epsilons(cost.get(), Some(&DominatingPair::gaussian(cost)))[..] else { panic!() };
        assert!(stated.epsilon <= 1.0 + 1e-9 && stated.epsilon_by_zcdp.is_some_and(|other| other > 1.05));
        let spec = toml::from_str("mu = 2").unwrap();
        let budget = Budget::new(&spec, NoiseKind::Discrete).unwrap();
        assert_eq!(budget.gaussian, Some(GaussianBudget::Required(budget.cost)));
        assert_eq!(Budget::new(&spec, NoiseKind::Continuous).unwrap().gaussian, None);
    }

    #[test]
    fn a_budget_in_epsilon_is_kept() {
        let spec = toml::from_str("epsilon = 1.5\ndelta = 1e-7").unwrap();
        for noise in [NoiseKind::Discrete, NoiseKind::Continuous] {
            let budget = Budget::new(&spec, noise).unwrap();
            let [stated] = budget.terms.epsilons(budget.cost.get(), None)[..] else { panic!("one delta, one epsilon") };
            assert!(stated.epsilon <= 1.5 * (1.0 + 1e-9) && stated.epsilon > 1.5 * (1.0 - 1e-6), "{stated:?}");
        }
    }
}
