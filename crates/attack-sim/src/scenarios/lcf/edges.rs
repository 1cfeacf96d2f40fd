//! The edges: groups below the floor are never shown, groups from the cap on always. A
//! **guarantee**: one exception contradicts it.
//!
//! People have one to twenty rows, and some rows are nobody's: what counts is how many people
//! there are. The same rows again, in another order, give the same answer, at every size.

use super::asked::{Asked, Fault, Row, strangers};
use super::law::Law;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law } = blueprint.spec()?;
    let cutoffs = law.cutoffs(blueprint)?;
    let (floor, cap) = (cutoffs.floor(), cutoffs.cap());
    let never = ["shown below the floor", "suppressed from the cap on", "answered otherwise the second time"];
    blueprint.trials(
        Quantity::shares_of(0.0, &never)?,
        |fault: Option<Fault>| Ok(Edges { asked: Asked::new(law, fault, blueprint)?, floor, cap }),
        |answers, _| *answers,
        |_, _| Answers { first: false, second: false },
    )
}

struct Edges {
    asked: Asked,
    floor: u64,
    cap: u64,
}

/// How many people there are.
#[derive(Clone, Copy)]
struct World {
    people: u64,
}

/// Two answers about the same rows.
#[derive(Clone, Copy)]
struct Answers {
    first: bool,
    second: bool,
}

const MOST_ROWS: usize = 20;
/// Sizes above the cap that are asked about.
const ABOVE: u64 = 5;

impl Audit for Edges {
    type World = World;
    type View = Answers;
    type Answer = Answers;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let people = match rng.random_range(0..4) {
            0 | 1 => rng.random_range(0..self.floor),
            2 => rng.random_range(self.cap..=self.cap + ABOVE),
            _ => rng.random_range(0..=self.cap),
        };
        Ok(World { people })
    }

    fn view(&self, world: &World, rng: &mut SimRng) -> Result<Answers, Error> {
        let mut rows: Vec<Row> = Vec::new();
        for person in strangers(world.people, rng) {
            rows.resize(rows.len() + rng.random_range(1..=MOST_ROWS), person);
        }
        rows.resize(rows.len() + rng.random_range(0..=2), None);
        let first = self.asked.is_shown(&rows, rng)?;
        rows.reverse();
        Ok(Answers { first, second: self.asked.is_shown(&rows, rng)? })
    }

    /// People outside, of whom there may be any number.
    fn outsiders(&self, _: &World, rng: &mut SimRng) -> World {
        World { people: rng.random_range(0..=self.cap + ABOVE) }
    }

    fn measure(&self, world: &World, answers: &Answers, measured: &mut [Option<f64>]) {
        if world.people < self.floor {
            measured[0] = Some(f64::from(answers.first || answers.second));
        } else if world.people >= self.cap {
            measured[1] = Some(f64::from(!answers.first || !answers.second));
        }
        measured[2] = Some(f64::from(answers.first != answers.second));
    }
}
