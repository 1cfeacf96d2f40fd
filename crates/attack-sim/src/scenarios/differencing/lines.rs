//! Lines of a group with and without a victim, numbers included, in two releases under one
//! secret.
//!
//! If the victim is in neither, both groups are one set and have one line. If it is there, the
//! lines differ with probability `d` of (19); over `m` pairs of groups with other people some
//! differ with probability `1 - (1 - d)^m`. With exact numbers the first pair is a proof.

use disclosure::lcf::{Counted, DrawMode, GroupLimits, GroupNumber, LabelledGroups, LowCountFilter, TableOptions};
use rand::Rng;

use super::super::lcf::{Law, Number, filter_of, secret};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    number: Number,
    n: u64,
    pairs: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The exact number of rows beside every group.
    ExactNumbers,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, number, n, pairs } = blueprint.spec()?;
    let (thresholds, number) = (law.cutoffs(blueprint)?, number.number(blueprint)?);
    let differ = thresholds.line_pair(&number, n).detection;
    let found = 1.0 - (1.0 - differ).powf(f64::from(pairs));
    let claims = vec![
        Quantity::exactly("lines differ without the victim", 0.0)?,
        Quantity::exactly("lines differ with the victim", found)?,
        Quantity::exactly("right guesses", 0.5 * (1.0 + found))?,
    ];
    blueprint.bit_trials(
        claims,
        |fault: Option<Fault>| {
            let number = if fault.is_some() { GroupNumber::Exact(Counted::Rows) } else { number };
            let filter = filter_of(&thresholds, DrawMode::Query, &secret(blueprint, "secret")?)?;
            Ok(TwoReleases { filter: filter.with_number(number)?, n, pairs })
        },
        any_differ,
        coin_toss,
    )
}

struct TwoReleases {
    filter: LowCountFilter,
    n: u64,
    pairs: u32,
}

/// The line of a group: its number, where it is shown.
type Shown = Option<u64>;

impl BitAudit for TwoReleases {
    type View = Vec<[Shown; 2]>;
    /// Whether the victim is there.
    type Answer = bool;

    fn view(&self, is_there: bool, rng: &mut SimRng) -> Result<Self::View, Error> {
        let victim = rng.next_u64();
        (0..self.pairs).map(|_| self.pair(is_there.then_some(victim), rng)).collect()
    }

    fn measure(&self, is_there: bool, says_there: &bool, measured: &mut [Option<f64>]) {
        measured[usize::from(is_there)] = Some(f64::from(*says_there));
        measured[2] = Some(f64::from(*says_there == is_there));
    }
}

impl TwoReleases {
    /// The lines of other people, without the victim and with it.
    fn pair(&self, victim: Option<u64>, rng: &mut SimRng) -> Result<[Shown; 2], Error> {
        let mut people: Vec<u64> = (0..self.n).map(|_| rng.next_u64()).collect();
        let without = self.line(&people)?;
        people.extend(victim);
        Ok([without, self.line(&people)?])
    }

    fn line(&self, people: &[u64]) -> Result<Shown, Error> {
        let mut table = LabelledGroups::new(["group"], &self.filter, GroupLimits::default());
        for &person in people {
            table.row(["a"])?.insert_with(0, || person)?;
        }
        let filtered = self.filter.apply(table.into_table(), TableOptions::of(DrawMode::Query))?;
        Ok(filtered.reported().next().and_then(|group| group.number))
    }
}

/// Says that the victim is there when any two lines differ.
#[expect(clippy::ptr_arg, reason = "an attacker takes the view of its scenario, which is a `Vec`")]
fn any_differ(pairs: &Vec<[Shown; 2]>, _: &mut SimRng) -> bool {
    pairs.iter().any(|[without, with]| without != with)
}
