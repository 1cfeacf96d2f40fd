//! Averaging: the same people asked for in many ways.
//!
//! A question names other columns and labels that select the same people, lists their rows in
//! another order, some of them twice, spells numbers as texts, adds rows of nobody and comes in
//! parts. Promised is one answer however it is worded; then an attacker who asks a thousand times
//! knows `N` from `N + 1` as well as after the first answer: with probability `(1 + p(N + 1) -
//! p(N)) / 2`.

use rand::seq::SliceRandom;

use super::asked::{Asked, Fault, Row, Wording, strangers};
use super::law::{Law, OneApart};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spec {
    pub(super) law: Law,
    pub(super) n: u64,
    pub(super) questions: u32,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, n, questions } = blueprint.spec()?;
    let sizes = OneApart::of(&law.cutoffs(blueprint)?, n);
    let claims = vec![
        Quantity::exactly("one answer to all questions", 1.0)?,
        Quantity::exactly("N distinguished from N + 1", sizes.distinguished())?,
    ];
    blueprint.bit_trials(
        claims,
        |fault: Option<Fault>| Ok(Averaging { asked: Asked::new(law, fault, blueprint)?, n, questions }),
        average(sizes.middle()),
        one_answer,
    )
}

struct Averaging {
    asked: Asked,
    n: u64,
    questions: u32,
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

impl BitAudit for Averaging {
    type View = Shown;
    type Answer = Guess;

    fn view(&self, is_more: bool, rng: &mut SimRng) -> Result<Shown, Error> {
        let people = strangers(self.n + u64::from(is_more), rng);
        let mut times = 0;
        for _ in 0..self.questions {
            let wording = worded(&people, rng);
            times += u32::from(self.asked.is_shown_as(&wording, rng)?);
        }
        Ok(Shown { times, questions: self.questions })
    }

    fn measure(&self, is_more: bool, guess: &Guess, measured: &mut [Option<f64>]) {
        guess.measure(is_more, measured);
    }
}

impl Guess {
    /// Whether there was one answer, and whether the guess is right.
    pub(super) fn measure(&self, is_more: bool, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(self.is_one_answer));
        measured[1] = Some(f64::from(self.says_more == is_more));
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
    let (columns, labels) = (0..columns).map(|_| (some_word(rng), some_word(rng))).unzip();
    Wording { columns, labels, second_part: rng.random_range(0..=rows.len()), rows }
}

fn some_word(rng: &mut SimRng) -> String {
    format!("{:x}", rng.random::<u32>())
}

/// Says `N + 1` when the share of answers that show the group is nearer to that of `N + 1`.
pub(super) fn average(between: f64) -> impl Fn(&Shown, &mut SimRng) -> Guess + Send + Sync + 'static {
    move |shown, _| {
        let is_one_answer = shown.times == 0 || shown.times == shown.questions;
        Guess { is_one_answer, says_more: f64::from(shown.times) > between * f64::from(shown.questions) }
    }
}

/// Expects one answer, and tosses a coin.
pub(super) fn one_answer(_: &Shown, rng: &mut SimRng) -> Guess {
    Guess { is_one_answer: true, says_more: rng.random() }
}
