//! Two attackers on one person: what the first choice tells, and what all noised tables tell.
//!
//! The attacker guesses on which of two neighbouring tables a release was made. `p`, `q`: how often
//! it says "with" on the table with the person and on the one without. rho-zCDP bounds both by
//! `a ln p + (1 - a) ln q <= a (a - 1) rho` for every order a > 1, and the same for "without".

use adaptive_marginals::{AdaptivePlan, AdaptiveRelease, AdaptiveSpec, Measurement, Model, PlanLimits};
use privacy_core::accounting::Neighbours;
use privacy_core::param::Rho;
use privacy_core::table::TableSource;
use privacy_core::{AttrSet, CountSource, Domain};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use synthetic_people::ModelSpec;
use testkit::tails::binomial_p_value;

const ROWS: u32 = 50;
const TRIALS: u64 = 800;

/// Balanced attributes: the pairs (0, 1) and (0, 2) depend about equally, and the person decides
/// which of them more. Their rows are in the cell (0, 0, 1).
fn table(has_person: bool) -> TableSource {
    let mut counts = vec![326, 194, 206, 74, 74, 206, 194, 326];
    counts[1] += if has_person { u64::from(ROWS) } else { 0 };
    TableSource::new(Domain::of_cardinalities(&[2, 2, 2]).unwrap(), counts).unwrap()
}

fn release(has_person: bool, rho: f64, rounds: u32, seed: u64) -> AdaptiveRelease {
    let table = table(has_person);
    let workload = AttrSet::first(3).subsets_of_size(2).map(|pair| (pair, 1)).collect();
    let spec = AdaptiveSpec {
        rows_per_person: ROWS,
        rounds: Some(rounds),
        ..AdaptiveSpec::new(Rho::new(rho).unwrap(), Neighbours::AddRemove, workload)
    };
    let plan = AdaptivePlan::new(table.domain().clone(), spec, &PlanLimits::default()).unwrap();
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8] = u8::from(has_person);
    plan.release(&table, &mut ChaCha20Rng::from_seed(bytes)).unwrap()
}

/// How often `says_with` says so on either table.
fn rates(says_with: impl Fn(bool, u64) -> bool) -> [u64; 2] {
    [true, false].map(|has_person| (0..TRIALS).filter(|&seed| says_with(has_person, seed)).count() as u64)
}

/// Whether counts contradict rho at an error rate of 1e-9: no shares that keep to it are possible.
fn contradicts([with, without]: [u64; 2], rho: f64) -> bool {
    let grid: Vec<f64> = (1..400).map(|step| f64::from(step) / 400.0).collect();
    let likely = |count: u64| -> Vec<f64> {
        grid.iter().copied().filter(|&share| binomial_p_value(TRIALS, share, count) > 5e-10).collect()
    };
    let (with, without) = (likely(with), likely(without));
    !with.iter().any(|&p| without.iter().any(|&q| is_within(p, q, rho) && is_within(1.0 - q, 1.0 - p, rho)))
}

fn is_within(p: f64, q: f64, rho: f64) -> bool {
    let orders = [1.05, 1.2, 1.5, 2.0, 3.0, 5.0, 9.0];
    orders.iter().all(|a| a * p.ln() + (1.0 - a) * q.ln() <= a * (a - 1.0) * rho + 1e-12)
}

/// The marginal that is chosen first, and what choosing it costs.
fn first_choice(release: &AdaptiveRelease) -> (AttrSet, f64) {
    let first = release.rounds().iter().find_map(|round| Some((round.set, round.epsilon?))).unwrap();
    (first.0, first.1.powi(2) / 8.0)
}

/// The pair that is furthest from the model of the noised attributes, without noise: the control.
fn largest_error(has_person: bool, release: &AdaptiveRelease) -> AttrSet {
    let singles: Vec<Measurement> =
        release.measurements().iter().filter(|measured| measured.set.len() == 1).cloned().collect();
    let total = singles.iter().map(|measured| measured.values.iter().sum::<f64>()).sum::<f64>() / 3.0;
    let model = Model::fit(&ModelSpec::new(vec![2; 3], total.max(1.0)), &singles).unwrap();
    let pairs: Vec<AttrSet> = AttrSet::first(3).subsets_of_size(2).collect();
    let exact = table(has_person).marginals(&pairs).unwrap();
    let error = |at: usize| -> f64 {
        let model = model.marginal(pairs[at], 1e3).unwrap();
        exact[at].cells().iter().zip(model).map(|(&count, model)| (count as f64 - model).abs()).sum()
    };
    pairs[(0..3).max_by(|&a, &b| error(a).total_cmp(&error(b))).unwrap()]
}

#[test]
fn the_first_choice_says_no_more_than_it_costs_and_the_largest_error_would() {
    let (first, released) = (AttrSet::first(2), |has_person, seed| release(has_person, 2.0, 6, seed));
    let cost = first_choice(&released(true, 0)).1;
    assert!((cost - 0.15 * 2.0 / 6.0).abs() < 1e-6, "{cost}");
    let found = rates(|has_person, seed| first_choice(&released(has_person, seed)).0 == first);
    assert!(!contradicts(found, cost), "{found:?}");
    let control = rates(|has_person, seed| largest_error(has_person, &released(has_person, seed)) == first);
    assert!(contradicts(control, cost), "{control:?}");
}

/// The likelihood ratio of normal noise: half of the way between the two tables.
fn says_with(release: &AdaptiveRelease) -> bool {
    let sets: Vec<AttrSet> = release.measurements().iter().map(|measured| measured.set).collect();
    let (without, with) = (table(false).marginals(&sets).unwrap(), table(true).marginals(&sets).unwrap());
    let mut ratio = 0.0;
    for (measured, (without, with)) in release.measurements().iter().zip(without.iter().zip(&with)) {
        for (y, (&a, &b)) in measured.values.iter().zip(without.cells().iter().zip(with.cells())) {
            let (a, b) = (a as f64, b as f64);
            ratio += (y - 0.5 * (a + b)) * (b - a) / measured.variance;
        }
    }
    ratio > 0.0
}

#[test]
fn all_tables_together_say_no_more_than_promised_and_rounds_with_the_whole_budget_each_would() {
    let rates_at = |rho| rates(|has_person, seed| says_with(&release(has_person, rho, 8, seed)));
    let (found, control) = (rates_at(0.5), rates_at(8.0 * 0.5));
    assert!(!contradicts(found, 0.5), "{found:?}");
    assert!(contradicts(control, 0.5), "{control:?}");
    // The attack comes close: mu = 1 allows shares of .69 and .31.
    assert!(found[0] > found[1] + TRIALS / 5, "{found:?}");
}
