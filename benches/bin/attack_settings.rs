//! Accuracies of the attackers on labels, beside those that other programs reached on the same
//! settings.
//!
//! `cargo run --release -p benches --bin attack_settings [WORLDS]`: the table of
//! docs/benchmarks.md, from released counts and with the knowledge that withheld counts are
//! small. `... --bin attack_settings grid [SETTINGS]`: predictions against accuracies over random
//! settings. `... --bin attack_settings large`: 10,000 rows under all tables of seven columns, on
//! one thread.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

use std::time::Instant;

use attack_sim::scenarios::screen::{Fault, Predictor, Sizes, random_setting};
use label_attack::{
    AttackLimits, AttackScore, Evidence, Features, LabelRelease, LabelSource, LabelTrial, LabelView, LabelWorld,
    MeanOverTrials, Method, Population, Suppression, attack_labels, simulate_labels,
};
use privacy_core::rng::SimRng;
use serde_json::Value;

const SEED: u64 = 26;

/// The score of one kind of evidence.
type ScoreOf = fn(&LabelTrial) -> &AttackScore;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(default);
    match words.first().map(String::as_str) {
        Some("grid") => grid(number(1, 240)),
        Some("large") => large(),
        _ => settings(number(0, 6)),
    }
}

fn settings(worlds: u64) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/attack/measured.json");
    let text = std::fs::read_to_string(path).expect("the fixture is in the repository");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("the fixture is JSON");
    println!(
        "| | evidence | blind | ceiling | LS (other) | BP (other) | walk | whole (exact, other) | portfolio | +- | top half | top tenth | proved | s |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for case in &cases {
        let (source, release) = setting(case);
        let start = Instant::now();
        let trials =
            simulate_labels(&source, &release, &AttackLimits::default(), worlds, SEED).expect("settings are small");
        let seconds = start.elapsed().as_secs_f64() / worlds as f64;
        let evidence: [(&str, ScoreOf); 2] =
            [("released", |trial| &trial.from_released), ("all", |trial| &trial.with_suppressed)];
        for (at, (name, of)) in evidence.into_iter().enumerate() {
            row(case, at, name, &trials, of, seconds);
        }
    }
}

fn row(case: &Value, at: usize, evidence: &str, trials: &[LabelTrial], of: ScoreOf, seconds: f64) {
    let mean = |number: &dyn Fn(&LabelTrial) -> f64| MeanOverTrials::of(trials, number).mean;
    let member = |method: Method| {
        let number = |trial: &LabelTrial| of(trial).members.iter().find(|m| m.0 == method).map_or(f64::NAN, |m| m.1);
        format!("{:.3}", mean(&number))
    };
    let other = |field: &str| case[field][at].as_f64().map_or("-".to_owned(), |accuracy| format!("{accuracy:.3}"));
    let portfolio = MeanOverTrials::of(trials, |trial| of(trial).accuracy);
    println!(
        "| {} | {evidence} | {:.3} | {:.3} | {} ({}) | {} ({}) | {} | {} ({}) | **{:.3}** | {:.3} | {:.3} | {:.3} | {:.2} | {seconds:.2} |",
        case["name"].as_str().unwrap_or_default(),
        mean(&|trial| trial.blind),
        mean(&|trial| trial.ceiling),
        member(Method::LeastSquares),
        other("least_squares"),
        member(Method::Propagation),
        other("propagation"),
        member(Method::Walk),
        member(Method::Feasible),
        other("exact"),
        portfolio.mean,
        portfolio.standard_error,
        mean(&|trial| of(trial).top_half),
        mean(&|trial| of(trial).top_tenth),
        mean(&|trial| of(trial).exposed),
    );
}

/// A setting of the fixture. Numbers and flags that are missing would be a damaged file.
fn setting(case: &Value) -> (LabelSource, LabelRelease) {
    let number = |name: &str| case[name].as_u64().expect("a number");
    let numbers = |name: &str| -> Option<Vec<f64>> { case[name].as_array()?.iter().map(Value::as_f64).collect() };
    let flag = |name: &str| case[name] == Value::Bool(true);
    let cardinalities: Vec<u32> = numbers("cardinalities").expect("numbers").iter().map(|&n| n as u32).collect();
    let features = if flag("distinct") { Features::Distinct(cardinalities) } else { Features::uniform(&cardinalities) };
    let shares = numbers("shares").unwrap_or_else(|| vec![1.0; number("classes") as usize]);
    let population = Population::new(number("rows") as usize, features, &shares).expect("a setting that was measured");
    let mut release = LabelRelease::new(number("suppress_below"), number("noise")).expect("small parameters");
    release.clamp_at_zero = flag("clamped");
    if flag("capped") {
        (release.with_total, release.max_tables, release.suppression) = (false, Some(200), Suppression::GroupSize);
    }
    (LabelSource::Population(population), release)
}

