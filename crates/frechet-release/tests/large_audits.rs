//! Audits of more than 1,024 cells: known tables decide most statuses, and what they say is what
//! sharp ends say.

use std::collections::BTreeSet;

use crate::common::Case;
use frechet_release::{
    AuditDetail, Class, DisclosureAudit, DisclosureRule, DisclosureStatus, Finding, Limits, Scope, Side, Solver,
    SparseTable, audit, audit_in_detail, audited_intervals, verify,
};

/// A linear congruential generator's high bits.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A random table, most of whose cells hold less than `most`, under all two-way margins.
fn case(shape: &[usize], most: u64, number: u64) -> Case {
    let mut draws = Draws(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for _ in 0..8 {
        draws.below(2);
    }
    let counts = (0..shape.iter().product::<usize>()).map(|_| {
        let first = draws.below(most);
        first.min(draws.below(most))
    });
    let pairs = (0..shape.len()).flat_map(|axis| (0..axis).map(move |other| vec![other, axis]));
    Case::of(shape, counts.collect(), pairs.collect())
}

/// A solver that knows the table it was made from.
fn solver(case: &Case) -> Solver {
    let counts: Vec<i64> = case.counts.iter().map(|&count| count.cast_signed()).collect();
    Solver::with_table(case.knowledge(), Limits::default(), &counts).unwrap()
}

fn rule(width: u64, scope: Scope) -> DisclosureRule {
    DisclosureRule::new(width, 0.5, 1, scope).unwrap()
}

fn judged(case: &Case, rule: &DisclosureRule, detail: AuditDetail) -> DisclosureAudit {
    audit_in_detail(&mut solver(case), rule, detail).unwrap()
}

/// The findings that two audits decide differently.
fn contradictions(first: &DisclosureAudit, second: &DisclosureAudit) -> usize {
    let is_decided = |finding: &Finding| finding.status != DisclosureStatus::Unknown;
    let both = first.findings.iter().zip(&second.findings).filter(|(a, b)| is_decided(a) && is_decided(b));
    both.filter(|(a, b)| a.status != b.status).count()
}

#[test]
fn statuses_are_those_of_sharp_ends() {
    for (shape, most, width, scope) in [
        (&[12, 10, 9][..], 2, 0, Scope::Cells),
        (&[12, 10, 9], 4, 1, Scope::Cells),
        (&[14, 5, 4, 4], 4, 2, Scope::Pairs),
    ] {
        let case = case(shape, most, most + width);
        let rule = rule(width, scope);
        let [quick, sharp] = [AuditDetail::Status, AuditDetail::Sharp].map(|detail| judged(&case, &rule, detail));
        assert_eq!(contradictions(&quick, &sharp), 0, "{shape:?}");
        assert_eq!(quick.count(DisclosureStatus::Unknown), 0, "{shape:?}");
        for (quick, sharp) in quick.findings.iter().zip(&sharp.findings) {
            // Proved ends are outer ones, and what tables attain is within the sharp ends.
            assert!(quick.lower <= sharp.lower && quick.upper >= sharp.upper);
            assert!(quick.attained.0 >= sharp.lower && quick.attained.1 <= sharp.upper);
            let differ = quick.attained.1 - quick.attained.0;
            assert!(quick.status != DisclosureStatus::Ambiguous || quick.is_published || differ > width.cast_signed());
            assert_eq!(quick.is_exactly_disclosed, sharp.is_exactly_disclosed);
        }
        assert_eq!(judged(&case, &rule, AuditDetail::of(&case.knowledge())), quick, "what large audits do");
    }
}

#[test]
fn an_audit_that_takes_the_table_alone_for_all_tables_is_found_out() {
    // The negative control: what the comparison above would say of an audit that believes that no
    // other table fits.
    let case = case(&[12, 10, 9], 4, 5);
    let sharp = judged(&case, &rule(0, Scope::Cells), AuditDetail::Sharp);
    let mut wrong = sharp.clone();
    wrong.findings.iter_mut().for_each(|finding| finding.status = DisclosureStatus::Disclosed);
    assert!(contradictions(&wrong, &sharp) > 500);
    // A rule that asks for another width has other statuses.
    let wide = judged(&case, &rule(6, Scope::Cells), AuditDetail::Status);
    assert!(contradictions(&wide, &sharp) > 0);
}

#[test]
fn eight_thousand_cells_are_decided_from_their_own_table() {
    let case = case(&[20, 20, 20], 12, 3);
    let found = audit(&mut solver(&case), &rule(0, Scope::Cells)).unwrap();
    assert_eq!((found.findings.len(), found.count(DisclosureStatus::Unknown)), (8_000, 0));
    assert!(found.count(DisclosureStatus::Ambiguous) > 7_000);
}

/// People who have common levels more often than rare ones, in 3,780 cells under all two-way
/// margins: most cells are empty, and few moves lead from one table to another.
fn sparse(people: usize) -> Case {
    let (sizes, mut draws) = ([9, 7, 6, 5, 2], Draws(12_345));
    let mut counts = vec![0; 3_780];
    for _ in 0..people {
        let level = |cell: u64, &size: &u64| cell * size + draws.below(size).min(draws.below(size));
        counts[usize::try_from(sizes.iter().fold(0, level)).unwrap()] += 1;
    }
    let pairs = (0..5).flat_map(|axis| (0..axis).map(move |other| vec![other, axis]));
    Case::of(&sizes.map(|size| usize::try_from(size).unwrap()), counts, pairs.collect())
}

#[test]
fn sparse_linked_margins_leave_no_class_open() {
    let (case, rule) = (sparse(3_000), rule(2, Scope::Cells));
    let mut solver = solver(&case);
    let found = audit(&mut solver, &rule).unwrap();
    let [disclosed, unknown] = [DisclosureStatus::Disclosed, DisclosureStatus::Unknown].map(|own| found.count(own));
    assert_eq!((disclosed, unknown), (448, 0));
    // The cells with the narrowest bounds that are still wide enough: their tables are shown.
    let mut hard: Vec<&Finding> =
        found.findings.iter().filter(|own| own.status == DisclosureStatus::Ambiguous).collect();
    hard.sort_by_key(|finding| finding.upper - finding.lower);
    let hard: Vec<Finding> = hard.into_iter().take(40).cloned().collect();
    let classes: Vec<Class> = hard.iter().map(|finding| Class::cell(finding.levels.clone())).collect();
    let intervals = audited_intervals(&mut solver, &classes, &hard, &rule).unwrap();
    let system = solver.knowledge().system().clone();
    for (class, interval) in classes.iter().zip(intervals) {
        let cell = class.levels.iter().zip([9, 7, 6, 5, 2]).fold(0, |cell, (&level, size)| cell * size + level);
        let cell = [u32::try_from(cell).unwrap()];
        assert!(interval.upper.witness.value - interval.lower.witness.value > 2);
        verify(&system, &cell, Side::Lower, &interval.lower).unwrap();
        verify(&system, &cell, Side::Upper, &interval.upper).unwrap();
    }
}

#[test]
fn what_is_claimed_of_a_large_table_is_proved_and_shown() {
    let (case, rule) = (case(&[12, 10, 9], 4, 5), rule(1, Scope::Cells));
    let mut solver = solver(&case);
    let found = audit_in_detail(&mut solver, &rule, AuditDetail::Status).unwrap();
    let system = solver.knowledge().system().clone();
    let classes: Vec<Class> = found.findings.iter().map(|finding| Class::cell(finding.levels.clone())).collect();
    let intervals = audited_intervals(&mut solver, &classes, &found.findings, &rule).unwrap();
    let (mut tables, mut attained) = (BTreeSet::new(), 0);
    for ((cell, finding), interval) in (0_u32..).zip(&found.findings).zip(intervals) {
        assert_eq!((interval.lower.value, interval.upper.value), (finding.lower, finding.upper));
        let (least, most) = (interval.lower.witness.value, interval.upper.witness.value);
        assert!(least <= finding.attained.0 && most >= finding.attained.1);
        for (side, mut bound) in [(Side::Lower, interval.lower), (Side::Upper, interval.upper)] {
            verify(&system, &[cell], side, &bound).unwrap();
            attained += usize::from(bound.is_sharp());
            tables.insert(bound.witness.table.clone());
            // Negative control: with a person more in one cell the table satisfies no margin.
            let mut counts = bound.witness.table.to_dense(case.counts.len());
            counts[0] += 1;
            bound.witness.table = SparseTable::from_dense(&counts);
            assert!(verify(&system, &[cell], side, &bound).is_err());
        }
    }
    assert!(attained < 2_160, "outer bounds are not said to be attained");
    assert!(tables.len() < 720, "{} tables", tables.len());
}
