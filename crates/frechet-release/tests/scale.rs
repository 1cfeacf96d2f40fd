//! Instances of the size that offices publish: every bound is sharp, and a sample of certificates
//! is checked.

use crate::common::{self, Case};
use frechet_release::{Class, CountInterval, Limits, Side, verify};
use testkit::fixtures::json;

/// Deterministic counts that look random: a linear congruential generator's high bits.
fn counts(cells: usize, below: u64) -> Vec<u64> {
    let mut state = 12_345_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..cells).map(|_| next()).collect()
}

fn check(case: &Case, every: usize) -> Vec<CountInterval> {
    let system = case.knowledge().system().clone();
    let intervals = case.solver(Limits::default()).cells().unwrap();
    for (cell, interval) in intervals.iter().enumerate() {
        assert!(interval.is_sharp(), "cell {cell}");
        let truth = i64::try_from(case.counts[cell]).unwrap();
        assert!((interval.lower.value..=interval.upper.value).contains(&truth), "cell {cell}");
        if cell % every == 0 {
            let cells = [u32::try_from(cell).unwrap()];
            verify(&system, &cells, Side::Lower, &interval.lower).unwrap();
            verify(&system, &cells, Side::Upper, &interval.upper).unwrap();
        }
    }
    intervals
}

#[test]
fn a_thousand_cells_under_all_two_way_margins() {
    let table = json("frechet/peer_gausssuppression_10x10x10.json");
    let case = Case::of(&[10, 10, 10], common::counts(&table["counts"]), vec![vec![0, 1], vec![0, 2], vec![1, 2]]);
    let intervals = check(&case, 7);
    assert!(intervals.iter().all(|interval| interval.width() > 0));
}

#[test]
fn pinned_cells_of_a_million() {
    let side = 1_000;
    // A block of rows and columns that is full: its cells, and those it leaves empty, cannot
    // move.
    let people: Vec<u64> = counts(side * side, 30).iter().map(|&n| n + 1).collect();
    let full = |cell: usize| cell / side < 100 && cell % side < 200;
    let empty = |cell: usize| cell / side >= 100 && cell % side >= 200;
    let votes = people.iter().enumerate().map(|(cell, &n)| {
        if full(cell) {
            n
        } else if empty(cell) {
            0
        } else {
            n / 2
        }
    });
    let case = Case::axial(&[side, side], votes.collect()).with_people(people);
    let mut solver = case.solver(Limits::default());
    let pinned = solver.exactly_disclosed_cells().unwrap();
    let expected = (0..side * side).filter(|&cell| full(cell) || empty(cell)).count();
    assert!(pinned.len() >= expected);
    for cell in [0, 99 * side + 199, 100 * side + 200, side * side - 1] {
        assert!(pinned.contains(&u32::try_from(cell).unwrap()));
    }
    assert!(!pinned.contains(&u32::try_from(500).unwrap()));
}

#[test]
fn a_precinct_table_with_its_composition() {
    let people = counts(7 * 2 * 8 * 50, 40);
    let votes = people.iter().zip(counts(people.len(), 1_000)).map(|(&n, u)| n * u / 1_000).collect();
    let case = Case::axial(&[7, 2, 8, 50], votes).with_people(people);
    let intervals = check(&case, 97);
    // Every window is the whole cell: nobody is pinned and nobody is certified.
    assert!(intervals.iter().all(|interval| interval.lower.value == 0));
}

#[test]
fn ends_of_a_hundred_thousand_cells_need_no_table_for_each() {
    let (rows, columns) = (330, 300);
    let case = Case::axial(&[rows, columns], counts(rows * columns, 40));
    let mut solver = case.solver(Limits::default());
    let cells: Vec<Class> = (0..rows * columns).map(|cell| Class::cell([cell / columns, cell % columns])).collect();
    let ranges = solver.ranges(&cells).unwrap();
    let sum = |cells: &mut dyn Iterator<Item = usize>| cells.map(|cell| case.counts[cell]).sum::<u64>().cast_signed();
    let of_rows: Vec<i64> = (0..rows).map(|row| sum(&mut (row * columns..(row + 1) * columns))).collect();
    let of_columns: Vec<i64> = (0..columns).map(|column| sum(&mut (column..rows * columns).step_by(columns))).collect();
    let total: i64 = of_rows.iter().sum();
    for (cell, range) in ranges.iter().enumerate() {
        let (row, column) = (of_rows[cell / columns], of_columns[cell % columns]);
        assert_eq!((range.lower, range.upper), ((row + column - total).max(0), row.min(column)));
        assert!(range.is_sharp && !range.has_integer_gap);
    }
    let few: Vec<Class> = cells.iter().step_by(9_001).cloned().collect();
    for (interval, class) in solver.intervals(&few).unwrap().iter().zip(&few) {
        assert_eq!(solver.ranges(std::slice::from_ref(class)).unwrap(), [frechet_release::CountRange::from(interval)]);
    }
}
