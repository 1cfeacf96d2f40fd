//! Averaging: the same people asked for in many ways.
//!
//! A question names other columns and labels that select the same people, lists their rows in another order, some of them twice, spells
//! numbers as texts, adds rows of nobody and comes in parts. Promised is one answer however it is worded; then whoever asks a thousand times
//! knows `N` from `N + 1` as well as after the first answer: with probability `(1 + p(N + 1) - p(N)) / 2`.

use disclosure::core::rng::SimRng;
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::Deserialize;

use super::super::Blueprint;
use super::asked::{Asked, Fault, Row, Wording, strangers};
use super::law::Law;
use crate::error::Error;
use crate::game::{Attacker, Claim, Game, Judged, Quantity, Scenario};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    n: u64,
    questions: u32,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Result<Box<dyn Judged>, Error> {
    let Spec { law, n, questions } = blueprint.spec()?;
    let (planted, broken) = blueprint.faults::<Fault>()?;
    let cutoffs = law.cutoffs(blueprint)?;
    let (fewer, more) = (cutoffs.reporting_probability(n).reported, cutoffs.reporting_probability(n + 1).reported);
    let claims = vec![
        Quantity::share("one answer to all questions", Claim::exactly(1.0)?)?,
        Quantity::share("N told from N + 1", Claim::exactly(0.5 * (1.0 + more - fewer))?)?,
    ];
    let game = |fault| {
        let asked = Asked::new(law, fault, blueprint)?;
        Ok::<_, Error>(Averaging { asked, n, questions, claims: claims.clone() })
    };
    Ok(Box::new(Scenario {
        about: blueprint.about(),
        game: game(planted)?,
        broken: game(Some(broken))?,
        attacker: Average { between: f64::midpoint(fewer, more) },
        blind: OneAnswer,
    }))
}

struct Averaging {
    asked: Asked,
    n: u64,
    questions: u32,
    claims: Vec<Quantity>,
}

struct World {
    is_more: bool,
}

/// How often the group was shown.
pub(super) struct Shown {
    pub(super) times: u32,
    pub(super) questions: u32,
}

pub(super) struct Guess {
    pub(super) is_one_answer: bool,
    pub(super) says_more: bool,
}

impl Game for Averaging {
    type World = World;
    type View = Shown;
    type Answer = Guess;

    fn quantities(&self) -> Vec<Quantity> {
        self.claims.clone()
    }

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        Ok(World { is_more: rng.random() })
    }

    fn view(&self, world: &World, rng: &mut SimRng) -> Result<Shown, Error> {
        let people = strangers(self.n + u64::from(world.is_more), rng);
        let mut times = 0;
        for _ in 0..self.questions {
            let wording = worded(&people, rng);
            times += u32::from(self.asked.is_shown_as(&wording, rng)?);
        }
        Ok(Shown { times, questions: self.questions })
    }

    fn control(&self, _: &World, rng: &mut SimRng) -> World {
        World { is_more: rng.random() }
    }

    fn measure(&self, world: &World, guess: &Guess, _: &mut SimRng, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(guess.is_one_answer));
        measured[1] = Some(f64::from(guess.says_more == world.is_more));
    }
}

/// The same people in other words.
fn worded(people: &[Row], rng: &mut SimRng) -> Wording {
    let mut rows = people.to_vec();
    for person in rows.iter_mut().flatten() {
        person.is_spelled = rng.random();
    }
    for _ in 0..rng.random_range(0..3) {
        rows.push(people.get(rng.random_range(0..people.len().max(1))).copied().flatten());
    }
    rows.resize(rows.len() + rng.random_range(0..2), None);
    rows.shuffle(rng);
    let columns = rng.random_range(1..=4);
    let mut word = || format!("{:x}", rng.random::<u32>());
    let (columns, labels) = (0..columns).map(|_| (word(), word())).unzip();
    Wording { columns, labels, second_part: rng.random_range(0..=rows.len()), rows }
}

/// Says `N + 1` when the share of answers that show the group is nearer to that of `N + 1`.
pub(super) struct Average {
    pub(super) between: f64,
}

impl Attacker<Shown> for Average {
    type Answer = Guess;

    fn answer(&self, shown: &Shown, _: &mut SimRng) -> Guess {
        let is_one_answer = shown.times == 0 || shown.times == shown.questions;
        Guess { is_one_answer, says_more: f64::from(shown.times) > self.between * f64::from(shown.questions) }
    }
}

/// Expects one answer, and tosses a coin.
pub(super) struct OneAnswer;

impl Attacker<Shown> for OneAnswer {
    type Answer = Guess;

    fn answer(&self, _: &Shown, rng: &mut SimRng) -> Guess {
        Guess { is_one_answer: true, says_more: rng.random() }
    }
}
