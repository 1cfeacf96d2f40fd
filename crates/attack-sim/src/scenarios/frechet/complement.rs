//! The complement attacker: everything that is published exactly, added and taken away until a
//! cell that is not comes out.
//!
//! A trial draws a table, plans its release, carries it out, and asks for every cell that was
//! withheld or has noise: is its count known from the exact numbers, the public composition, and
//! that people are whole? And is any class disclosed? Claimed: never. A release that the library
//! refuses shows nothing, so such a trial measures nothing.

use super::electorate::{Composition, Electorate, Worlds};
use super::releases::{Fault, Protection, World, released, rule, with_fault};
use crate::facts::Facts;
use crate::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    protected_by: Protection,
}

/// A release of a random table.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let is_of_lines = blueprint.faults::<Fault>()?.contains(&Some(Fault::TwoInEveryLine));
    if is_of_lines && spec.protected_by != Protection::Suppression {
        return Err(blueprint.refuse("lines are those of a 3 x 3 table"));
    }
    let never = ["a cell that was not published is known", "a class is disclosed by what was"];
    blueprint.trials(
        Quantity::shares_of(0.0, &never)?,
        |fault| Ok(ComplementAudit { protection: spec.protected_by, fault }),
        |view, _| if view.questions.is_empty() { Vec::new() } else { view.facts.ranges(&view.questions) },
        |view, _| vec![None; view.questions.len()],
    )
}

/// What is published, and the cells to ask about: those withheld, then the classes.
struct View {
    facts: Facts,
    questions: Vec<Vec<usize>>,
}

struct ComplementAudit {
    protection: Protection,
    fault: Option<Fault>,
}

impl Audit for ComplementAudit {
    type World = World;
    type View = View;
    type Answer = Vec<Option<[i64; 2]>>;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let electorate = self.draw(rng);
        let policy = rule()?;
        let release = match self.fault {
            None => released(&electorate, &policy, self.protection, rng)?,
            Some(fault) => Some(with_fault(&electorate, fault)),
        };
        Ok(World { electorate, policy, release })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<View, Error> {
        let mut facts = world.electorate.public_facts();
        let exact = world.release.iter().flat_map(|release| release.exact.iter().flatten());
        exact.for_each(|(cells, count)| facts.add_count(cells, *count));
        Ok(View { facts, questions: world.questions() })
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        world.redrawn(rng)
    }

    fn measure(&self, world: &World, answer: &Self::Answer, measured: &mut [Option<f64>]) {
        world.measure(answer, measured);
    }
}

impl ComplementAudit {
    fn draw(&self, rng: &mut SimRng) -> Electorate {
        match self.protection {
            Protection::Suppression => {
                let counts = (0..9).map(|_| rng.random_range(0..=9)).collect();
                let axes = [AttrSet::single(0), AttrSet::single(1), AttrSet::first(2)];
                Electorate { shape: vec![3, 3], composition: Composition::Unknown, counts, margins: axes.to_vec() }
            }
            Protection::Noise => {
                let groups = rng.random_range(3..=5);
                let people: Vec<u64> = (0..groups).map(|_| rng.random_range(0..=12)).collect();
                let counts = people.iter().map(|&people| rng.random_range(0..=people)).collect();
                let margins = vec![AttrSet::EMPTY, AttrSet::single(0)];
                Electorate { shape: vec![groups], composition: Composition::Capacities(people), counts, margins }
            }
            Protection::Anything => {
                let worlds = [Worlds::Composition, Worlds::Counts][rng.random_range(0..2)];
                let mut electorate = Electorate::draw(worlds, rng);
                let all = AttrSet::first(electorate.shape.len());
                for axes in [AttrSet::EMPTY, all] {
                    if rng.random() && !electorate.margins.contains(&axes) {
                        electorate.margins.push(axes);
                    }
                }
                electorate
            }
        }
    }
}
