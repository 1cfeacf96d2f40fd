//! Which form finds the bounds: a closed form where there is one, since all others find the same
//! numbers, and more slowly.

use crate::common::Case;
use frechet_release::{Class, Limits, Method, Region, Solver};
use privacy_core::AttrSet;

fn class(axes: &[usize], levels: &[usize]) -> Class {
    Class { axes: axes.iter().copied().collect(), levels: levels.to_vec() }
}

fn found(solver: &mut Solver, axes: &[usize], levels: &[usize]) -> (i64, i64, Method) {
    let interval = solver.interval(&class(axes, levels)).unwrap();
    (interval.lower.value, interval.upper.value, interval.method)
}

/// Rows of 5 and 1 among people 2, 3, 4 and 1, 1, 2.
fn one_margin() -> Case {
    Case::of(&[2, 3], vec![1, 2, 2, 0, 1, 0], vec![vec![0]]).with_people(vec![2, 3, 4, 1, 1, 2])
}

#[test]
fn a_margin_with_people_has_a_closed_form() {
    let mut solver = one_margin().solver(Limits::default());
    assert_eq!(found(&mut solver, &[0], &[0]), (5, 5, Method::Published));
    // 5 of 9 people: at most the 4 of the cell, and none of it if the others are counted.
    assert_eq!(found(&mut solver, &[0, 1], &[0, 2]), (0, 4, Method::OneWay));
    // Columns: 3 of the first row and 1 of the second, or all whom the others leave.
    assert_eq!(found(&mut solver, &[1], &[0]), (0, 3, Method::OneWay));
    assert_eq!(found(&mut solver, &[1], &[2]), (0, 5, Method::OneWay));
    // Nobody is left where everybody is counted.
    let everybody = Case::of(&[2, 2], vec![2, 3, 0, 1], vec![vec![0]]).with_people(vec![2, 3, 4, 1]);
    let mut solver = everybody.solver(Limits::default());
    assert_eq!(found(&mut solver, &[0, 1], &[0, 0]), (2, 2, Method::OneWay));
    assert_eq!(found(&mut solver, &[0, 1], &[1, 0]), (0, 1, Method::OneWay));
}

#[test]
fn ranges_over_regions_that_do_not_touch_have_the_same_form() {
    let case = Case::of(&[2, 3], vec![0; 6], vec![]).with_people(vec![2, 3, 4, 1, 1, 2]);
    let mut knowledge = case.knowledge();
    let row = |level: usize| Region::everything().with(0, [level]);
    knowledge.publish_range("first", &row(0), 6, 8).unwrap();
    knowledge.publish_range("second", &row(1), 0, 2).unwrap();
    let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
    // At least the 6 without the 5 others.
    assert_eq!(found(&mut solver, &[0, 1], &[0, 2]), (1, 4, Method::OneWay));
    assert_eq!(found(&mut solver, &[1], &[2]), (1, 6, Method::OneWay));
    assert_eq!(found(&mut solver, &[0], &[1]), (0, 2, Method::OneWay));
    // Regions that touch have a flow or a program.
    let mut knowledge = case.knowledge();
    knowledge.publish_range("first", &row(0), 6, 8).unwrap();
    knowledge.publish_range("third", &Region::everything().with(1, [2]), 0, 2).unwrap();
    let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
    let (lower, upper, method) = found(&mut solver, &[0, 1], &[0, 2]);
    assert!(method != Method::OneWay && (lower, upper) == (1, 2), "{lower} {upper} {method:?}");
}

