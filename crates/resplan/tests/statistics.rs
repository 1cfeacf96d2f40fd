//! Errors beside what was planned: variances, coverage, and the independence of streams, by exact
//! critical values.

use privacy_core::accounting::PrivacyCost;
use privacy_core::param::Probability;
use privacy_core::table::TableSource;
use privacy_core::{AttrSet, CountSource, Domain};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use resplan::{NoisyMarginal, Plan, PlanLimits, PlanSpec, Workload};
use statrs::distribution::{ChiSquared, ContinuousCDF};

const TRIALS: u64 = 4_000;
/// Error rate of each test here.
const ERROR_RATE: f64 = 1e-9;

fn plan(sizes: &[usize], workload: Workload, pcost: f64) -> Plan {
    let domain = Domain::of_cardinalities(sizes).unwrap();
    let spec = PlanSpec::new(domain, workload, PrivacyCost::new(pcost).unwrap());
    Plan::new(spec, &PlanLimits::default()).unwrap()
}

fn source(sizes: &[usize]) -> TableSource {
    let cells = sizes.iter().product::<usize>() as u64;
    TableSource::new(Domain::of_cardinalities(sizes).unwrap(), (0..cells).map(|i| i * 5 % 17).collect()).unwrap()
}

/// Errors of every cell of every marginal over all trials.
fn errors(
    plan: &Plan,
    source: &TableSource,
    mut trial: impl FnMut(u64) -> Vec<NoisyMarginal>,
) -> Vec<(AttrSet, Vec<f64>)> {
    let sets: Vec<AttrSet> = plan.marginals().map(|m| m.attributes).collect();
    let truth: Vec<u64> = source.marginals(&sets).unwrap().iter().flat_map(|t| t.cells().to_vec()).collect();
    let owners = plan.marginals().flat_map(|m| vec![m.attributes; m.queries as usize]);
    let mut errors: Vec<(AttrSet, Vec<f64>)> = owners.map(|set| (set, Vec::new())).collect();
    for number in 0..TRIALS {
        let answers = trial(number);
        let values = answers.iter().flat_map(|answer| answer.values.iter());
        for ((value, &count), (_, errors)) in values.zip(&truth).zip(&mut errors) {
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

fn assert_variances(plan: &Plan, errors: &[(AttrSet, Vec<f64>)]) {
    let rate = ERROR_RATE / errors.len() as f64;
    for (set, cell) in errors {
        let variance = plan.mean_variance(*set).unwrap();
        assert!(variance_holds(cell, variance, rate), "{set:?}");
        for wrong in [1.25, 0.8] {
            assert!(!variance_holds(cell, variance * wrong, rate), "{set:?}: too few trials");
        }
    }
}

#[test]
fn simulated_noise_has_its_predicted_variance_in_every_cell() {
    let (plan, source) = (plan(&[2, 3, 4], Workload::UpTo(2), 0.3), source(&[2, 3, 4]));
    assert_variances(&plan, &errors(&plan, &source, |trial| plan.simulate(&source, 2026, trial).unwrap().marginals()));
}

/// gamma is above 3 for every residual here, where discrete and continuous Gaussians differ by
/// less than 1e-70.
#[test]
fn released_noise_has_its_predicted_variance_in_every_cell_of_every_order() {
    let (plan, source) = (plan(&[2, 3, 4], Workload::UpTo(3), 0.1), source(&[2, 3, 4]));
    let mut rng = ChaCha20Rng::from_seed([21; 32]); // tests only
    assert_variances(
        &plan,
        &errors(&plan, &source, |_| plan.duplicate().measure(&source, &mut rng).unwrap().marginals()),
    );
}

/// The cosine of the angle between two series: beyond 8 / sqrt(n) with probability below 1e-14
/// when independent.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    inner(a, b) / (inner(a, a) * inner(b, b)).sqrt()
}

#[test]
fn parts_of_a_large_residual_have_noise_of_their_own() {
    const PART: usize = 1 << 16;
    let sizes = [400, 500];
    let empty = TableSource::new(Domain::of_cardinalities(&sizes).unwrap(), vec![0; 200_000]).unwrap();
    let plan = plan(&sizes, Workload::from_sets([AttrSet::first(2)]), 1.0);
    let measured = plan.measure(&empty, &mut ChaCha20Rng::from_seed([22; 32])).unwrap(); // tests only
    let noise: Vec<f64> = measured.marginal(AttrSet::first(2)).unwrap().values.into_iter().collect();
    for (a, b) in [(0, 1), (1, 2), (0, 2)] {
        let part = |i: usize| &noise[i * PART..(i + 1) * PART];
        assert!(correlation(part(a), part(b)).abs() < 8.0 / (PART as f64).sqrt(), "parts {a} and {b}");
    }
    assert!(correlation(&noise[..PART], &noise[..PART]) > 0.999, "the twin: one stream for two parts");
}

#[test]
fn residuals_of_equal_shape_have_noise_of_their_own() {
    let sizes = [40; 4];
    let empty = TableSource::new(Domain::of_cardinalities(&sizes).unwrap(), vec![0; 40_usize.pow(4)]).unwrap();
    let plan = plan(&sizes, Workload::Exactly(2), 1.0);
    let measured = plan.measure(&empty, &mut ChaCha20Rng::from_seed([23; 32])).unwrap(); // tests only
    // Rows and columns taken out: what is left of a pair is its own residual.
    let residual = |set: AttrSet| -> Vec<f64> {
        let values = measured.marginal(set).unwrap().values.into_dimensionality::<ndarray::Ix2>().unwrap();
        let (rows, columns) =
            (values.mean_axis(ndarray::Axis(1)).unwrap(), values.mean_axis(ndarray::Axis(0)).unwrap());
        let mean = values.mean().unwrap();
        values.indexed_iter().map(|((i, j), value)| value - rows[i] - columns[j] + mean).collect()
    };
    let residuals: Vec<Vec<f64>> = AttrSet::first(4).subsets_of_size(2).map(residual).collect();
    for (i, a) in residuals.iter().enumerate() {
        for b in &residuals[..i] {
            assert!(correlation(a, b).abs() < 8.0 / 1_521.0_f64.sqrt());
        }
    }
}

/// The total alone has integer errors: the interval must hold for every budget, also where 1.96
/// sd does not.
#[test]
fn intervals_of_a_total_cover_at_least_their_level_exactly() {
    let level = Probability::new(0.95).unwrap();
    let mut normal_fails = 0;
    for step in 0..200 {
        let plan = plan(&[1], Workload::UpTo(0), 1e-3 * 1.07_f64.powi(step));
        let variance = plan.mean_variance(AttrSet::EMPTY).unwrap();
        let weight = |x: i32| (-f64::from(x * x) / (2.0 * variance)).exp();
        let covered = |half: f64| -> f64 {
            let inside = |x: &i32| f64::from(x.abs()) <= half;
            (-2000..=2000).filter(inside).map(weight).sum::<f64>() / (-2000..=2000).map(weight).sum::<f64>()
        };
        let half = plan.margin_of_error(AttrSet::EMPTY, level).unwrap().half_width(variance);
        assert!(covered(half) >= 0.95 - 1e-6, "variance {variance}: {}", covered(half));
        normal_fails += u32::from(covered(1.959_964 * variance.sqrt()) < 0.94);
    }
    assert!(normal_fails > 20, "the twin: the normal interval alone does not hold");
}
