//! In how many groups of a published table an entity counts: at most the number that the filter
//! was made with, and always in the same ones.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use lcf::{
    ColumnRule, DrawMode, EntityColumn, EntityCount, Error, GroupLimits, GroupName, GroupsPerEntity, HardThreshold,
    Identifier, LabelledGroups, LabelledTable, LowCountFilter, TableOptions, ThresholdTable,
};
use privacy_core::prf::Secret;
use proptest::prelude::*;

/// Two labels and a user.
type Row = (u8, u8, u64);

fn secret() -> Secret {
    Secret::new(&[5; 32]).unwrap()
}

fn column(least: u32) -> EntityColumn {
    let thresholds = ThresholdTable::new(HardThreshold::at_least(least).unwrap());
    EntityColumn { kind: "user".into(), thresholds }
}

fn publishing(groups: u32) -> LowCountFilter {
    let groups = GroupsPerEntity::AtMost(NonZeroU32::new(groups).unwrap());
    LowCountFilter::publishing(column(300), groups, &secret()).unwrap()
}

fn grouped(filter: &LowCountFilter, rows: &[Row]) -> LabelledGroups {
    let mut groups = LabelledGroups::new(["a", "b"], filter, GroupLimits::default());
    for (a, b, user) in rows {
        let mut row = groups.row([a.to_string().as_str(), b.to_string().as_str()]).unwrap();
        row.insert_with(0, || Identifier::from(*user).hash(filter.hasher(0).unwrap())).unwrap();
    }
    groups
}

/// The labels of a group.
type Labels = (String, String);

/// The users that count in each group, by brute force: every rank of every group of a user.
fn model(filter: &LowCountFilter, rows: &[Row], most: usize) -> BTreeMap<Labels, BTreeSet<u64>> {
    let (ranks, names) = (secret().group_ranker(), secret().group_hasher());
    let mut ranked: BTreeMap<u64, BTreeSet<(u64, Labels)>> = BTreeMap::new();
    for (a, b, user) in rows {
        let (a, b, user) = (a.to_string(), b.to_string(), Identifier::from(*user).hash(filter.hasher(0).unwrap()));
        let name = names.hash(GroupName::new([("a", Some(&*a)), ("b", Some(&*b))]).as_bytes());
        ranked.entry(user).or_default().insert((ranks.rank(user, name), (a, b)));
    }
    let mut members: BTreeMap<_, BTreeSet<u64>> =
        rows.iter().map(|(a, b, _)| ((a.to_string(), b.to_string()), BTreeSet::new())).collect();
    for (user, groups) in ranked {
        for (_, group) in groups.into_iter().take(most) {
            members.entry(group).or_default().insert(user);
        }
    }
    members
}

/// The number of entities that count in each group.
fn counted(filter: &LowCountFilter, table: &LabelledTable) -> Vec<u32> {
    let hidden = filter.apply(table.clone(), TableOptions::of(DrawMode::Publish)).unwrap();
    assert_eq!(hidden.reported().count(), 0, "300 are never reached");
    table.entities().map(|sets| if let EntityCount::Exactly(n) = sets { n } else { panic!("300 are many") }).collect()
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec((0..4_u8, 0..4_u8, 0..12_u64), 0..120)
}

proptest! {
    #[test]
    fn every_entity_counts_in_the_groups_that_come_first_for_it(rows in rows(), most in 1_u32..5) {
        let filter = publishing(most);
        let table = grouped(&filter, &rows).into_table();
        let model = model(&filter, &rows, most as usize);
        let expected: Vec<u32> = model.values().map(|members| members.len() as u32).collect();
        prop_assert_eq!(counted(&filter, &table), expected);
    }

    #[test]
    fn the_choice_does_not_depend_on_order_split_or_how_parts_travelled(
        (sorted, shuffled) in rows().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        cut: usize,
        most in 1_u32..4,
    ) {
        let filter = publishing(most);
        let (first, second) = shuffled.split_at(cut % (shuffled.len() + 1));
        let travelled = |rows: &[Row]| {
            let bytes = grouped(&filter, rows).into_table().to_bytes(&filter).unwrap();
            LabelledTable::from_bytes(&bytes, &filter).unwrap()
        };
        let mut parts = grouped(&filter, &[]);
        parts.merge(&travelled(second)).unwrap();
        parts.merge(&travelled(first)).unwrap();
        let whole = grouped(&filter, &sorted).into_table().to_bytes(&filter).unwrap();
        prop_assert_eq!(parts.into_table().to_bytes(&filter).unwrap(), whole);
    }

    #[test]
    fn one_entity_less_changes_at_most_its_groups(rows in rows(), most in 1_u32..4) {
        let filter = publishing(most);
        let without: Vec<Row> = rows.iter().copied().filter(|(.., user)| *user != 0).collect();
        let (all, fewer) = (model(&filter, &rows, most as usize), model(&filter, &without, most as usize));
        let table = grouped(&filter, &without).into_table();
        let expected: Vec<u32> = fewer.values().map(|members| members.len() as u32).collect();
        prop_assert_eq!(counted(&filter, &table), expected);
        let nobody = BTreeSet::new();
        let changed = all.iter().filter(|(group, members)| fewer.get(*group).unwrap_or(&nobody) != *members).count();
        prop_assert!(changed <= most as usize);
    }
}

#[test]
fn a_publication_without_a_bound_is_refused() {
    let unbounded =
        LowCountFilter::new(vec![column(2)], ColumnRule::WorkingColumn, DrawMode::Publish, &secret()).unwrap();
    let table = grouped(&unbounded, &[(0, 0, 1)]).into_table();
    let refused = unbounded.apply(table, TableOptions::of(DrawMode::Publish)).unwrap_err();
    assert_eq!(refused, Error::UnboundedPublication);
    let whole: [&str; 0] = [];
    let table = LabelledGroups::new(whole, &unbounded, GroupLimits::default()).into_table();
    assert!(unbounded.apply(table, TableOptions::of(DrawMode::Publish)).is_ok(), "one group bounds itself");
    let rows = LowCountFilter::publishing(column(2), GroupsPerEntity::OneRow, &secret()).unwrap();
    let table = grouped(&rows, &[(0, 0, 1)]).into_table();
    assert!(rows.apply(table, TableOptions::of(DrawMode::Publish)).is_ok());
}

#[test]
fn tables_of_another_bound_do_not_merge() {
    let part = grouped(&publishing(2), &[(0, 0, 1)]).into_table();
    assert_eq!(grouped(&publishing(3), &[]).merge(&part).unwrap_err(), Error::OtherFilter);
}

#[test]
fn the_memory_of_contributions_is_bounded() {
    let filter = publishing(4);
    let limits = GroupLimits { bytes: 1 << 14, ..GroupLimits::default() };
    let mut groups = LabelledGroups::new(["a"], &filter, limits);
    let refused = (0..10_000_u64).find_map(|user| match groups.row(["x"]) {
        Ok(mut row) => row.insert_with(0, || user).err(),
        Err(error) => Some(error),
    });
    assert_eq!(refused, Some(Error::TooMuchState { limit: 1 << 14 }));
}
