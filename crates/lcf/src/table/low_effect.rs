//! Low-effect detection: groups that differ from their neighbours by one condition that touches
//! almost nobody.
//!
//! `b` a suppressed group, `c` a grouping column; the siblings of `b` along `c` are the groups
//! with the same labels in every other column.
//!
//! ```text
//! c is unknown for b      b has no sibling along c
//! c isolates b            b has exactly one sibling along c, and that is reported
//! b has low effect        some column is unknown for b and some column isolates it
//! ```
//!
//! A query with and without the condition on `c` differs by the few people of `b`. Merged into
//! their siblings, they are in both answers. With fewer than three columns nothing is merged.
//! Source: Elm, as pg_diffix applies it.

use privacy_core::stop::StopFlag;
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::groups::coded_groups::CodedGroups;

/// A group of low effect, and the reported groups that take its people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LowEffect {
    pub(crate) group: usize,
    pub(crate) targets: Vec<usize>,
}

/// Smallest number of grouping columns with which low-effect groups are merged.
pub const FEWEST_MERGING_COLUMNS: usize = 3;

/// The low-effect groups, in their order. `n log n` in the groups, for each column.
pub(crate) fn low_effects(
    groups: &CodedGroups,
    is_reported: &[bool],
    stop: &StopFlag,
) -> Result<Vec<LowEffect>, Error> {
    if groups.labels() < FEWEST_MERGING_COLUMNS {
        return Ok(Vec::new());
    }
    let mut has_unknown = vec![false; groups.len()];
    // Suppressed groups and the reported sibling that isolates them, column by column.
    let mut isolated: Vec<(usize, usize)> = Vec::new();
    for column in 0..groups.labels() {
        for siblings in siblings(groups, column, stop)?.chunk_by(|a, b| a.0 == b.0) {
            match *siblings {
                [(_, alone)] => has_unknown[alone] = true,
                [(_, a), (_, b)] if is_reported[a] != is_reported[b] => {
                    isolated.push(if is_reported[b] { (a, b) } else { (b, a) });
                }
                _ => {}
            }
        }
    }
    isolated.retain(|&(group, _)| has_unknown[group]);
    // Stable: the targets of a group stay in the order of the columns.
    isolated.sort_by_key(|&(group, _)| group);
    let of_group = isolated.chunk_by(|a, b| a.0 == b.0);
    Ok(of_group
        .map(|of| LowEffect { group: of[0].0, targets: of.iter().map(|&(_, target)| target).collect() })
        .collect())
}

/// The groups with a number for their labels in every column but one, sorted by it, so that
/// siblings along that column stand side by side. Sorting the labels themselves would follow two
/// pointers for each comparison.
///
/// # Errors
/// [`Error::Stopped`]; a sort is not interrupted.
fn siblings(groups: &CodedGroups, column: usize, stop: &StopFlag) -> Result<Vec<(u64, usize)>, Error> {
    let mut numbered: Vec<(u64, usize)> = (0..groups.len()).map(|group| (0, group)).collect();
    for (place, other) in (0..groups.labels()).filter(|&other| other != column).enumerate() {
        if place >= 2 {
            renumber(&mut numbered, stop);
        }
        if stop.is_set() {
            return Err(Error::Stopped);
        }
        // Two labels are one number; with a third the first two get a number of 32 bits.
        numbered.iter_mut().for_each(|(number, group)| {
            *number = *number << 32 | u64::from(groups.key(*group)[other]);
        });
    }
    numbered.sort_unstable();
    if stop.is_set() { Err(Error::Stopped) } else { Ok(numbered) }
}

/// Equal numbers become equal numbers below 2^32: there are no more groups. Left unfinished once
/// the flag is set.
fn renumber(numbered: &mut [(u64, usize)], stop: &StopFlag) {
    let mut numbers: FxHashMap<u64, u64> = FxHashMap::default();
    for (number, _) in numbered.iter_mut().take_while(|_| !stop.is_set()) {
        let next = numbers.len() as u64;
        *number = *numbers.entry(*number).or_insert(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn low_effects(groups: &CodedGroups, is_reported: &[bool]) -> Vec<LowEffect> {
        super::low_effects(groups, is_reported, &StopFlag::never()).unwrap()
    }

    fn groups<const LABELS: usize>(keys: &[[u32; LABELS]]) -> CodedGroups {
        let mut groups = CodedGroups::new(LABELS, 0);
        keys.iter().for_each(|key| groups.push(key, 1, []));
        groups
    }

    #[test]
    fn a_victim_with_an_unknown_and_an_isolating_column_is_merged() {
        // The victim (0, 0, 1): with the other gender there is a large group, nobody else has her
        // title there.
        let table = groups(&[[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 0]]);
        let found = low_effects(&table, &[true, false, true, true]);
        assert_eq!(found, [LowEffect { group: 1, targets: vec![0] }]);
        assert_eq!(low_effects(&table, &[true; 4]), []);
        let pair = groups(&[[0, 0, 0], [0, 0, 1], [1, 1, 0]]);
        assert_eq!(low_effects(&pair, &[true, false, true]).len(), 1);
        assert_eq!(low_effects(&pair, &[false, false, true]), [], "the sibling is suppressed as well");
    }

    #[test]
    fn more_siblings_isolate_nothing_and_no_unknown_column_needs_no_merging() {
        let more = groups(&[[0, 0, 0], [0, 0, 1], [0, 0, 2]]);
        assert_eq!(low_effects(&more, &[true, false, true]), []);
        let known = groups(&[[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1]]);
        assert_eq!(low_effects(&known, &[true, false, true, true]), []);
    }

    #[test]
    fn a_group_may_be_isolated_by_several_columns() {
        let table = groups(&[[0, 0, 0], [0, 0, 1], [0, 1, 1]]);
        let found = low_effects(&table, &[true, false, true]);
        assert_eq!(found, [LowEffect { group: 1, targets: vec![2, 0] }]);
    }

    #[test]
    fn more_columns_are_compared_as_wholes() {
        // Five columns: labels of several columns are folded into one number.
        let key = |number: u32| [number / 81, number / 27 % 3, number / 9 % 3, number / 3 % 3, number % 3];
        let some: Vec<u32> = (0..243).filter(|number| number * 7919 % 13 < 4).collect();
        let groups = groups(&some.iter().map(|&number| key(number)).collect::<Vec<[u32; 5]>>());
        for column in 0..5 {
            let without = |group: usize| -> Vec<u32> {
                (0..5).filter(|&other| other != column).map(|other| groups.key(group)[other]).collect()
            };
            let numbered = siblings(&groups, column, &StopFlag::never()).unwrap();
            for (a, first) in &numbered {
                for (b, second) in &numbered {
                    assert_eq!(a == b, without(*first) == without(*second));
                }
            }
        }
    }

    #[test]
    fn two_columns_are_left_alone() {
        let table = groups(&[[0, 0], [0, 1]]);
        assert_eq!(low_effects(&table, &[true, false]), []);
    }
}
