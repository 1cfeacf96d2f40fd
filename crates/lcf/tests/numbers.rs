//! Numbers beside groups: what is shown, what it gives away, and what is refused.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use lcf::{
    ClampedNormal, ColumnRule, Counted, DrawMode, EntityColumn, Error, GroupLimits, GroupNumber, GroupsPerEntity,
    HardThreshold, LabelledGroups, LabelledTable, LowCountFilter, NumberNoise, OptimalSelection, Rest, TableOptions,
    ThresholdTable,
};
use privacy_core::param::{Delta, Epsilon, StdDev};
use privacy_core::prf::Secret;

fn thresholds() -> ThresholdTable {
    ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5).unwrap(), 2.0).unwrap())
}

fn column(thresholds: ThresholdTable) -> EntityColumn {
    EntityColumn { kind: "user".to_owned(), thresholds }
}

fn secret(byte: u8) -> Secret {
    Secret::new(&[byte; 32]).unwrap()
}

fn query(number: GroupNumber) -> LowCountFilter {
    LowCountFilter::new(vec![column(thresholds())], ColumnRule::WorkingColumn, DrawMode::Query, &secret(7))
        .unwrap()
        .with_number(number)
        .unwrap()
}

fn rounded(base: u32) -> GroupNumber {
    GroupNumber::Rounded(NumberNoise::rounding(base).unwrap())
}

fn noisy(scale: f64, base: u32) -> GroupNumber {
    GroupNumber::Noisy(NumberNoise::laplace(scale).unwrap().rounded_to(base).unwrap())
}

/// A table of one group for each list of people, each with `rows` rows a person.
fn table(filter: &LowCountFilter, groups: &[(&str, Vec<u64>)], rows: usize) -> LabelledTable {
    let mut table = LabelledGroups::new(["group"], filter, GroupLimits::default());
    for (label, people) in groups {
        for _ in 0..rows {
            for person in people {
                let hash = filter.hasher(0).unwrap().hash_u64(*person);
                table.row([*label]).unwrap().insert_with(0, || hash).unwrap();
            }
        }
    }
    table.into_table()
}

/// The lines that are shown.
fn lines(filter: &LowCountFilter, groups: &[(&str, Vec<u64>)]) -> BTreeMap<String, Option<u64>> {
    let filtered = filter.apply(table(filter, groups, 2), TableOptions::of(filter.mode())).unwrap();
    filtered.reported().map(|group| (group.labels().collect(), group.number)).collect()
}

#[test]
fn no_number_is_shown_unless_one_is_asked_for() {
    let groups = [("a", (0..40).collect())];
    assert_eq!(lines(&query(GroupNumber::Hidden), &groups)["a"], None);
    assert_eq!(lines(&query(GroupNumber::Exact(Counted::Rows)), &groups)["a"], Some(80));
    assert_eq!(lines(&query(GroupNumber::Exact(Counted::Entities)), &groups)["a"], Some(40));
}

#[test]
fn sticky_numbers_depend_on_the_people_alone() {
    let filter = query(noisy(2.0, 10));
    let people: Vec<u64> = (100..157).collect();
    let shuffled: Vec<u64> = people.iter().rev().copied().collect();
    let shown = lines(&filter, &[("a", people), ("b", shuffled)]);
    assert_eq!(shown["a"], shown["b"]);
    assert_eq!(shown["a"].unwrap() % 10, 0);
}

#[test]
fn numbers_are_the_same_however_the_table_was_split_and_stored() {
    let filter = query(rounded(5));
    let (first, second) =
        (table(&filter, &[("a", (0..30).collect())], 1), table(&filter, &[("a", (20..47).collect())], 1));
    let mut groups = LabelledGroups::new(["group"], &filter, GroupLimits::default());
    for part in [&second, &LabelledTable::from_bytes(&first.to_bytes(&filter).unwrap(), &filter).unwrap()] {
        groups.merge(part).unwrap();
    }
    let merged = filter.apply(groups.into_table(), TableOptions::of(DrawMode::Query)).unwrap();
    let number = merged.reported().next().unwrap().number;
    assert_eq!(number, lines(&filter, &[("a", (0..47).collect())])["a"]);
    assert_eq!(
        first.to_bytes(&query(GroupNumber::Hidden)),
        Err(Error::OtherFilter),
        "a table that holds all entities is of another filter"
    );
}

