//! Numbers that contradict each other: how much, and what they tell all the same.

use crate::common::Case;
use frechet_release::{Class, Error, Knowledge, Limits, Region, Slack, Solver};
use privacy_core::{AttrSet, ContingencyTable, Domain};
use proptest::prelude::*;

/// Row sums and column sums of a 2 x 2 table as they are said to be, of one population or not.
fn said(rows: [u64; 2], columns: [u64; 2], people: Option<[u64; 4]>) -> Knowledge {
    let domain = Domain::of_cardinalities(&[2, 2]).unwrap();
    let table =
        |axis, counts: [u64; 2]| ContingencyTable::from_cells(&domain, AttrSet::single(axis), counts.to_vec()).unwrap();
    let mut knowledge = match people {
        None => Knowledge::of_counts(domain.clone()).unwrap(),
        Some(people) => {
            let people = ContingencyTable::from_cells(&domain, domain.all(), people.to_vec()).unwrap();
            Knowledge::with_population(domain.clone(), &people).unwrap()
        }
    };
    knowledge.publish_margin(&table(0, rows)).unwrap();
    knowledge.publish_margin(&table(1, columns)).unwrap();
    knowledge
}

#[test]
fn turnouts_that_differ_are_split_between_the_axes() {
    let contradiction = said([6, 4], [8, 7], None);
    assert!(matches!(Solver::new(contradiction.clone(), Limits::default()), Err(Error::Inconsistent { .. })));
    let slack = Slack::least(contradiction, &Limits::default()).unwrap();
    assert_eq!((slack.people(), slack.share()), (3, None), "10 and 15 meet at 12 or 13");
    assert!(Slack::within(said([6, 4], [8, 7], None), 2, &Limits::default()).is_err());
    let with_people = Slack::least(said([6, 4], [8, 7], Some([10; 4])), &Limits::default()).unwrap();
    assert_eq!((with_people.people(), with_people.share()), (3, Some(3.0 / 40.0)));
}

#[test]
fn numbers_that_agree_need_no_slack_and_have_their_bounds() {
    let mut slack = Slack::least(said([6, 4], [3, 7], None), &Limits::default()).unwrap();
    assert_eq!(slack.people(), 0);
    assert_eq!(slack.window(&Class::cell([0, 0])).unwrap(), (0, 3));
    assert_eq!(slack.window(&Class::new(AttrSet::single(1), [1])).unwrap(), (7, 7));
    assert!(matches!(slack.window(&Class::cell([0, 2])), Err(Error::NoSuchLevel { .. })));
}

/// Two in a hundred who are counted wrongly on each axis leave at least 93.8 % of a cell known.
#[test]
fn a_slack_of_two_percent_does_not_protect_whom_the_margins_expose() {
    let case = Case::axial(&[2, 2], vec![0, 500, 500, 100]).with_people(vec![1000, 1000, 1000, 100]);
    let mut slack = Slack::within(case.knowledge(), 62, &Limits::default()).unwrap();
    assert_eq!(slack.window(&Class::cell([0, 0])).unwrap(), (0, 62));
    let mut none = Slack::within(case.knowledge(), 0, &Limits::default()).unwrap();
    assert_eq!(none.window(&Class::cell([0, 0])).unwrap(), (0, 0));
}

#[test]
fn facts_that_nobody_doubts_may_be_off_as_well_but_the_composition_may_not() {
    let mut knowledge = said([6, 4], [5, 5], Some([3; 4]));
    knowledge.publish_count("a fact", &Region::from(&Class::cell([0, 0])), 9).unwrap();
    let mut slack = Slack::least(knowledge, &Limits::default()).unwrap();
    assert_eq!(slack.people(), 6, "the cell has three people, the fact says nine");
    assert_eq!(slack.window(&Class::cell([0, 0])).unwrap().1, 3);
}

#[test]
fn numbers_near_two_to_the_53_have_slack_or_are_refused_as_too_large() {
    let with = |fact: u64, least: bool| {
        let mut knowledge = said([fact / 2 - 7, fact / 2], [fact / 2, fact / 2 - 7], None);
        let everything = Region::everything();
        match least {
            true => knowledge.publish_range("a fact", &everything, fact, 1 << 53).unwrap(),
            false => knowledge.publish_count("a fact", &everything, fact).unwrap(),
        }
        Slack::least(knowledge, &Limits::default())
    };
    // 7 people between them: 4 for the one and 3 for the other.
    assert_eq!(with(1 << 50, false).unwrap().people(), 4);
    assert_eq!(with((1 << 53) - 100, true).unwrap().people(), 4);
    assert_eq!(with(1 << 53, false).err(), Some(Error::TooLarge { row: "a fact".to_owned() }));
    assert_eq!(with(1 << 53, true).err(), Some(Error::TooLarge { row: "a fact".to_owned() }));
}

#[test]
fn what_nothing_bounds_is_refused() {
    let domain = Domain::of_cardinalities(&[2]).unwrap();
    assert!(matches!(Slack::least(Knowledge::of_counts(domain).unwrap(), &Limits::default()), Err(Error::Unbounded)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_least_slack_is_that_of_the_nearest_table(
        rows in prop::array::uniform2(0_u64..6),
        columns in prop::array::uniform2(0_u64..6),
        people in prop::array::uniform4(0_u64..5),
    ) {
        let off = |sums: [u64; 2], said: [u64; 2]| sums.iter().zip(said).map(|(&a, b)| a.abs_diff(b)).sum::<u64>();
        let mut tables = Vec::new();
        for a in 0..=people[0] { for b in 0..=people[1] { for c in 0..=people[2] { for d in 0..=people[3] {
            tables.push((off([a + b, c + d], rows).max(off([a + c, b + d], columns)), [a, b, c, d]));
        }}}}
        let least = tables.iter().map(|(off, _)| *off).min().unwrap();
        let mut slack = Slack::least(said(rows, columns, Some(people)), &Limits::default()).unwrap();
        prop_assert_eq!(slack.people() as u64, least);
        for cell in 0..4 {
            let values = || tables.iter().filter(|(off, _)| *off <= least).map(|(_, table)| table[cell] as i64);
            let (lower, upper) = slack.window(&Class::cell([cell / 2, cell % 2])).unwrap();
            prop_assert!(lower <= values().min().unwrap() && values().max().unwrap() <= upper);
            prop_assert!(lower >= 0 && upper <= people[cell] as i64);
        }
    }
}
