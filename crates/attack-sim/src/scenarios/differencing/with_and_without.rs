//! The filter asked about a group with and without a victim, in two releases under one secret.
//!
//! If the victim is in neither, both groups are one set and have one answer. If it is there, the answers differ with
//! `d = p q' + q p'`, `p` and `p'` the chances of `n` and `n + 1` people; over `m` pairs of groups with other people,
//!
//! ```text
//! P(some answers differ) = 1 - (1 - d)^m,      a guess is right with probability (2 - (1 - d)^m) / 2,
//! ```
//!
//! which no attacker exceeds: where all answers agree, the victim is the less likely. Source: Gadotti et al. 2019; `docs/math/lcf.md`, (10).

use disclosure::core::rng::SimRng;
use rand::RngExt;
use serde::Deserialize;

use super::super::Blueprint;
use super::super::lcf::{Asked, Fault, Law, strangers};
use crate::error::Error;
use crate::game::{Attacker, Claim, CoinToss, Game, Judged, Quantity, Scenario};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    n: u64,
    pairs: u32,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Result<Box<dyn Judged>, Error> {
    let Spec { law, n, pairs } = blueprint.spec()?;
    let (planted, broken) = blueprint.faults::<Fault>()?;
    let cutoffs = law.cutoffs(blueprint)?;
    let (fewer, more) = (cutoffs.reporting_probability(n), cutoffs.reporting_probability(n + 1));
    let differ = fewer.reported * more.suppressed + fewer.suppressed * more.reported;
    let found = 1.0 - (1.0 - differ).powf(f64::from(pairs));
    let claims = vec![
        Quantity::share("answers differ without the victim", Claim::exactly(0.0)?)?,
        Quantity::share("answers differ with the victim", Claim::exactly(found)?)?,
        Quantity::share("right guesses", Claim::exactly(0.5 * (1.0 + found))?)?,
    ];
    let game = |fault| {
        let asked = Asked::new(law, fault, blueprint)?;
        Ok::<_, Error>(TwoReleases { asked, n, pairs, claims: claims.clone() })
    };
    Ok(Box::new(Scenario {
        about: blueprint.about(),
        game: game(planted)?,
        broken: game(Some(broken))?,
        attacker: AnyDiffer,
        blind: CoinToss,
    }))
}

struct TwoReleases {
    asked: Asked,
    n: u64,
    pairs: u32,
    claims: Vec<Quantity>,
}

struct World {
    is_there: bool,
}

impl Game for TwoReleases {
    type World = World;
    /// Both answers for each pair of groups.
    type View = Vec<[bool; 2]>;
    /// Whether the victim is there.
    type Answer = bool;

    fn quantities(&self) -> Vec<Quantity> {
        self.claims.clone()
    }

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        Ok(World { is_there: rng.random() })
    }

    fn view(&self, world: &World, rng: &mut SimRng) -> Result<Vec<[bool; 2]>, Error> {
        let victim = strangers(1, rng);
        let mut pair = || {
            let mut people = strangers(self.n, rng);
            let without = self.asked.is_shown(&people, rng)?;
            people.extend(victim.iter().filter(|_| world.is_there));
            Ok([without, self.asked.is_shown_later(&people, rng)?])
        };
        (0..self.pairs).map(|_| pair()).collect()
    }

    fn control(&self, _: &World, rng: &mut SimRng) -> World {
        World { is_there: rng.random() }
    }

    fn measure(&self, world: &World, says_there: &bool, _: &mut SimRng, measured: &mut [Option<f64>]) {
        measured[usize::from(world.is_there)] = Some(f64::from(*says_there));
        measured[2] = Some(f64::from(*says_there == world.is_there));
    }
}

/// Says that the victim is there when any two answers differ.
pub(super) struct AnyDiffer;

impl Attacker<Vec<[bool; 2]>> for AnyDiffer {
    type Answer = bool;

    fn answer(&self, pairs: &Vec<[bool; 2]>, _: &mut SimRng) -> bool {
        pairs.iter().any(|[without, with]| without != with)
    }
}
