//! Margins of error are those of the formulas, from the residuals that a plan names.

use privacy_core::accounting::PrivacyCost;
use privacy_core::param::Probability;
use privacy_core::{AttrSet, Domain};
use resplan::{Neighbours, Plan, PlanLimits, PlanSpec, Workload};
use statrs::distribution::{ContinuousCDF, Normal};

const SIZES: [usize; 3] = [3, 4, 5];

fn plan(pcost: f64, neighbours: Neighbours) -> Plan {
    let domain = Domain::of_cardinalities(&SIZES).unwrap();
    let spec = PlanSpec::new(domain, Workload::UpTo(2), PrivacyCost::new(pcost).unwrap());
    Plan::new(PlanSpec { neighbours, ..spec }, &PlanLimits::default()).unwrap()
}

fn cells(set: AttrSet) -> f64 {
    set.iter().map(|attribute| SIZES[attribute] as f64).product()
}

/// The least parameter, squared, of the noise in an answer about these attributes. A public total
/// has no noise, and no part in it.
fn smallest_gamma2(plan: &Plan, set: AttrSet) -> f64 {
    let within = plan.residuals().filter(|(residual, sigma2)| residual.is_subset_of(set) && !sigma2.is_zero());
    within.map(|(residual, sigma2)| sigma2.to_f64() * cells(residual).powi(2)).fold(f64::INFINITY, f64::min)
}

/// Half the width for each of `answers` answers, and whether the noise is near a normal law.
fn half_width(plan: &Plan, set: AttrSet, variance: f64, level: f64, answers: f64) -> (f64, bool) {
    let (sd, outside) = (variance.sqrt(), (1.0 - level) / answers);
    if smallest_gamma2(plan, set) < 1.0 {
        return (sd * (2.0 * (2.0 / outside).ln()).sqrt(), false);
    }
    if variance == 0.0 {
        return (0.0, true);
    }
    let z = Normal::new(0.0, 1.0).unwrap().inverse_cdf(1.0 - outside / 2.0);
    (z * sd + 0.5 / cells(set), true)
}

#[test]
fn half_widths_are_those_of_normal_laws_or_of_any_noise() {
    let mut seen = [0; 2];
    for step in 0..60 {
        // Every other plan is for rows that are replaced.
        let neighbours = if step % 2 == 0 { Neighbours::AddRemove } else { Neighbours::Replace };
        let plan = plan(0.05 * 1.2_f64.powi(step), neighbours);
        let is_public = plan.residuals().any(|(_, sigma2)| sigma2.is_zero());
        assert_eq!(is_public, neighbours == Neighbours::Replace);
        for set in plan.marginals().map(|marginal| marginal.attributes).collect::<Vec<_>>() {
            let variance = plan.max_variance(set).unwrap();
            for (level, answers) in [(0.95, 1.0), (0.95, 47.0), (0.5, 3.0)] {
                let (want, is_normal) = half_width(&plan, set, variance, level, answers);
                let level = Probability::new(level).unwrap();
                let margin = plan.simultaneous_margin_of_error(set, level, answers).unwrap();
                let got = margin.half_width(variance);
                assert!((got - want).abs() <= 1e-9 * want, "{step} {set:?}: {got} {want}");
                if answers == 1.0 {
                    assert_eq!(plan.margin_of_error(set, level).unwrap(), margin);
                }
                assert_eq!(margin.half_width(0.0), 0.0);
                seen[usize::from(is_normal)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}
