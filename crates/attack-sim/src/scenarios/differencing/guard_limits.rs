//! The difference guard where it does not answer for both groups: at the edges of the law, and
//! where the attacker knows a person more.
//!
//! `n` people, `k` known ones that are added to the second group, and the victim or not. Without
//! the victim the second group is the first one, or differs from it by one known person. With it,
//! the answers are those of two draws, or of a draw and of a size that is shown or withheld
//! whatever is drawn:
//!
//! ```text
//! P(answers differ) = p(n) q(n + k + 1) + q(n) p(n + k + 1)
//! ```
//!
//! for `k = 1`, which the guard does not look for, and for `k = 0` where `n + 1` is the floor or
//! the cap. A **calibration**: this is not stopped, and not more than this is given away.

use disclosure::lcf::{DifferenceGuard, DrawMode, HardThreshold, LowCountFilter, ThresholdTable};
use rand::Rng;

use super::super::lcf::{Law, filter_of, hasher_of, secret, set_of_strangers};
use super::with_and_without::any_differ;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Place {
    /// The victim makes the group as large as the floor.
    Floor,
    /// The victim makes the group as large as the cap.
    Cap,
    /// The second group has a known person more, who is not the victim.
    KnownPerson,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The threshold has no noise, and lies between the two groups.
    HardThreshold,
    /// Started anew between the questions: the known person gives a second draw as well.
    Forgets,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, place } = blueprint.spec()?;
    let thresholds = law.cutoffs(blueprint)?;
    let (n, known) = place.sizes(&thresholds);
    let [fewer, more] = [n, n + known + 1].map(|size| thresholds.reporting_probability(size));
    let differ = fewer.reported * more.suppressed + fewer.suppressed * more.reported;
    let claims = vec![
        Quantity::exactly("answers differ without the victim", 0.0)?,
        Quantity::exactly("answers differ with the victim", differ)?,
    ];
    blueprint.bit_trials(
        claims,
        |fault| {
            let thresholds = match fault {
                Some(Fault::HardThreshold) => {
                    let hard = HardThreshold::at_least(n as u32 + 1).map_err(|error| blueprint.refuse(error))?;
                    ThresholdTable::new(hard)
                }
                _ => thresholds.clone(),
            };
            let filter = filter_of(&thresholds, DrawMode::Query, &secret(blueprint, "secret")?)?;
            Ok(Limits { filter, n, known, forgets: fault == Some(Fault::Forgets) })
        },
        any_differ,
        coin_toss,
    )
}

impl Place {
    /// The size of the first group, and the number of known people in the second.
    fn sizes(self, thresholds: &ThresholdTable) -> (u64, u64) {
        match self {
            Self::Floor => (thresholds.floor() - 1, 0),
            Self::Cap => (thresholds.cap() - 1, 0),
            Self::KnownPerson => (thresholds.worst_sticky_size(), 1),
        }
    }
}

struct Limits {
    filter: LowCountFilter,
    n: u64,
    known: u64,
    forgets: bool,
}

impl BitAudit for Limits {
    type View = Vec<[bool; 2]>;
    type Answer = bool;

    fn view(&self, is_there: bool, rng: &mut SimRng) -> Result<Vec<[bool; 2]>, Error> {
        let mut guard = DifferenceGuard::new();
        let first = set_of_strangers(&self.filter, self.n, rng);
        let mut second = first.clone();
        for _ in 0..self.known + u64::from(is_there) {
            second.insert(hasher_of(&self.filter).hash_u64(rng.next_u64()));
        }
        let first = guard.decide(&self.filter, &[first])?.is_reported();
        if self.forgets {
            guard = DifferenceGuard::new();
        }
        Ok(vec![[first, guard.decide(&self.filter, &[second])?.is_reported()]])
    }

    fn measure(&self, is_there: bool, says_there: &bool, measured: &mut [Option<f64>]) {
        measured[usize::from(is_there)] = Some(f64::from(*says_there));
    }
}
