//! Published and independently computed bounds: linear ones as rationals, whole-number ones
//! exactly.

use crate::common::{Case, counts, numbers, ratio, sets};
use frechet_release::{Class, CountInterval, Limits, Method, Side, verify};
use serde_json::Value;
use testkit::fixtures::json;

/// All cells: their bounds are those of the fixture, and every certificate is accepted.
fn check(name: &str, case: &Case, expected: &Value) -> Vec<CountInterval> {
    let knowledge = case.knowledge();
    let system = knowledge.system().clone();
    let mut solver = case.solver(Limits::default());
    let intervals = solver.cells().unwrap();
    let (lower, upper) = (expected.get("ilp_lower"), expected.get("ilp_upper"));
    for (cell, interval) in intervals.iter().enumerate() {
        let place = format!("{name}, cell {cell}, by {:?}", interval.method);
        assert!(interval.is_sharp(), "{place}");
        for (side, bound) in [(Side::Lower, &interval.lower), (Side::Upper, &interval.upper)] {
            verify(&system, &[u32::try_from(cell).unwrap()], side, bound)
                .unwrap_or_else(|e| panic!("{place} {side:?}: {e}"));
        }
        if let (Some(lower), Some(upper)) = (lower, upper) {
            assert_eq!(interval.lower.value, lower[cell].as_i64().unwrap(), "{place}");
            assert_eq!(interval.upper.value, upper[cell].as_i64().unwrap(), "{place}");
        }
        if expected.get("lp_lower").is_some() {
            assert_eq!(interval.lower.relaxed.to_string(), ratio(&expected["lp_lower"][cell]), "{place}");
            assert_eq!(interval.upper.relaxed.to_string(), ratio(&expected["lp_upper"][cell]), "{place}");
        }
    }
    intervals
}

fn check_file(file: &str) -> usize {
    let table = json(&format!("frechet/{file}"));
    let sets_of_margins = table["margin_sets"].as_array().unwrap();
    for set in sets_of_margins {
        let case = Case::of(&numbers(&table["shape"]), counts(&table["counts"]), sets(&set["margins"]));
        let name = format!("{file} {}", set["name"]);
        let intervals = check(&name, &case, set);
        if set["graph"]["decomposable"].as_bool().unwrap() {
            let closed =
                |m: &Method| matches!(m, Method::Published | Method::TwoWay | Method::Axial | Method::Decomposable);
            assert!(intervals.iter().all(|interval| closed(&interval.method)), "{name}");
        }
        if set["name"].as_str().unwrap().contains("4-cycle") {
            assert!(intervals.iter().all(|interval| interval.method == Method::Reducible), "{name}");
        }
        if let Some(gaps) = set.get("integer_gap_cells") {
            let found: Vec<usize> = (0..intervals.len()).filter(|&cell| intervals[cell].has_integer_gap()).collect();
            assert_eq!(found, numbers(gaps), "{name}");
        }
    }
    sets_of_margins.len()
}

#[test]
fn czech_autoworkers_have_the_published_intervals() {
    assert_eq!(check_file("czech_autoworkers_2x6.json"), 11);
}

#[test]
fn rochdale_has_the_bounds_of_two_solvers() {
    assert_eq!(check_file("rochdale_2x8.json"), 4);
}

#[test]
fn rochdale_three_way_has_its_integer_gap() {
    assert_eq!(check_file("rochdale_2x8_3way.json"), 1);
}

#[test]
fn berkeley_admissions_have_the_bounds_of_two_solvers() {
    assert_eq!(check_file("ucb_admissions.json"), 6);
}

#[test]
fn a_table_may_be_pinned_though_real_tables_spread() {
    assert_eq!(check_file("vlach_gap_3x4x6.json"), 1);
}

