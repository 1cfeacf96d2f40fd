//! Simulated error beside the predicted: means, variances and the correlation of cells, by exact critical values.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use privacy_core::accounting::PrivacyCost;
use privacy_core::table::TableSource;
use privacy_core::{AttrSet, CountSource, Domain};
use resplan::{Limits, Neighbours, Plan, PlanSpec, Workload};
use statrs::distribution::{ChiSquared, ContinuousCDF};

const TRIALS: u64 = 4_000;
/// Error rate of each test here.
const ERROR_RATE: f64 = 1e-9;

/// Errors of every cell of a marginal over all trials.
fn errors(plan: &Plan, source: &TableSource, set: AttrSet) -> Vec<Vec<f64>> {
    let truth = source.marginals(&[set]).unwrap()[0].cells().to_vec();
    let mut errors = vec![Vec::new(); truth.len()];
    for trial in 0..TRIALS {
        let answer = plan.simulate(source, 2026, trial).unwrap().marginal(set).unwrap();
        for ((errors, value), &count) in errors.iter_mut().zip(&answer.values).zip(&truth) {
            errors.push(value - count as f64);
        }
    }
    errors
}

/// Whether the sum of squares of normal errors of this variance lies within its exact interval.
fn variance_holds(errors: &[f64], variance: f64, rate: f64) -> bool {
    let law = ChiSquared::new(errors.len() as f64).unwrap();
    let sum = errors.iter().map(|e| e * e).sum::<f64>() / variance;
    sum > law.inverse_cdf(rate / 2.0) && sum < law.inverse_cdf(1.0 - rate / 2.0)
}

#[test]
fn every_cell_has_its_predicted_variance_and_ten_percent_off_is_caught() {
    let domain = Domain::of_cardinalities(&[2, 3, 4]).unwrap();
    let source = TableSource::new(domain.clone(), (0..24).map(|i| i * 5 % 17).collect()).unwrap();
    let spec = PlanSpec {
        domain,
        workload: Workload::UpTo(2),
        budget: PrivacyCost::new(0.3).unwrap(),
        neighbours: Neighbours::AddRemove,
        rows_per_person: 1,
    };
    let plan = Plan::new(spec, &Limits::default()).unwrap();
    let sets: Vec<AttrSet> = plan.marginals().map(|m| m.attributes).collect();
    let cells: f64 = plan.marginals().map(|m| m.cells).sum();
    for set in sets {
        let variance = plan.variance(set).unwrap();
        for cell in errors(&plan, &source, set) {
            assert!(variance_holds(&cell, variance, ERROR_RATE / cells), "{set:?}");
            assert!(!variance_holds(&cell, variance * 1.25, ERROR_RATE / cells), "{set:?}: too few trials");
            assert!(!variance_holds(&cell, variance * 0.8, ERROR_RATE / cells), "{set:?}: too few trials");
        }
    }
}
