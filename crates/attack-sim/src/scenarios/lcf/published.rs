//! One table, published once: (epsilon, delta) of which groups are shown. A **guarantee**;
//! neighbours: one person more in one group.
//!
//! Two groups have the same `n` people, and one of them also has the person or not. In publish
//! mode their draws are independent. In query mode equal sets have equal draws, so that answers
//! that differ prove the person: the twin.

use disclosure::lcf::{DrawMode, GroupName, LowCountFilter};
use rand::Rng;
use std::num::NonZeroU32;

use super::asked::{filter_of, hasher_of, secret, set_of_strangers};
use super::law::Law;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    /// People in both groups.
    n: u64,
    epsilon: f64,
    /// Whether the attacker compares the two groups, or looks at the person's alone.
    compares: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Names are not in the seed.
    QueryMode,
    /// A threshold without noise, between the two sizes.
    HardThreshold,
    /// Optimal selection for an epsilon 10 % above what is promised.
    EpsilonTenPercentHigh,
    /// Optimal selection for twice the delta that is promised.
    DeltaTwice,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, n, epsilon, compares } = blueprint.spec()?;
    let bound = Epsilon::new(epsilon).map_err(|error| blueprint.refuse(error))?;
    let delta = law.cutoffs(blueprint)?.release_profile(NonZeroU32::MIN).delta(bound);
    blueprint.privacy_loss(
        PrivacyLoss::Epsilon { epsilon, delta },
        |fault: Option<Fault>, has_person| {
            let mode = if fault == Some(Fault::QueryMode) { DrawMode::Query } else { DrawMode::Publish };
            let law = fault.map_or(Some(law), |fault| fault.in_law(law, n));
            let law = law.ok_or_else(|| blueprint.refuse("this law has no such fault"))?;
            let filter = filter_of(&law.cutoffs(blueprint)?, mode, &secret(blueprint, "secret")?)?;
            let names = ["a", "b"].map(|label| GroupName::new([("group", Some(label))]));
            Ok(Published { filter, names, n, has_person })
        },
        // "With" when the person's group is shown, and, comparing, the other is not.
        move |[first, second], _| *first && !(compares && *second),
    )
}

impl Fault {
    fn in_law(self, law: Law, n: u64) -> Option<Law> {
        Some(match (self, law) {
            (Self::QueryMode, law) => law,
            (Self::HardThreshold, _) => Law::Hard { at_least: u32::try_from(n + 1).ok()? },
            (fault, Law::OptimalSelection { epsilon, delta, groups_per_entity, pre_threshold }) => {
                let (epsilon, delta) = match fault {
                    Self::EpsilonTenPercentHigh => (1.1 * epsilon, delta),
                    _ => (epsilon, 2.0 * delta),
                };
                Law::OptimalSelection { epsilon, delta, groups_per_entity, pre_threshold }
            }
            _ => return None,
        })
    }
}

struct Published {
    filter: LowCountFilter,
    names: [GroupName; 2],
    n: u64,
    has_person: bool,
}

impl NeighbouringInputs for Published {
    /// Whether each group is shown; the person is in the first, if at all.
    type View = [bool; 2];

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<[bool; 2], Error> {
        let without = set_of_strangers(&self.filter, self.n, rng);
        let mut set = without.clone();
        if side == Side::With && self.has_person {
            set.insert(hasher_of(&self.filter).hash_u64(rng.next_u64()));
        }
        let [own, other] = &self.names;
        Ok([
            self.filter.decide(&[set], Some(own))?.is_reported(),
            self.filter.decide(&[without], Some(other))?.is_reported(),
        ])
    }
}
