//! States against a model that remembers everything: any order, any split, any repetition.

use std::collections::{BTreeMap, BTreeSet};

use lcf::{
    ClampedNormal, ColumnRule, DrawMode, EntityColumn, EntityCount, EntitySet, Error, Group, GroupLimits, Groups,
    LabelledGroups, LabelledTable, LowCountFilter, RowQueue, ThresholdTable,
};
use privacy_core::param::StdDev;
use privacy_core::prf::Secret;
use proptest::prelude::*;

/// Hashes as they may come: small ones collide, so that repetition is common.
fn hashes() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(prop_oneof![0_u64..12, Just(u64::MAX), any::<u64>()], 0..30)
}

fn of(cap: u32, hashes: &[u64]) -> EntitySet {
    let mut set = EntitySet::new(cap);
    hashes.iter().for_each(|&hash| set.insert(hash));
    set
}

fn merged(mut a: EntitySet, b: &EntitySet) -> EntitySet {
    a.merge(b).unwrap();
    a
}

/// What the state must say about these hashes.
fn check(set: &EntitySet, cap: u32, hashes: &BTreeSet<u64>) -> Result<(), TestCaseError> {
    if hashes.len() as u64 >= u64::from(cap) {
        prop_assert_eq!((set.distinct(), set.seed()), (EntityCount::AtLeast(cap), None));
        prop_assert!(set.members().is_empty());
    } else {
        let seed = hashes.iter().fold(0, |seed, hash| seed ^ hash);
        prop_assert_eq!((set.distinct(), set.seed()), (EntityCount::Exactly(hashes.len() as u32), Some(seed)));
        prop_assert!(set.members().iter().eq(hashes));
    }
    Ok(())
}

fn filter() -> LowCountFilter {
    filter_of(["user", "branch"], 0.8, 9)
}

fn filter_of(kinds: [&str; 2], sd: f64, secret: u8) -> LowCountFilter {
    let thresholds = ThresholdTable::new(ClampedNormal::new(4.0, StdDev::new(sd).unwrap(), 1.0).unwrap());
    let columns = kinds.map(|kind| EntityColumn { kind: kind.into(), thresholds: thresholds.clone() });
    let secret = Secret::new(&[secret; 32]).unwrap();
    LowCountFilter::new(columns.to_vec(), ColumnRule::WorkingColumn, DrawMode::Query, &secret).unwrap()
}

fn labelled(filter: &LowCountFilter, rows: &[Row]) -> LabelledGroups {
    let mut groups = LabelledGroups::new(["a", "b", "c"], filter, GroupLimits::default());
    for row in rows {
        let labels = row.0.map(|label| format!("label {label}"));
        insert(&mut groups.row(labels.iter().map(String::as_str)).unwrap(), row);
    }
    groups
}

/// A row: the labels of three columns, a user or none, and any number of branches.
type Row = ([u8; 3], Option<u8>, Vec<u8>);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = ([0_u8..2, 0..1, 0..3], proptest::option::of(0_u8..14), proptest::collection::vec(0_u8..9, 0..3));
    proptest::collection::vec(row, 0..300)
}

fn insert(group: &mut lcf::RowGroup<'_>, (_, user, branches): &Row) {
    user.iter().for_each(|&user| group.insert_with(0, || user.into()).unwrap());
    branches.iter().for_each(|&branch| group.insert_with(1, || u64::from(branch) << 40).unwrap());
}

fn grouped(filter: &LowCountFilter, rows: &[Row]) -> Groups<[u8; 3]> {
    let mut groups = Groups::new(filter, GroupLimits::default());
    rows.iter().for_each(|row| insert(&mut groups.row(row.0).unwrap(), row));
    groups
}

/// Everything that is in a group, remembered.
fn model(rows: &[Row]) -> BTreeMap<[u8; 3], (u64, [BTreeSet<u64>; 2])> {
    let mut groups = BTreeMap::new();
    for (key, user, branches) in rows {
        let (rows, sets): &mut (u64, [BTreeSet<u64>; 2]) = groups.entry(*key).or_default();
        *rows += 1;
        sets[0].extend(user.iter().map(|&user| u64::from(user)));
        sets[1].extend(branches.iter().map(|&branch| u64::from(branch) << 40));
    }
    groups
}

