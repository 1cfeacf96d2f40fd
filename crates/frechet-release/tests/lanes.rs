//! Bounds of many classes at once: the same values as one by one, and the same everything at any
//! number of threads.

use crate::common::{self, Case};
use frechet_release::{Bound, Class, CountInterval, Error, Limits, Side, verify};
use privacy_core::AttrSet;
use testkit::fixtures::json;

pub(crate) fn cases() -> Vec<Case> {
    let rochdale = json("frechet/rochdale_2x8.json");
    let triples = (0_u32..256).filter(|set| set.count_ones() == 3);
    let triples = triples.map(|set| (0..8).filter(|axis| set >> axis & 1 == 1).collect()).collect();
    let gap = json("frechet/deloera_onn_type_hole_3x4x6.json");
    let pairs = vec![vec![0, 1], vec![0, 2], vec![1, 2]];
    let votes = [0, 500, 500, 100, 7, 90, 12, 30, 41, 3, 8, 77];
    let people = [1_000, 1_000, 1_000, 100, 10, 100, 20, 60, 50, 5, 11, 90];
    vec![
        Case::of(&[2; 8], common::counts(&rochdale["counts"]), triples),
        Case::of(&[3, 4, 6], common::counts(&gap["counts"]), pairs),
        Case::axial(&[3, 2, 2], votes.to_vec()).with_people(people.to_vec()),
    ]
}

/// Every cell, every class of one axis, and everybody.
pub(crate) fn classes(case: &Case) -> Vec<Class> {
    let cells = (0..case.counts.len()).map(|cell| {
        let strides = common::strides(&case.shape);
        Class::cell(strides.iter().zip(&case.shape).map(|(stride, size)| cell / stride % size).collect::<Vec<_>>())
    });
    let slices = case.shape.iter().enumerate().flat_map(|(axis, &size)| {
        (0..size).map(move |level| Class::new([axis].into_iter().collect::<AttrSet>(), [level]))
    });
    cells.chain(slices).chain([Class::new(AttrSet::EMPTY, [])]).collect()
}

/// Value, proof and witness of both ends.
type Ends = [(i64, String, Vec<(u32, i64)>); 2];

fn all_of(interval: &CountInterval) -> Ends {
    let of = |bound: &Bound| (bound.value, format!("{:?}", bound.proof), bound.witness.table.counts().to_vec());
    [of(&interval.lower), of(&interval.upper)]
}

fn at(threads: usize, case: &Case) -> Vec<Ends> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut solver = case.solver(Limits::default());
    let intervals = pool.install(|| solver.intervals(&classes(case)).unwrap());
    intervals.iter().map(all_of).collect()
}

#[test]
fn bounds_proofs_and_witnesses_are_the_same_at_any_number_of_threads() {
    for case in cases() {
        let one = at(1, &case);
        for threads in [2, 3, 8, 64] {
            assert!(at(threads, &case) == one, "{threads} threads");
        }
    }
}

#[test]
fn many_classes_at_once_have_the_bounds_of_one_by_one() {
    for case in cases() {
        let (mut at_once, mut one_by_one) = (case.solver(Limits::default()), case.solver(Limits::default()));
        let system = case.knowledge().system().clone();
        let classes = classes(&case);
        let intervals = at_once.intervals(&classes).unwrap();
        assert_eq!(intervals.len(), classes.len());
        for (class, many) in classes.iter().zip(&intervals) {
            let one = one_by_one.interval(class).unwrap();
            assert_eq!((many.lower.value, many.upper.value), (one.lower.value, one.upper.value));
            assert!(many.is_sharp() && one.is_sharp());
            let cells = cells_of(&case, class);
            verify(&system, &cells, Side::Lower, &many.lower).unwrap();
            verify(&system, &cells, Side::Upper, &many.upper).unwrap();
        }
    }
}

#[test]
fn a_class_that_does_not_exist_is_refused_before_any_work() {
    let case = &cases()[0];
    let mut solver = case.solver(Limits::default());
    let wrong = [Class::cell([0; 8]), Class::cell([2; 8])];
    assert!(matches!(solver.intervals(&wrong), Err(Error::NoSuchLevel { .. })));
    assert!(solver.intervals(&[]).unwrap().is_empty());
}

fn cells_of(case: &Case, class: &Class) -> Vec<u32> {
    let strides = common::strides(&case.shape);
    let is_in = |&cell: &usize| {
        let mut fixed = class.axes.iter().zip(&class.levels);
        fixed.all(|(axis, &level)| cell / strides[axis] % case.shape[axis] == level)
    };
    (0..case.counts.len()).filter(is_in).map(|cell| u32::try_from(cell).unwrap()).collect()
}
