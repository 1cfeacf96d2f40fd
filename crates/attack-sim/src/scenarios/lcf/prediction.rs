//! Prediction: an attacker without the secret cannot say what is decided about people whom they
//! know.
//!
//! The attacker sees the decisions on groups of known people, tries every secret of 32 equal
//! bytes on them, and predicts one decision more under the secret that explains all; under none,
//! the likelier decision.

use disclosure::lcf::{DrawMode, LowCountFilter};

use super::asked::{Asked, Fault, Row, decided, filter_of, strangers, weak_secret};
use super::law::Law;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    n: u64,
    known: usize,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, n, known } = blueprint.spec()?;
    let cutoffs = law.cutoffs(blueprint)?;
    let chance = cutoffs.reporting_probability(n);
    let likelier = chance.reported.max(chance.suppressed);
    let guesses: Vec<LowCountFilter> = (0..=u8::MAX)
        .map(|byte: u8| filter_of(&cutoffs, DrawMode::Query, &weak_secret(blueprint, byte)?))
        .collect::<Result<_, _>>()?;
    let (reported, says_shown) = (chance.reported, chance.reported > chance.suppressed);
    blueprint.trials(
        vec![Quantity::exactly("predicted", likelier)?],
        |fault: Option<Fault>| Ok(Prediction { asked: Asked::new(law, fault, blueprint)?, n, known, reported }),
        // Under the secret that explains every decision; under none, the likelier decision.
        move |view, _| {
            let found = guesses.iter().find(|filter| view.is_explained_by(filter));
            found.and_then(|filter| decided(filter, &view.people).ok()).unwrap_or(says_shown)
        },
        move |_, _| says_shown,
    )
}

struct Prediction {
    asked: Asked,
    n: u64,
    known: usize,
    reported: f64,
}

struct World {
    people: Vec<Row>,
    is_shown: bool,
}

struct View {
    known: Vec<(Vec<Row>, bool)>,
    people: Vec<Row>,
}

impl Audit for Prediction {
    type World = World;
    type View = View;
    type Answer = bool;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let (people, is_shown) = self.answered(rng)?;
        Ok(World { people, is_shown })
    }

    fn view(&self, world: &World, rng: &mut SimRng) -> Result<View, Error> {
        let known = (0..self.known).map(|_| self.answered(rng)).collect::<Result<_, _>>()?;
        Ok(View { known, people: world.people.clone() })
    }

    /// A decision of somebody else's filter.
    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        World { people: world.people.clone(), is_shown: rng.random::<f64>() < self.reported }
    }

    fn measure(&self, world: &World, predicted: &bool, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(*predicted == world.is_shown));
    }
}

impl Prediction {
    /// Some people, and whether their group is shown.
    fn answered(&self, rng: &mut SimRng) -> Result<(Vec<Row>, bool), Error> {
        let people = strangers(self.n, rng);
        let is_shown = self.asked.is_shown(&people, rng)?;
        Ok((people, is_shown))
    }
}

impl View {
    fn is_explained_by(&self, filter: &LowCountFilter) -> bool {
        self.known.iter().all(|(people, is_shown)| decided(filter, people) == Ok(*is_shown))
    }
}
