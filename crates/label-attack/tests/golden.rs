//! Settings that were attacked before by other programs, and the accuracies that these reached.

use label_attack::{
    AttackLimits, Evidence, Features, LabelRelease, LabelSource, LabelTrial, LabelView, MeanOverTrials, Method,
    Population, Suppression, attack_labels, simulate_labels,
};
use privacy_core::rng::SimRng;
use serde_json::Value;

fn setting(case: &Value) -> (LabelSource, LabelRelease) {
    let numbers =
        |name: &str| case[name].as_array().map(|all| all.iter().map(|n| n.as_f64().unwrap()).collect::<Vec<_>>());
    let number = |name: &str| case[name].as_u64().unwrap();
    let flag = |name: &str| case[name].as_bool().unwrap();
    let cardinalities: Vec<u32> = numbers("cardinalities").unwrap().iter().map(|&values| values as u32).collect();
    let features = if flag("distinct") { Features::Distinct(cardinalities) } else { Features::uniform(&cardinalities) };
    let shares = numbers("shares").unwrap_or_else(|| vec![1.0; number("classes") as usize]);
    let mut release = LabelRelease::new(number("suppress_below"), number("noise")).unwrap();
    release.clamp_at_zero = flag("clamped");
    if flag("capped") {
        (release.with_total, release.max_tables, release.suppression) = (false, Some(200), Suppression::GroupSize);
    }
    (LabelSource::Population(Population::new(number("rows") as usize, features, &shares).unwrap()), release)
}

/// Least squares and belief propagation do not depend on these, and annealing is not what is
/// compared.
fn quick() -> AttackLimits {
    AttackLimits { visits: 300_000, exact_entries: 0, proofs: 0, ..AttackLimits::default() }
}

/// Accuracies of worlds, with the ceiling of each: what least squares and propagation say from
/// released counts.
fn accuracies(source: &LabelSource, release: &LabelRelease, worlds: u64) -> Vec<[f64; 3]> {
    let world = |trial| {
        let mut rng = SimRng::for_trial(2, "golden", trial);
        let world = source.world(&mut rng);
        let view = LabelView::of(&world, release, &quick(), &mut rng).unwrap();
        let attack = attack_labels(&view, Evidence::Released, &quick(), &mut rng).unwrap();
        let of = |method| world.accuracy(&attack.of(method).unwrap().labels);
        [of(Method::LeastSquares), of(Method::Propagation), world.ceiling()]
    };
    (0..worlds).map(world).collect()
}

/// The mean of one of the numbers of each world, and its standard error.
fn mean(all: &[[f64; 3]], which: usize) -> (f64, f64) {
    let count = all.len() as f64;
    let mean = all.iter().map(|world| world[which]).sum::<f64>() / count;
    let squares: f64 = all.iter().map(|world| (world[which] - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

const WORLDS: u64 = 5;

/// Settings with hundreds of tables take seconds a world: `benches/bin/attack_settings.rs` prints
/// them.
fn is_small(case: &Value) -> bool {
    case["cardinalities"].as_array().unwrap().len() < 8
}

#[test]
fn least_squares_and_propagation_reach_the_accuracies_of_other_programs() {
    let fixture = testkit::fixtures::json("attack/measured.json");
    for case in fixture.as_array().unwrap().iter().filter(|case| is_small(case)) {
        let name = case["name"].as_str().unwrap();
        let (source, release) = setting(case);
        let got = accuracies(&source, &release, WORLDS);
        let worlds = case["worlds"].as_f64().unwrap();
        for (which, want) in [(0, &case["least_squares"][0]), (1, &case["propagation"][0]), (2, &case["ceiling"])] {
            let (got, error) = mean(&got, which);
            let want = want.as_f64().unwrap();
            // Both are means over worlds whose accuracies spread alike; 0.02 for what the
            // programs do otherwise.
            let spread = error * (1.0 + WORLDS as f64 / worlds).sqrt();
            assert!((got - want).abs() < 0.02 + 4.0 * spread, "{name} {which}: {got} +- {error}, {want}");
        }
    }
}

#[test]
fn the_portfolio_is_not_below_what_exact_solvers_reached() {
    let fixture = testkit::fixtures::json("attack/measured.json");
    for name in ["A1", "A2", "A3", "A6", "B1", "B4", "B7"] {
        let case = fixture.as_array().unwrap().iter().find(|case| case["name"] == name).unwrap();
        let (source, release) = setting(case);
        let limits = AttackLimits { visits: 3_000_000, proofs: 0, ..AttackLimits::default() };
        let trials = simulate_labels(&source, &release, &limits, 4, 3).unwrap();
        let by_evidence: [fn(&LabelTrial) -> f64; 2] = [|t| t.from_released.accuracy, |t| t.with_suppressed.accuracy];
        for (evidence, of) in by_evidence.into_iter().enumerate() {
            let got = MeanOverTrials::of(&trials, of);
            let want = case["exact"][evidence].as_f64().unwrap();
            assert!(got.mean > want - 0.02 - 4.0 * got.standard_error, "{name} {evidence}: {got:?}, {want}");
        }
    }
}

#[test]
fn attackers_who_believe_in_less_noise_than_there_is_are_worse() {
    // The twin of the tests above: were the intervals wrong, accuracies would show it.
    let fixture = testkit::fixtures::json("attack/measured.json");
    let (source, release) = setting(&fixture[2]);
    let noisy = LabelRelease::new(release.suppress_below(), 40).unwrap();
    let right = simulate_labels(&source, &release, &quick(), 4, 2).unwrap();
    let wrong = simulate_labels(&source, &noisy, &quick(), 4, 2).unwrap();
    let mean = |trials: &[LabelTrial]| MeanOverTrials::of(trials, |trial| trial.from_released.accuracy).mean;
    assert!(mean(&right) > 0.9 && mean(&wrong) < 0.75, "{} {}", mean(&right), mean(&wrong));
}
