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
    set: usize,
    sets: u64,
    neighbours: u64,
}

/// Sets between two looks at the flag: less than a millisecond.
const SETS_BETWEEN_LOOKS: usize = 1 << 10;

/// For each set, how many others differ from it by one entity, where the larger of the two has at
/// least `floor` entities. Sets of `cap` or more are certain to be reported.
pub(crate) fn near_duplicates(sets: &[&EntitySet], floor: u64, cap: u64, stop: &StopFlag) -> Result<Vec<u64>, Error> {
    // Equal sets are looked up once, however many groups have them.
    let mut numbers: FxHashMap<(u64, usize), usize> = FxHashMap::default();
    let mut classes: Vec<Class> = Vec::new();
    let mut class_of: Vec<Option<usize>> = Vec::with_capacity(sets.len());
    for (at, set) in sets.iter().enumerate() {
        if at % SETS_BETWEEN_LOOKS == 0 && stop.is_set() {
            return Err(Error::Stopped);
        }
        if set.is_saturated() || set.held() == 0 || set.held() as u64 >= cap {
            class_of.push(None);
            continue;
        }
        let number = *numbers.entry(identity(set)).or_insert_with(|| {
            classes.push(Class { set: at, sets: 0, neighbours: 0 });
            classes.len() - 1
        });
        classes[number].sets += 1;
        class_of.push(Some(number));
    }
    for larger in 0..classes.len() {
        if stop.is_set() {
            return Err(Error::Stopped);
        }
        let set = sets[classes[larger].set];
        if (set.held() as u64) < floor {
            continue;
        }
        let (seed, size) = identity(set);
        for member in set.members() {
            // The size is part of the key, so that a set is found only where it really has one
            // entity less.
            if let Some(&smaller) = numbers.get(&(seed ^ member, size - 1)) {
                let (a, b) = (classes[larger].sets, classes[smaller].sets);
                classes[larger].neighbours = classes[larger].neighbours.saturating_add(b);
                classes[smaller].neighbours = classes[smaller].neighbours.saturating_add(a);
            }
        }
    }
    Ok(class_of.into_iter().map(|class| class.map_or(0, |class| classes[class].neighbours)).collect())
}

fn identity(set: &EntitySet) -> (u64, usize) {
    (set.seed().unwrap_or(0), set.held())
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
    fn saturated_sets_and_pairs_below_the_floor_are_left_out() {
        let sets = sets(4, &[&[1, 2, 3, 4], &[1, 2, 3], &[1, 2], &[1]]);
        let near = near_duplicates(&sets.iter().collect::<Vec<_>>(), 3);
        assert_eq!(near, [0, 1, 1, 0], "3 against 2 may differ; 4 is certain, 2 against 1 never shows");
    }
}
