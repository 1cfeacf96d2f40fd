//! Averaging rounded numbers: a group of `N` or `N + 1` people in many sets, each with known people
//! of the attacker's own.
//!
//! `m` known people a set, `k` sets, `b` the base, `x = N + m` a multiple of it. Under `N` every
//! number is `x`. Under `N + 1` it is `x` too but for one in `b`, for each noise that is drawn
//! anew; where the group has the least hash of a set, its noise is that of the group. So with
//! `q = 1 - 1/b` and `p` the share of such sets, which is `t^(m / (N + 1))` for a uniform `t`,
//!
//! ```text
//! P(N + 1 is not found) = E[((1 - p) q)^k + q (((1 - p) q + p)^k - ((1 - p) q)^k)]
//! ```
//!
//! A **calibration**: the noise of numbers averages out, as fast as this and no faster.

use disclosure::lcf::{Counted, DrawMode, GroupLimits, GroupNumber, LabelledGroups, LowCountFilter, TableOptions};
use rand::Rng;

use super::asked::{filter_of, secret};
use super::law::Law;
use super::number::Number;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    base: u32,
    n: u64,
    known: u64,
    sets: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The exact number of people beside every set.
    ExactNumbers,
}

/// Points of the integral over `t`.
const POINTS: u32 = 20_000;

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, base, n, known, sets } = blueprint.spec()?;
    let thresholds = law.cutoffs(blueprint)?;
    if known < thresholds.cap() || !(n + known).is_multiple_of(base.into()) {
        return Err(blueprint.refuse("the known people are a group that is always shown, and fill up the base"));
    }
    let found = 1.0 - not_found(base, n, known, sets);
    let number = Number::Rounded(base).number(blueprint)?;
    blueprint.bit_trials(
        vec![
            Quantity::exactly("says N + 1 where there are N", 0.0)?,
            Quantity::exactly("says N + 1 where there are N + 1", found)?,
        ],
        |fault: Option<Fault>| {
            let number = if fault.is_some() { GroupNumber::Exact(Counted::Entities) } else { number };
            let filter = filter_of(&thresholds, DrawMode::Query, &secret(blueprint, "secret")?)?;
            Ok(ManySets { filter: filter.with_number(number)?, n, known, sets })
        },
        move |numbers: &Vec<u64>, _: &mut SimRng| numbers.iter().any(|&number| number > n + known),
        |_, _| false,
    )
}

fn not_found(base: u32, n: u64, known: u64, sets: u32) -> f64 {
    let (q, k) = (1.0 - 1.0 / f64::from(base), f64::from(sets));
    let power = known as f64 / (n + 1) as f64;
    let at = |point: u32| {
        let p = ((f64::from(point) + 0.5) / f64::from(POINTS)).powf(power);
        let none = ((1.0 - p) * q).powf(k);
        none + q * (((1.0 - p) * q + p).powf(k) - none)
    };
    (0..POINTS).map(at).sum::<f64>() / f64::from(POINTS)
}

struct ManySets {
    filter: LowCountFilter,
    n: u64,
    known: u64,
    sets: u32,
}

impl BitAudit for ManySets {
    /// The number beside every set.
    type View = Vec<u64>;
    /// Whether there is one more.
    type Answer = bool;

    fn view(&self, is_more: bool, rng: &mut SimRng) -> Result<Vec<u64>, Error> {
        let mut groups = LabelledGroups::new(["set"], &self.filter, GroupLimits::default());
        let hasher = self.filter.hasher(0)?;
        let group: Vec<u64> = (0..self.n + u64::from(is_more)).map(|_| rng.next_u64()).collect();
        for set in 0..self.sets {
            let label = set.to_string();
            let known: Vec<u64> = (0..self.known).map(|_| rng.next_u64()).collect();
            for &person in group.iter().chain(&known) {
                groups.row([label.as_str()])?.insert_with(0, || hasher.hash_u64(person))?;
            }
        }
        let options = TableOptions { near_duplicates: false, ..TableOptions::of(DrawMode::Query) };
        let table = self.filter.apply(groups.into_table(), options)?;
        let numbers = table.reported().filter_map(|group| group.number).collect();
        Ok(numbers)
    }

    fn measure(&self, is_more: bool, says_more: &bool, measured: &mut [Option<f64>]) {
        measured[usize::from(is_more)] = Some(f64::from(*says_more));
    }
}