#[test]
fn no_number_is_below_the_floor() {
    let filter = query(rounded(100));
    let groups: Vec<(String, Vec<u64>)> =
        (0..200).map(|group| (group.to_string(), (group * 100..group * 100 + 12).collect())).collect();
    let groups: Vec<(&str, Vec<u64>)> = groups.iter().map(|(label, people)| (label.as_str(), people.clone())).collect();
    let shown = lines(&filter, &groups);
    assert!(shown.values().all(|number| matches!(number, Some(3 | 100))), "{shown:?}");
    assert!(shown.values().any(|&number| number == Some(3)) && shown.values().any(|&number| number == Some(100)));
}

/// How often lines with and without a person differ, over groups of new people.
fn differ(filter: &LowCountFilter, n: u64, pairs: u64) -> f64 {
    let mut differing = 0;
    for pair in 0..pairs {
        let without: Vec<u64> = (0..n).map(|i| pair << 20 | i).collect();
        let with: Vec<u64> = (0..=n).map(|i| pair << 20 | i).collect();
        let lines = lines(filter, &[("without", without), ("with", with)]);
        differing += u32::from(lines.get("without") != lines.get("with"));
    }
    f64::from(differing) / pairs as f64
}

#[test]
fn pairs_of_lines_differ_as_often_as_stated() {
    for number in [GroupNumber::Hidden, rounded(10), noisy(2.0, 10), GroupNumber::Exact(Counted::Entities)] {
        let odds = thresholds().line_odds(&number);
        for pair in [odds.worst, odds.certain_groups] {
            let measured = differ(&query(number), pair.n, 3000);
            // Five standard deviations.
            let room = 5.0 * (pair.detection * (1.0 - pair.detection) / 3000.0).sqrt() + 1e-9;
            assert!((measured - pair.detection).abs() <= room, "{number:?} {pair:?}: {measured}");
        }
    }
}

#[test]
fn one_line_and_a_pair_of_lines_reveal_what_the_page_says() {
    let odds = |number| thresholds().line_odds(&number);
    let (hidden, exact) = (odds(GroupNumber::Hidden), odds(GroupNumber::Exact(Counted::Rows)));
    assert_eq!(hidden.certain_groups.pairs_for_99_percent, None);
    assert!((hidden.certainty - thresholds().odds().certainty()).abs() < 1e-15);
    assert!((hidden.posterior - thresholds().odds().posterior()).abs() < 1e-12);
    assert_eq!((exact.certainty, exact.certain_groups.pairs_for_99_percent), (1.0, Some(1)));
    let (rounded, noisy) = (odds(rounded(10)), odds(noisy(2.0, 10)));
    assert!((0.1..0.14).contains(&rounded.certain_groups.detection), "{rounded:?}");
    assert!((0.1..0.14).contains(&noisy.certain_groups.detection), "{noisy:?}");
    // Rounding proves one more at a multiple of the base; noise does not.
    assert!((rounded.certainty - 0.05).abs() < 1e-9, "{rounded:?}");
    assert!((noisy.certainty - hidden.certainty).abs() < 1e-9, "{noisy:?}");
}

fn publication(scale: f64, groups: u32) -> LowCountFilter {
    let noise = NumberNoise::laplace(scale).unwrap();
    let k = NonZeroU32::new(groups).unwrap();
    let law = OptimalSelection::new(Epsilon::new(1.0).unwrap(), Delta::new(1e-5).unwrap(), k, 2).unwrap();
    let law = law.beside_number(noise.epsilon().unwrap()).unwrap();
    LowCountFilter::publishing(column(ThresholdTable::new(law)), GroupsPerEntity::AtMost(k), &secret(7))
        .unwrap()
        .with_number(GroupNumber::Noisy(noise))
        .unwrap()
}

