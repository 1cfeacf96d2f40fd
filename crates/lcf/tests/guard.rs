//! The difference guard against an attacker who asks with and without a victim.

use lcf::{
    ClampedNormal, ColumnRule, DifferenceGuard, DrawMode, EntityColumn, EntitySet, Error, GroupLimits, LabelledGroups,
    LabelledTable, LowCountFilter, TableOptions, ThresholdTable,
};
use privacy_core::param::StdDev;
use privacy_core::prf::Secret;

const VICTIM: i64 = -1;

fn filter(columns: usize, rule: ColumnRule, mode: DrawMode) -> LowCountFilter {
    let thresholds = ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5).unwrap(), 2.0).unwrap());
    let columns = vec![EntityColumn { kind: "user".into(), thresholds }; columns];
    LowCountFilter::new(columns, rule, mode, &Secret::new(&[11; 32]).unwrap()).unwrap()
}

fn set(filter: &LowCountFilter, members: impl IntoIterator<Item = i64>) -> [EntitySet; 1] {
    let mut set = EntitySet::new(filter.cap());
    members.into_iter().for_each(|member| set.insert(filter.hasher(0).unwrap().hash_i64(member)));
    [set]
}

/// Of 400 groups of seven, with the victim in the second question: how often two answers differ.
fn differing(decide: &mut dyn FnMut(&LowCountFilter, &[EntitySet]) -> bool) -> usize {
    let filter = filter(1, ColumnRule::WorkingColumn, DrawMode::Query);
    let pair = |group: &i64| {
        let others = 7 * group..7 * group + 7;
        let without = decide(&filter, &set(&filter, others.clone()));
        without != decide(&filter, &set(&filter, others.chain([VICTIM])))
    };
    (0..400).filter(pair).count()
}

#[test]
fn answers_with_and_without_the_victim_agree_under_the_guard_and_differ_without_it() {
    let unguarded = differing(&mut |filter, sets| filter.decide(sets, None).unwrap().is_reported());
    // Half of 400: outside 130..=270 with probability 2e-12.
    assert!((130..=270).contains(&unguarded), "{unguarded}");
    let mut guard = DifferenceGuard::new();
    assert_eq!(differing(&mut |filter, sets| guard.decide(filter, sets).unwrap().is_reported()), 0);
}

#[test]
fn whichever_is_asked_first_answers_for_both_and_for_ever() {
    let filter = filter(1, ColumnRule::WorkingColumn, DrawMode::Query);
    let mut guard = DifferenceGuard::new();
    for group in 0..200_i64 {
        let sets = [8, 9, 7].map(|size| set(&filter, 20 * group..20 * group + size));
        let free = filter.decide(&sets[0], None).unwrap().is_reported();
        let answers = sets.each_ref().map(|sets| guard.decide(&filter, sets).unwrap().is_reported());
        assert_eq!(answers, [free; 3], "the first is free, one more and one less follow");
        assert_eq!(sets.each_ref().map(|sets| guard.decide(&filter, sets).unwrap().is_reported()), answers);
    }
    assert_eq!(guard.len(), 600);
}

#[test]
fn what_follows_an_anchor_is_none_itself() {
    let filter = filter(1, ColumnRule::WorkingColumn, DrawMode::Query);
    let chained = (0..200_i64).filter(|&group| {
        let mut guard = DifferenceGuard::new();
        let first = 20 * group;
        let answers =
            [7, 8, 9].map(|size| guard.decide(&filter, &set(&filter, first..first + size)).unwrap().is_reported());
        let free = filter.decide(&set(&filter, first..first + 9), None).unwrap().is_reported();
        assert_eq!(answers[2], free, "nine differ from the anchor by two");
        answers[1] != answers[2]
    });
    assert!(chained.count() > 0);
}

