//! Games and verdicts: of toy mechanisms whose answers are known, and of the screen.
#![allow(clippy::unwrap_used, reason = "tests")]

use attack_sim::game::labels::{
    TableGame, estimate_on_random_settings, estimated, ignoring_suppression, prediction_on_table, random_setting,
    source_proxy,
};
use attack_sim::game::{About, Attacker, Claim, Game, Judged, Kind, Scenario, Verdict, play};
use attack_sim::{Error, Features, LabelRelease, LabelWorld, Limits, Population, Values};
use disclosure::core::param::Probability;
use disclosure::core::rng::SimRng;
use rand::RngExt;

/// A secret bit, shown truthfully with probability `truth`.
#[derive(Clone)]
struct Response {
    truth: f64,
}

impl Game for Response {
    type World = bool;
    type View = bool;
    type Answer = bool;

    fn world(&self, rng: &mut SimRng) -> Result<bool, Error> {
        Ok(rng.random())
    }

    fn view(&self, world: &bool, rng: &mut SimRng) -> Result<bool, Error> {
        Ok(*world == (rng.random::<f64>() < self.truth))
    }

    fn control(&self, _: &bool, rng: &mut SimRng) -> bool {
        rng.random()
    }

    fn succeeds(&self, world: &bool, answer: &bool, _: &mut SimRng) -> bool {
        world == answer
    }
}

struct Repeats;
struct SaysYes;

impl Attacker<bool> for Repeats {
    type Answer = bool;
    fn answer(&self, view: &bool, _: &mut SimRng) -> bool {
        *view
    }
}

impl Attacker<bool> for SaysYes {
    type Answer = bool;
    fn answer(&self, _: &bool, _: &mut SimRng) -> bool {
        true
    }
}

fn response(truth: f64, claimed: f64, broken: f64) -> Scenario<Response, Repeats, SaysYes> {
    let about = About {
        id: "toy/response".into(),
        mechanism: "toy",
        claim: "a bit is guessed with at most this probability".into(),
        kind: Kind::Guarantee,
        source: "Warner 1965".into(),
        attacker: "repeats",
        broken: "thresholds off",
    };
    let (game, broken) = (Response { truth }, Response { truth: broken });
    Scenario { about, claim: Claim::at_most(claimed).unwrap(), game, broken, attacker: Repeats, blind: SaysYes }
}

fn rate() -> Probability {
    Probability::new(1e-9).unwrap()
}

#[test]
fn a_true_guarantee_stands_and_its_twin_falls() {
    let finding = response(0.75, 0.75, 0.82).judge(20_000, 1, rate()).unwrap();
    assert_eq!(finding.verdict, Verdict::NotContradicted, "{finding:?}");
    assert!(finding.is_twin_exposed);
    for play in [finding.control, finding.blind] {
        assert!(play[0] < 0.5 && 0.5 < play[1], "{finding:?}");
    }
}

#[test]
fn a_false_guarantee_falls() {
    let finding = response(0.82, 0.75, 0.9).judge(20_000, 1, rate()).unwrap();
    assert_eq!(finding.verdict, Verdict::Contradicted, "{finding:?}");
}

#[test]
fn with_few_trials_silence_means_nothing() {
    let finding = response(0.75, 0.75, 0.82).judge(100, 1, rate()).unwrap();
    assert_eq!(finding.verdict, Verdict::Underpowered, "{finding:?}");
    assert_eq!(response(0.75, 0.75, 0.82).judge(0, 1, rate()), Err(Error::NoTrial));
}

#[test]
fn tallies_do_not_depend_on_the_number_of_threads() {
    let tally = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| play(&Response { truth: 0.6 }, &Repeats, 1000, 3, "threads").unwrap())
    };
    assert_eq!(tally(1), tally(4));
}

fn quick() -> Limits {
    Limits { visits: 300_000, exact_entries: 2_000, sweeps: 40, ..Limits::default() }
}

#[test]
fn the_estimate_stands_and_a_screen_that_ignores_suppression_falls() {
    let scenario = estimate_on_random_settings(0.7, 0.15, quick()).unwrap();
    let finding = scenario.judge(60, 4, Probability::new(0.01).unwrap()).unwrap();
    assert_eq!(finding.verdict, Verdict::NotContradicted, "{finding:?}");
}

#[test]
fn predictions_of_random_settings_differ_by_predictor() {
    let mut rng = SimRng::for_trial(1, "predictors", 0);
    let specs: Vec<_> = (0..30).map(|_| random_setting(&mut rng).unwrap()).collect();
    for predictor in [estimated, ignoring_suppression, source_proxy] {
        assert!(specs.iter().all(|spec| (0.0..=1.0).contains(&predictor(spec).unwrap())));
    }
    assert!(specs.iter().any(|spec| ignoring_suppression(spec).unwrap() > estimated(spec).unwrap() + 0.1));
}

#[test]
fn the_uniform_model_falls_on_a_skewed_table() {
    // Most people are alike: they are in large groups, and the few others in groups that are withheld.
    let skewed = || Values::Shares(vec![0.85, 0.05, 0.04, 0.03, 0.03]);
    let population =
        Population::new(200, Features::Independent(vec![skewed(), skewed(), skewed()]), &[1.0, 1.0]).unwrap();
    let world = LabelWorld::draw(&population, &mut SimRng::for_trial(1, "skewed", 0));
    let release = LabelRelease::new(5, 2).unwrap();
    let measured = |predicted| TableGame {
        world: world.clone(),
        release: release.clone(),
        predicted,
        margin: 0.07,
        limits: quick(),
    };
    // What its own frequencies predict, and what equally frequent values predict.
    let spec = |columns| {
        use disclosure::screen::{Classes, Noise, ScreenSpec, Suppression};
        ScreenSpec::new(200, columns, Classes::equal(2).unwrap(), Suppression::ClassCount(5), Noise::uniform(2))
            .unwrap()
    };
    let own = disclosure::screen::Column::with_frequencies(&[0.85, 0.05, 0.04, 0.03, 0.03]).unwrap();
    let flat = disclosure::screen::Column::uniform(5).unwrap();
    let predicted = estimated(&spec(vec![own; 3])).unwrap();
    let by_twin = estimated(&spec(vec![flat; 3])).unwrap();
    let scenario = prediction_on_table("screen/table/skewed", measured(predicted), by_twin, 0.6).unwrap();
    let finding = scenario.judge(40, 5, Probability::new(0.01).unwrap()).unwrap();
    assert_eq!(finding.verdict, Verdict::NotContradicted, "{predicted} {by_twin} {finding:?}");
}
