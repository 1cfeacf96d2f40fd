//! The same people asked for under other kinds of entity.
//!
//! The kind is part of every hash, so each kind is a fresh draw about the same people, and where a
//! kind is the name of a column, an analyst has as many as there are names. The registry of the
//! secret holds the kind that the deployment was made with, and answers under no other: an
//! attacker knows `N` from `N + 1` as well as after one answer, with probability
//! `(1 + p(N + 1) - p(N)) / 2`.

use disclosure::lcf::{ColumnRule, DrawMode, EntityColumn, EntitySet, LowCountFilter, Registry, ThresholdTable};
use disclosure::privacy_core::prf::Secret;
use rand::Rng;

use super::asked::{hasher_of, secret};
use super::averaging::{Guess, Shown, average, one_answer};
use super::law::{Law, OneApart};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    n: u64,
    kinds: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The kind of every request is taken as it comes.
    Unregistered,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, n, kinds } = blueprint.spec()?;
    let thresholds = law.cutoffs(blueprint)?;
    let sizes = OneApart::of(&thresholds, n);
    let claims = vec![
        Quantity::exactly("one answer to all kinds", 1.0)?,
        Quantity::exactly("N distinguished from N + 1", sizes.distinguished())?,
    ];
    blueprint.bit_trials(
        claims,
        |fault: Option<Fault>| {
            let registry = fault.is_none().then(|| Registry::new([("kind".to_owned(), kind(0))]));
            let secret = secret(blueprint, "secret")?;
            Ok(Kinds { thresholds: thresholds.clone(), secret, registry, n, kinds })
        },
        average(sizes.middle()),
        one_answer,
    )
}

struct Kinds {
    thresholds: ThresholdTable,
    secret: Secret,
    registry: Option<Registry>,
    n: u64,
    kinds: u32,
}

fn kind(alias: u32) -> String {
    format!("user_{alias}")
}

impl BitAudit for Kinds {
    type View = Shown;
    type Answer = Guess;

    fn view(&self, is_more: bool, rng: &mut SimRng) -> Result<Shown, Error> {
        let people: Vec<u64> = (0..self.n + u64::from(is_more)).map(|_| rng.next_u64()).collect();
        let mut shown = Shown { times: 0, questions: 0 };
        for kind in (0..self.kinds).map(kind) {
            if self.registry.as_ref().is_some_and(|registry| registry.check([("kind", kind.as_str())]).is_err()) {
                continue;
            }
            let column = EntityColumn { kind, thresholds: self.thresholds.clone() };
            let filter = LowCountFilter::new(vec![column], ColumnRule::WorkingColumn, DrawMode::Query, &self.secret)?;
            let mut set = EntitySet::new(filter.cap());
            set.extend(people.iter().map(|&person| hasher_of(&filter).hash_u64(person)));
            shown.questions += 1;
            shown.times += u32::from(filter.decide(&[set], None)?.is_reported());
        }
        Ok(shown)
    }

    fn measure(&self, is_more: bool, guess: &Guess, measured: &mut [Option<f64>]) {
        guess.measure(is_more, measured);
    }
}
