//! The difference guard against an attacker who asks with and without a victim.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use lcf::{
    ClampedNormal, ColumnRule, DifferenceGuard, DrawMode, EntityColumn, EntitySet, Error, LowCountFilter,
    ThresholdTable,
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