/// A path of pairs, a triangle, one axis that nothing is said of, and both.
#[test]
fn margins_that_fall_apart_have_forms_by_their_parts() {
    let counts = || (0..16).map(|cell| cell * cell % 5 % 3).collect::<Vec<u64>>();
    let method = |margins: &[&[usize]], axes: &[usize]| {
        let margins = margins.iter().map(|margin| margin.to_vec()).collect();
        let mut solver = Case::of(&[2; 4], counts(), margins).solver(Limits::default());
        solver.interval(&class(axes, &vec![0; axes.len()])).unwrap().method
    };
    assert_eq!(method(&[&[0], &[1], &[2], &[3]], &[0, 1, 2, 3]), Method::Axial);
    assert_eq!(method(&[&[0, 1], &[1, 2], &[2, 3]], &[0, 1, 2, 3]), Method::Decomposable);
    assert_eq!(method(&[&[0, 1], &[1, 2], &[2, 3]], &[1, 2]), Method::Published);
    assert_eq!(method(&[&[0, 1], &[0, 2], &[1, 2], &[2, 3]], &[0, 1, 2, 3]), Method::Reducible);
    assert_eq!(method(&[&[0, 1], &[0, 2], &[1, 2]], &[0, 1, 2]), Method::Reducible);
    let mut pair = Case::of(&[2, 3], vec![1, 2, 2, 0, 1, 0], vec![vec![0], vec![1]]).solver(Limits::default());
    assert_eq!(found(&mut pair, &[0, 1], &[0, 2]), (1, 2, Method::TwoWay));
}

/// Two margins that meet in more axes than have all their subsets tried, and in as many.
#[test]
fn wide_margins_fall_apart_where_they_meet() {
    for shared in [11, 12, 13] {
        let cells = 1 << (shared + 2);
        let counts = (0..cells as u64).map(|cell| cell % 7 % 3).collect();
        let wide = vec![(0..=shared).collect(), (1..shared + 2).collect()];
        let case = Case::of(&vec![2; shared + 2], counts, wide);
        let (mut solver, all) = (case.solver(Limits::default()), AttrSet::first(shared + 2));
        let interval = solver.interval(&Class { axes: all, levels: vec![0; shared + 2] }).unwrap();
        // The first and the last axis are cut by the others: a table of two by two.
        let cell = |first: usize, last: usize| case.counts[(first << (shared + 1)) | last] as i64;
        let (row, column) = (cell(0, 0) + cell(0, 1), cell(0, 0) + cell(1, 0));
        let total = row + cell(1, 0) + cell(1, 1);
        let expected = ((row + column - total).max(0), row.min(column));
        assert_eq!((interval.lower.value, interval.upper.value), expected, "{shared}");
        assert_eq!(interval.method, Method::Decomposable, "{shared}");
    }
}

/// One binary axis and the pairs of all three: a flow through the pairs of the other two.
#[test]
fn a_folded_flow_finds_the_cells_on_which_all_tables_agree() {
    let (mut pinned, mut open) = (0, 0);
    for number in 0..400_usize {
        let counts: Vec<u64> = (0..12).map(|cell| ((number * 7919) >> cell) as u64 * 5 % 7 % 3).collect();
        let case = Case::of(&[2, 2, 3], counts, vec![vec![0, 1], vec![0, 2], vec![1, 2]]);
        let fiber = case.fiber();
        let agreed = |cell: &usize| fiber.iter().all(|table| table[*cell] == case.counts[*cell]);
        let expected: Vec<u32> = (0..12_usize).filter(agreed).map(|cell| cell as u32).collect();
        assert_eq!(case.solver(Limits::default()).exactly_disclosed_cells().unwrap(), expected, "{number}");
        assert_eq!(found(&mut case.solver(Limits::default()), &[0, 1, 2], &[0; 3]).2, Method::Network);
        pinned += expected.len();
        open += 12 - expected.len();
    }
    assert!(pinned > 400 && open > 400, "{pinned} {open}");
}

#[test]
fn an_axis_of_one_level_is_a_flow_of_one_row() {
    let case = Case::of(&[1, 3], vec![1, 0, 2], vec![vec![0], vec![1]]).with_people(vec![2, 1, 2]);
    let mut solver = case.solver(Limits::default());
    assert_eq!(found(&mut solver, &[0, 1], &[0, 0]), (1, 1, Method::Network));
    let mut knowledge = Case::of(&[1, 3], vec![1, 0, 2], vec![vec![0]]).with_people(vec![2, 1, 2]).knowledge();
    knowledge.publish_range("first", &Region::everything().with(1, [0]), 0, 1).unwrap();
    let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
    assert_eq!(found(&mut solver, &[0, 1], &[0, 2]).0, 1);
}
