//! Contributions of entities to groups, of which a published table keeps at most `k` each.
//!
//! `h` the hash of an entity, `g` that of the name of a group, `r(h, g)` the keyed rank:
//!
//! ```text
//! kept(h) = the k groups of h with the smallest r(h, g)                                    (13)
//! ```
//!
//! Ranks depend on the entity, the group and the secret alone, and the least `k` of a union are
//! the least `k` of the least `k` of its parts. So what is kept depends neither on the order of
//! rows nor on how a table was split, and one entity more or less changes its own groups only: at
//! most `k`. Two groups of an entity have one rank with probability 2^-64.

use std::sync::Arc;

use privacy_core::prf::{GroupHasher, GroupRanker};
use rustc_hash::FxHashMap;

use crate::filter::group_name::GroupName;
use crate::filter::low_count_filter::LowCountFilter;

/// The groups that each entity counts in.
#[derive(Clone)]
pub(crate) struct Contributions {
    most: usize,
    ranks: Arc<GroupRanker>,
    names: Arc<GroupHasher>,
    entities: FxHashMap<u64, Kept>,
    /// Hashes of the names of groups, by their keys.
    groups: FxHashMap<u64, u64>,
    /// Pairs of an entity and a group that are held.
    held: u64,
}

/// The groups of one entity, by their ranks. Most entities are in one group, which takes no
/// memory of its own.
#[derive(Clone)]
enum Kept {
    One(Choice),
    Several(Vec<Choice>),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    rank: u64,
    group: u64,
}

/// Memory of an entity in a table up to half empty, and of a pair in a vector up to half empty.
const BYTES_AN_ENTITY: u64 = 80;
const BYTES_A_PAIR: u64 = 32;
/// Memory of a group's name, in a table up to half empty.
const BYTES_A_NAME: u64 = 34;

impl Contributions {
    /// No contribution yet; none for a filter in whose tables an entity counts everywhere.
    pub(crate) fn new(filter: &LowCountFilter) -> Option<Self> {
        let most = filter.description().chosen_groups()?.get() as usize;
        Some(Self {
            most,
            ranks: filter.shared_ranks(),
            names: filter.shared_names(),
            entities: FxHashMap::default(),
            groups: FxHashMap::default(),
            held: 0,
        })
    }

    /// The hash of a group's name, which is made once.
    pub(crate) fn name(&mut self, group: u64, name: impl FnOnce() -> GroupName) -> u64 {
        let names = &self.names;
        *self.groups.entry(group).or_insert_with(|| names.hash(name().as_bytes()))
    }

    /// Counts an entity in a group, unless others of its groups come first.
    pub(crate) fn add(&mut self, entity: u64, group: u64, name: u64) {
        let choice = Choice { rank: self.ranks.rank(entity, name), group };
        let kept = match self.entities.entry(entity) {
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(Kept::One(choice));
                self.held += 1;
                return;
            }
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
        };
        match kept {
            Kept::One(only) if *only == choice => {}
            Kept::One(only) if self.most == 1 => *only = choice.min(*only),
            Kept::One(only) => {
                *kept = Kept::Several(vec![choice.min(*only), choice.max(*only)]);
                self.held += 1;
            }
            Kept::Several(choices) => {
                let Err(place) = choices.binary_search(&choice) else { return };
                choices.insert(place, choice);
                self.held += 1;
                if choices.len() > self.most {
                    choices.pop();
                    self.held -= 1;
                }
            }
        }
    }

    /// Memory in bytes, as the limit counts it.
    pub(crate) fn bytes(&self) -> u64 {
        let entities = self.entities.len() as u64 * BYTES_AN_ENTITY;
        entities + self.held * BYTES_A_PAIR + self.groups.len() as u64 * BYTES_A_NAME
    }

    /// The entities that count in each group, in ascending order.
    #[expect(clippy::iter_over_hash_type, reason = "every list is sorted afterwards, by itself")]
    pub(crate) fn into_members(self) -> FxHashMap<u64, Vec<u64>> {
        let mut members: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
        for (entity, kept) in self.entities {
            kept.choices().iter().for_each(|choice| members.entry(choice.group).or_default().push(entity));
        }
        members.values_mut().for_each(|members| members.sort_unstable());
        members
    }
}

impl Kept {
    fn choices(&self) -> &[Choice] {
        match self {
            Self::One(only) => std::slice::from_ref(only),
            Self::Several(choices) => choices,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::num::NonZeroU32;

    use privacy_core::prf::Secret;

    use super::*;
    use crate::filter::description::{EntityColumn, GroupsPerEntity};
    use crate::law::{HardThreshold, ThresholdTable};

    /// The limit of memory is kept only if the pairs that are held are counted, not those that
    /// came.
    #[test]
    fn memory_is_that_of_the_entities_the_names_and_the_pairs_that_are_kept() {
        let thresholds = ThresholdTable::new(HardThreshold::at_least(2).unwrap());
        let column = EntityColumn { kind: "user".to_owned(), thresholds };
        for most in 1..5 {
            let groups = GroupsPerEntity::AtMost(NonZeroU32::new(most).unwrap());
            let secret = Secret::new(&[5; 32]).unwrap();
            let filter = LowCountFilter::publishing(column.clone(), groups, &secret).unwrap();
            let mut contributions = Contributions::new(&filter).unwrap();
            let mut came: BTreeSet<(u64, u64)> = BTreeSet::new();
            for row in 0..200_u64 {
                // Some pairs come again; some entities are in one group, others in up to seven.
                let (entity, group) = (row % 9, row * row % (1 + row % 9 % 7) + row % 2);
                let name = contributions.name(group, || GroupName::new([("g", Some(&*group.to_string()))]));
                contributions.add(entity, group, name);
                came.insert((entity, group));
                let groups: BTreeSet<u64> = came.iter().map(|pair| pair.1).collect();
                let entities: BTreeSet<u64> = came.iter().map(|pair| pair.0).collect();
                let groups_of = |entity: &u64| came.iter().filter(|pair| pair.0 == *entity).count();
                let pairs: usize = entities.iter().map(|entity| groups_of(entity).min(most as usize)).sum();
                let bytes = 80 * entities.len() + 32 * pairs + 34 * groups.len();
                assert_eq!(contributions.bytes(), bytes as u64, "{most} {row}");
            }
        }
    }
}