#[test]
fn a_cell_may_take_0_and_2_and_not_1() {
    assert_eq!(check_file("deloera_onn_type_hole_3x4x6.json"), 1);
    let table = json("frechet/deloera_onn_type_hole_3x4x6.json");
    let set = &table["margin_sets"][0];
    let case = Case::of(&numbers(&table["shape"]), counts(&table["counts"]), sets(&set["margins"]));
    let attained = case.solver(Limits::default()).attained(&Class::cell([0, 2, 5]), 10).unwrap();
    assert_eq!(attained, Some(vec![0, 2]));
}

#[test]
fn small_random_instances_have_the_ranges_of_enumeration() {
    let cases = json("frechet/fuzz_small.json");
    let cases = cases.as_array().unwrap();
    for (number, expected) in cases.iter().enumerate() {
        let mut case = Case::of(&numbers(&expected["shape"]), counts(&expected["counts"]), sets(&expected["margins"]));
        case.capacity = expected["capacity"].as_array().map(|_| counts(&expected["capacity"]));
        check(&format!("instance {number}"), &case, expected);
    }
    assert_eq!(cases.len(), 112);
}

/// The maximal cliques of a graph on 6 axes, if the graph is chordal: a vertex whose later
/// neighbours are complete can always be taken next.
fn cliques_if_chordal(edges: &[(usize, usize)]) -> Option<Vec<Vec<usize>>> {
    let joined = |a: usize, b: usize| edges.contains(&(a.min(b), a.max(b)));
    let (mut left, mut cliques): (Vec<usize>, Vec<Vec<usize>>) = ((0..6).collect(), Vec::new());
    while !left.is_empty() {
        let around = |v: usize| left.iter().copied().filter(|&w| w == v || joined(v, w)).collect::<Vec<_>>();
        let complete = |set: &[usize]| set.iter().all(|&a| set.iter().all(|&b| a == b || joined(a, b)));
        let next = left.iter().copied().find(|&v| complete(&around(v)))?;
        let clique = around(next);
        if !cliques.iter().any(|known| clique.iter().all(|v| known.contains(v))) {
            cliques.push(clique);
        }
        left.retain(|&v| v != next);
    }
    Some(cliques)
}

#[test]
fn thirty_one_decomposable_models_have_the_tightest_bounds() {
    let claim = json("frechet/czech_decomposable_models.json");
    let czech = json("frechet/czech_autoworkers_2x6.json");
    let table = counts(&czech["counts"]);
    let all: Vec<(usize, usize)> = (0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b))).collect();
    let tightest: Vec<(i64, i64)> = claim["computed_tightest"][0][0]
        .as_array()
        .unwrap()
        .iter()
        .map(|ends| (ends[0].as_i64().unwrap(), ends[1].as_i64().unwrap()))
        .collect();
    let (mut chordal, mut attained) = (0, 0);
    for graph in 0_u32..1 << 15 {
        let edges: Vec<_> = (0..15).filter(|edge| graph >> edge & 1 == 1).map(|edge| all[edge]).collect();
        let Some(margins) = cliques_if_chordal(&edges) else { continue };
        chordal += 1;
        if margins.len() == 1 {
            continue; // the table itself
        }
        let mut solver = Case::of(&[2; 6], table.clone(), margins).solver(Limits::default());
        let mut ends = |cell: &Value| {
            let interval = solver.interval(&Class::cell(numbers(&cell["cell"]))).unwrap();
            (interval.lower.value, interval.upper.value)
        };
        let ends: Vec<(i64, i64)> = claim["cells"].as_array().unwrap().iter().map(&mut ends).collect();
        // Tightest from above: some models have a higher lower end for one of the cells.
        assert!(ends.iter().zip(&tightest).all(|(end, best)| end.1 >= best.1), "{edges:?}");
        attained += usize::from(ends == tightest);
    }
    assert_eq!(chordal, claim["chordal_graphs"].as_u64().unwrap());
    assert_eq!(attained as u64, claim["count"].as_u64().unwrap());
}