fn same(groups: &[Group<[u8; 3]>], model: &BTreeMap<[u8; 3], (u64, [BTreeSet<u64>; 2])>) -> Result<(), TestCaseError> {
    prop_assert!(groups.iter().map(|group| &group.key).eq(model.keys()));
    for (group, (rows, sets)) in groups.iter().zip(model.values()) {
        prop_assert_eq!(group.rows, *rows);
        group.sets.iter().zip(sets).try_for_each(|(state, whole)| check(state, 8, whole))?;
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_state_says_what_the_whole_set_would(cap in 1_u32..20, hashes in hashes()) {
        check(&of(cap, &hashes), cap, &hashes.into_iter().collect())?;
    }

    #[test]
    fn merging_is_union_in_any_order_and_grouping(cap in 1_u32..20, a in hashes(), b in hashes(), c in hashes()) {
        let all = [a.clone(), b.clone(), c.clone()].concat().into_iter().collect();
        let (a, b, c) = (of(cap, &a), of(cap, &b), of(cap, &c));
        let left = merged(merged(a.clone(), &b), &c);
        check(&left, cap, &all)?;
        prop_assert!(left == merged(a.clone(), &merged(c.clone(), &b)), "associative and commutative");
        prop_assert!(left == merged(left.clone(), &a) && a == merged(a.clone(), &a), "idempotent");
        let filter = filter();
        prop_assert_eq!(
            left.to_bytes(&filter),
            merged(merged(c, &b), &a).to_bytes(&filter),
            "one encoding for one set"
        );
    }

    #[test]
    fn states_survive_their_bytes_and_other_bytes_are_refused(cap in 1_u32..20, a in hashes(), at: usize, bit in 0..8) {
        let set = of(cap, &a);
        let filter = filter();
        let mut bytes = set.to_bytes(&filter);
        prop_assert!(EntitySet::from_bytes(&bytes, &filter).unwrap() == set);
        let at = at % bytes.len();
        bytes[at] ^= 1_u8 << bit;
        // What is still a set does not fit its seal.
        let refused = EntitySet::from_bytes(&bytes, &filter).unwrap_err();
        prop_assert!(matches!(refused, Error::NotAState | Error::NotSealed));
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        prop_assert!(EntitySet::from_bytes(&[b"LCF2", &bytes[..]].concat(), &filter()).is_err());
    }

    #[test]
    fn groups_do_not_depend_on_the_order_of_rows_nor_on_their_split(
        (sorted, shuffled) in rows().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        cut: usize,
    ) {
        let filter = filter();
        let expected = model(&sorted);
        same(&grouped(&filter, &shuffled).into_groups(), &expected)?;
        let (first, second) = shuffled.split_at(cut % (shuffled.len() + 1));
        let mut parts = grouped(&filter, second);
        parts.merge(grouped(&filter, first)).unwrap();
        same(&parts.into_groups(), &expected)?;
    }

    #[test]
    fn labels_make_the_same_groups(rows in rows()) {
        let filter = filter();
        let (table, expected) = (labelled(&filter, &rows).into_table(), model(&rows));
        prop_assert_eq!(table.len(), expected.len());
        for (at, key) in expected.keys().enumerate() {
            let labels = key.map(|label| format!("label {label}"));
            prop_assert!(table.labels(at).eq(labels.iter()), "in the order of their labels");
            prop_assert_eq!(table.find(&labels.each_ref().map(String::as_str)), Some(at));
        }
        prop_assert_eq!(table.find(&["label 0", "label 0", "label 9"]), None);
        prop_assert_eq!(table.find(&["label 0"]), None);
        prop_assert_eq!(table.find(&["label 0", "label 0", "label 0", "label 0"]), None);
    }

    #[test]
    fn tables_that_travelled_as_bytes_merge_to_that_of_all_rows(
        (sorted, shuffled) in rows().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        cut: usize,
    ) {
        let filter = filter();
        let (first, second) = shuffled.split_at(cut % (shuffled.len() + 1));
        let travelled = |rows: &[Row]| {
            let bytes = labelled(&filter, rows).into_table().to_bytes(&filter).unwrap();
            let table = LabelledTable::from_bytes(&bytes, &filter).unwrap();
            assert_eq!(table.to_bytes(&filter).unwrap(), bytes);
            table
        };
        let mut parts = labelled(&filter, &[]);
        parts.merge(&travelled(second)).unwrap();
        parts.merge(&travelled(first)).unwrap();
        prop_assert_eq!(parts.into_table().to_bytes(&filter).unwrap(), labelled(&filter, &sorted).into_table().to_bytes(&filter).unwrap());
    }

    #[test]
    fn changed_bytes_of_a_table_are_refused(rows in rows(), at: usize, bit in 0..8) {
        let filter = filter();
        let whole = labelled(&filter, &rows).into_table().to_bytes(&filter).unwrap();
        let (mut bytes, at) = (whole.clone(), at % whole.len());
        bytes[at] ^= 1_u8 << bit;
        let expected = match at {
            0..4 => Error::NotAState,
            4..36 => Error::OtherFilter,
            _ => Error::NotSealed,
        };
        prop_assert_eq!(LabelledTable::from_bytes(&bytes, &filter).unwrap_err(), expected);
        let cut = LabelledTable::from_bytes(&whole[..at], &filter);
        prop_assert!(matches!(cut, Err(Error::NotAState | Error::OtherFilter | Error::NotSealed)));
    }
}

#[test]
fn tables_of_another_secret_kind_law_or_column_do_not_merge() {
    let rows = [([0, 0, 0], Some(1), vec![])];
    let part = labelled(&filter(), &rows).into_table();
    let others = [("user", "branch", 0.8, 8), ("user", "doctor", 0.8, 9), ("user", "branch", 0.7, 9)];
    for (first, second, sd, secret) in others {
        let other = filter_of([first, second], sd, secret);
        assert_eq!(other.cap(), filter().cap(), "the cap tells nothing");
        assert_eq!(labelled(&other, &rows).merge(&part).unwrap_err(), Error::OtherFilter);
        assert_eq!(
            LabelledTable::from_bytes(&part.to_bytes(&filter()).unwrap(), &other).unwrap_err(),
            Error::OtherFilter
        );
        assert_eq!(other.apply(part.clone(), lcf::TableOptions::default()).unwrap_err(), Error::OtherFilter);
        let groups = grouped(&other, &rows);
        assert_eq!(grouped(&filter(), &rows).merge(groups).unwrap_err(), Error::OtherFilter);
    }
    let mut renamed = LabelledGroups::new(["a", "c", "b"], &filter(), GroupLimits::default());
    assert_eq!(renamed.merge(&part).unwrap_err(), Error::OtherColumns);
}

#[test]
fn bytes_of_a_table_that_claim_more_than_they_hold_are_refused() {
    let filter = filter();
    let sealer = Secret::new(&[9; 32]).unwrap().sealer();
    let sealed = |bytes: Vec<u8>| [&bytes[..], &sealer.seal("lcf state", &bytes)].concat();
    let claims = sealed([b"LCG2".as_slice(), &filter.digest(), &[0xff; 8]].concat());
    assert_eq!(LabelledTable::from_bytes(&claims, &filter).unwrap_err(), Error::NotAState);
    let groups = sealed([b"LCG2".as_slice(), &filter.digest(), &[0; 8], &[0xff; 8]].concat());
    assert_eq!(LabelledTable::from_bytes(&groups, &filter).unwrap_err(), Error::NotAState);
    let forged = [b"LCG2".as_slice(), &filter.digest(), &[0; 8], &[0; 24]].concat();
    assert_eq!(LabelledTable::from_bytes(&forged, &filter).unwrap_err(), Error::NotSealed);
}

#[test]
fn groups_beyond_the_limits_are_refused() {
    let filter = filter();
    let mut few = Groups::new(&filter, GroupLimits { groups: 2, ..GroupLimits::default() });
    few.row(1).unwrap();
    few.row(2).unwrap();
    few.row(1).unwrap();
    assert_eq!(few.row(3).unwrap_err(), Error::TooManyGroups { limit: 2 });
    let mut small = Groups::new(&filter, GroupLimits { bytes: 4096, ..GroupLimits::default() });
    let refused = (0..).find_map(|key| small.row(key).err()).unwrap();
    assert_eq!(refused, Error::TooMuchState { limit: 4096 });
    let mut labels = LabelledGroups::new(["a"], &filter, GroupLimits { bytes: 4096, ..GroupLimits::default() });
    assert_eq!(labels.row([&*"x".repeat(5000)]).unwrap_err(), Error::TooMuchState { limit: 4096 });
    let limits = GroupLimits { bytes: 1 << 19, ..GroupLimits::default() };
    let mut pairs = LabelledGroups::new(["a"; 60], &filter, limits);
    let numbers: Vec<String> = (0..300).map(|number| number.to_string()).collect();
    let refused = numbers.iter().find_map(|first| pairs.row([first.as_str()].into_iter().chain(["x"; 59])).err());
    assert_eq!(refused, Some(Error::TooMuchState { limit: 1 << 19 }), "pairs of 58 columns for each group");
}

#[test]
fn members_count_towards_the_limit_as_well() {
    let thresholds = ThresholdTable::new(ClampedNormal::new(5000.0, StdDev::new(100.0).unwrap(), 1.0).unwrap());
    let columns = vec![EntityColumn { kind: "user".into(), thresholds }];
    let secret = Secret::new(&[9; 32]).unwrap();
    let filter = LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, &secret).unwrap();
    let mut groups = Groups::new(&filter, GroupLimits { bytes: 50_000, ..GroupLimits::default() });
    let refused =
        (0..9000_u64).find_map(|user| groups.row(()).map(|mut row| row.insert_with(0, || user).unwrap()).err());
    assert_eq!(refused, Some(Error::TooMuchState { limit: 50_000 }));
}