#[test]
fn decisions_and_numbers_of_a_publication_keep_one_epsilon_and_delta() {
    for (scale, groups) in [(2.0, 1), (4.0, 1), (6.0, 3), (20.0, 10), (100.0, 50)] {
        let filter = publication(scale, groups);
        let thresholds = &filter.column(0).unwrap().thresholds;
        let profile = thresholds.release_profile(NonZeroU32::new(groups).unwrap());
        let number = filter.description().number_epsilon().unwrap();
        let whole = profile.beside_number(number).delta(Epsilon::new(1.0).unwrap());
        assert!(whole <= 1e-5, "{scale} {groups}: {whole}");
        assert!(whole > 1e-7, "{scale} {groups}: the budget is used, {whole}");
        // Without their numbers the same groups cost less; with less noise, more.
        assert!(profile.delta(Epsilon::new(1.0).unwrap()) <= whole);
        assert!(profile.beside_number(3.0 * number).delta(Epsilon::new(1.0).unwrap()) > 1e-5);
    }
}

/// Both inequalities of (epsilon, delta) for the law of a line, by the laws of decision and noise.
#[test]
fn the_law_of_a_line_is_epsilon_delta_by_enumeration() {
    let filter = publication(2.0, 1);
    let thresholds = &filter.column(0).unwrap().thresholds;
    let ratio = f64::exp(-0.5);
    let law = |n: u64| {
        let p = thresholds.decision_probability(n);
        let noise = move |v: i64| (1.0 - ratio) / (1.0 + ratio) * ratio.powi((v - n as i64).unsigned_abs() as i32);
        let lines: Vec<f64> = (-200..400).map(|v| p.reported * noise(v)).chain([p.suppressed]).collect();
        lines
    };
    let excess = |here: &[f64], there: &[f64]| -> f64 {
        here.iter().zip(there).map(|(h, t)| (h - std::f64::consts::E * t).max(0.0)).sum()
    };
    for n in 0..thresholds.cap() + 3 {
        let (fewer, more) = (law(n), law(n + 1));
        let worst = excess(&fewer, &more).max(excess(&more, &fewer));
        assert!(worst <= 1e-5 * (1.0 + 1e-6), "{n}: {worst}");
    }
}

#[test]
fn noise_of_a_publication_is_drawn_for_each_group_and_table() {
    let filter = publication(4.0, 1);
    let everybody = |shift: u64| {
        (0..60).map(move |group| (group, (group * 1000 + shift..group * 1000 + shift + 50).collect::<Vec<u64>>()))
    };
    let shown = |shift: u64| {
        let groups: Vec<(String, Vec<u64>)> =
            everybody(shift).map(|(group, people)| (group.to_string(), people)).collect();
        let groups: Vec<(&str, Vec<u64>)> =
            groups.iter().map(|(label, people)| (label.as_str(), people.clone())).collect();
        lines(&filter, &groups)
    };
    let (first, again, other) = (shown(0), shown(0), shown(500));
    assert_eq!(first, again);
    let numbers: std::collections::BTreeSet<_> = first.values().collect();
    assert!(numbers.len() > 8, "every group has noise of its own");
    let changed = first.iter().filter(|(label, number)| other[*label] != **number).count();
    assert!(changed > 40, "{changed}");
}

/// The number of the rest of two groups of four people, of whom no group is reported.
fn rest_of_eight(filter: &LowCountFilter, column: &str) -> Option<u64> {
    let mut table = LabelledGroups::new([column], filter, GroupLimits::default());
    for person in 0..8 {
        let hash = filter.hasher(0).unwrap().hash_u64(person);
        table.row([if person < 4 { "a" } else { "b" }]).unwrap().insert_with(0, || hash).unwrap();
    }
    match filter.apply(table.into_table(), TableOptions::of(filter.mode())).unwrap().rest() {
        Rest::Reported { number } => number,
        rest => panic!("eight are enough: {rest:?}"),
    }
}

