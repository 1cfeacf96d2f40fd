//! What cannot be modelled, what contradicts itself, and what other kinds of rows say.

use crate::common::{Case, counts, numbers, sets};
use frechet_release::hierarchy::Hierarchy;
use frechet_release::{
    Class, DisclosureRule, DisclosureStatus, EntropyOptions, Error, Flaw, Knowledge, Limits, MaxEntropy, Multipliers,
    Node, Region, Scope, Side, Solver, Split, audit, verify,
};
use privacy_core::{AttrSet, Attribute, ContingencyTable, Domain};
use testkit::fixtures::json;

fn fit(knowledge: &Knowledge, tolerance: f64, max_sweeps: u32) -> MaxEntropy {
    let options = EntropyOptions { tolerance, max_sweeps, ..EntropyOptions::default() };
    MaxEntropy::fit(knowledge, &options).unwrap()
}

fn knowledge(shape: &[usize]) -> Knowledge {
    Knowledge::of_counts(Domain::of_cardinalities(shape).unwrap()).unwrap()
}

fn table(shape: &[usize], axes: &[usize], cells: &[u64]) -> ContingencyTable {
    let domain = Domain::of_cardinalities(shape).unwrap();
    ContingencyTable::from_cells(&domain, axes.iter().copied().collect(), cells.to_vec()).unwrap()
}

fn refused(knowledge: Knowledge) -> Error {
    Solver::new(knowledge, Limits::default()).err().unwrap()
}

#[test]
fn margins_of_two_populations_are_named() {
    let mut knowledge = knowledge(&[2, 3]);
    knowledge.publish_margin(&table(&[2, 3], &[0], &[5, 6])).unwrap();
    knowledge.publish_margin(&table(&[2, 3], &[1], &[3, 4, 5])).unwrap();
    let error = refused(knowledge);
    let Error::Inconsistent { rows, only_whole_numbers, irreducible, .. } = &error else { panic!("{error}") };
    assert_eq!(rows.len(), 5, "all rows are needed: {rows:?}");
    assert!(rows.contains(&"margin {a1 \"2\"}".to_owned()) && !only_whole_numbers && *irreducible);
}

#[test]
fn a_conflict_that_was_not_cut_down_to_the_end_says_so() {
    let named = |irreducible| {
        let (rows, positions) = (vec!["one".to_owned(), "other".to_owned()], vec![0, 1]);
        Error::Inconsistent { rows, positions, only_whole_numbers: false, irreducible }.to_string()
    };
    assert_eq!(named(true), "these rows contradict each other: one; other");
    assert!(named(false).contains("perhaps fewer") && named(false).ends_with("one; other"));
}

#[test]
fn a_conflict_is_cut_down_to_the_rows_that_make_it() {
    let mut knowledge = knowledge(&[4, 4]);
    knowledge.publish_margin(&table(&[4, 4], &[0], &[10, 20, 30, 40])).unwrap();
    knowledge.publish_margin(&table(&[4, 4], &[1], &[25, 25, 25, 25])).unwrap();
    knowledge.publish_range("rounded", &Region::everything().with(0, [0]).with(1, [1, 2]), 11, 15).unwrap();
    let Error::Inconsistent { rows, positions, .. } = refused(knowledge) else { panic!("two rows conflict") };
    assert_eq!(
        (rows.as_slice(), positions.as_slice()),
        (&["margin {a0 \"0\"}".to_owned(), "rounded".to_owned()][..], &[0, 8][..])
    );
}

#[test]
fn numbers_that_only_real_tables_meet_are_refused() {
    let instance = json("frechet/vlach_infeasible_3x4x6.json");
    let mut knowledge = knowledge(&numbers(&instance["shape"]));
    for (name, axes) in [("ij", [0, 1]), ("ik", [0, 2]), ("jk", [1, 2])] {
        knowledge.publish_margin(&table(&[3, 4, 6], &axes, &counts(&instance["margin_values"][name]))).unwrap();
    }
    let Error::Inconsistent { rows, only_whole_numbers, .. } = refused(knowledge) else { panic!("no table exists") };
    assert!(only_whole_numbers && rows.len() > 10);
}

#[test]
fn more_votes_than_people_are_named() {
    let domain = Domain::of_cardinalities(&[2, 2]).unwrap();
    let people = table(&[2, 2], &[0, 1], &[3, 3, 9, 9]);
    let mut knowledge = Knowledge::with_population(domain, &people).unwrap();
    knowledge.publish_count("slice", &Region::everything().with(0, [0]), 7).unwrap();
    let Error::Inconsistent { rows, .. } = refused(knowledge) else { panic!("7 of 6") };
    assert_eq!(rows, ["slice"]);
}

