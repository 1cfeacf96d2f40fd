//! A state that somebody without the secret made: a set that says "saturated" of a group of one
//! person. A **guarantee**: it is refused, and the group stays suppressed.

use disclosure::lcf::{DrawMode, EntitySet, LowCountFilter};
use rand::Rng;

use super::asked::{filter_of, secret};
use super::law::Law;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// What a state says is believed, without a look at its seal.
    Believed,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law } = blueprint.spec()?;
    let thresholds = law.cutoffs(blueprint)?;
    blueprint.bit_trials(
        vec![Quantity::exactly("groups of one person that are shown", 0.0)?],
        |fault: Option<Fault>| {
            let filter = filter_of(&thresholds, DrawMode::Query, &secret(blueprint, "secret")?)?;
            let foreign = filter_of(&thresholds, DrawMode::Query, &secret(blueprint, "attacker")?)?;
            Ok(Merging { filter, foreign, believes: fault.is_some() })
        },
        |&is_shown: &bool, _: &mut SimRng| is_shown,
        |_, _| true,
    )
}

struct Merging {
    filter: LowCountFilter,
    /// The filter of the attacker: the same law under a secret of its own.
    foreign: LowCountFilter,
    believes: bool,
}

impl BitAudit for Merging {
    type View = bool;
    type Answer = bool;

    /// With the bit the attacker lists entities, without it the state is saturated.
    fn view(&self, lists: bool, rng: &mut SimRng) -> Result<bool, Error> {
        let mut group = EntitySet::new(self.filter.cap());
        group.insert(rng.next_u64());
        let mut planted = EntitySet::new(self.filter.cap());
        planted.extend((0..u64::from(self.filter.cap()) - u64::from(lists)).map(|_| rng.next_u64()));
        let mut bytes = planted.to_bytes(&self.foreign);
        // A seal of the attacker's choice, in every other trial.
        if rng.random() {
            bytes.iter_mut().rev().take(16).for_each(|byte| *byte = rng.random());
        }
        let read = match self.believes {
            true => EntitySet::from_bytes(&planted.to_bytes(&self.foreign), &self.foreign).ok(),
            false => EntitySet::from_bytes(&bytes, &self.filter).ok(),
        };
        if let Some(state) = read {
            group.merge(&state)?;
        }
        Ok(self.filter.decide(&[group], None)?.is_reported())
    }

    fn measure(&self, _: bool, is_shown: &bool, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(*is_shown));
    }
}
