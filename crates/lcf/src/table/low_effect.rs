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

use crate::error::Error;
use crate::groups::grouping::Group;

/// A group of low effect, and the reported groups that take its people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LowEffect {
    pub(crate) group: usize,
    pub(crate) targets: Vec<usize>,
}

/// Smallest number of grouping columns with which low-effect groups are merged.
pub const FEWEST_MERGING_COLUMNS: usize = 3;

/// What the columns looked at so far say about a group.
#[derive(Clone, Default)]
struct Around {
    has_unknown: bool,
    isolated_by: Vec<usize>,
}

/// The low-effect groups, in their order. `n log n` in the groups, for each column.
pub(crate) fn low_effects<K: AsRef<[u32]>>(
    groups: &[Group<K>],
    is_reported: &[bool],
    stop: &StopFlag,
) -> Result<Vec<LowEffect>, Error> {
    let columns = groups.first().map_or(0, |group| group.key.as_ref().len());
    if columns < FEWEST_MERGING_COLUMNS {
        return Ok(Vec::new());
    }
    let mut around = vec![Around::default(); groups.len()];
    let mut order: Vec<usize> = (0..groups.len()).collect();
    for column in 0..columns {
        if stop.is_set() {
            return Err(Error::Stopped);
        }
        // Sorted by all labels but that of this column, siblings stand side by side.
        order.sort_unstable_by(|&a, &b| siblings_of(&groups[a], column).cmp(&siblings_of(&groups[b], column)));
        for siblings in order.chunk_by(|&a, &b| siblings_of(&groups[a], column) == siblings_of(&groups[b], column)) {
            match *siblings {
                [alone] => around[alone].has_unknown = true,
                [a, b] if is_reported[a] != is_reported[b] => {
                    let (low, high) = if is_reported[b] { (a, b) } else { (b, a) };
                    around[low].isolated_by.push(high);
                }
                _ => {}
            }
        }
    }
    Ok(around
        .into_iter()
        .enumerate()
        .filter(|(group, around)| !is_reported[*group] && around.has_unknown && !around.isolated_by.is_empty())
        .map(|(group, around)| LowEffect { group, targets: around.isolated_by })
        .collect())
}

/// The labels that a group shares with its siblings along a column.
fn siblings_of<K: AsRef<[u32]>>(group: &Group<K>, column: usize) -> (&[u32], &[u32]) {
    let key = group.key.as_ref();
    (&key[..column], &key[column + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn low_effects<K: AsRef<[u32]>>(groups: &[Group<K>], is_reported: &[bool]) -> Vec<LowEffect> {
        super::low_effects(groups, is_reported, &StopFlag::never()).unwrap()
    }

    fn groups(keys: &[[u32; 3]]) -> Vec<Group<[u32; 3]>> {
        keys.iter().map(|&key| Group { key, rows: 1, sets: Vec::new() }).collect()
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
    fn two_columns_are_left_alone() {
        let pair = |key| Group { key, rows: 1, sets: Vec::new() };
        let table: Vec<Group<[u32; 2]>> = vec![pair([0, 0]), pair([0, 1])];
        assert_eq!(low_effects(&table, &[true, false]), []);
    }
}
