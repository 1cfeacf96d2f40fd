//! Audits and verdicts, of toy mechanisms whose answers are known.

use attack_sim::Error;
use attack_sim::audit::{
    About, BitAudit, Claim, Enumerable, EnumeratedScenario, HiddenBit, Kind, LossScenario, NeighbouringInputs,
    PrivacyLoss, Quantity, Scenario, Side, TrialScenario, Verdict, coin_toss, run_trials,
};
use disclosure::privacy_core::param::Probability;
use disclosure::privacy_core::rng::SimRng;
use rand::RngExt;

/// A secret bit, shown truthfully with probability `truth`.
#[derive(Clone)]
struct Response {
    truth: f64,
}

impl BitAudit for Response {
    type View = bool;
    type Answer = bool;

    fn view(&self, bit: bool, rng: &mut SimRng) -> Result<bool, Error> {
        Ok(bit == (rng.random::<f64>() < self.truth))
    }

    fn measure(&self, bit: bool, answer: &bool, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(bit == *answer));
        // A second quantity, seen in some trials only: among the worlds that are 1, an unbiased
        // guess at the world.
        if let Some(second) = measured.get_mut(1) {
            *second = bit.then_some((f64::from(*answer) - 1.0 + self.truth) / (2.0 * self.truth - 1.0));
        }
    }
}

fn repeats(view: &bool, _: &mut SimRng) -> bool {
    *view
}

fn says_yes(_: &bool, _: &mut SimRng) -> bool {
    true
}

fn about(id: &str, kind: Kind) -> About {
    About {
        id: format!("toy/{id}"),
        claim: "a bit is guessed with at most this probability".into(),
        kind,
        source: "Warner 1965".into(),
        attacker: "repeats".into(),
        fault: "thresholds off".into(),
    }
}

fn guesses(claimed: f64) -> Quantity {
    Quantity::share("guesses", Claim::at_most(claimed).unwrap()).unwrap()
}

fn response(truth: f64, quantities: Vec<Quantity>, with_fault: f64) -> impl Scenario {
    TrialScenario {
        about: about("response", Kind::Guarantee),
        quantities,
        audit: HiddenBit(Response { truth }),
        negative_control: HiddenBit(Response { truth: with_fault }),
        attacker: repeats,
        blind: says_yes,
    }
}

fn rate() -> Probability {
    Probability::new(1e-9).unwrap()
}

#[test]
fn a_true_guarantee_stands_and_its_negative_control_falls() {
    let finding = response(0.75, vec![guesses(0.75)], 0.82).run(20_000, 1, rate()).unwrap();
    assert_eq!(finding.verdict, Verdict::NotContradicted, "{finding:?}");
    assert!(finding.is_fault_exposed());
    for measured in [finding.runs.outsiders.measured, finding.runs.blind.measured] {
        assert!(measured[0] < 0.5 && 0.5 < measured[1], "{finding:?}");
    }
}

#[test]
fn a_false_guarantee_falls() {
    let finding = response(0.82, vec![guesses(0.75)], 0.9).run(20_000, 1, rate()).unwrap();
    assert_eq!(finding.verdict, Verdict::Contradicted, "{finding:?}");
}

#[test]
fn with_few_trials_silence_means_nothing() {
    let finding = response(0.75, vec![guesses(0.75)], 0.82).run(100, 1, rate()).unwrap();
    assert_eq!(finding.verdict, Verdict::Underpowered, "{finding:?}");
    assert_eq!(response(0.75, vec![guesses(0.75)], 0.82).run(0, 1, rate()), Err(Error::NoTrial));
}

#[test]
fn tallies_do_not_depend_on_the_number_of_threads() {
    let tally = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            run_trials(&HiddenBit(Response { truth: 0.6 }), &[guesses(0.6)], &repeats, 1000, 3, "threads").unwrap()
        })
    };
    let one = tally(1);
    assert!(tally(4) == one && tally(64) == one);
}

#[test]
fn the_worst_of_several_quantities_decides() {
    let judged = |mean| {
        let estimate = Quantity::mean("estimate of the world", Claim::exactly(mean).unwrap());
        response(0.75, vec![guesses(0.75), estimate], 0.85).run(20_000, 1, rate()).unwrap()
    };
    let right = judged(1.0);
    assert_eq!((right.verdict, right.unit), (Verdict::NotContradicted, "mean"), "{right:?}");
    let wrong = judged(1.1);
    assert_eq!(wrong.verdict, Verdict::Contradicted, "{wrong:?}");
    assert_eq!(wrong.runs.attacker.of, "estimate of the world");
}

/// The bit of the person, or somebody else's on both sides.
struct PublishedBit {
    truth: f64,
    is_outside: bool,
}

impl NeighbouringInputs for PublishedBit {
    type View = bool;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<bool, Error> {
        let bit = side == Side::With && !self.is_outside;
        Ok(bit == (rng.random::<f64>() < self.truth))
    }
}

