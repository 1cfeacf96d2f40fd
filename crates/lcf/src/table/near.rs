//! Groups that differ by one entity, found from the seeds alone.
//!
//! `s` the XOR of the hashes of a set: `s(S + u) xor h(u) = s(S)`. So the sets that lack one
//! member of a set are looked up, one look-up per member, and no two sets are compared. Two sets
//! are confused with probability 2^-64.
//!
//! An analyst who queries both groups sees one entity make the difference: a difference attack
//! needs such pairs. Saturated sets are reported whatever the draw and are not looked at; nor are
//! sets below the floor, which are suppressed alike.

use privacy_core::stop::StopFlag;
use rustc_hash::FxHashMap;

use crate::entity::entity_set::EntitySet;
use crate::error::Error;

/// Sets with the same members.
struct Class {
    set: u32,
    sets: u32,
    neighbours: u64,
}

/// Of a set that is in no class.
const NO_CLASS: u32 = u32::MAX;

/// Sets between two looks at the flag: less than a millisecond.
const SETS_BETWEEN_LOOKS: usize = 1 << 10;

/// For each set, how many others differ from it by one entity, where the larger of the two has at
/// least `floor` entities. Sets of `cap` or more are certain to be reported.
pub(crate) fn near_duplicates(sets: &[&EntitySet], floor: u64, cap: u64, stop: &StopFlag) -> Result<Vec<u64>, Error> {
    if sets.len() >= NO_CLASS as usize {
        return Err(Error::TooManyGroups { limit: NO_CLASS.into() });
    }
    // Equal sets are looked up once, however many groups have them.
    let mut numbers: FxHashMap<(u64, u32), u32> = FxHashMap::default();
    let mut classes: Vec<Class> = Vec::new();
    let mut class_of: Vec<u32> = Vec::with_capacity(sets.len());
    for (at, set) in sets.iter().enumerate() {
        if at % SETS_BETWEEN_LOOKS == 0 && stop.is_set() {
            return Err(Error::Stopped);
        }
        // The smaller of two sets has one entity less than the floor, at least.
        if set.is_saturated() || set.held() == 0 || set.held() as u64 >= cap || (set.held() as u64) + 1 < floor {
            class_of.push(NO_CLASS);
            continue;
        }
        let number = *numbers.entry(identity(set)).or_insert_with(|| {
            classes.push(Class { set: at as u32, sets: 0, neighbours: 0 });
            classes.len() as u32 - 1
        });
        classes[number as usize].sets += 1;
        class_of.push(number);
    }
    for larger in 0..classes.len() {
        if stop.is_set() {
            return Err(Error::Stopped);
        }
        let set = sets[classes[larger].set as usize];
        if (set.held() as u64) < floor {
            continue;
        }
        let (seed, size) = identity(set);
        set.for_each_member(|member| {
            // The size is part of the key, so that a set is found only where it really has one
            // entity less.
            if let Some(&smaller) = numbers.get(&(seed ^ member, size - 1)) {
                let (a, b) = (classes[larger].sets, classes[smaller as usize].sets);
                for (class, sets) in [(larger, b), (smaller as usize, a)] {
                    classes[class].neighbours = classes[class].neighbours.saturating_add(sets.into());
                }
            }
        });
    }
    let neighbours = |class: u32| classes.get(class as usize).map_or(0, |class| class.neighbours);
    Ok(class_of.into_iter().map(neighbours).collect())
}

fn identity(set: &EntitySet) -> (u64, u32) {
    (set.seed().unwrap_or(0), set.held() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near_duplicates(sets: &[&EntitySet], floor: u64) -> Vec<u64> {
        super::near_duplicates(sets, floor, 1 << 32, &StopFlag::never()).unwrap()
    }
    use privacy_core::prf::Secret;

    fn sets(cap: u32, members: &[&[u64]]) -> Vec<EntitySet> {
        let hasher = Secret::new(&[5; 32]).unwrap().entity_hasher("user");
        let set = |members: &&[u64]| {
            let mut set = EntitySet::new(cap);
            members.iter().for_each(|&member| set.insert(hasher.hash_u64(member)));
            set
        };
        members.iter().map(set).collect()
    }

    #[test]
    fn pairs_that_differ_by_one_entity_are_found_on_both_sides() {
        let sets = sets(8, &[&[1, 2, 3], &[1, 2, 3, 4], &[3, 2, 1], &[1, 2], &[1, 2, 3, 5], &[7, 8, 9], &[]]);
        let near = near_duplicates(&sets.iter().collect::<Vec<_>>(), 2);
        assert_eq!(near, [3, 2, 3, 2, 2, 0, 0]);
    }

    #[test]
    fn sets_that_are_certain_are_left_out_where_they_are_held_whole_too() {
        let sets = sets(100, &[&[1, 2, 3, 4, 5], &[1, 2, 3, 4], &[1, 2, 3], &[1, 2], &[1]]);
        let sets: Vec<&EntitySet> = sets.iter().collect();
        let near = super::near_duplicates(&sets, 2, 4, &StopFlag::never()).unwrap();
        assert_eq!(near, [0, 0, 1, 2, 1], "4 and 5 are reported for certain");
    }

    #[test]
    fn saturated_sets_and_pairs_below_the_floor_are_left_out() {
        let sets = sets(4, &[&[1, 2, 3, 4], &[1, 2, 3], &[1, 2], &[1]]);
        let near = near_duplicates(&sets.iter().collect::<Vec<_>>(), 3);
        assert_eq!(near, [0, 1, 1, 0], "3 against 2 may differ; 4 is certain, 2 against 1 never shows");
    }
}
