//! Parameters that are allowed and promise little: said, and not refused.

use super::{CostTerms, EpsilonAtDelta};
use crate::figures::short_up;

/// The largest rho of zCDP without a warning: epsilon is near 20 at delta 1e-6 there.
const LARGEST_RHO: f64 = 5.0;
/// The largest epsilon without a warning: one answer changes odds by up to 22,000 there.
const LARGEST_EPSILON: f64 = 10.0;
/// The largest delta without a warning before the rows are read, and where their number may be
/// private: a warning that depends on it would tell.
const LARGEST_DELTA: f64 = 1e-5;

/// What to say of a budget of this much rho, which means these epsilons.
pub(crate) fn of_budget(rho: f64, terms: &CostTerms, stated: &[EpsilonAtDelta]) -> Vec<String> {
    let own = terms.has_own_delta().then(|| stated.first().copied()).flatten();
    match own {
        Some(EpsilonAtDelta { epsilon, delta, .. }) => {
            of_epsilon("epsilon", epsilon).into_iter().chain(of_delta(delta)).collect()
        }
        None if rho > LARGEST_RHO => {
            let means = stated.first().map(|e| format!(": epsilon {} at delta {:e}", short_up(e.epsilon), e.delta));
            vec![format!(
                "Warning: rho {} is above {LARGEST_RHO}{}. This gives one person little protection.",
                short_up(rho),
                means.unwrap_or_default()
            )]
        }
        None => Vec::new(),
    }
}

/// What to say of an epsilon that is called `name`.
pub(crate) fn of_epsilon(name: &str, epsilon: f64) -> Option<String> {
    (epsilon > LARGEST_EPSILON * (1.0 + 1e-9)).then(|| {
        format!(
            "Warning: {name} {} is above {LARGEST_EPSILON}: it allows odds about one person to change by a factor of {:.1e}.",
            short_up(epsilon),
            epsilon.exp()
        )
    })
}

/// What to say of a delta that a job gives.
pub(crate) fn of_delta(delta: f64) -> Option<String> {
    (delta > LARGEST_DELTA * (1.0 + 1e-9)).then(|| {
        format!(
            "Warning: delta {delta:e} is above {LARGEST_DELTA:e}, the recommended limit for tables of any size. The guarantee can fail with this probability for each person: choose a delta well below 1 divided by the number of people."
        )
    })
}

/// What to say of the user's own delta beside the number of people, where that is public: all
/// neighbouring tables have it. Deltas that [`of_budget`] warned of are not named again.
pub(crate) fn of_people(terms: &CostTerms, people: u64) -> Option<String> {
    let delta = terms.own_delta().filter(|&delta| delta <= LARGEST_DELTA * (1.0 + 1e-9))?;
    (people > 0 && delta * people as f64 > 1.0).then(|| {
        format!(
            "Warning: delta {delta:e} is above 1 divided by the number of people, which is public here. The guarantee can fail with this probability for each person: choose a delta well below that."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Budget, NoiseKind};
    use super::*;

    fn warnings(text: &str) -> Vec<String> {
        let budget = Budget::new(&toml::from_str(text).unwrap(), NoiseKind::Discrete).unwrap();
        of_budget(budget.cost.rho().get(), &budget.terms, &budget.terms.epsilons(budget.cost.get(), None))
    }

    #[test]
    fn a_delta_is_compared_with_the_people_where_they_are_public() {
        let terms = |text: &str| Budget::new(&toml::from_str(text).unwrap(), NoiseKind::Discrete).unwrap().terms;
        let own = terms("epsilon = 1\ndelta = 1e-6");
        assert!(of_people(&own, 1_000_000).is_none() && of_people(&own, 0).is_none());
        assert!(of_people(&own, 1_000_001).unwrap().contains("delta 1e-6 is above 1 divided by the number of people"));
        assert!(of_people(&terms("rho = 1"), 1 << 50).is_none(), "a budget in rho has no delta of its own");
        assert!(of_people(&terms("epsilon = 1\ndelta = 1e-3"), 1 << 50).is_none(), "named before");
    }

    #[test]
    fn large_parameters_are_named_and_usual_ones_are_not() {
        for usual in ["rho = 5", "rho = 0.5", "mu = 3", "epsilon = 10\ndelta = 1e-5", "epsilon = 1\ndelta = 1e-9"] {
            assert!(warnings(usual).is_empty(), "{usual}: {:?}", warnings(usual));
        }
        for (large, words) in [
            ("rho = 5.1", "rho 5.1 is above 5"),
            ("pcost = 20", "rho 10 is above 5"),
            ("epsilon = 12\ndelta = 1e-6", "epsilon 12 is above 10"),
            ("epsilon = 1\ndelta = 1e-3", "delta 1e-3 is above 1e-5"),
        ] {
            let [said] = &warnings(large)[..] else { panic!("{large}: {:?}", warnings(large)) };
            assert!(said.contains(words), "{said}");
        }
        assert_eq!(warnings("epsilon = 20\ndelta = 0.01").len(), 2);
        assert!(of_epsilon("epsilon of a report", 10.0).is_none() && of_epsilon("epsilon of a report", 11.0).is_some());
    }
}
