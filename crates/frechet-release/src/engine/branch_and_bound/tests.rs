use privacy_core::Domain;
use privacy_core::stop::StopFlag;

use super::*;
use crate::engine::dual::Implied;
use crate::table::class::Region;
use crate::table::knowledge::Knowledge;

/// Four cells, of which the last holds at most one person.
fn knowledge() -> Knowledge {
    let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[4]).unwrap()).unwrap();
    knowledge.publish_range("all", &Region::everything(), 0, 9).unwrap();
    knowledge.publish_range("wide", &Region::everything().with(0, [3]), 0, 7).unwrap();
    knowledge.publish_range("narrow", &Region::everything().with(0, [3]), 0, 1).unwrap();
    knowledge
}

#[test]
fn cases_are_made_of_a_cell_that_is_no_whole_number() {
    let limits = Limits::default();
    let split = |branching: Branching, point: [f64; 4]| {
        let mut program = LinearProgram::new(knowledge().system, 0..3, &limits).unwrap();
        let search = BranchAndBound::for_any(&mut program, &limits, branching);
        search.split(&point).map(|split| (split.cell, split.at_most, split.is_below_first))
    };
    // The nearest to a half, and the nearest to a whole number.
    assert_eq!(split(Branching::Half, [1.0, 2.9, 3.4, 1.0]), Some((2, 3, true)));
    assert_eq!(split(Branching::Half, [1.9, 2.2, 0.6, 0.0]), Some((2, 0, false)));
    assert_eq!(split(Branching::Dive, [1.0, 2.9, 3.4, 1.0]), Some((1, 2, false)));
    // The last cell has the fewest counts left, and is whole.
    assert_eq!(split(Branching::FewestLeft, [1.0, 2.9, 3.4, 1.0]), Some((2, 3, true)));
    assert_eq!(split(Branching::FewestLeft, [1.0, 2.9, 3.4, 0.9]), Some((3, 0, false)));
    for branching in [Branching::Half, Branching::Dive, Branching::FewestLeft] {
        assert_eq!(split(branching, [1.0, 0.0, 3.0, 1.0]), None);
    }
}

#[test]
fn the_best_sum_is_that_of_the_table_met() {
    for (sign, before, met) in [(1, 4, 9), (-1, 4, 0)] {
        let mut program = LinearProgram::new(knowledge().system, 0..3, &Limits::default()).unwrap();
        let mut search = BranchAndBound::for_any(&mut program, &Limits::default(), Branching::Half);
        (search.cells, search.sign, search.best, search.enough) = (&[0], sign, Some(before), sign * 100);
        search.visit(0);
        assert_eq!((search.best, search.found.len(), search.found[0][0]), (Some(met), 1, met));
    }
}

#[test]
fn the_narrower_of_two_rows_of_a_cell_is_its_box() {
    let system = knowledge().system;
    let implied = Implied::of(&system);
    assert_eq!(implied.boxes(&system)[3], (0, 1));
    assert!(implied.covers(&system, 2) && !implied.covers(&system, 1));
    // The other row is one that the solver sees.
    assert_eq!(LinearProgram::new(system, 0..3, &Limits::default()).unwrap().rank(), 2);
}

#[test]
fn a_stopped_call_and_a_passed_deadline_end_a_search() {
    let set = || {
        let flag = StopFlag::new();
        flag.set();
        flag
    };
    assert!(!Limits::default().search_end().is_set());
    assert!(Limits { stop: set(), ..Limits::default() }.search_end().is_set());
    assert!(Limits { deadline: set(), ..Limits::default() }.search_end().is_set());
}