fn grid(settings: u64) {
    let predictors = [
        ("estimate", Predictor::Estimate, None),
        ("source's proxy", Predictor::ExpectedAccuracy, None),
        ("ignoring suppression", Predictor::Estimate, Some(Fault::IgnoresSuppression)),
    ];
    let mut all = Vec::new();
    for number in 0..settings {
        let spec =
            random_setting(Sizes::Small, &mut SimRng::for_trial(SEED, "grid", number)).expect("settings are in range");
        let source = LabelSource::Population(Population::of_screen(&spec).expect("it can be drawn"));
        let release = LabelRelease::of_screen(&spec).expect("it can be released");
        let limits = AttackLimits { proofs: 0, ..AttackLimits::default() };
        let trials = simulate_labels(&source, &release, &limits, 2, SEED + number).expect("settings are small");
        let measured = MeanOverTrials::of(&trials, |trial| trial.from_released.accuracy).mean;
        let with_suppressed = MeanOverTrials::of(&trials, |trial| trial.with_suppressed.accuracy).mean;
        let predicted =
            predictors.map(|(_, predictor, fault)| predictor.predict(&spec, fault).expect("settings are small"));
        all.push((measured, with_suppressed, predicted));
    }
    let measured: Vec<f64> = all.iter().map(|one| one.0).collect();
    println!(
        "| prediction | mean absolute error | bias | within 0.1 | rank correlation |\n| --- | --- | --- | --- | --- |"
    );
    for (at, (name, ..)) in predictors.iter().enumerate() {
        let predicted: Vec<f64> = all.iter().map(|one| one.2[at]).collect();
        let errors: Vec<f64> = predicted.iter().zip(&measured).map(|(p, m)| p - m).collect();
        let count = errors.len() as f64;
        println!(
            "| {name} | {:.3} | {:+.3} | {:.2} | {:.3} |",
            errors.iter().map(|e| e.abs()).sum::<f64>() / count,
            errors.iter().sum::<f64>() / count,
            errors.iter().filter(|e| e.abs() <= 0.1).count() as f64 / count,
            correlation(&ranks(&predicted), &ranks(&measured)),
        );
    }
    let mean = |of: fn(&(f64, f64, [f64; 3])) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
    println!("\nmean accuracy {:.3}; with suppressed cells {:.3}", mean(|one| one.0), mean(|one| one.1));
}

/// Ranks, the mean one for equal values.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| *other == value).count() as f64;
        below + 0.5 * (equal - 1.0)
    };
    values.iter().map(rank).collect()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let (of_a, of_b) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - of_a, y - of_b)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

fn large() {
    let population = Population::new(10_000, Features::uniform(&[4; 7]), &[1.0, 1.0]).expect("a population");
    let release = LabelRelease::new(3, 2).expect("small parameters");
    let mut rng = SimRng::for_trial(SEED, "large", 0);
    let world = LabelWorld::draw(&population, &mut rng);
    let start = Instant::now();
    let view = LabelView::of(&world, &release, &AttackLimits::default(), &mut rng).expect("within limits");
    println!("release              {:.2} s, {} counts", start.elapsed().as_secs_f64(), view.released());
    let squares = AttackLimits { sweep_cost: 0, visits: 0, exact_entries: 0, ..AttackLimits::default() };
    for (name, limits) in [("least squares", squares), ("portfolio", AttackLimits::default())] {
        for evidence in [Evidence::Released, Evidence::WithSuppressed] {
            let start = Instant::now();
            let attack = attack_labels(&view, evidence, &limits, &mut rng).expect("nobody stops it");
            let seconds = start.elapsed().as_secs_f64();
            let method = if name == "portfolio" { &attack.guess } else { &attack.members[0].1 };
            println!("{name:<14} {evidence:?}: {seconds:.2} s, accuracy {:.4}", world.accuracy(&method.labels));
        }
    }
    println!("ceiling {:.4}, blind {:.4}", world.ceiling(), world.blind_accuracy());
}