#[test]
fn what_has_no_bound_or_no_place_is_refused() {
    let mut unbounded = knowledge(&[2, 2]);
    unbounded.publish_count("one cell", &Region::from(&Class::cell([0, 0])), 1).unwrap();
    assert_eq!(refused(unbounded), Error::Unbounded);
    let mut knowledge = knowledge(&[2, 2]);
    assert!(matches!(knowledge.publish_margin(&table(&[3], &[0], &[1, 1, 1])), Err(Error::Shape { .. })));
    let region = Region::everything().with(2, [0]);
    assert_eq!(knowledge.publish_count("x", &region, 1), Err(Error::NoSuchLevel { axis: 2, level: 0 }));
    assert!(matches!(knowledge.publish_range("x", &Region::everything(), 2, 1), Err(Error::EmptyRow { .. })));
    assert!(matches!(knowledge.publish_count("x", &Region::everything(), u64::MAX), Err(Error::TooLarge { .. })));
    knowledge.publish_count("total", &Region::everything(), 3).unwrap();
    let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
    let too_few = Class::new(AttrSet::first(2), [0]);
    assert_eq!(solver.interval(&too_few).unwrap_err(), Error::LevelCount { axes: 2, levels: 1 });
    assert!(matches!(solver.interval(&Class::cell([0, 2])), Err(Error::NoSuchLevel { axis: 1, level: 2 })));
    for (beta, kappa) in [(0.0, 1), (0.6, 1), (f64::NAN, 1), (0.1, 0)] {
        assert!(DisclosureRule::new(0, beta, kappa, Scope::All).is_err());
    }
}

#[test]
fn errors_and_debug_show_no_count() {
    let mut knowledge = knowledge(&[2]);
    knowledge.publish_count("total", &Region::everything(), 424_242).unwrap();
    let mut shown = format!("{knowledge:?}");
    let mut solver = Solver::new(knowledge.clone(), Limits::default()).unwrap();
    let interval = solver.interval(&Class::cell([0])).unwrap();
    shown += &format!("{interval:?} {:?}", fit(&knowledge, 1e-9, 100));
    let report = audit(&mut solver, &DisclosureRule::new(0, 0.1, 1, Scope::All).unwrap()).unwrap();
    shown += &format!("{:?}", report.findings);
    knowledge.publish_count("cell", &Region::from(&Class::cell([0])), 424_243).unwrap();
    let error = refused(knowledge);
    shown += &format!("{error} {error:?}");
    assert!(!shown.contains("42424"), "{shown}");
}

#[test]
fn limits_end_in_unknown_or_an_error_and_never_in_a_certificate() {
    let gap = json("frechet/vlach_gap_3x4x6.json");
    let case = Case::of(&numbers(&gap["shape"]), counts(&gap["counts"]), sets(&gap["margin_sets"][0]["margins"]));
    let limits = Limits { nodes: 0, ..Limits::default() };
    let mut solver = case.solver(limits);
    let intervals = solver.cells().unwrap();
    let system = case.knowledge().system().clone();
    assert!(intervals.iter().any(|interval| !interval.is_sharp()), "without cases the gap stays open");
    for (cell, interval) in (0..).zip(&intervals) {
        verify(&system, &[cell], Side::Lower, &interval.lower).unwrap();
        verify(&system, &[cell], Side::Upper, &interval.upper).unwrap();
    }
    let report = audit(&mut solver, &DisclosureRule::new(0, 0.1, 1, Scope::All).unwrap()).unwrap();
    assert!(report.count(DisclosureStatus::Unknown) > 0 && report.count(DisclosureStatus::Certified) == 0);
    let few = Limits { super_cells: 10, ..Limits::default() };
    assert_eq!(Solver::new(case.knowledge(), few).err(), Some(Error::TooManySuperCells { got: 140, limit: 10 }));
    let few = Limits { rows: 10, ..Limits::default() };
    assert!(matches!(Solver::new(case.knowledge(), few).err(), Some(Error::TooManyRows { limit: 10, .. })));
}

#[test]
fn a_suppression_pattern_that_looks_safe_leaks_a_cell() {
    let instance = json("frechet/wp22_delinquent.json");
    let counts = counts(&instance["counts"]);
    for (pattern, bounds) in [("naive_two_per_line_pattern", &instance["naive_bounds"])] {
        let hidden: Vec<Vec<usize>> = sets(&instance[pattern]);
        let mut knowledge = suppressed(&counts, &hidden);
        knowledge.publish_range("an attacker's guess", &Region::everything(), 0, 1_000).unwrap();
        let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
        for (cell, expected) in bounds.as_object().unwrap() {
            let levels: Vec<usize> = cell.chars().filter_map(|c| c.to_digit(10)).map(|d| d as usize).collect();
            let interval = solver.interval(&Class::cell(levels)).unwrap();
            assert_eq!(interval.lower.value, expected[0].as_i64().unwrap(), "{cell}");
            assert_eq!(interval.upper.value, expected[1].as_i64().unwrap(), "{cell}");
        }
    }
}

