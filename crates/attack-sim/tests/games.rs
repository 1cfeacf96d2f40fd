//! Games and verdicts, of toy mechanisms whose answers are known.
#![allow(clippy::unwrap_used, reason = "tests")]

use attack_sim::Error;
use attack_sim::audit::{
    About, Attacker, Audit, Claim, CoinToss, Enumerable, EnumeratedScenario, Kind, Loss, LossScenario, Neighbours,
    Quantity, Scenario, Side, TrialScenario, Verdict, play,
};
use disclosure::core::param::Probability;
use disclosure::core::rng::SimRng;
use rand::RngExt;

/// A secret bit, shown truthfully with probability `truth`.
#[derive(Clone)]
struct Response {
    truth: f64,
    claims: Vec<Quantity>,
}

impl Audit for Response {
    type World = bool;
    type View = bool;
    type Answer = bool;

    fn quantities(&self) -> Vec<Quantity> {
        self.claims.clone()
    }

    fn world(&self, rng: &mut SimRng) -> Result<bool, Error> {
        Ok(rng.random())
    }

    fn view(&self, world: &bool, rng: &mut SimRng) -> Result<bool, Error> {
        Ok(*world == (rng.random::<f64>() < self.truth))
    }

    fn control(&self, _: &bool, rng: &mut SimRng) -> bool {
        rng.random()
    }

    fn measure(&self, world: &bool, answer: &bool, _: &mut SimRng, measured: &mut [Option<f64>]) {
        let is_right = world == answer;
        measured[0] = Some(f64::from(is_right));
        // A second quantity, seen in some trials only: among the worlds that are 1, an unbiased guess at the world.
        if let Some(second) = measured.get_mut(1) {
            *second = world.then_some((f64::from(*answer) - 1.0 + self.truth) / (2.0 * self.truth - 1.0));
        }
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

fn about(id: &str, kind: Kind) -> About {
    About {
        id: format!("toy/{id}"),
        claim: "a bit is guessed with at most this probability".into(),
        kind,
        source: "Warner 1965".into(),
        attacker: "repeats".into(),
        broken: "thresholds off".into(),
    }
}

fn response(truth: f64, claimed: f64, broken: f64) -> TrialScenario<Response, Repeats, SaysYes> {
    let claims = vec![Quantity::share("guesses", Claim::at_most(claimed).unwrap()).unwrap()];
    let game = |truth| Response { truth, claims: claims.clone() };
    TrialScenario {
        about: about("response", Kind::Guarantee),
        game: game(truth),
        broken: game(broken),
        attacker: Repeats,
        blind: SaysYes,
    }
}

fn rate() -> Probability {
    Probability::new(1e-9).unwrap()
}

#[test]
fn a_true_guarantee_stands_and_its_twin_falls() {
    let finding = response(0.75, 0.75, 0.82).judge(20_000, 1, rate()).unwrap();
    assert_eq!(finding.verdict, Verdict::NotContradicted, "{finding:?}");
    assert!(finding.is_fault_exposed());
    for play in [finding.plays.control.measured, finding.plays.blind.measured] {
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
        pool.install(|| play(&response(0.6, 0.6, 0.7).game, &Repeats, 1000, 3, "threads").unwrap())
    };
    assert_eq!(tally(1), tally(4));
}

#[test]
fn the_worst_of_several_quantities_decides() {
    let claims = |mean| {
        vec![
            Quantity::share("guesses", Claim::at_most(0.75).unwrap()).unwrap(),
            Quantity::mean("estimate of the world", Claim::exactly(mean).unwrap()),
        ]
    };
    let judged = |mean| {
        let game = |truth| Response { truth, claims: claims(mean) };
        let about = about("several", Kind::Calibration);
        let scenario = TrialScenario { about, game: game(0.75), broken: game(0.85), attacker: Repeats, blind: SaysYes };
        scenario.judge(20_000, 1, rate()).unwrap()
    };
    let right = judged(1.0);
    assert_eq!((right.verdict, right.unit), (Verdict::NotContradicted, "mean"), "{right:?}");
    let wrong = judged(1.1);
    assert_eq!(wrong.verdict, Verdict::Contradicted, "{wrong:?}");
    assert_eq!(wrong.plays.attacker.of, "estimate of the world");
}

/// The bit of the person, or somebody else's on both sides.
struct Told {
    truth: f64,
    is_outside: bool,
}

impl Neighbours for Told {
    type View = bool;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<bool, Error> {
        let bit = side == Side::With && !self.is_outside;
        Ok(bit == (rng.random::<f64>() < self.truth))
    }
}

impl Enumerable for Told {
    fn laws(&self) -> Result<Vec<Vec<f64>>, Error> {
        Ok(vec![vec![self.truth, 1.0 - self.truth], vec![1.0 - self.truth, self.truth]])
    }
}

fn told(truth: f64) -> Told {
    Told { truth, is_outside: false }
}

#[test]
fn an_audit_finds_the_epsilon_that_there_is() {
    let judged = |truth| {
        let audit = LossScenario {
            about: about("audit", Kind::Guarantee),
            loss: Loss::Epsilon { epsilon: 3.0_f64.ln(), delta: 0.0 },
            game: told(truth),
            broken: told(0.8),
            control: Told { truth, is_outside: true },
            attacker: Repeats,
            blind: CoinToss,
        };
        audit.judge(40_000, 1, rate()).unwrap()
    };
    let finding = judged(0.75);
    assert_eq!((finding.verdict, finding.unit), (Verdict::NotContradicted, "epsilon"), "{finding:?}");
    let [low, high] = finding.plays.attacker.measured;
    assert!(0.9 * 3.0_f64.ln() < low && low < 3.0_f64.ln() && 3.0_f64.ln() < high, "{low} {high}");
    assert!(finding.plays.control.measured[0] == 0.0 && finding.plays.blind.measured[0] == 0.0, "{finding:?}");
    assert_eq!(judged(0.79).verdict, Verdict::Contradicted);
}

#[test]
fn an_enumeration_needs_no_trial_and_no_margin() {
    let judged = |epsilon: f64| {
        let about = about("laws", Kind::Guarantee);
        EnumeratedScenario { about, epsilon, game: told(0.75), broken: told(0.76) }.judge(0, 0, rate()).unwrap()
    };
    let finding = judged(3.0_f64.ln());
    assert_eq!((finding.verdict, finding.trials), (Verdict::NotContradicted, 4), "{finding:?}");
    assert_eq!(judged(3.0_f64.ln() - 1e-9).verdict, Verdict::Contradicted);
    assert_eq!(finding.plays.control.measured[0], 0.0);
}

#[test]
fn an_outcome_that_excludes_an_input_contradicts_every_epsilon() {
    let about = about("excludes", Kind::Guarantee);
    let finding =
        EnumeratedScenario { about, epsilon: 50.0, game: told(0.75), broken: told(1.0) }.judge(0, 0, rate()).unwrap();
    assert!(finding.is_fault_exposed(), "{finding:?}");
    assert_eq!(finding.plays.broken.measured, [f64::INFINITY; 2]);
}
