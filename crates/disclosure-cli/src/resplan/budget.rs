//! `[privacy]`: one budget, in the currency the user thinks in.

use disclosure::core::accounting::{PrivacyCost, gaussian, zcdp};
use disclosure::core::param::{Delta, Epsilon, Mu, ParamError, Rho};
use disclosure::core::round::mul_down;
use serde::{Deserialize, Serialize};

use super::spec::NoiseKind;
use crate::error::Failure;

/// `[privacy]` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PrivacySpec {
    pub(crate) rho: Option<f64>,
    pub(crate) mu: Option<f64>,
    pub(crate) pcost: Option<f64>,
    pub(crate) epsilon: Option<f64>,
    pub(crate) delta: Option<f64>,
}

/// A budget that was checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// What may be spent, rounded down.
    pub(crate) cost: PrivacyCost,
    pub(crate) terms: Terms,
}

/// In which terms a cost is stated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Terms {
    pub(crate) noise: NoiseKind,
    /// The delta of the user's own promise, if it has one.
    delta: Option<Delta>,
}

/// An epsilon and the delta it holds at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct EpsilonAtDelta {
    pub(crate) epsilon: f64,
    pub(crate) delta: f64,
}

impl Budget {
    pub(crate) fn of(spec: &PrivacySpec, noise: NoiseKind) -> Result<Self, Failure> {
        let bad = |error: ParamError| Failure::new("E0225", format!("[privacy]: {error}"));
        let budget = |cost, delta| Self { cost, terms: Terms { noise, delta } };
        let cost = match (spec.rho, spec.mu, spec.pcost, spec.epsilon, spec.delta) {
            (Some(rho), None, None, None, None) => Rho::new(rho).and_then(PrivacyCost::from_rho),
            // mu-GDP is mu^2 / 2-zCDP; the square is a budget, and rounded down.
            (None, Some(mu), None, None, None) => {
                Mu::new(mu).and_then(|mu| PrivacyCost::new(mul_down(mu.get(), mu.get())))
            }
            (None, None, Some(cost), None, None) => PrivacyCost::new(cost),
            (None, None, None, Some(epsilon), Some(delta)) => {
                let (epsilon, delta) = (Epsilon::new(epsilon).map_err(bad)?, Delta::new(delta).map_err(bad)?);
                let cost = match noise {
                    NoiseKind::Discrete => zcdp::rho(epsilon, delta).and_then(|rho| Ok(PrivacyCost::from_rho(rho)?)),
                    NoiseKind::Continuous => gaussian::cost(epsilon, delta),
                };
                let cost = cost.map_err(|error| Failure::new("E0225", format!("[privacy]: {error}")))?;
                return Ok(budget(cost, Some(delta)));
            }
            _ => return Err(Failure::new("E0212", "[privacy] takes one of rho, mu, pcost, or epsilon with delta")),
        };
        Ok(budget(cost.map_err(bad)?, None))
    }
}

impl Terms {
    /// The terms of exact noise without a delta of the user's own.
    pub(super) const DISCRETE: Self = Self { noise: NoiseKind::Discrete, delta: None };

    /// What a cost means in epsilon: at the user's own delta, or at two customary ones. The zCDP bound for discrete
    /// noise, the exact curve for continuous noise. Never low.
    pub(crate) fn epsilons(&self, pcost: f64) -> Vec<EpsilonAtDelta> {
        let Ok(cost) = PrivacyCost::new(pcost) else { return Vec::new() };
        let customary = || [1e-6, 1e-9].into_iter().filter_map(|delta| Delta::new(delta).ok()).collect();
        let deltas: Vec<Delta> = self.delta.map_or_else(customary, |delta| vec![delta]);
        let epsilon = |delta: Delta| match self.noise {
            NoiseKind::Discrete => zcdp::epsilon(cost.rho(), delta),
            NoiseKind::Continuous => gaussian::epsilon(cost, delta),
        };
        let stated = |delta| Some(EpsilonAtDelta { epsilon: epsilon(delta).ok()?.get(), delta: delta.get() });
        deltas.into_iter().filter_map(stated).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(text: &str, noise: NoiseKind) -> Result<f64, Failure> {
        Budget::of(&toml::from_str(text).unwrap(), noise).map(|budget| budget.cost.get())
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
    fn a_budget_in_epsilon_is_kept() {
        let spec = toml::from_str("epsilon = 1.5\ndelta = 1e-7").unwrap();
        for noise in [NoiseKind::Discrete, NoiseKind::Continuous] {
            let budget = Budget::of(&spec, noise).unwrap();
            let [stated] = budget.terms.epsilons(budget.cost.get())[..] else { panic!("one delta, one epsilon") };
            assert!(stated.epsilon <= 1.5 * (1.0 + 1e-9) && stated.epsilon > 1.5 * (1.0 - 1e-6), "{stated:?}");
        }
    }
}
