use privacy_core::stop::StopFlag;

use super::*;
use crate::engine::linear_program::Limits;

/// The sums of some rows are basic: values and boxes.
fn of_sums(rows: &[(f64, (f64, f64))]) -> Simplex {
    let boxes = rows.iter().map(|&(_, own)| own);
    let mut simplex = Simplex::new(&[], boxes, rows.len(), Limits::default().search_end());
    simplex.values = rows.iter().map(|&(value, _)| value).collect();
    simplex
}

#[test]
fn the_first_of_those_furthest_outside_their_boxes_is_mended() {
    let furthest = |rows: &[(f64, (f64, f64))]| of_sums(rows).furthest_outside();
    let unit = (0.0, 1.0);
    assert_eq!(furthest(&[(0.0, unit), (0.5, unit), (1.0, unit)]), None);
    assert_eq!(furthest(&[(-1.0, unit), (4.0, unit), (-2.0, unit)]), Some((1, false)));
    assert_eq!(furthest(&[(2.0, unit), (0.5, unit), (-2.0, unit)]), Some((2, true)));
    assert_eq!(furthest(&[(2.5, unit), (-1.5, unit), (2.5, unit)]), Some((0, false)));
}

#[test]
fn what_counts_as_outside_grows_with_the_value() {
    let is_outside = |value: f64, own: (f64, f64)| of_sums(&[(value, own)]).furthest_outside().is_some();
    // 1e-7 near 0, as far as that included; 1e-3 near 10,000.
    assert!(!is_outside(-5e-8, (0.0, 1.0)) && is_outside(-2e-7, (0.0, 1.0)));
    assert!(!is_outside(0.0, (FEASIBLE, 1.0)));
    assert!(!is_outside(9_999.000_5, (0.0, 9_999.0)) && is_outside(9_999.002, (0.0, 9_999.0)));
}

/// Rows 0, 1 and 2 of which each two hold a basic cell, the first of them above its box; beside
/// these, cells in rows 0, in 0 and 1, in 1 and in 2. Sums stand where they are.
fn triangle() -> Simplex {
    let columns = [vec![0, 1], vec![1, 2], vec![0, 2], vec![0], vec![0, 1], vec![1], vec![2]];
    let sums = [(4.0, 4.0), (3.0, 3.0), (3.0, 3.0)];
    let boxes = [(0.0, 1.0)].into_iter().chain([(0.0, 9.0); 6]).chain(sums);
    let mut simplex = Simplex::new(&columns, boxes, 3, Limits::default().search_end());
    simplex.place = [Place::Basic(0), Place::Basic(1), Place::Basic(2)].into_iter().chain([Place::Lower; 7]).collect();
    simplex.basis = vec![0, 1, 2];
    assert!(simplex.refactor());
    assert_eq!((simplex.furthest_outside(), &simplex.values), (Some((0, false)), &vec![2.0, 1.0, 2.0]));
    simplex
}

#[test]
fn the_variable_whose_price_is_the_first_to_reach_0_enters() {
    // In the first row of the inverse the cells have 1/2, 1, 1/2 and -1/2, and the last would lead
    // further out.
    let entering = |costs: [f64; 4]| {
        let cost: Vec<f64> = [0.0; 3].into_iter().chain(costs).collect();
        triangle().dual_entering(0, false, &Phase::Objective(&cost))
    };
    assert_eq!(entering([-3.0, -4.0, -1.0, 0.0]), Some((5, -1.0)));
    // Among ties the largest pivot, and the first of two.
    assert_eq!(entering([-1.0, -2.0, -1.0, 0.0]), Some((4, -2.0)));
    assert_eq!(entering([-1.0, -4.0, -1.0, 0.0]), Some((3, -1.0)));
}

#[test]
fn dual_steps_end_when_none_are_left_or_the_time_is_over() {
    let cost = [0.0, 0.0, 0.0, -1.0, -2.0, -1.0, -1.0];
    let returned = |steps: u64, deadline: StopFlag| {
        let mut simplex = triangle();
        simplex.end = Limits { deadline, ..Limits::default() }.search_end();
        simplex.steps_left = steps;
        (simplex.return_by_dual(&Phase::Objective(&cost)), simplex.steps_left)
    };
    assert_eq!(returned(0, StopFlag::never()), (Some(Outcome::Stalled), 0));
    assert_eq!(returned(9, StopFlag::set_after(0)), (Some(Outcome::Stalled), 9));
    assert_eq!(returned(9, StopFlag::never()), (Some(Outcome::Optimal), 8));
}

#[test]
fn two_steps_for_each_row_are_allowed() {
    // Rows of their own: three cells worth 3, 2 and 1 that hold 9 together, so that the first holds
    // all. Then the first two hold 1 at most: one leaves after the other.
    let rows = 150;
    let columns: Vec<Vec<u32>> = (0..3 * rows).map(|cell| vec![cell / 3]).collect();
    let cost: Vec<f64> = (0..3 * rows).map(|cell| f64::from(3 - cell % 3)).collect();
    let boxes = (0..3 * rows).map(|_| (0.0, 20.0)).chain((0..rows).map(|_| (0.0, 9.0)));
    let mut simplex = Simplex::new(&columns, boxes, rows as usize, Limits::default().search_end());
    assert_eq!(simplex.maximise(&cost, 1_000), Outcome::Optimal);
    (0..3 * rows as usize).filter(|cell| cell % 3 < 2).for_each(|cell| simplex.set_box(cell, 0.0, 1.0));
    simplex.refresh_values();
    simplex.steps_left = 1_000;
    assert_eq!(simplex.return_by_dual(&Phase::Objective(&cost)), Some(Outcome::Optimal));
    assert_eq!((simplex.steps_left, simplex.point()), (700, [1.0, 1.0, 7.0].repeat(150)));
}
