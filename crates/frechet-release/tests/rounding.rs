//! Controlled rounding: what is published, what its readers know, and how it is drawn.

use std::collections::BTreeMap;

use frechet_release::{Class, ControlledRounding, Error, Knowledge, Limits, Region, Solver};
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, ContingencyTable, Domain};
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

fn table(shape: &[usize], cells: &[u64]) -> (Domain, ContingencyTable) {
    let domain = Domain::of_cardinalities(shape).unwrap();
    let table = ContingencyTable::from_cells(&domain, domain.all(), cells.to_vec()).unwrap();
    (domain, table)
}

fn rounded(shape: &[usize], cells: &[u64], base: u64, seed: u8) -> Result<ContingencyTable, Error> {
    let (domain, table) = table(shape, cells);
    let mut rng = ChaCha20Rng::from_seed([seed; 32]);
    Ok(ControlledRounding::new(base)?.round(&domain, &table, &StopFlag::never(), &mut rng)?.table().clone())
}

/// Whether every cell and every total is a multiple closer than the base.
fn is_controlled(exact: &ContingencyTable, rounded: &ContingencyTable, base: u64) -> bool {
    exact.attributes().subsets().all(|set: AttrSet| {
        let (exact, rounded) = (exact.marginal(set).unwrap(), rounded.marginal(set).unwrap());
        let mut pairs = exact.cells().iter().zip(rounded.cells());
        pairs.all(|(&exact, &rounded)| rounded % base == 0 && exact.abs_diff(rounded) < base)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_of_at_most_two_axes_are_always_rounded(
        (shape, cells) in (1_usize..7, 1_usize..7).prop_flat_map(|(rows, columns)| {
            (Just([rows, columns]), prop::collection::vec(0_u64..40, rows * columns))
        }),
        base in 2_u64..12,
        seed in any::<u8>(),
    ) {
        let exact = table(&shape, &cells).1;
        prop_assert!(is_controlled(&exact, &rounded(&shape, &cells, base, seed).unwrap(), base));
        let line = [cells.len()];
        prop_assert!(is_controlled(&table(&line, &cells).1, &rounded(&line, &cells, base, seed).unwrap(), base));
    }

    /// (3): both ends of every number are possible for who reads all of them.
    #[test]
    fn the_engine_finds_the_ends_of_every_number(
        cells in prop::collection::vec(0_u64..12, 6),
        base in prop::sample::select(vec![3_u64, 5]),
        seed in any::<u8>(),
    ) {
        let (domain, exact) = table(&[2, 3], &cells);
        let mut rng = ChaCha20Rng::from_seed([seed; 32]);
        let rounded = ControlledRounding::new(base).unwrap().round(&domain, &exact, &StopFlag::never(), &mut rng).unwrap();
        let mut knowledge = Knowledge::of_counts(domain.clone()).unwrap();
        knowledge.publish_rounded(&rounded).unwrap();
        let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
        for (axes, margin) in rounded.margins() {
            for (index, &number) in margin.cells().iter().enumerate() {
                let mut levels = Vec::new();
                let mut rest = index;
                for axis in axes.iter().collect::<Vec<_>>().into_iter().rev() {
                    levels.insert(0, rest % domain.cardinality(axis));
                    rest /= domain.cardinality(axis);
                }
                let interval = solver.interval(&Class::new(axes, levels)).unwrap();
                let (lower, upper) = rounded.range(number);
                prop_assert!(interval.is_sharp());
                prop_assert_eq!((interval.lower.value as u64, interval.upper.value as u64), (lower, upper));
                prop_assert!(upper - lower >= base - 1);
            }
        }
    }
}

#[test]
fn tables_of_three_axes_are_searched() {
    for (shape, seed) in [([3, 4, 5], 1_u8), ([6, 6, 6], 2), ([10, 10, 10], 3)] {
        let count = shape.iter().product();
        let cells: Vec<u64> = (0..count).map(|cell: usize| (cell * cell * 7 + cell * 3) as u64 % 17).collect();
        for base in [3, 5, 10] {
            let found = rounded(&shape, &cells, base, seed).unwrap();
            assert!(is_controlled(&table(&shape, &cells).1, &found, base), "{shape:?} to base {base}");
        }
    }
}

/// The frequency of every rounding of a table.
fn frequencies(shape: &[usize], cells: &[u64], base: u64, draws: usize) -> BTreeMap<Vec<u64>, usize> {
    let (domain, exact) = table(shape, cells);
    let mut rng = ChaCha20Rng::from_seed([11; 32]);
    let mut seen = BTreeMap::new();
    for _ in 0..draws {
        let rounded =
            ControlledRounding::new(base).unwrap().round(&domain, &exact, &StopFlag::never(), &mut rng).unwrap();
        *seen.entry(rounded.table().cells().to_vec()).or_default() += 1;
    }
    seen
}

/// Every controlled rounding of a table, by trying all.
fn all_roundings(shape: &[usize], cells: &[u64], base: u64) -> Vec<Vec<u64>> {
    let exact = table(shape, cells).1;
    let candidates = (0_u32..1 << cells.len()).map(|ups| {
        let up = |(cell, &count): (usize, &u64)| {
            count - count % base + if ups >> cell & 1 == 1 && count % base > 0 { base } else { 0 }
        };
        cells.iter().enumerate().map(up).collect::<Vec<u64>>()
    });
    let mut found: Vec<Vec<u64>> =
        candidates.filter(|rounded| is_controlled(&exact, &table(shape, rounded).1, base)).collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn every_controlled_rounding_is_drawn() {
    for (shape, cells, base) in [
        (vec![2, 3], vec![1, 2, 1, 2, 2, 1], 3),
        (vec![3, 2], vec![4, 1, 0, 3, 2, 2], 5),
        (vec![2, 2, 2], vec![1, 2, 2, 1, 1, 1, 2, 0], 3),
    ] {
        let seen: Vec<Vec<u64>> = frequencies(&shape, &cells, base, 20_000).into_keys().collect();
        assert_eq!(seen, all_roundings(&shape, &cells, base), "{shape:?}");
    }
}

#[test]
fn expected_values_are_the_counts() {
    let (cells, draws) = ([1_u64, 7, 4, 2, 3, 11], 40_000);
    let mut sums = [0_u64; 6];
    for (rounded, times) in frequencies(&[2, 3], &cells, 5, draws) {
        sums.iter_mut().zip(rounded).for_each(|(sum, number)| *sum += number * times as u64);
    }
    for (sum, count) in sums.into_iter().zip(cells) {
        // A number has a standard deviation of at most half the base; 7 of their mean's.
        let error = (sum as f64 / draws as f64 - count as f64).abs();
        assert!(error < 7.0 * 2.5 / (draws as f64).sqrt(), "{count}: {error}");
    }
}

#[test]
fn a_known_count_narrows_what_is_published_beside_it() {
    let (domain, exact) = table(&[2, 2], &[4, 1, 2, 8]);
    let mut rng = ChaCha20Rng::from_seed([5; 32]);
    let rounded = ControlledRounding::new(5).unwrap().round(&domain, &exact, &StopFlag::never(), &mut rng).unwrap();
    let mut knowledge = Knowledge::of_counts(domain).unwrap();
    knowledge.publish_rounded(&rounded).unwrap();
    knowledge.assume_range("row", &Region::everything().with(0, [0]), 5, 5).unwrap();
    let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
    let interval = solver.interval(&Class::cell([0, 1])).unwrap();
    assert!(interval.upper.value <= 5, "no part is above a known whole");
}

#[test]
fn bases_out_of_range_and_other_domains_are_refused() {
    for base in [0, 1, 1_001] {
        assert_eq!(ControlledRounding::new(base), Err(Error::RoundingBase));
    }
    let (domain, exact) = table(&[2, 2], &[79_191, 31_072, 48_123, 55_664]);
    let mut rng = ChaCha20Rng::from_seed([5; 32]);
    let rounded = ControlledRounding::new(5).unwrap().round(&domain, &exact, &StopFlag::never(), &mut rng).unwrap();
    assert!(!format!("{rounded:?}").contains("790"), "debug output shows no number");
    let mut other = Knowledge::of_counts(Domain::of_cardinalities(&[2, 3]).unwrap()).unwrap();
    assert!(matches!(other.publish_rounded(&rounded), Err(Error::Shape { .. })));
}
