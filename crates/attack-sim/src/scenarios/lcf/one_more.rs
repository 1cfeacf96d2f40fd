//! `N` or `N + 1`: all rows of the tables of "Operation of LCF", and those that they leave out.
//!
//! A trial tosses a coin for `N` or `N + 1` people, asks once, and says `N + 1` when the group is
//! shown. Claimed are, for every size, the chance of a report, and for every row `N` of the
//! tables what the decision tells: `docs/math/lcf.md`, (1) to (7).

use disclosure::lcf::ThresholdTable;

use super::asked::{Asked, Fault, strangers};
use super::law::Law;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law } = blueprint.spec()?;
    let claims = Claims::of(&law.cutoffs(blueprint)?)?;
    blueprint.trials(
        claims.quantities.clone(),
        |fault: Option<Fault>| Ok(OneMore { asked: Asked::new(law, fault, blueprint)?, claims: claims.clone() }),
        // The likelier of the two, at every `N`.
        |is_shown, _| *is_shown,
        coin_toss,
    )
}

/// What is claimed, and where among the quantities.
#[derive(Clone)]
struct Claims {
    quantities: Vec<Quantity>,
    /// By size: groups that are shown.
    sizes: Vec<usize>,
    /// By `N`.
    rows: Vec<RowClaims>,
}

/// Quantities of one row; those of an impossible decision are not there.
#[derive(Clone)]
struct RowClaims {
    reported: usize,
    fewer_when_suppressed: Option<usize>,
    more_when_reported: Option<usize>,
}

impl Claims {
    /// All rows from nobody up to where both sizes are certain.
    fn of(cutoffs: &ThresholdTable) -> Result<Self, Error> {
        let mut claims = Self { quantities: Vec::new(), sizes: Vec::new(), rows: Vec::new() };
        for n in 0..=cutoffs.cap() + 1 {
            let position = claims.add(format!("{n} reported"), cutoffs.reporting_probability(n).reported)?;
            claims.sizes.push(position);
        }
        for n in 0..=cutoffs.cap() {
            let odds = cutoffs.membership_posterior(n);
            let fewer_when_suppressed =
                claims.add_possible(format!("{n} when suppressed"), odds.p_n_given_suppressed)?;
            let more_when_reported =
                claims.add_possible(format!("{} when reported", n + 1), odds.p_n1_given_reported)?;
            let reported = claims.add(format!("{n} or {} reported", n + 1), odds.p_reported)?;
            claims.rows.push(RowClaims { reported, fewer_when_suppressed, more_when_reported });
        }
        Ok(claims)
    }

    fn add_possible(&mut self, name: String, share: Option<f64>) -> Result<Option<usize>, Error> {
        share.map(|share| self.add(name, share)).transpose()
    }

    fn add(&mut self, name: String, share: f64) -> Result<usize, Error> {
        self.quantities.push(Quantity::exactly(name, share)?);
        Ok(self.quantities.len() - 1)
    }
}

struct OneMore {
    asked: Asked,
    claims: Claims,
}

#[derive(Clone, Copy)]
struct World {
    row: usize,
    is_more: bool,
}

impl Audit for OneMore {
    type World = World;
    /// Whether the group is shown. What `N` is, the attacker knows and does not need.
    type View = bool;
    /// Whether there are `N + 1`.
    type Answer = bool;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        Ok(World { row: rng.random_range(0..self.claims.rows.len()), is_more: rng.random() })
    }

    fn view(&self, world: &World, rng: &mut SimRng) -> Result<bool, Error> {
        let people = strangers((world.row + usize::from(world.is_more)) as u64, rng);
        self.asked.is_shown(&people, rng)
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        World { is_more: rng.random(), ..*world }
    }

    fn measure(&self, world: &World, says_more: &bool, measured: &mut [Option<f64>]) {
        let row = &self.claims.rows[world.row];
        let shown = Some(f64::from(*says_more));
        measured[self.claims.sizes[world.row + usize::from(world.is_more)]] = shown;
        measured[row.reported] = shown;
        let posterior = if *says_more { row.more_when_reported } else { row.fewer_when_suppressed };
        if let Some(position) = posterior {
            measured[position] = Some(f64::from(world.is_more == *says_more));
        }
    }
}