#[test]
fn the_guard_never_shows_what_the_floor_hides_nor_hides_what_is_certain() {
    let filter = filter(1, ColumnRule::WorkingColumn, DrawMode::Query);
    let mut guard = DifferenceGuard::new();
    for group in 0..2000_i64 {
        let first = 100 * group;
        guard.decide(&filter, &set(&filter, first..first + 3)).unwrap();
        assert!(!guard.decide(&filter, &set(&filter, first..first + 2)).unwrap().is_reported());
        guard.decide(&filter, &set(&filter, first + 50..first + 64)).unwrap();
        assert!(guard.decide(&filter, &set(&filter, first + 50..first + 65)).unwrap().is_reported());
    }
}

#[test]
fn filters_without_one_deciding_set_are_refused() {
    let mut guard = DifferenceGuard::new();
    for (columns, rule, mode) in
        [(1, ColumnRule::WorkingColumn, DrawMode::Publish), (2, ColumnRule::All, DrawMode::Query)]
    {
        let filter = filter(columns, rule, mode);
        let sets = vec![EntitySet::new(filter.cap()); columns];
        assert_eq!(guard.decide(&filter, &sets).unwrap_err(), Error::Unguarded);
    }
    assert_eq!(format!("{guard:?}"), "DifferenceGuard { answers: 0, .. }");
}

/// A table of groups of these people, with these labels.
fn table(filter: &LowCountFilter, groups: impl IntoIterator<Item = (String, Vec<i64>)>) -> LabelledTable {
    let mut labelled = LabelledGroups::new(["group"], filter, GroupLimits::default());
    for (label, people) in groups {
        for person in people {
            let hash = filter.hasher(0).unwrap().hash_i64(person);
            labelled.row([label.as_str()]).unwrap().insert_with(0, || hash).unwrap();
        }
    }
    labelled.into_table()
}

/// 300 groups of eight, without their last person where they are `short`; `label` names them.
fn groups(filter: &LowCountFilter, short: bool, label: impl Fn(i64) -> String) -> LabelledTable {
    table(filter, (0..300).map(|group| (label(group), (20 * group..20 * group + 8 - i64::from(short)).collect())))
}

fn shown(filter: &LowCountFilter, table: LabelledTable, guard: &mut DifferenceGuard) -> Vec<bool> {
    let options = TableOptions::of(DrawMode::Query);
    let table = filter.apply_guarded(table, options, guard).unwrap();
    assert!(table.is_guarded() && table.audit().z.is_none());
    table.outcomes().iter().map(|outcome| outcome.is_reported()).collect()
}

#[test]
fn a_second_table_with_one_person_less_in_each_group_gets_the_answers_of_the_first() {
    let filter = filter(1, ColumnRule::WorkingColumn, DrawMode::Query);
    let mut guard = DifferenceGuard::new();
    let name = |group: i64| format!("{group:03}");
    let first = shown(&filter, groups(&filter, false, name), &mut guard);
    assert!((60..240).contains(&first.iter().filter(|&&shown| shown).count()));
    let mut later = DifferenceGuard::from_bytes(&guard.to_bytes(&filter), &filter).unwrap();
    assert_eq!(shown(&filter, groups(&filter, true, name), &mut later), first);
    assert_ne!(shown(&filter, groups(&filter, true, name), &mut DifferenceGuard::new()), first);
}

