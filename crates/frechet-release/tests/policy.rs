//! Which numbers a policy is held against: what is published, and not what somebody knows
//! besides.

use crate::common::Case;
use frechet_release::{
    Class, DisclosureRule, DisclosureStatus, DisclosureTarget, Limits, PrimaryReason, Region, Scope, Solver, audit,
};
use proptest::prelude::*;

fn region(levels: [usize; 2]) -> Region {
    Region::everything().with(0, [levels[0]]).with(1, [levels[1]])
}

#[test]
fn a_fact_that_somebody_holds_excuses_no_margin_that_tells_everybody_else() {
    // One cell is empty of people, so the margins tell the other three.
    let case = Case::axial(&[2, 2], vec![5, 0, 6, 7]).with_people(vec![10, 0, 12, 14]);
    let policy = DisclosureRule::new(0, 0.1, 1, Scope::All).unwrap();
    let found = audit(&mut case.solver(Limits::default()), &policy).unwrap();
    assert_eq!(found.count(DisclosureStatus::Disclosed), 3);
    let mut knowledge = case.knowledge();
    for (cell, count) in [([0, 0], 5), ([1, 0], 6), ([1, 1], 7)] {
        knowledge.assume_range("a fact", &region(cell), count, count).unwrap();
    }
    let held = audit(&mut Solver::new(knowledge, Limits::default()).unwrap(), &policy).unwrap();
    assert_eq!(held.count(DisclosureStatus::Disclosed), 3, "everybody else learns them all the same");
    assert!(!held.meets(DisclosureTarget::Undisclosed) && !held.meets(DisclosureTarget::Certified));
}

#[test]
fn what_was_known_before_is_not_disclosed_by_the_release() {
    let mut knowledge = Case::axial(&[2, 2], vec![40, 30, 20, 50]).with_people(vec![100; 4]).knowledge();
    let policy = DisclosureRule::new(0, 0.05, 1, Scope::Cells).unwrap();
    knowledge.assume_range("my own street", &region([0, 0]), 40, 40).unwrap();
    let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
    assert_eq!(solver.interval(&Class::cell([0, 0])).unwrap().width(), 0);
    let found = audit(&mut solver, &policy).unwrap();
    assert_ne!(found.findings[0].status, DisclosureStatus::Disclosed);
    // With it the other three follow, and those are news.
    assert!(found.findings[1..].iter().all(|finding| finding.status == DisclosureStatus::Disclosed));
}

#[test]
fn published_numbers_of_few_people_or_nearly_unanimous_ones_are_unfit_whatever_the_classes_are() {
    let policy = DisclosureRule::new(0, 0.1, 20, Scope::Cells).unwrap();
    let unfit = |case: &Case, levels: Vec<usize>, count: u64| {
        let mut knowledge = case.knowledge();
        knowledge.publish_count("a group", &Region::everything().with(1, levels), count).unwrap();
        let found = audit(&mut Solver::new(knowledge, Limits::default()).unwrap(), &policy).unwrap();
        assert_eq!(found.meets(DisclosureTarget::Undisclosed), found.primary_cells.is_empty());
        found.primary_cells
    };
    let votes = Case::of(&[2, 3], vec![30, 10, 1, 20, 25, 0], vec![]).with_people(vec![60, 30, 8, 50, 50, 7]);
    assert_eq!(unfit(&votes, vec![0, 1], 85), []);
    assert_eq!(unfit(&votes, vec![2], 1), [("a group".to_owned(), PrimaryReason::Small)]);
    let lopsided = Case::of(&[2, 3], vec![1, 1, 9, 1, 1, 9], vec![]).with_people(vec![20; 6]);
    assert_eq!(unfit(&lopsided, vec![0, 1], 4), [("a group".to_owned(), PrimaryReason::Unanimous)]);
    let counts = Case::of(&[2, 3], vec![30, 10, 1, 20, 25, 2], vec![vec![0]]);
    assert_eq!(unfit(&counts, vec![2], 3), [("a group".to_owned(), PrimaryReason::Small)]);
    assert_eq!(unfit(&counts, vec![1], 35), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn one_more_fact_never_makes_a_disclosed_class_anything_else(
        counts in prop::collection::vec((0_u64..6, 0_u64..6), 6),
        fact in 0_usize..6,
        tau in 0_u64..2,
    ) {
        let people: Vec<u64> = counts.iter().map(|(votes, more)| votes + more).collect();
        let case = Case::axial(&[2, 3], counts.iter().map(|&(votes, _)| votes).collect()).with_people(people);
        let policy = DisclosureRule::new(tau, 0.2, 1, Scope::All).unwrap();
        let before = audit(&mut case.solver(Limits::default()), &policy).unwrap();
        let mut knowledge = case.knowledge();
        let count = case.counts[fact];
        knowledge.assume_range("a fact", &region([fact / 3, fact % 3]), count, count).unwrap();
        let after = audit(&mut Solver::new(knowledge, Limits::default()).unwrap(), &policy).unwrap();
        for (before, after) in before.findings.iter().zip(&after.findings) {
            prop_assert!(before.status != DisclosureStatus::Disclosed || after.status == DisclosureStatus::Disclosed);
        }
    }
}
