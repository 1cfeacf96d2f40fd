//! Two cycles against brute force, and what differencing them discloses.

use crate::common::Case;
use frechet_release::{
    DifferencingAudit, DisclosureRule, DisclosureStatus, Error, Knowledge, Limits, PeriodGroup, Scope,
    audit_differencing,
};
use privacy_core::{AttrSet, ContingencyTable, Domain};
use proptest::prelude::*;

fn axial(people: [u64; 4], votes: [u64; 4]) -> Knowledge {
    Case::axial(&[2, 2], votes.to_vec()).with_people(people.to_vec()).knowledge()
}

fn judged(before: &Knowledge, after: &Knowledge, changed: u64) -> Result<DifferencingAudit, Error> {
    audit_differencing(
        before,
        after,
        changed,
        &DisclosureRule::new(0, 0.05, 10, Scope::All).unwrap(),
        Limits::default(),
    )
}

fn interval(audit: &DifferencingAudit, group: PeriodGroup, levels: &[usize], axes: &[usize]) -> Option<(i64, i64)> {
    let is_it = |f: &&frechet_release::DifferencingFinding| {
        f.group == group && f.finding.levels == levels && f.finding.axes == axes
    };
    audit.findings.iter().find(is_it).map(|f| (f.finding.lower, f.finding.upper))
}

#[test]
fn one_newcomer_between_two_exact_cycles_loses_the_secret_of_the_vote() {
    let (people, votes) = ([100, 100, 100, 100], [40, 50, 60, 50]);
    let before = axial(people, votes);
    let after = axial([101, 100, 100, 100], [41, 50, 60, 50]);
    let audit = judged(&before, &after, 0).unwrap();
    assert!(!audit.is_met());
    let came = audit.findings.iter().filter(|found| found.group == PeriodGroup::Came);
    assert!(
        came.clone()
            .all(|f| f.finding.lower == 1 && f.is_by_difference && f.finding.status == DisclosureStatus::Disclosed)
    );
    assert_eq!(came.clone().filter(|found| found.is_small_difference).count(), 2, "religion and age are published");
    assert_eq!(came.count(), audit.by_difference, "everything else is as before");
    let same = judged(&before, &before, 0).unwrap();
    assert!(same.is_met() && same.findings.iter().all(|found| found.group == PeriodGroup::Before));
}

#[test]
fn a_crowd_of_newcomers_is_a_published_number_like_any() {
    let before = axial([100, 100, 100, 100], [40, 50, 60, 50]);
    let mixed = judged(&before, &axial([200, 100, 100, 100], [90, 50, 60, 50]), 0).unwrap();
    assert_eq!(interval(&mixed, PeriodGroup::Came, &[0], &[0]), Some((50, 50)));
    let published = mixed.findings.iter().filter(|f| f.group == PeriodGroup::Came && f.finding.axes.len() == 1);
    assert!(published.clone().all(|f| f.finding.status == DisclosureStatus::Certified) && published.count() == 2);
    let unanimous = judged(&before, &axial([200, 100, 100, 100], [140, 50, 60, 50]), 0).unwrap();
    assert!(unanimous.by_difference > 0, "a hundred came, and all voted so");
}

#[test]
fn votes_that_may_have_changed_hide_the_newcomer() {
    let before = axial([100, 100, 100, 100], [40, 50, 60, 50]);
    let after = axial([101, 100, 100, 100], [41, 50, 60, 50]);
    let audit = judged(&before, &after, 1).unwrap();
    assert_eq!(interval(&audit, PeriodGroup::Came, &[0, 0], &[0, 1]), Some((0, 1)));
    assert_eq!(audit.by_difference, 0);
    let moved = axial([100, 100, 100, 100], [42, 50, 60, 50]);
    assert!(matches!(judged(&before, &moved, 1), Err(Error::Inconsistent { .. })), "two votes changed");
    assert!(judged(&before, &moved, 2).is_ok());
}

#[test]
fn two_releases_of_one_table_meet_in_the_cells() {
    let counts = vec![0, 1, 4, 1, 5, 9, 2, 0];
    let release = |margins: &[&[usize]]| {
        Case::of(&[2, 2, 2], counts.clone(), margins.iter().map(|axes| axes.to_vec()).collect()).knowledge()
    };
    let (first, second) = (release(&[&[0, 1], &[0, 2]]), release(&[&[1, 2]]));
    let audit = judged(&first, &second, 0).unwrap();
    let fiber = Case::of(&[2, 2, 2], counts.clone(), vec![vec![0, 1], vec![0, 2], vec![1, 2]]).fiber();
    for cell in 0..8 {
        let levels = [cell >> 2 & 1, cell >> 1 & 1, cell & 1];
        let values = || fiber.iter().map(|table| table[cell] as i64);
        let range = (values().min().unwrap(), values().max().unwrap());
        assert_eq!(interval(&audit, PeriodGroup::Before, &levels, &[0, 1, 2]), Some(range));
    }
    assert!(audit.by_difference > 0);
}

