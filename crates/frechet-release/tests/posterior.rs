//! What attackers with priors believe: counts of fibers, walks over them, and the most likely
//! table.

use std::collections::BTreeMap;

use crate::common::{self, Case, counts, sets};
use frechet_release::{
    Class, Connectivity, EntropyOptions, EnumerationLimits, Error, FiberSampler, Knowledge, Limits, MaxEntropy, Prior,
    Region, Solver, count_tables, has_converged, visit_tables,
};
use privacy_core::rng::SimRng;
use privacy_core::{AttrSet, ContingencyTable, Domain};
use testkit::fixtures::json;
use testkit::{assert_law, refute_law};

fn fit(knowledge: &Knowledge, tolerance: f64, max_sweeps: u32) -> MaxEntropy {
    let options = EntropyOptions { tolerance, max_sweeps, ..EntropyOptions::default() };
    MaxEntropy::fit(knowledge, &options).unwrap()
}

/// Walks of this many steps from the same start: far more than a fiber of a few dozen tables
/// needs.
const STEPS: u64 = 150;
const WALKS: u64 = 20_000;

fn ln_factorial(n: u64) -> f64 {
    (1..=n).map(|k| (k as f64).ln()).sum()
}

/// The exact law of a cell under a prior, from all tables.
fn exact_law(case: &Case, cell: usize, prior: Prior) -> BTreeMap<i64, f64> {
    let weight = |table: &[u64]| -> f64 {
        let of_cell = |(cell, &x): (usize, &u64)| match (&case.capacity, prior) {
            (_, Prior::Tables) => 0.0,
            (None, Prior::People) => -ln_factorial(x),
            (Some(n), Prior::People) => ln_factorial(n[cell]) - ln_factorial(x) - ln_factorial(n[cell] - x),
        };
        table.iter().enumerate().map(of_cell).sum::<f64>().exp()
    };
    let mut law = BTreeMap::new();
    for table in case.fiber() {
        *law.entry(table[cell] as i64).or_insert(0.0) += weight(&table);
    }
    let total: f64 = law.values().sum();
    law.values_mut().for_each(|mass| *mass /= total);
    law
}

/// Where independent walks stand in the end.
fn samples(case: &Case, cell: usize, prior: Prior, expected: Connectivity) -> Vec<i64> {
    let mut solver = case.solver(Limits::default());
    (0..WALKS)
        .map(|trial| {
            let mut walk = FiberSampler::new(&mut solver, prior).unwrap();
            assert_eq!(walk.connectivity(), expected);
            let mut rng = SimRng::for_trial(4, "walk", trial);
            (0..STEPS).for_each(|_| walk.step(&mut rng));
            walk.table()[cell]
        })
        .collect()
}

fn check(case: &Case, cell: usize, expected: Connectivity) {
    for (prior, other) in [(Prior::Tables, Prior::People), (Prior::People, Prior::Tables)] {
        let samples = samples(case, cell, prior, expected);
        let law = |prior| {
            let law = exact_law(case, cell, prior);
            move |value: i64| law.get(&value).copied().unwrap_or(0.0)
        };
        assert_law(&samples, law(prior));
        refute_law(&samples, law(other));
    }
}

#[test]
fn swaps_follow_both_priors_on_axial_margins() {
    check(&Case::axial(&[2, 3], vec![3, 1, 2, 2, 3, 1]), 0, Connectivity::Proved);
}

#[test]
fn swaps_follow_both_priors_along_a_separator() {
    let case = Case::of(&[2, 2, 2], vec![2, 3, 1, 4, 3, 1, 2, 2], vec![vec![0, 1], vec![1, 2]]);
    check(&case, 0, Connectivity::Proved);
}

#[test]
fn one_direction_is_walked_to_both_ends() {
    let case = Case::of(&[2, 2, 2], vec![5, 1, 2, 4, 1, 5, 6, 2], vec![vec![0, 1], vec![0, 2], vec![1, 2]]);
    check(&case, 0, Connectivity::Proved);
}

#[test]
fn a_fiber_that_swaps_do_not_connect_is_walked_by_differences_and_says_so() {
    let hole = &json("frechet/paper_errors2.json")["E18d_order_one_hole"];
    let case = Case::axial(&[2, 2, 2], vec![0, 4, 0, 0, 0, 0, 4, 0]).with_people(counts(&hole["N"]));
    let mut walk = FiberSampler::new(&mut case.solver(Limits::default()), Prior::Tables).unwrap();
    assert_eq!(walk.connectivity(), Connectivity::NotProved);
    let mut rng = SimRng::for_trial(4, "hole", 0);
    let seen = walk.frequencies(&Class::cell([0, 0, 1]), 2_000, 5, &mut rng).unwrap();
    assert_eq!(seen.keys().copied().collect::<Vec<_>>(), [0, 2, 4]);
}

