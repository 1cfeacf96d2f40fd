//! A mechanism of one's own, attacked by a scenario of one's own: `cargo run -p attack-sim
//! --example custom_scenario`.
//!
//! The mechanism answers a yes-or-no question truthfully with probability `3/4` and lies
//! otherwise, which is `ln 3`-differential privacy. The negative control lies a little less often
//! than it should: the same attacker must notice, or its silence about the promise would mean
//! nothing.
#![allow(clippy::print_stdout, reason = "an example prints what it found")]

use attack_sim::Error;
use attack_sim::audit::{About, Kind, LossScenario, NeighbouringInputs, PrivacyLoss, Scenario, Side, coin_toss};
use disclosure::privacy_core::param::Probability;
use disclosure::privacy_core::rng::SimRng;
use rand::RngExt;

/// Answers truthfully with probability `truth`.
struct RandomisedAnswer {
    truth: f64,
    /// Whether the person's answer differs between the two inputs.
    has_person: bool,
}

impl NeighbouringInputs for RandomisedAnswer {
    /// The answer that is published: all that an attacker sees.
    type View = bool;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<bool, Error> {
        let is_yes = self.has_person && side == Side::With;
        Ok(if rng.random::<f64>() < self.truth { is_yes } else { !is_yes })
    }
}

fn main() -> Result<(), Error> {
    let scenario = LossScenario {
        about: About {
            id: "own/randomised-answer".to_owned(),
            claim: "an answer is ln 3-differentially private".to_owned(),
            kind: Kind::Guarantee,
            source: "Warner 1965".to_owned(),
            attacker: "believes-the-answer".to_owned(),
            fault: "lies-too-rarely".to_owned(),
        },
        loss: PrivacyLoss::Epsilon { epsilon: 3.0_f64.ln(), delta: 0.0 },
        inputs: RandomisedAnswer { truth: 0.75, has_person: true },
        negative_control: RandomisedAnswer { truth: 0.80, has_person: true },
        outsiders: RandomisedAnswer { truth: 0.75, has_person: false },
        attacker: |answer: &bool, _: &mut SimRng| *answer,
        blind: coin_toss,
    };
    let error_rate = Probability::new(1e-6).expect("a probability");
    let finding = scenario.run(100_000, 1, error_rate)?;
    let [low, high] = finding.runs.attacker.measured;
    println!("{}: epsilon measured {low:.3} to {high:.3}, claimed {:.3}", finding.verdict.name(), 3.0_f64.ln());
    println!("the fault {:?} was {}exposed", finding.about.fault, if finding.is_fault_exposed() { "" } else { "not " });
    Ok(())
}
