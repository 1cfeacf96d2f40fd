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

/// Three cells, of each two of which one person is at least, and two are at most: the sum of all is
/// at least 1.5 and at most 3 for real numbers, at least 2 for whole ones.
fn pairs(lower: u64, upper: u64) -> Knowledge {
    let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[3]).unwrap()).unwrap();
    for pair in [[0, 1], [0, 2], [1, 2]] {
        knowledge.publish_range("pair", &Region::everything().with(0, pair), lower, upper).unwrap();
    }
    knowledge
}

#[test]
fn a_search_ends_when_enough_is_attained_and_not_before() {
    let mut program = LinearProgram::new(knowledge().system, 0..3, &Limits::default()).unwrap();
    let mut search = BranchAndBound::for_any(&mut program, &Limits::default(), Branching::Half);
    for (sign, best, enough, is_enough) in
        [(1, 4, 5, false), (1, 5, 5, true), (1, 6, 5, true), (-1, 6, 5, false), (-1, 5, 5, true), (-1, 4, 5, true)]
    {
        (search.sign, search.best, search.enough) = (sign, Some(best), enough);
        assert_eq!(search.is_enough(), is_enough, "{sign} {best} {enough}");
    }
    search.best = None;
    assert!(!search.is_enough());
}

#[test]
fn bounds_of_real_numbers_close_a_case_once_they_are_rounded() {
    // At most 1.5, so no table has more than 1; at least 1.5, so none has less than 2.
    for (sign, system, best) in [(1, pairs(0, 1).system, 1), (-1, pairs(1, 2).system, 2)] {
        let mut program = LinearProgram::new(system, 0..3, &Limits::default()).unwrap();
        let LpOutcome::Point(point) = program.maximise(&[0, 1, 2], sign) else { panic!("there are points") };
        let mut search = BranchAndBound::for_any(&mut program, &Limits::default(), Branching::Half);
        (search.cells, search.sign) = (&[0, 1, 2], sign);
        for (own, is_closed) in [(best, true), (best - sign, false), (best + sign, true)] {
            search.best = Some(own);
            assert_eq!(search.closed(&point).is_some(), is_closed, "{sign} {own}");
        }
    }
}

#[test]
fn a_sum_of_the_solver_that_is_wrong_closes_no_case() {
    for (sign, system, best) in [(1, pairs(0, 1).system, 0), (-1, pairs(1, 2).system, 3)] {
        let mut program = LinearProgram::new(system, 0..3, &Limits::default()).unwrap();
        assert!(matches!(program.maximise(&[0, 1, 2], sign), LpOutcome::Point(_)));
        let mut search = BranchAndBound::for_any(&mut program, &Limits::default(), Branching::Half);
        (search.cells, search.sign, search.best) = (&[0, 1, 2], sign, Some(best));
        // As if nothing went beyond the best sum, where the multipliers allow one person more (or
        // less).
        assert!(search.closed(&[best as f64, 0.0, 0.0]).is_none(), "{sign}");
        search.best = Some(best + sign);
        assert!(search.closed(&[(best + sign) as f64, 0.0, 0.0]).is_some(), "{sign}");
    }
}

#[test]
fn a_search_keeps_to_its_number_of_linear_programs() {
    let mut program = LinearProgram::new(pairs(1, 1).system, 0..3, &Limits::default()).unwrap();
    // Each pair holds 1, so all cells hold a half: no table, and it takes cases to show it.
    let closed = [0, 1, 2, 1_000].map(|nodes_left| {
        let mut search = BranchAndBound::for_any(&mut program, &Limits::default(), Branching::Half);
        search.nodes_left = nodes_left;
        let is_closed = search.run().is_some();
        assert!(search.found.is_empty() && search.nodes_left <= nodes_left);
        is_closed
    });
    assert_eq!(closed, [false, false, false, true]);
    // Cases within cases: as deep as the rule says, and no deeper.
    let mut search = BranchAndBound::for_any(&mut program, &Limits::default(), Branching::Dive);
    let most = search.branching.most_depth();
    assert!(search.visit(most).is_some() && search.visit(most + 1).is_none());
}
