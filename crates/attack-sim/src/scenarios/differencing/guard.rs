//! The difference guard against the same question: sets that a draw decides, and that differ by
//! one person, have one answer.
//!
//! Sizes are drawn where both groups are decided by a draw; at the edges the guard promises
//! nothing. A **guarantee**, while it remembers.

use disclosure::lcf::{DifferenceGuard, DrawMode, LowCountFilter, ThresholdTable};
use rand::Rng;

use super::super::lcf::{Law, filter_of, hasher_of, secret, set_of_strangers};
use super::with_and_without::any_differ;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Started anew between the questions.
    Forgets,
    /// Only a set with one person more is recognised, not one with one less.
    OneDirection,
    /// Only the last answer is remembered.
    RemembersOne,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law } = blueprint.spec()?;
    let cutoffs = law.cutoffs(blueprint)?;
    if cutoffs.cap() < cutoffs.floor() + 2 {
        return Err(blueprint.refuse("no two sizes of this law are decided by a draw"));
    }
    let never = ["answers differ without the victim", "answers differ with the victim"];
    blueprint.bit_trials(
        Quantity::shares_of(0.0, &never)?,
        |fault| {
            let filter = filter_of(&cutoffs, DrawMode::Query, &secret(blueprint, "secret")?)?;
            Ok(Guarded { filter, cutoffs: cutoffs.clone(), fault })
        },
        any_differ,
        coin_toss,
    )
}

struct Guarded {
    filter: LowCountFilter,
    cutoffs: ThresholdTable,
    fault: Option<Fault>,
}

/// Other groups that are asked about between the two questions.
const BETWEEN: usize = 3;

impl BitAudit for Guarded {
    type View = Vec<[bool; 2]>;
    type Answer = bool;

    fn view(&self, is_there: bool, rng: &mut SimRng) -> Result<Vec<[bool; 2]>, Error> {
        let mut guard = DifferenceGuard::new();
        let without = rng.random_range(self.cutoffs.floor()..self.cutoffs.cap() - 1);
        let without = set_of_strangers(&self.filter, without, rng);
        let mut with = without.clone();
        if is_there {
            with.insert(hasher_of(&self.filter).hash_u64(rng.next_u64()));
        }
        let victim_first: bool = rng.random();
        let (first, second) = if victim_first { (with, without) } else { (without, with) };
        let first = guard.decide(&self.filter, &[first])?.is_reported();
        for _ in 0..BETWEEN {
            if self.fault == Some(Fault::RemembersOne) {
                guard = DifferenceGuard::new();
            }
            let other = rng.random_range(self.cutoffs.floor()..self.cutoffs.cap());
            guard.decide(&self.filter, &[set_of_strangers(&self.filter, other, rng)])?;
        }
        if self.fault == Some(Fault::Forgets) || (self.fault == Some(Fault::OneDirection) && victim_first) {
            guard = DifferenceGuard::new();
        }
        Ok(vec![[first, guard.decide(&self.filter, &[second])?.is_reported()]])
    }

    fn measure(&self, is_there: bool, says_there: &bool, measured: &mut [Option<f64>]) {
        measured[usize::from(is_there)] = Some(f64::from(*says_there));
    }
}
