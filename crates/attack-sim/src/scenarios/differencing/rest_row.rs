//! The suppressed rest, before and after one group more.
//!
//! All groups are below the floor, so that their people are in the rest. In the second release
//! there is one group more, of one person: the victim, or somebody who is in the rest already. As
//! the rest is a set of people, the answers are equal in the second case, and differ in the first
//! as those about any two sets of `n` and `n + 1` do. Numbers shown with the rest are exact and
//! not part of the promise, so the attacker sees only whether there is a rest. Beside that, many
//! groups of one and the same person never make a rest.

use disclosure::lcf::{DrawMode, GroupLimits, LabelledGroups, LowCountFilter, Rest, TableOptions, ThresholdTable};
use disclosure::privacy_core::prf::StickyDraw;

use super::super::lcf::{Law, OneApart, filter_of, hasher_of, secret, xor};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    /// Groups of one person less than the floor.
    groups: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Sizes are added: somebody in two groups counts twice.
    SumOfSizes,
    /// Seeds are XORed: somebody in two groups cancels.
    XorOfSeeds,
    /// The rest does not pass the filter: two groups are enough.
    Unfiltered,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, groups } = blueprint.spec()?;
    let cutoffs = law.cutoffs(blueprint)?;
    let size = cutoffs.floor() - 1;
    let differ = OneApart::of(&cutoffs, groups * size).differ();
    let claims = vec![
        Quantity::exactly("answers differ without the victim", 0.0)?,
        Quantity::exactly("answers differ with the victim", differ)?,
        Quantity::exactly("a rest of one person", 0.0)?,
    ];
    blueprint.trials(
        claims,
        |fault| {
            let secret = secret(blueprint, "secret")?;
            let filter = filter_of(&cutoffs, DrawMode::Query, &secret)?;
            let rest = RestOf { filter, cutoffs: cutoffs.clone(), draws: secret.sticky_draw(), fault };
            Ok(RestRow { rest, groups, size })
        },
        |[before, after], _| Seen { differ: before != after, any: *before || *after },
        |_, rng| Seen { differ: rng.random(), any: rng.random() },
    )
}

/// Makes a table of groups that are all below the floor, and says whether it shows a rest.
struct RestOf {
    filter: LowCountFilter,
    cutoffs: ThresholdTable,
    draws: StickyDraw,
    fault: Option<Fault>,
}

impl RestOf {
    fn is_shown(&self, groups: &[Vec<i64>]) -> Result<bool, Error> {
        match self.fault {
            Some(fault) => Ok(self.is_shown_wrongly(fault, groups)),
            None => {
                let mut table = LabelledGroups::new(["group"], &self.filter, GroupLimits::default());
                for (label, people) in groups.iter().enumerate() {
                    let label = label.to_string();
                    for &person in people {
                        table.row([label.as_str()])?.insert_with(0, || hasher_of(&self.filter).hash_i64(person))?;
                    }
                }
                let filtered = self.filter.apply(table.into_table(), TableOptions::of(DrawMode::Query))?;
                Ok(matches!(filtered.rest(), Rest::Reported { .. }))
            }
        }
    }

    fn is_shown_wrongly(&self, fault: Fault, groups: &[Vec<i64>]) -> bool {
        let people = groups.iter().flatten();
        let all: Vec<u64> = people.map(|&person| hasher_of(&self.filter).hash_i64(person)).collect();
        let mut distinct = all.clone();
        distinct.sort_unstable();
        distinct.dedup();
        match fault {
            Fault::SumOfSizes => self.cutoffs.is_reported(all.len() as u64, self.draws.draw(xor(&distinct))),
            Fault::XorOfSeeds => self.cutoffs.is_reported(distinct.len() as u64, self.draws.draw(xor(&all))),
            Fault::Unfiltered => groups.len() >= 2,
        }
    }
}

struct RestRow {
    rest: RestOf,
    groups: u64,
    size: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum World {
    /// The group more is somebody's who is in the rest.
    Known,
    /// The group more is the victim's.
    Victim,
    /// All groups are of one person.
    OnePerson,
}

/// Groups of one and the same person.
const ALIKE: usize = 40;

impl Audit for RestRow {
    type World = World;
    /// Whether a rest is shown, in each release.
    type View = [bool; 2];
    type Answer = Seen;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        Ok([World::Known, World::Victim, World::OnePerson][rng.random_range(0..3)])
    }

    fn view(&self, world: &World, rng: &mut SimRng) -> Result<[bool; 2], Error> {
        let mut groups: Vec<Vec<i64>> = match world {
            World::OnePerson => vec![vec![rng.random()]; ALIKE],
            _ => (0..self.groups).map(|_| (0..self.size).map(|_| rng.random()).collect()).collect(),
        };
        let before = self.rest.is_shown(&groups)?;
        let newcomer = if *world == World::Victim { rng.random() } else { groups[0][0] };
        groups.push(vec![newcomer]);
        Ok([before, self.rest.is_shown(&groups)?])
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        match (world, rng.random()) {
            (World::OnePerson, _) => World::OnePerson,
            (_, true) => World::Victim,
            (_, false) => World::Known,
        }
    }

    fn measure(&self, world: &World, seen: &Seen, measured: &mut [Option<f64>]) {
        match world {
            World::Known => measured[0] = Some(f64::from(seen.differ)),
            World::Victim => measured[1] = Some(f64::from(seen.differ)),
            World::OnePerson => measured[2] = Some(f64::from(seen.any)),
        }
    }
}

/// What the attacker makes of two releases.
struct Seen {
    differ: bool,
    any: bool,
}
