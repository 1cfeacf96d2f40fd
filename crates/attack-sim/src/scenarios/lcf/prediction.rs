//! Prediction: whoever has not the secret cannot say what is decided about people whom they know.
//!
//! The attacker sees the decisions on groups of known people, tries every secret of 32 equal bytes on them, and predicts one decision more
//! under the secret that explains all; under none, the likelier decision.

use disclosure::core::prf::Secret;
use disclosure::core::rng::SimRng;
use disclosure::lcf::{DrawMode, LowCountFilter};
use rand::RngExt;
use serde::Deserialize;

use super::super::Blueprint;
use super::asked::{Asked, Fault, Row, decided, filter_of, strangers};
use super::law::Law;
use crate::error::Error;
use crate::game::{Attacker, Claim, Game, Judged, Quantity, Scenario};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    n: u64,
    known: usize,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Result<Box<dyn Judged>, Error> {
    let Spec { law, n, known } = blueprint.spec()?;
    let (planted, broken) = blueprint.faults::<Fault>()?;
    let cutoffs = law.cutoffs(blueprint)?;
    let chance = cutoffs.reporting_probability(n);
    let likelier = chance.reported.max(chance.suppressed);
    let claims = vec![Quantity::share("predicted", Claim::exactly(likelier)?)?];
    let game = |fault| {
        let asked = Asked::new(law, fault, blueprint)?;
        Ok::<_, Error>(Prediction { asked, n, known, reported: chance.reported, claims: claims.clone() })
    };
    let guess = |byte: u8| {
        let secret = Secret::new(&[byte; 32]).map_err(|error| blueprint.refuse(error.to_string()))?;
        filter_of(&cutoffs, DrawMode::Query, &secret)
    };
    let says_shown = chance.reported > chance.suppressed;
    Ok(Box::new(Scenario {
        about: blueprint.about(),
        game: game(planted)?,
        broken: game(Some(broken))?,
        attacker: TriesSecrets { guesses: (0..=u8::MAX).map(guess).collect::<Result<_, _>>()?, says_shown },
        blind: Likelier { says_shown },
    }))
}

struct Prediction {
    asked: Asked,
    n: u64,
    known: usize,
    reported: f64,
    claims: Vec<Quantity>,
}

struct World {
    people: Vec<Row>,
    is_shown: bool,
}

struct View {
    known: Vec<(Vec<Row>, bool)>,
    people: Vec<Row>,
}

impl Game for Prediction {
    type World = World;
    type View = View;
    type Answer = bool;

    fn quantities(&self) -> Vec<Quantity> {
        self.claims.clone()
    }

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let people = strangers(self.n, rng);
        let is_shown = self.asked.is_shown(&people, rng)?;
        Ok(World { people, is_shown })
    }

    fn view(&self, world: &World, rng: &mut SimRng) -> Result<View, Error> {
        let mut answered = || {
            let people = strangers(self.n, rng);
            let is_shown = self.asked.is_shown(&people, rng)?;
            Ok((people, is_shown))
        };
        let known = (0..self.known).map(|_| answered()).collect::<Result<_, Error>>()?;
        Ok(View { known, people: world.people.clone() })
    }

    /// A decision of somebody else's filter.
    fn control(&self, world: &World, rng: &mut SimRng) -> World {
        World { people: world.people.clone(), is_shown: rng.random::<f64>() < self.reported }
    }

    fn measure(&self, world: &World, predicted: &bool, _: &mut SimRng, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(*predicted == world.is_shown));
    }
}

struct TriesSecrets {
    guesses: Vec<LowCountFilter>,
    says_shown: bool,
}

impl Attacker<View> for TriesSecrets {
    type Answer = bool;

    fn answer(&self, view: &View, _: &mut SimRng) -> bool {
        let explains = |filter: &&LowCountFilter| {
            view.known.iter().all(|(people, is_shown)| decided(filter, people) == Ok(*is_shown))
        };
        let found = self.guesses.iter().find(explains);
        found.and_then(|filter| decided(filter, &view.people).ok()).unwrap_or(self.says_shown)
    }
}

struct Likelier {
    says_shown: bool,
}

impl Attacker<View> for Likelier {
    type Answer = bool;

    fn answer(&self, _: &View, _: &mut SimRng) -> bool {
        self.says_shown
    }
}
