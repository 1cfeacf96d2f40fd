//! Whole tables through the filter: what is shown, what is merged, what the audit says.

use std::num::NonZeroU32;

use lcf::{
    ClampedNormal, ColumnRule, Counted, DrawMode, EntityColumn, FilteredTable, GroupLimits, GroupNumber,
    GroupsPerEntity, HardThreshold, Identifier, LabelledGroups, LowCountFilter, Reason, Rest, SizeClass, TableOptions,
    ThresholdTable,
};
use privacy_core::param::StdDev;
use privacy_core::prf::Secret;

fn secret(byte: u8) -> Secret {
    Secret::new(&[byte; 32]).unwrap()
}

fn hard(least: u32) -> LowCountFilter {
    let columns = vec![EntityColumn {
        kind: "user".into(),
        thresholds: ThresholdTable::new(HardThreshold::at_least(least).unwrap()),
    }];
    let filter = LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, &secret(1)).unwrap();
    filter.with_number(GroupNumber::Exact(Counted::Rows)).unwrap()
}

fn normal(mode: DrawMode, byte: u8) -> LowCountFilter {
    let thresholds = ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5).unwrap(), 2.0).unwrap());
    let column = EntityColumn { kind: "user".into(), thresholds };
    let filter = match mode {
        DrawMode::Query => LowCountFilter::new(vec![column], ColumnRule::WorkingColumn, mode, &secret(byte)).unwrap(),
        // More groups than any of these tables has.
        DrawMode::Publish => {
            let groups = GroupsPerEntity::AtMost(NonZeroU32::new(10_000).unwrap());
            LowCountFilter::publishing(column, groups, &secret(byte)).unwrap()
        }
    };
    filter.with_number(GroupNumber::Exact(Counted::Rows)).unwrap()
}

/// Groups given by their labels and the users in them.
fn apply<const N: usize>(
    filter: &LowCountFilter,
    names: [&str; N],
    groups: &[([&str; N], std::ops::Range<i64>)],
    options: TableOptions,
) -> FilteredTable {
    let mut table = LabelledGroups::new(names, filter, GroupLimits::default());
    for (labels, users) in groups {
        if users.is_empty() {
            table.row(labels.iter().copied()).unwrap();
        }
        for user in users.clone() {
            let mut row = table.row(labels.iter().copied()).unwrap();
            row.insert_with(0, || Identifier::from(user).hash(filter.hasher(0).unwrap())).unwrap();
        }
    }
    filter.apply(table.into_table(), options).unwrap()
}

fn shown(table: &FilteredTable) -> Vec<(String, u64)> {
    table.reported().map(|group| (group.labels().collect::<Vec<_>>().join(" "), group.number.unwrap())).collect()
}

fn outcome(table: &FilteredTable, labels: &[&str]) -> lcf::GroupOutcome {
    table.outcomes()[table.table().find(labels).unwrap()]
}

#[test]
fn groups_are_shown_in_the_order_of_their_labels_and_the_rest_as_one() {
    let filter = hard(5);
    let groups = [(["b"], 0..9), (["a"], 10..15), (["x"], 20..23), (["y"], 30..34), (["z"], 0..0)];
    let table = apply(&filter, ["city"], &groups, TableOptions::default());
    assert_eq!(shown(&table), [("a".into(), 5), ("b".into(), 9)]);
    assert_eq!(table.rest(), Rest::Reported { number: Some(8) }, "3 + 4 people, and a row that is nobody's");
    let positions: Vec<usize> = table.reported().map(|group| group.position()).collect();
    assert_eq!(positions, [0, 1]);
    assert_eq!(outcome(&table, &["z"]).decision.reason, Reason::NoEntity);
    let class = |label| table.size_class(table.table().find(&[label]).unwrap());
    assert_eq!([class("z"), class("x")], [SizeClass::Below { floor: 5 }; 2], "0 and 3 people look alike");
    assert_eq!(class("b"), SizeClass::AtLeast { cap: 5 });
}

#[test]
fn a_rest_of_one_group_or_of_too_few_people_is_not_shown() {
    let filter = hard(5);
    let one = apply(&filter, ["city"], &[(["a"], 0..9), (["x"], 20..24)], TableOptions::default());
    assert_eq!(one.rest(), Rest::TooFewGroups);
    let same_people = [(["x"], 20..24), (["y"], 20..24)];
    assert_eq!(apply(&filter, ["city"], &same_people, TableOptions::default()).rest(), Rest::Suppressed);
    assert_eq!(apply(&filter, ["city"], &[], TableOptions::default()).rest(), Rest::TooFewGroups);
}