#[test]
fn counts_of_thousands_are_reached_from_a_corner_in_a_few_steps() {
    let people = vec![5_000; 4];
    let case = Case::axial(&[2, 2], vec![2_500; 4]).with_people(people);
    let mut solver = case.solver(Limits::default());
    let walks = FiberSampler::apart(&mut solver, Prior::People).unwrap();
    assert_ne!(walks[0].table(), walks[1].table());
    // One cell determines the table, and all four weigh alike: binomial(5000, x)^4.
    let log_weight = |x: i64| -> f64 { 4.0 * (1..=x).map(|k| ((5_001 - k) as f64 / k as f64).ln()).sum::<f64>() };
    let peak = log_weight(2_500);
    let masses: Vec<f64> = (0..=5_000).map(|x| (log_weight(x) - peak).exp()).collect();
    let total: f64 = masses.iter().sum();
    let law = |x: i64| masses.get(x as usize).map_or(0.0, |mass| mass / total);
    let samples: Vec<i64> = (0..WALKS / 4)
        .map(|trial| {
            let mut walk = walks[(trial % 2) as usize].clone();
            let mut rng = SimRng::for_trial(4, "corner", trial);
            (0..40).for_each(|_| walk.step(&mut rng));
            walk.table()[0]
        })
        .collect();
    assert_law(&samples, law);
    refute_law(&samples, |x| law(x - 5));
}

#[test]
fn ranges_hold_all_along_the_walk_and_large_ones_are_walked_to_their_ends() {
    let domain = Domain::of_cardinalities(&[4]).unwrap();
    let mut knowledge = Knowledge::of_counts(domain).unwrap();
    let levels = |levels: &[usize]| Region::everything().with(0, levels.to_vec());
    knowledge.publish_count("all", &Region::everything(), 1_000_000_000_039).unwrap();
    knowledge.publish_range("x", &levels(&[0]), 0, 240_000_000_077).unwrap();
    knowledge.publish_range("both", &levels(&[0, 1]), 200_000_000_041, 610_000_000_033).unwrap();
    let mut solver = Solver::new(knowledge.clone(), Limits::default()).unwrap();
    let mut walks = FiberSampler::apart(&mut solver, Prior::People).unwrap();
    let mut rng = SimRng::for_trial(4, "ranges", 0);
    let looks = walks.each_mut().map(|walk| {
        (0..2_000).for_each(|_| walk.step(&mut rng));
        let look = |_| {
            (0..20).for_each(|_| walk.step(&mut rng));
            assert!(knowledge.system().check(walk.table()).is_ok());
            walk.table()[1]
        };
        (0..400).map(look).collect::<Vec<i64>>()
    });
    assert!(has_converged(&[&looks[0], &looks[1]]));
    // A quarter each, but the first stays at its end: the others share what is left.
    let mean = looks.concat().iter().map(|&count| count as f64).sum::<f64>() / 800.0;
    assert!((mean - 760_000_000_000.0 / 3.0).abs() < 1e6, "{mean}");
}

#[test]
fn moves_of_billions_take_no_longer_than_small_ones() {
    let case = Case::axial(&[2, 2], vec![3_000_000_019, 2_000_000_011, 1_000_000_007, 2_500_000_003]);
    let mut walks = FiberSampler::apart(&mut case.solver(Limits::default()), Prior::People).unwrap();
    let mut rng = SimRng::for_trial(4, "billions", 0);
    let looks = walks.each_mut().map(|walk| {
        (0..400).for_each(|_| walk.step(&mut rng));
        let look = |_| {
            (0..20).for_each(|_| walk.step(&mut rng));
            walk.table()[0]
        };
        (0..400).map(look).collect::<Vec<i64>>()
    });
    assert!(has_converged(&[&looks[0], &looks[1]]));
    // Independent axes: the product of the margins, with a spread of tens of thousands.
    let (row, column, all) = (5_000_000_030_f64, 4_000_000_026.0, 8_500_000_040.0);
    let mean = looks.concat().iter().map(|&count| count as f64).sum::<f64>() / 800.0;
    assert!((mean - row * column / all).abs() < 20_000.0, "{mean}");
}

#[test]
fn a_walk_with_a_seed_repeats() {
    let case = Case::axial(&[3, 3, 2], vec![2; 18]);
    let frequencies = |trial| {
        let mut walk = FiberSampler::new(&mut case.solver(Limits::default()), Prior::People).unwrap();
        walk.frequencies(&Class::cell([0, 0, 0]), 500, 3, &mut SimRng::for_trial(1, "repeat", trial)).unwrap()
    };
    assert_eq!(frequencies(0), frequencies(0));
    assert_ne!(frequencies(0), frequencies(1));
}