#[test]
fn a_settled_group_does_not_even_ask_for_hashes() {
    let filter = filter();
    let mut groups = Groups::new(&filter, GroupLimits::default());
    for user in 0..8 {
        let mut row = groups.row(()).unwrap();
        assert!(!row.is_settled());
        row.insert_with(0, || user).unwrap();
        row.insert_with(1, || user).unwrap();
    }
    let mut row = groups.row(()).unwrap();
    assert!(row.is_settled());
    row.insert_with(0, || panic!("not needed")).unwrap();
}

#[test]
fn rows_that_do_not_fit_the_columns_are_errors_and_leave_the_groups_as_they_were() {
    let filter = filter();
    let rows: Vec<Row> = vec![([0, 0, 0], Some(1), vec![2]), ([1, 0, 2], Some(3), vec![])];
    let untouched = labelled(&filter, &rows).into_table().to_bytes(&filter).unwrap();
    let mut groups = labelled(&filter, &rows);
    for labels in [&["label 0", "new"][..], &[], &["label 0", "label 0", "new", "label 0"], &["new", "new", "new", ""]]
    {
        let refused = groups.row(labels.iter().copied()).map(drop).unwrap_err();
        assert_eq!(refused, Error::LabelCount { expected: 3 });
    }
    let table = groups.into_table();
    assert!(table.to_bytes(&filter).unwrap() == untouched, "a refused row leaves nothing behind");
    assert!(LabelledTable::from_bytes(&untouched, &filter).is_ok());
}