impl Enumerable for PublishedBit {
    fn laws(&self) -> Result<Vec<Vec<f64>>, Error> {
        Ok(vec![vec![self.truth, 1.0 - self.truth], vec![1.0 - self.truth, self.truth]])
    }
}

fn published_bit(truth: f64) -> PublishedBit {
    PublishedBit { truth, is_outside: false }
}

#[test]
fn an_audit_finds_the_epsilon_that_there_is() {
    let judged = |truth| {
        let audit = LossScenario {
            about: about("audit", Kind::Guarantee),
            loss: PrivacyLoss::Epsilon { epsilon: 3.0_f64.ln(), delta: 0.0 },
            inputs: published_bit(truth),
            negative_control: published_bit(0.8),
            outsiders: PublishedBit { truth, is_outside: true },
            attacker: repeats,
            blind: coin_toss,
        };
        audit.run(40_000, 1, rate()).unwrap()
    };
    let finding = judged(0.75);
    assert_eq!((finding.verdict, finding.unit), (Verdict::NotContradicted, "epsilon"), "{finding:?}");
    let [low, high] = finding.runs.attacker.measured;
    assert!(0.9 * 3.0_f64.ln() < low && low < 3.0_f64.ln() && 3.0_f64.ln() < high, "{low} {high}");
    assert!(finding.runs.outsiders.measured[0] == 0.0 && finding.runs.blind.measured[0] == 0.0, "{finding:?}");
    assert_eq!(judged(0.79).verdict, Verdict::Contradicted);
}

/// Two mistakes of a harness: people outside the data who are in it, and a blind attacker who
/// looks.
#[test]
fn a_loss_of_nobody_contradicts_a_guarantee_that_the_attacker_does_not() {
    let judged = |is_outside, blind: fn(&bool, &mut SimRng) -> bool| {
        let audit = LossScenario {
            about: about("nobody", Kind::Guarantee),
            loss: PrivacyLoss::Epsilon { epsilon: 3.0_f64.ln(), delta: 0.0 },
            inputs: published_bit(0.75),
            negative_control: published_bit(0.85),
            outsiders: PublishedBit { truth: 0.75, is_outside },
            attacker: repeats,
            blind,
        };
        audit.run(20_000, 1, rate()).unwrap()
    };
    assert_eq!(judged(true, coin_toss).verdict, Verdict::NotContradicted);
    for wrong in [judged(false, coin_toss), judged(true, repeats)] {
        assert!(!wrong.runs.attacker.contradicts() && wrong.runs.shows_loss_of_nobody(), "{wrong:?}");
        assert_eq!(wrong.verdict, Verdict::Contradicted);
    }
}

#[test]
fn the_share_of_a_loss_that_was_shown_is_of_losses_above_zero_alone() {
    let judged = |epsilon| {
        let audit = LossScenario {
            about: about("reached", Kind::Guarantee),
            loss: PrivacyLoss::Epsilon { epsilon, delta: 0.0 },
            inputs: published_bit(0.75),
            negative_control: published_bit(0.85),
            outsiders: PublishedBit { truth: 0.75, is_outside: true },
            attacker: repeats,
            blind: coin_toss,
        };
        audit.run(20_000, 1, rate()).unwrap().reached
    };
    let (whole, half) = (judged(3.0_f64.ln()).unwrap(), judged(2.0 * 3.0_f64.ln()).unwrap());
    assert!(0.9 < whole && whole < 1.0 && (2.0 * half - whole).abs() < 1e-12, "{whole} {half}");
    assert_eq!(judged(0.0), None);
    assert_eq!(response(0.75, vec![guesses(0.75)], 0.82).run(100, 1, rate()).unwrap().reached, None);
}

#[test]
fn an_enumeration_needs_no_trial_and_no_margin() {
    let judged = |epsilon: f64| {
        let about = about("laws", Kind::Guarantee);
        EnumeratedScenario { about, epsilon, mechanism: published_bit(0.75), negative_control: published_bit(0.76) }
            .run(0, 0, rate())
            .unwrap()
    };
    let finding = judged(3.0_f64.ln());
    assert_eq!((finding.verdict, finding.trials), (Verdict::NotContradicted, 4), "{finding:?}");
    assert_eq!(judged(3.0_f64.ln() - 1e-9).verdict, Verdict::Contradicted);
    assert_eq!(finding.runs.outsiders.measured[0], 0.0);
}

#[test]
fn an_outcome_that_excludes_an_input_contradicts_every_epsilon() {
    let about = about("excludes", Kind::Guarantee);
    let finding = EnumeratedScenario {
        about,
        epsilon: 50.0,
        mechanism: published_bit(0.75),
        negative_control: published_bit(1.0),
    }
    .run(0, 0, rate())
    .unwrap();
    assert!(finding.is_fault_exposed(), "{finding:?}");
    assert_eq!(finding.runs.negative_control.measured, [f64::INFINITY; 2]);
}
