//! The filter asked about a group with and without a victim, in two releases under one secret.
//!
//! If the victim is in neither, both groups are one set and have one answer. If it is there, the
//! answers differ with `d = p q' + q p'`, `p` and `p'` the chances of `n` and `n + 1` people;
//! over `m` pairs of groups with other people,
//!
//! ```text
//! P(some answers differ) = 1 - (1 - d)^m
//! a guess is right with probability (2 - (1 - d)^m) / 2,
//! ```
//!
//! which no attacker exceeds: where all answers agree, the victim is the less likely. Source:
//! Gadotti et al. 2019; `docs/math/lcf.md`, (10).

use super::super::lcf::{Asked, Fault, Law, OneApart, strangers};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    n: u64,
    pairs: u32,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, n, pairs } = blueprint.spec()?;
    let differ = OneApart::of(&law.cutoffs(blueprint)?, n).differ();
    let found = 1.0 - (1.0 - differ).powf(f64::from(pairs));
    let claims = vec![
        Quantity::exactly("answers differ without the victim", 0.0)?,
        Quantity::exactly("answers differ with the victim", found)?,
        Quantity::exactly("right guesses", 0.5 * (1.0 + found))?,
    ];
    blueprint.bit_trials(
        claims,
        |fault: Option<Fault>| Ok(TwoReleases { asked: Asked::new(law, fault, blueprint)?, n, pairs }),
        any_differ,
        coin_toss,
    )
}

struct TwoReleases {
    asked: Asked,
    n: u64,
    pairs: u32,
}

impl BitAudit for TwoReleases {
    /// Both answers for each pair of groups.
    type View = Vec<[bool; 2]>;
    /// Whether the victim is there.
    type Answer = bool;

    fn view(&self, is_there: bool, rng: &mut SimRng) -> Result<Vec<[bool; 2]>, Error> {
        let victim = strangers(1, rng);
        let pairs = (0..self.pairs).map(|_| {
            let mut people = strangers(self.n, rng);
            let without = self.asked.is_shown(&people, rng)?;
            people.extend(victim.iter().filter(|_| is_there));
            Ok([without, self.asked.is_shown_later(&people, rng)?])
        });
        pairs.collect()
    }

    fn measure(&self, is_there: bool, says_there: &bool, measured: &mut [Option<f64>]) {
        measured[usize::from(is_there)] = Some(f64::from(*says_there));
        measured[2] = Some(f64::from(*says_there == is_there));
    }
}

/// Says that the victim is there when any two answers differ.
#[expect(clippy::ptr_arg, reason = "an attacker takes the view of its scenario, which is a `Vec`")]
pub(super) fn any_differ(pairs: &Vec<[bool; 2]>, _: &mut SimRng) -> bool {
    pairs.iter().any(|[without, with]| without != with)
}