#[test]
fn a_group_that_is_refused_by_a_limit_leaves_no_label_behind() {
    let filter = filter();
    let mut groups = LabelledGroups::new(["a"], &filter, GroupLimits { groups: 1, ..GroupLimits::default() });
    groups.row(["first"]).unwrap();
    assert_eq!(groups.row(["second"]).map(drop).unwrap_err(), Error::TooManyGroups { limit: 1 });
    groups.row(["first"]).unwrap();
    let bytes = groups.into_table().to_bytes(&filter).unwrap();
    assert!(LabelledTable::from_bytes(&bytes, &filter).is_ok());
}

#[test]
fn columns_of_identifiers_that_do_not_exist_are_errors_whatever_the_group() {
    let filter = filter();
    let expected = Error::NoColumn { column: 2, columns: 2 };
    assert_eq!(filter.hasher(2).map(drop).unwrap_err(), expected);
    assert_eq!(filter.column(2).map(drop).unwrap_err(), expected);
    let mut groups = Groups::new(&filter, GroupLimits::default());
    assert_eq!(groups.row(()).unwrap().insert_with(2, || 1).unwrap_err(), expected);
    for user in 0..filter.cap().into() {
        let mut row = groups.row(()).unwrap();
        row.insert_with(0, || user).unwrap();
        row.insert_with(1, || user).unwrap();
    }
    let mut settled = groups.row(()).unwrap();
    assert!(settled.is_settled());
    assert_eq!(settled.insert_with(2, || 1).unwrap_err(), expected);
}