#[test]
fn fibers_of_real_tables_are_counted() {
    let czech = json("frechet/czech_autoworkers_2x6.json");
    let by_order = |order: usize| {
        let margins = AttrSet::first(6).subsets_of_size(order).map(|set| set.iter().collect()).collect();
        Case::of(&[2; 6], counts(&czech["counts"]), margins).knowledge()
    };
    let published = |order: &str| {
        let set = czech["margin_sets"].as_array().unwrap().iter().find(|set| set["name"] == order).unwrap();
        set["fiber_size"].as_u64().unwrap()
    };
    assert_eq!(count_tables(&by_order(5), &EnumerationLimits::tables(10)).unwrap(), published("all-5way"));
    assert_eq!(count_tables(&by_order(4), &EnumerationLimits::tables(1_000_000)).unwrap(), published("all-4way"));
    assert_eq!(
        count_tables(&by_order(4), &EnumerationLimits::tables(1_000)).unwrap_err(),
        Error::FiberTooLarge { limit: 1_000 }
    );
    for instance in json("frechet/fuzz_small.json").as_array().unwrap() {
        let shape = common::numbers(&instance["shape"]);
        let mut case = Case::of(&shape, counts(&instance["counts"]), sets(&instance["margins"]));
        case.capacity = instance["capacity"].as_array().map(|_| counts(&instance["capacity"]));
        let mut tables = Vec::new();
        visit_tables(&case.knowledge(), &EnumerationLimits::tables(1 << 20), |table| tables.push(table.to_vec()))
            .unwrap();
        assert_eq!(tables.len() as u64, instance["fiber_size"].as_u64().unwrap());
        tables.sort_unstable();
        tables.dedup();
        assert_eq!(tables.len() as u64, instance["fiber_size"].as_u64().unwrap(), "each table once");
    }
}

/// Three sums of two counts each, with an odd total: each of 10^12 values of a count leads to no
/// table after two rows, and none a level deeper. The search ends by the rows that it propagates.
#[test]
fn a_search_that_finds_no_table_ends_too() {
    let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[3]).unwrap()).unwrap();
    for (left_out, sum) in [(0, 1_u64 << 40), (1, (1 << 40) + 1), (2, 1 << 40)] {
        let pair: Vec<usize> = (0..3).filter(|&level| level != left_out).collect();
        knowledge.publish_count("pair", &Region::everything().with(0, pair), sum).unwrap();
    }
    let refused = count_tables(&knowledge, &EnumerationLimits::tables(500)).unwrap_err();
    assert_eq!(refused, Error::FiberTooLarge { limit: 500 });
}

#[test]
fn the_most_likely_table_of_independent_margins_is_their_product() {
    let case = Case::axial(&[2, 3], vec![10, 20, 30, 5, 5, 30]);
    let fit = fit(&case.knowledge(), 1e-12, 100);
    for (cell, (row, column)) in [(60.0, 15.0), (60.0, 25.0), (60.0, 60.0), (40.0, 15.0)].into_iter().enumerate() {
        let mean = fit.mean(&Class::cell([cell / 3, cell % 3])).unwrap();
        assert!((mean - row * column / 100.0).abs() < 1e-9, "{mean}");
    }
}

#[test]
fn with_capacities_the_odds_multiply_over_the_axes() {
    let people = vec![1_000, 400, 300, 900, 700, 800];
    let case = Case::axial(&[2, 3], vec![300, 200, 100, 500, 300, 600]).with_people(people.clone());
    let fit = fit(&case.knowledge(), 1e-13, 10_000);
    let odds = |row: usize, column: usize| {
        let mean = fit.mean(&Class::cell([row, column])).unwrap();
        (mean / (people[row * 3 + column] as f64 - mean)).ln()
    };
    for column in 1..3 {
        let interaction = odds(0, 0) - odds(0, column) - odds(1, 0) + odds(1, column);
        assert!(interaction.abs() < 1e-8, "{interaction}");
    }
    assert!(fit.residual() <= 1e-13);
}

#[test]
fn a_range_changes_the_most_likely_table_only_where_it_binds() {
    let domain = Domain::of_cardinalities(&[4]).unwrap();
    let people = ContingencyTable::from_cells(&domain, domain.all(), vec![100; 4]).unwrap();
    let mut knowledge = Knowledge::with_population(domain, &people).unwrap();
    let two = Region::everything().with(0, [0, 1]);
    knowledge.publish_range("loose", &two, 80, 130).unwrap();
    let mean = |knowledge: &Knowledge| fit(knowledge, 1e-12, 1_000).mean(&Class::cell([0])).unwrap();
    assert!((mean(&knowledge) - 50.0).abs() < 1e-9);
    knowledge.publish_range("tight", &two, 110, 120).unwrap();
    assert!((mean(&knowledge) - 55.0).abs() < 1e-6);
}