#[test]
fn the_number_of_the_rest_is_drawn_as_that_of_a_group() {
    let least = column(ThresholdTable::new(HardThreshold::at_least(5).unwrap()));
    // In query mode by the people alone: the rest is a group of the same eight.
    for byte in 0..8 {
        let filter =
            LowCountFilter::new(vec![least.clone()], ColumnRule::WorkingColumn, DrawMode::Query, &secret(byte));
        let filter = filter.unwrap().with_number(noisy(100.0, 2)).unwrap();
        let shown = lines(&filter, &[("all", (0..8).collect())])["all"];
        assert_eq!(rest_of_eight(&filter, "group"), shown);
        assert_eq!(rest_of_eight(&filter, "town"), shown);
    }
    // In publish mode by the name of the table as well. Half of the numbers are the floor.
    let groups = GroupsPerEntity::AtMost(NonZeroU32::new(2).unwrap());
    let filter = LowCountFilter::publishing(least, groups, &secret(7)).unwrap();
    let filter = filter.with_number(GroupNumber::Noisy(NumberNoise::laplace(1e6).unwrap())).unwrap();
    let numbers: std::collections::BTreeSet<_> =
        ["a", "b", "c", "d", "e", "f", "g", "h"].map(|column| rest_of_eight(&filter, column)).into();
    assert!(numbers.len() > 1, "{numbers:?}");
}

#[test]
fn numbers_that_no_promise_covers_are_refused() {
    let publishing = || LowCountFilter::publishing(column(thresholds()), GroupsPerEntity::OneRow, &secret(7)).unwrap();
    let refused = |filter: LowCountFilter, number| filter.with_number(number).err();
    assert_eq!(refused(publishing(), rounded(10)), Some(Error::RoundedPublication));
    assert_eq!(refused(publishing(), noisy(2.0, 10)), Some(Error::RoundedPublication));
    let unrounded = GroupNumber::Noisy(NumberNoise::laplace(2.0).unwrap());
    assert_eq!(refused(query(GroupNumber::Hidden), unrounded), Some(Error::NumberNoise));
    assert_eq!(
        publishing().with_number(unrounded).unwrap().description().number_epsilon().map(|e| e > 0.5),
        Some(true)
    );
    let two = vec![column(thresholds()), EntityColumn { kind: "branch".to_owned(), thresholds: thresholds() }];
    let two = LowCountFilter::new(two, ColumnRule::WorkingColumn, DrawMode::Query, &secret(7)).unwrap();
    assert_eq!(refused(two, rounded(10)), Some(Error::NumberOfSeveral));
}

/// The sign of a product less 1 is exact in a fused operation.
#[test]
fn the_epsilon_of_a_number_covers_scales_that_are_two_steps_smaller() {
    for scale in [0.5, 0.7, 3.0, 10.0, 12.3, 100.0, 1234.5, 1e9] {
        let noise = NumberNoise::laplace(scale).unwrap();
        let (epsilon, smaller) = (noise.epsilon().unwrap(), noise.scale().unwrap().next_down().next_down());
        assert!(epsilon.mul_add(smaller, -1.0) >= 0.0, "{scale}: {epsilon} is too little");
        assert!(epsilon.next_down().mul_add(smaller, -1.0) < 0.0, "{scale}: {epsilon} is too much");
    }
}

#[test]
fn sticky_noise_has_a_scale_of_at_most_100() {
    assert_eq!(query(noisy(100.0, 10)).description().number(), noisy(100.0, 10));
    assert_eq!(query(GroupNumber::Hidden).with_number(noisy(100.1, 10)).err(), Some(Error::NumberNoise));
}