#[test]
fn rows_with_their_hashes_extend_groups() {
    let filter = filter();
    let rows: Vec<Row> = vec![([0, 0, 0], Some(1), vec![2, 5]), ([1, 0, 2], None, vec![])];
    let mut groups = LabelledGroups::new(["a", "b", "c"], &filter, GroupLimits::default());
    let texts: Vec<[String; 3]> = rows.iter().map(|row| row.0.map(|label| format!("label {label}"))).collect();
    let hashes = |(_, user, branches): &Row| -> Vec<(usize, u64)> {
        let users = user.iter().map(|&user| (0, user.into()));
        users.chain(branches.iter().map(|&branch| (1, u64::from(branch) << 40))).collect()
    };
    groups.extend(texts.iter().zip(&rows).map(|(text, row)| (text.iter().map(String::as_str), hashes(row)))).unwrap();
    assert!(groups.into_table() == labelled(&filter, &rows).into_table());
    let mut refused = LabelledGroups::new(["a"], &filter, GroupLimits::default());
    let error = refused.extend([(["x"], [(7, 1)])]).unwrap_err();
    assert_eq!(error, Error::NoColumn { column: 7, columns: 2 });
}

#[test]
fn a_set_flag_stops_reading_and_merging() {
    let filter = filter();
    let stop = privacy_core::stop::StopFlag::new();
    let limits = GroupLimits { stop: stop.clone(), ..GroupLimits::default() };
    let mut groups = LabelledGroups::new(["a", "b", "c"], &filter, limits.clone());
    let mut plain = Groups::new(&filter, limits);
    groups.row(["x", "y", "z"]).unwrap();
    let part = labelled(&filter, &[([0, 0, 0], Some(1), vec![])]).into_table();
    stop.set();
    assert_eq!(groups.row(["x", "y", "z"]).map(drop).unwrap_err(), Error::Stopped);
    assert_eq!(groups.merge(&part).unwrap_err(), Error::Stopped);
    assert_eq!(plain.extend([1], |_, _| Ok(())).unwrap_err(), Error::Stopped);
}

#[test]
fn rows_count_alike_queued_read_ahead_or_one_by_one() {
    count_alike(1_000);
}

/// With many groups rows are counted some at a time, and their state is read ahead.
#[test]
fn rows_of_many_groups_count_alike_queued_read_ahead_or_one_by_one() {
    count_alike(120_000);
}

fn count_alike(all: u64) {
    let filter = filter();
    let number = |row: u64| row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let labels = |row: u64| [number(row) % 37, number(row) / 37 % 29, number(row) / 1073 % 31, number(row) % 3];
    let text = |label: u64| format!("label {label}");
    let user = |row: u64| row % 11 + number(row) % 5;
    let columns = ["a", "b", "c", "d"];
    let mut one_by_one = LabelledGroups::new(columns, &filter, GroupLimits::default());
    let mut queued = LabelledGroups::new(columns, &filter, GroupLimits::default());
    let mut queue = RowQueue::default();
    for row in 0..all {
        let texts = labels(row).map(text);
        let texts = || texts.iter().map(String::as_str);
        let mut group = one_by_one.row(texts()).unwrap();
        group.insert_with(0, || user(row)).unwrap();
        queued.queue(&mut queue, texts()).unwrap();
        queue.insert(0, user(row));
        if row % 3 == 0 {
            group.insert_with(1, || row % 7).unwrap();
            queue.insert(1, row % 7);
        }
    }
    assert_eq!(queued.are_many(), all > 100_000);
    queued.count_queue(&mut queue).unwrap();
    queued.count_queue(&mut queue).unwrap();
    let table = one_by_one.into_table();
    assert!(table == queued.into_table());
    let labels_of = |group: usize| table.labels(group).map(str::to_owned).collect::<Vec<_>>();
    assert!((1..table.len()).all(|group| labels_of(group - 1) < labels_of(group)), "in the order of labels");

    let [mut rows, mut ahead] = [(), ()].map(|()| Groups::new(&filter, GroupLimits::default()));
    (0..all).for_each(|row| rows.row(labels(row)).unwrap().insert_with(0, || user(row)).unwrap());
    ahead.extend((0..all).map(labels), |row, group| group.insert_with(0, || user(row as u64))).unwrap();
    assert!(rows.into_groups() == ahead.into_groups());
}
