//! Groups that something else has made are those of the rows: whatever the parts, whatever the
//! filter.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use lcf::{
    ColumnRule, DrawMode, EntityColumn, EntitySet, Error, GroupLimits, GroupState, GroupsPerEntity, HardThreshold,
    LabelledGroups, LowCountFilter, ThresholdTable,
};
use privacy_core::prf::Secret;

const COLUMNS: [&str; 2] = ["town", "age"];

fn users() -> EntityColumn {
    EntityColumn { kind: "user".into(), thresholds: ThresholdTable::new(HardThreshold::at_least(4).unwrap()) }
}

fn secret() -> Secret {
    Secret::new(&[7; 32]).unwrap()
}

fn by_query() -> LowCountFilter {
    let senders = EntityColumn { kind: "sender".into(), ..users() };
    LowCountFilter::new(vec![users(), senders], ColumnRule::WorkingColumn, DrawMode::Query, &secret()).unwrap()
}

fn by_publication(groups: u32) -> LowCountFilter {
    let groups = GroupsPerEntity::AtMost(NonZeroU32::new(groups).unwrap());
    LowCountFilter::publishing(users(), groups, &secret()).unwrap()
}

/// Rows: labels, and an entity for every column of identifiers.
fn rows() -> Vec<([String; 2], u64)> {
    (0..600_u64).map(|row| ([format!("t{}", row * row % 7), format!("{}", row % 5)], row % 37)).collect()
}

/// The states of the groups of some rows, as bytes.
fn states(rows: &[([String; 2], u64)], filter: &LowCountFilter) -> Vec<([String; 2], Vec<u8>)> {
    let empty = || GroupState { rows: 0, sets: vec![EntitySet::new(GroupState::cap(filter)); filter.columns()] };
    let mut groups: BTreeMap<[String; 2], GroupState> = BTreeMap::new();
    for (labels, entity) in rows {
        let state = groups.entry(labels.clone()).or_insert_with(empty);
        state.rows += 1;
        state.sets.iter_mut().for_each(|set| set.insert(*entity));
    }
    groups.into_iter().map(|(labels, state)| (labels, state.to_bytes(filter).unwrap())).collect()
}

fn check(filter: &LowCountFilter) {
    let rows = rows();
    let mut whole = LabelledGroups::new(COLUMNS, filter, GroupLimits::default());
    let hashes = |entity: u64| (0..filter.columns()).map(move |column| (column, entity));
    let texts = rows.iter().map(|(labels, entity)| (labels.iter().map(String::as_str), hashes(*entity)));
    whole.extend(texts).unwrap();
    let whole = whole.into_table().to_bytes(filter).unwrap();
    for parts in [1, 2, 7] {
        let mut merged = LabelledGroups::new(COLUMNS, filter, GroupLimits::default());
        // The last part first: the order of states does not matter.
        for part in rows.chunks(rows.len().div_ceil(parts)).rev() {
            for (labels, bytes) in states(part, filter) {
                let state = GroupState::from_bytes(&bytes, filter).unwrap();
                merged.add_state(labels.iter().map(String::as_str), &state).unwrap();
            }
        }
        assert!(merged.into_table().to_bytes(filter).unwrap() == whole, "{parts} parts");
    }
}

#[test]
fn groups_of_states_are_the_groups_of_the_rows() {
    check(&by_query());
}

#[test]
fn entities_are_chosen_for_groups_of_states_as_for_rows() {
    check(&by_publication(3));
    check(&by_publication(100));
}

#[test]
fn sets_that_say_less_than_the_filter_needs_are_refused() {
    let filter = by_publication(3);
    let mut groups = LabelledGroups::new(COLUMNS, &filter, GroupLimits::default());
    let capped = GroupState { rows: 1, sets: vec![EntitySet::new(filter.cap())] };
    assert!(matches!(groups.add_state(["a", "b"], &capped), Err(Error::OtherCap { .. })));
    let sets = vec![EntitySet::new(GroupState::cap(&filter))];
    let whole = GroupState { rows: 1, sets };
    assert!(matches!(groups.add_state(["a"], &whole), Err(Error::LabelCount { expected: 2 })));
    assert!(matches!(
        groups.add_state(["a", "b"], &GroupState { rows: 1, sets: vec![] }),
        Err(Error::SetCount { expected: 1, got: 0 })
    ));
    assert!(groups.clone().into_table().is_empty(), "what is refused leaves nothing");
    groups.add_state(["a", "b"], &whole).unwrap();
    assert_eq!(groups.into_table().len(), 1);
}