/// Row and column totals, and every cell that is not hidden.
fn suppressed(cells: &[u64], hidden: &[Vec<usize>]) -> Knowledge {
    let full = table(&[4, 4], &[0, 1], cells);
    let mut knowledge = knowledge(&[4, 4]);
    for axis in [0, 1] {
        knowledge.publish_margin(&full.marginal(AttrSet::single(axis)).unwrap()).unwrap();
    }
    for (cell, &count) in cells.iter().enumerate() {
        let levels = vec![cell / 4, cell % 4];
        if !hidden.contains(&levels) {
            knowledge.publish_count(format!("cell {cell}"), &Region::from(&Class::cell(levels)), count).unwrap();
        }
    }
    knowledge
}

#[test]
fn optimal_suppression_patterns_keep_their_published_intervals() {
    let instance = json("frechet/wp22_delinquent.json");
    for pattern in instance["optimal_secondary"].as_object().unwrap().values() {
        let hidden = [sets(&instance["primary"]), sets(&pattern["cells"])].concat();
        let knowledge = suppressed(&counts(&instance["counts"]), &hidden);
        let system = knowledge.system().clone();
        let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
        for (cell, expected) in pattern["primary_bounds"].as_object().unwrap() {
            let levels: Vec<usize> = cell.chars().filter_map(|c| c.to_digit(10)).map(|d| d as usize).collect();
            let cells = [u32::try_from(levels[0] * 4 + levels[1]).unwrap()];
            let interval = solver.interval(&Class::cell(levels)).unwrap();
            assert_eq!(interval.lower.value, expected[0].as_i64().unwrap(), "{cell}");
            assert_eq!(interval.upper.value, expected[1].as_i64().unwrap(), "{cell}");
            verify(&system, &cells, Side::Lower, &interval.lower).unwrap();
            verify(&system, &cells, Side::Upper, &interval.upper).unwrap();
        }
    }
}

#[test]
fn totals_of_a_hierarchy_are_rows_over_its_groups() {
    let attribute = Attribute::new("age", ["10-19", "20-29", "30-39"]).unwrap();
    let tree = Hierarchy::from_parents("10-19;young\n20-29;young\n30-39;old\n", &attribute).unwrap();
    let domain = Domain::new(vec![attribute, Attribute::codes("place", 2).unwrap()]).unwrap();
    let mut knowledge = Knowledge::of_counts(domain).unwrap();
    let group = |label| Region::everything().with(0, tree.levels_of(label).unwrap());
    knowledge.publish_count("young", &group("young"), 12).unwrap();
    knowledge.publish_count("old", &group("old"), 5).unwrap();
    knowledge.publish_count("young, first place", &group("young").with(1, [0]), 9).unwrap();
    let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
    let mut ends = |class: &Class| {
        let interval = solver.interval(class).unwrap();
        (interval.lower.value, interval.upper.value)
    };
    assert_eq!(ends(&Class::cell([0, 1])), (0, 3));
    assert_eq!(ends(&Class::new(AttrSet::single(0), [0])), (0, 12));
    assert_eq!(ends(&Class::new(AttrSet::single(1), [0])), (9, 14));
}

#[test]
fn proofs_by_cases_are_checked_leaf_by_leaf() {
    let gap = json("frechet/vlach_gap_3x4x6.json");
    let case = Case::of(&numbers(&gap["shape"]), counts(&gap["counts"]), sets(&gap["margin_sets"][0]["margins"]));
    let system = case.knowledge().system().clone();
    let intervals = case.solver(Limits::default()).cells().unwrap();
    let by_cases = |interval: &&frechet_release::CountInterval| interval.upper.proof.as_rows().is_none();
    assert!(intervals.iter().filter(by_cases).count() > 0);
    for (cell, interval) in (0..).zip(&intervals).filter(|(_, interval)| by_cases(interval)) {
        assert_eq!(verify(&system, &[cell], Side::Upper, &interval.upper), Ok(()));
        for (leaf, node) in interval.upper.proof.nodes.iter().enumerate() {
            let mut corrupted = interval.upper.clone();
            corrupted.proof.nodes[leaf] = match node {
                Node::Split(_) => continue,
                Node::Bound(_) => Node::Bound(Multipliers::integral(vec![])),
                Node::Empty(_) => Node::Empty(Multipliers::integral(vec![])),
            };
            assert_eq!(verify(&system, &[cell], Side::Upper, &corrupted), Err(Flaw::Weak), "cell {cell}, leaf {leaf}");
        }
        let mut elsewhere = interval.upper.clone();
        let split = Split { cell: system.capacity().len(), at_most: 0, below: 1, above: 1 };
        elsewhere.proof.nodes[0] = Node::Split(split);
        assert_eq!(verify(&system, &[cell], Side::Upper, &elsewhere), Err(Flaw::Malformed));
        assert_eq!(verify(&system, &[cell, cell], Side::Upper, &interval.upper), Err(Flaw::Malformed));
        assert_eq!(verify(&system, &[72], Side::Upper, &interval.upper), Err(Flaw::Malformed));
    }
}