#[test]
fn a_reported_count_is_never_below_the_floor() {
    let filter = hard(5);
    let mut table = LabelledGroups::new(["city"], &filter, GroupLimits::default());
    let mut row = table.row(["a"]).unwrap();
    (0..6).for_each(|user| row.insert_with(0, || Identifier::from(user).hash(filter.hasher(0).unwrap())).unwrap());
    let table = filter.apply(table.into_table(), TableOptions::default()).unwrap();
    assert_eq!(shown(&table), [("a".into(), 5)], "one row with six people");
}

/// The only woman among the professors of mathematics.
fn victim() -> [([&'static str; 3], std::ops::Range<i64>); 4] {
    [
        (["math", "man", "professor"], 0..20),
        (["math", "woman", "professor"], 20..21),
        (["law", "man", "professor"], 30..50),
        (["law", "woman", "student"], 50..70),
    ]
}

#[test]
fn a_group_of_low_effect_is_merged_into_the_sibling_that_isolates_it() {
    let filter = hard(5);
    let names = ["dept", "sex", "title"];
    let table = apply(&filter, names, &victim(), TableOptions::default());
    let rows = |label: &str| shown(&table).into_iter().find(|(labels, _)| labels == label).map(|(_, rows)| rows);
    assert_eq!(rows("math man professor"), Some(21), "she is in the group with and without the condition");
    assert!(outcome(&table, &["math", "woman", "professor"]).is_merged);
    assert_eq!((table.rest(), table.audit().merged), (Rest::TooFewGroups, 1), "who was merged is not in the rest");
    let options = TableOptions { low_effect: false, ..TableOptions::default() };
    let off = apply(&filter, names, &victim(), options);
    assert_eq!(shown(&off)[2], ("math man professor".into(), 20));
}

#[test]
fn a_merged_group_counts_once_however_many_groups_took_its_people() {
    let groups = [(["a", "m", "p"], 0..20), (["a", "m", "s"], 40..42), (["a", "w", "s"], 20..40)];
    for counted in [Counted::Entities, Counted::Rows] {
        let filter = hard(5).with_number(GroupNumber::Exact(counted)).unwrap();
        let table = apply(&filter, ["dept", "sex", "title"], &groups, TableOptions::default());
        // The column of the sexes comes before that of the titles.
        assert_eq!(shown(&table), [("a m p".into(), 20), ("a w s".into(), 22)], "{counted:?}");
    }
    let table = apply(&hard(5), ["dept", "sex", "title"], &groups, TableOptions::default());
    assert!(table.reported().all(|group| group.took_merged()), "both say that they hold others");
    assert_eq!(table.table().entities().collect::<Vec<_>>()[1], lcf::EntityCount::Exactly(2));
    let plain = apply(&hard(5), ["dept"], &[(["a"], 0..20)], TableOptions::default());
    assert!(plain.reported().all(|group| !group.took_merged()));
}

#[test]
fn targets_are_decided_again_with_the_people_they_took() {
    // Eight people, reported by the draw under some secrets; with a ninth the draw is another
    // one.
    let groups = [(["a", "m", "p"], 0..8), (["a", "w", "p"], 8..9)];
    let changed = (0..60_u8).filter(|&byte| {
        let filter = normal(DrawMode::Query, byte);
        let before = apply(&filter, ["x", "y", "z"], &groups[..1], TableOptions::default());
        let after = apply(&filter, ["x", "y", "z"], &groups, TableOptions::default());
        let (before, after) = (outcome(&before, &groups[0].0), outcome(&after, &groups[0].0));
        assert_eq!(
            outcome(&apply(&filter, ["x", "y", "z"], &groups, TableOptions::default()), &groups[1].0).is_merged,
            before.is_reported()
        );
        before.is_reported() && !after.is_reported()
    });
    // 1/2 by 1/4 of 60 secrets.
    assert!((1..=25).contains(&changed.count()));
}

#[test]
fn near_duplicates_are_flagged_on_both_sides() {
    let filter = normal(DrawMode::Query, 1);
    let groups =
        [(["with her"], 0..9), (["without her"], 0..8), (["others"], 20..29), (["more"], 30..39), (["many"], 0..40)];
    let table = apply(&filter, ["club"], &groups, TableOptions::default());
    let near = |label| outcome(&table, &[label]).near_duplicates;
    assert_eq!(["with her", "without her", "others", "more", "many"].map(near), [1, 1, 0, 0, 0]);
    assert_eq!(table.audit().near_duplicates, 2, "of five");
}

/// 4,000 groups of eight people: half of them reported.
fn of_eight(mode: DrawMode, shared: bool) -> lcf::AuditReport {
    let filter = normal(mode, 3);
    let mut table = LabelledGroups::new(["group"], &filter, GroupLimits::default());
    for group in 0..4000 {
        let label = group.to_string();
        let first = if shared { 0 } else { 8 * group };
        for user in first..first + 8 {
            let mut row = table.row([label.as_str()]).unwrap();
            row.insert_with(0, || Identifier::from(user).hash(filter.hasher(0).unwrap())).unwrap();
        }
    }
    filter.apply(table.into_table(), TableOptions::of(mode)).unwrap().audit()
}

#[test]
fn the_audit_counts_draws_once_and_finds_them_as_likely_as_their_law() {
    let audit = of_eight(DrawMode::Query, false);
    assert_eq!((audit.groups, audit.drawn, audit.expected), (4000, 4000, 2000.0));
    assert_eq!(audit.by_reason[&Reason::SuppressedByDraw] + audit.by_reason[&Reason::ReportedByDraw], 4000);
    assert_eq!(audit.by_reason[&Reason::ReportedByDraw], audit.reported);
    // Beyond 6.2 standard deviations with probability 6e-10.
    assert!(audit.z.unwrap().abs() < 6.2, "{audit:?}");
    // 4,000 fair draws have a variance of 1,000.
    let z = (audit.reported as f64 - 2000.0) / 1000_f64.sqrt();
    assert!((audit.z.unwrap() - z).abs() < 1e-9 && z != 0.0, "{audit:?} {z}");
    let shared = of_eight(DrawMode::Query, true);
    assert_eq!((shared.groups, shared.drawn), (4000, 1), "equal sets share their draw");
    let published = of_eight(DrawMode::Publish, true);
    assert_eq!(published.drawn, 4000, "published groups draw by their names");
    assert!(published.z.unwrap().abs() < 6.2, "{published:?}");
}

#[test]
fn publish_mode_refuses_to_merge_groups_of_low_effect() {
    let filter = normal(DrawMode::Publish, 1);
    let table = || LabelledGroups::new(["city"], &filter, GroupLimits::default()).into_table();
    let refused = filter.apply(table(), TableOptions::default()).unwrap_err();
    assert_eq!(refused, lcf::Error::MergedPublication);
    assert!(filter.apply(table(), TableOptions::of(DrawMode::Publish)).is_ok());
    assert_eq!(TableOptions::of(DrawMode::Query), TableOptions::default());
}

#[test]
fn debug_shows_no_labels_and_no_counts() {
    let filter = hard(5);
    let table = apply(&filter, ["city"], &[(["Secretville"], 0..9)], TableOptions::default());
    let shown = format!("{table:?} {:?} {:?}", table.table(), table.reported().next().unwrap());
    assert!(shown.contains("city") && !shown.contains("Secretville") && !shown.contains('9'), "{shown}");
}

#[test]
fn a_filtered_table_outlives_its_filter_and_explains_itself() {
    let table = {
        let filter = normal(DrawMode::Query, 3);
        apply(&filter, ["city"], &[(["a"], 0..20), (["b"], 30..31)], TableOptions::default())
    };
    assert_eq!(shown(&table), [("a".to_owned(), 20)]);
    assert_eq!((table.filter().columns()[0].kind.as_str(), table.filter().floor()), ("user", 3));
    assert_eq!(table.size_class(1), SizeClass::Below { floor: 3 });
}

#[test]
fn a_set_flag_stops_the_filter() {
    let filter = hard(5);
    let stop = privacy_core::stop::StopFlag::new();
    stop.set();
    let mut groups = LabelledGroups::new(["city"], &filter, GroupLimits::default());
    groups.row(["a"]).unwrap();
    let options = TableOptions { stop, ..TableOptions::default() };
    let table = groups.into_table();
    assert_eq!(filter.apply(table.clone(), options.clone()).map(drop).unwrap_err(), lcf::Error::Stopped);
    let decisions_alone = TableOptions { low_effect: false, near_duplicates: false, ..options };
    assert_eq!(filter.apply(table, decisions_alone).map(drop).unwrap_err(), lcf::Error::Stopped);
}