#[test]
fn labels_have_no_say_in_which_of_two_near_groups_answers_for_both() {
    let filter = filter(1, ColumnRule::WorkingColumn, DrawMode::Query);
    // Both groups of a pair in one table, under labels that sort either way.
    let pairs = |small: &str, large: &str| {
        let pair = |group: i64| {
            let people: Vec<i64> = (20 * group..20 * group + 8).collect();
            [(format!("{group:03} {small}"), people[..7].to_vec()), (format!("{group:03} {large}"), people)]
        };
        shown(&filter, table(&filter, (0..200).flat_map(pair)), &mut DifferenceGuard::new())
    };
    let (one, other) = (pairs("a", "b"), pairs("b", "a"));
    assert_eq!(one, other);
    assert!(one.chunks(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn answers_that_are_read_back_are_those_that_were_given() {
    let filter = filter(1, ColumnRule::WorkingColumn, DrawMode::Query);
    let mut guard = DifferenceGuard::new();
    assert!(guard.is_empty());
    for group in 0..100_i64 {
        for size in [8, 9] {
            guard.decide(&filter, &set(&filter, 20 * group..20 * group + size)).unwrap();
        }
    }
    assert!(!guard.is_empty());
    let mut read = DifferenceGuard::from_bytes(&guard.to_bytes(&filter), &filter).unwrap();
    // The sets themselves; one less than the anchor; one more than what followed it, which is no anchor.
    for size in [8, 9, 7, 10] {
        for group in 0..100_i64 {
            let asked = set(&filter, 20 * group..20 * group + size);
            assert_eq!(read.decide(&filter, &asked).unwrap(), guard.decide(&filter, &asked).unwrap(), "{group} {size}");
        }
    }
}

#[test]
fn one_column_decides_alone_or_because_there_is_no_other() {
    for (columns, rule) in [(1, ColumnRule::All), (2, ColumnRule::WorkingColumn)] {
        let filter = filter(columns, rule, DrawMode::Query);
        let sets: Vec<EntitySet> = (0..columns).flat_map(|_| set(&filter, 0..8)).collect();
        assert!(DifferenceGuard::new().decide(&filter, &sets).is_ok(), "{columns} {rule:?}");
    }
}

#[test]
fn stored_answers_are_sealed_and_older_ones_are_noticed() {
    let filter = filter(1, ColumnRule::WorkingColumn, DrawMode::Query);
    let mut guard = DifferenceGuard::new();
    assert!(guard.continues(None) && !guard.continues(Some([1; 16])));
    guard.decide(&filter, &set(&filter, 0..8)).unwrap();
    let first = guard.to_bytes(&filter);
    let sealed = DifferenceGuard::seal_of(&first);
    let mut guard = DifferenceGuard::from_bytes(&first, &filter).unwrap();
    // Noted, or written and not noted before the program ended.
    assert!(guard.continues(sealed) && guard.continues(None));
    guard.decide(&filter, &set(&filter, 20..28)).unwrap();
    let second = guard.to_bytes(&filter);
    let noted = DifferenceGuard::seal_of(&second);
    let newest = DifferenceGuard::from_bytes(&second, &filter).unwrap();
    assert!(newest.continues(noted) && newest.continues(sealed) && !newest.continues(None));
    assert!(!DifferenceGuard::from_bytes(&first, &filter).unwrap().continues(noted), "an older copy");
    assert_eq!((newest.len(), newest.to_bytes(&filter).len()), (2, 4 + 32 + 17 + 8 + 18 + 8 + 16 * 9 + 16));
    for at in 0..second.len() {
        let mut changed = second.clone();
        changed[at] ^= 1;
        assert!(DifferenceGuard::from_bytes(&changed, &filter).is_err(), "{at}");
        assert!(DifferenceGuard::from_bytes(&second[..at], &filter).is_err(), "{at}");
    }
}

#[test]
fn a_known_person_in_one_of_the_groups_undoes_the_guard() {
    // The victim is asked about with a known person besides: two more than the anchor if it is
    // there, one more if it is not.
    let filter = filter(1, ColumnRule::WorkingColumn, DrawMode::Query);
    let differing = |is_there: bool| {
        let differs = |&group: &i64| {
            let (mut guard, others) = (DifferenceGuard::new(), 20 * group..20 * group + 7);
            let mut decide = |people: Vec<i64>| guard.decide(&filter, &set(&filter, people)).unwrap().is_reported();
            let known = [-2].into_iter().chain(is_there.then_some(VICTIM));
            decide(others.clone().collect()) != decide(others.clone().chain(known).collect())
        };
        (0..400_i64).filter(differs).count()
    };
    assert_eq!(differing(false), 0);
    assert!(differing(true) > 100);
}
