//! A person in many groups of one published table. A **guarantee**: (epsilon, delta) of which
//! groups are shown; neighbours: one person more, in all of the groups.
//!
//! Each of `groups` groups has the same number of other people, and the attacker knows them all.
//! If the person counted in every group, each would tell a little, and together they would tell
//! for certain: the negative control. The filter counts it in as many groups as the promise says.

use std::num::NonZeroU32;

use disclosure::lcf::{
    EntityColumn, GroupLimits, GroupsPerEntity, LabelledGroups, LowCountFilter, TableOptions, ThresholdTable,
};
use rand::Rng;

use super::asked::secret;
use super::law::{Law, OneApart};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    /// Groups of the table, all of which the person is in.
    groups: u32,
    /// Groups that the person counts in.
    groups_per_entity: NonZeroU32,
    /// Other people of each group.
    n: u64,
    epsilon: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The number of groups is assumed, and the person counts in all of them.
    BoundAssumed,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, groups, groups_per_entity, n, epsilon } = blueprint.spec()?;
    let bound = Epsilon::new(epsilon).map_err(|error| blueprint.refuse(error))?;
    let thresholds = law.cutoffs(blueprint)?;
    let delta = thresholds.release_profile(groups_per_entity).delta(bound);
    let between = f64::from(groups) * OneApart::of(&thresholds, n).middle();
    blueprint.privacy_loss(
        PrivacyLoss::Epsilon { epsilon, delta },
        |fault: Option<Fault>, has_person| {
            let most = match fault {
                Some(Fault::BoundAssumed) => NonZeroU32::new(groups).unwrap_or(NonZeroU32::MIN),
                None => groups_per_entity,
            };
            let filter = publishing(thresholds.clone(), most, blueprint)?;
            Ok(Table { filter, groups, n, has_person })
        },
        // "With" when more groups are shown than half-way between both expectations.
        move |shown, _| f64::from(*shown) > between,
    )
}

fn publishing(
    thresholds: ThresholdTable,
    most: NonZeroU32,
    blueprint: &Blueprint<'_>,
) -> Result<LowCountFilter, Error> {
    let column = EntityColumn { kind: "user".to_owned(), thresholds };
    Ok(LowCountFilter::publishing(column, GroupsPerEntity::AtMost(most), &secret(blueprint, "secret")?)?)
}

struct Table {
    filter: LowCountFilter,
    groups: u32,
    n: u64,
    has_person: bool,
}

impl NeighbouringInputs for Table {
    /// The number of groups that are shown.
    type View = u32;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<u32, Error> {
        let person = (side == Side::With && self.has_person).then(|| rng.next_u64());
        let mut table = LabelledGroups::new(["group"], &self.filter, GroupLimits::default());
        for group in 0..self.groups {
            let label = group.to_string();
            for entity in (0..self.n).map(|_| rng.next_u64()).chain(person) {
                table.row([label.as_str()])?.insert_with(0, || entity)?;
            }
        }
        let filtered = self.filter.apply(table.into_table(), TableOptions::of(self.filter.mode()))?;
        Ok(filtered.reported().count() as u32)
    }
}