#[test]
fn candidates_of_two_cycles_are_one_problem() {
    let knowledge = |people: [u64; 2], counts: [u64; 4]| {
        let domain = Domain::of_cardinalities(&[2, 2]).unwrap();
        let people = ContingencyTable::from_cells(&domain, AttrSet::single(0), people.to_vec()).unwrap();
        let table = ContingencyTable::from_cells(&domain, domain.all(), counts.to_vec()).unwrap();
        let mut knowledge = Knowledge::with_responses(domain, 1, &people).unwrap();
        knowledge.publish_margin(&table.marginal(AttrSet::single(1)).unwrap()).unwrap();
        knowledge
    };
    let (before, after) = (knowledge([30, 30], [10, 20, 20, 10]), knowledge([30, 31], [10, 20, 21, 10]));
    let audit = judged(&before, &after, 0).unwrap();
    let came: Vec<_> = audit.findings.iter().filter(|found| found.group == PeriodGroup::Came).collect();
    assert_eq!(
        came.iter().map(|f| (f.finding.response, f.finding.lower)).collect::<Vec<_>>(),
        [(Some(0), 1), (Some(1), 0)]
    );
    assert!(came.iter().all(|found| found.is_by_difference));
    assert_eq!(judged(&before, &after, 1).unwrap().by_difference, 0);
}

#[test]
fn cycles_of_other_tables_are_refused() {
    let counted = Case::axial(&[2, 2], vec![1, 1, 1, 1]).knowledge();
    let voted = axial([9, 9, 9, 9], [1, 1, 1, 1]);
    assert!(matches!(judged(&counted, &voted, 0), Err(Error::DifferentPopulations)));
    let larger = Case::axial(&[2, 3], vec![1; 6]).knowledge();
    assert!(matches!(judged(&counted, &larger, 0), Err(Error::DifferentPopulations)));
}

/// What each part of a cell can be: kept, left, came, dropped and gained.
fn choices(before: u64, after: u64, changed: u64) -> Vec<[u64; 5]> {
    let stayed = before.min(after);
    let mut all = Vec::new();
    for kept in 0..=stayed {
        for left in 0..=before - stayed {
            for came in 0..=after - stayed {
                for dropped in 0..=changed.min(stayed - kept) {
                    for gained in 0..=(changed - dropped).min(stayed - kept - dropped) {
                        all.push([kept, left, came, dropped, gained]);
                    }
                }
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn bounds_of_cycles_are_the_range_over_all_histories(
        people in prop::array::uniform4((0_u64..3, 0_u64..3)),
        votes in prop::array::uniform4((0_u64..3, 0_u64..3)),
        changed in 0_u64..2,
    ) {
        let n = [people.map(|p| p.0), people.map(|p| p.1)];
        let x: Vec<[u64; 4]> = (0..2).map(|c| std::array::from_fn(|i| if c == 0 { votes[i].0 } else { votes[i].1 }.min(n[c][i]))).collect();
        let margins = |x: [u64; 4]| [x[0] + x[1], x[2] + x[3], x[0] + x[2], x[1] + x[3]];
        let per_cell: Vec<Vec<[u64; 5]>> = (0..4).map(|i| choices(n[0][i], n[1][i], changed)).collect();
        let mut fiber = Vec::new();
        for a in &per_cell[0] { for b in &per_cell[1] { for c in &per_cell[2] { for d in &per_cell[3] {
            let all = [a, b, c, d];
            let then = all.map(|p| p[0] + p[3] + p[1]);
            let now = all.map(|p| p[0] + p[4] + p[2]);
            let moved: u64 = all.iter().map(|p| p[3] + p[4]).sum();
            if moved <= changed && margins(then) == margins(x[0]) && margins(now) == margins(x[1]) {
                fiber.push(all.map(|p| [p[0] + p[3] + p[1], p[0] + p[4] + p[2], p[0] + p[3], p[1], p[2]]));
            }
        }}}}
        match judged(&axial(n[0], x[0]), &axial(n[1], x[1]), changed) {
            Err(Error::Inconsistent { .. }) => prop_assert!(fiber.is_empty()),
            Err(error) => prop_assert!(false, "{error}"),
            Ok(audit) => {
                prop_assert!(!fiber.is_empty());
                let groups = [PeriodGroup::Before, PeriodGroup::After, PeriodGroup::Stayed, PeriodGroup::Left, PeriodGroup::Came];
                for found in &audit.findings {
                    let place = groups.iter().position(|&group| group == found.group).unwrap();
                    let is_in = |cell: usize| found.finding.axes.iter().zip(&found.finding.levels).all(|(&axis, &level)| cell >> (1 - axis) & 1 == level);
                    let values = || fiber.iter().map(|h| (0..4).filter(|&cell| is_in(cell)).map(|cell| h[cell][place] as i64).sum::<i64>());
                    prop_assert_eq!((found.finding.lower, found.finding.upper), (values().min().unwrap(), values().max().unwrap()));
                }
            }
        }
    }
}
