//! The cell-key method: the laws of deviations, the keys, and what readers know.

use std::collections::BTreeMap;

use frechet_release::{
    Class, Error, KeyedCounts, KeyedTable, Knowledge, Limits, PerturbationTable, PerturbedTable, Region, Solver,
};
use privacy_core::prf::Secret;
use privacy_core::{AttrSet, Domain};
use proptest::prelude::*;

fn secret(byte: u8) -> Secret {
    Secret::new(&[byte; 32]).unwrap()
}

/// Everybody of a cell says the same.
fn people(shape: &[usize], cells: &[u64], secret: &Secret) -> KeyedTable {
    let domain = Domain::of_cardinalities(shape).unwrap();
    let mut people = KeyedCounts::new(domain, secret).unwrap();
    for (cell, &count) in cells.iter().enumerate() {
        people.add(&levels_of(cell, shape), &cell.to_le_bytes(), count).unwrap();
    }
    people.finish().unwrap()
}

fn levels_of(mut cell: usize, shape: &[usize]) -> Vec<usize> {
    let mut levels = vec![0; shape.len()];
    for (level, &size) in levels.iter_mut().zip(shape).rev() {
        (*level, cell) = (cell % size, cell / size);
    }
    levels
}

fn perturbed(design: &PerturbationTable, shape: &[usize], cells: &[u64], byte: u8) -> PerturbedTable {
    let secret = secret(byte);
    let domain = Domain::of_cardinalities(shape).unwrap();
    design.perturb(&people(shape, cells, &secret), domain.all(), &secret).unwrap()
}

#[test]
fn every_law_has_mean_0_its_variance_and_no_small_number() {
    for (most, variance, smallest) in [(5, 3.0, 3), (2, 1.0, 1), (10, 7.5, 4), (8, 5.0, 2), (1, 0.5, 1), (30, 25.0, 6)]
    {
        let table = PerturbationTable::new(most, variance, smallest).unwrap();
        assert_eq!(table.law(0), [(0, 1.0)]);
        for count in 1..table.last_count() + 3 {
            let law = table.law(count);
            let moment = |power: i32| law.iter().map(|&(v, p)| p * (v as f64).powi(power)).sum::<f64>();
            assert!((moment(0) - 1.0).abs() < 1e-12 && moment(1).abs() < 1e-9, "{count}: {law:?}");
            assert!((moment(2) - variance).abs() < 1e-8, "{count}: {}", moment(2));
            let is_published = |v: i64| {
                let number = count as i64 + v;
                v.unsigned_abs() <= u64::from(most) && (number == 0 || number >= i64::from(smallest))
            };
            let all: Vec<i64> = (-i64::from(most)..=i64::from(most)).filter(|&v| is_published(v)).collect();
            assert_eq!(law.iter().map(|&(v, _)| v).collect::<Vec<_>>(), all, "{count}");
        }
        assert_eq!(table.law(table.last_count()), table.law(1 << 40), "large counts share one law");
    }
}

/// With `D = 2`, `V = 1`, no small number left out and a count of 1, deviations are -1 to 2.
/// Largest entropy with mean 0 and variance 1: `p = c exp(a v + b v^2)`; by hand from `p(-1) =
/// p(1) + 2 p(2)` and `p(-1) + p(1) + 4 p(2) = 1`, one number is left, which bisection of the
/// entropy gives.
#[test]
fn the_law_of_a_count_of_one_is_that_of_largest_entropy() {
    let of = |rare: f64| [0.5 - rare, 3.0 * rare, 0.5 - 3.0 * rare, rare];
    let entropy = |rare: f64| -of(rare).iter().map(|p: &f64| p * p.ln()).sum::<f64>();
    let (mut low, mut high) = (1e-9, 1.0 / 6.0 - 1e-9);
    for _ in 0..200 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if entropy(a) < entropy(b) { low = a } else { high = b }
    }
    let law = PerturbationTable::new(2, 1.0, 1).unwrap().law(1);
    for ((deviation, got), want) in law.iter().zip(of(low)) {
        assert!((got - want).abs() < 1e-6, "{deviation}: {got} {want}");
    }
}

#[test]
fn designs_that_some_count_cannot_have_are_refused() {
    for (most, smallest) in [(0, 1), (101, 1), (5, 0), (5, 6)] {
        assert!(matches!(PerturbationTable::new(most, 1.0, smallest), Err(Error::PerturbationSize { .. })));
    }
    for variance in [2.0, 5.0, 0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = PerturbationTable::new(5, variance, 3);
        assert_eq!(refused, Err(Error::PerturbationVariance { above: 2.0, below: 5.0 }), "{variance}");
    }
    assert!(PerturbationTable::new(5, 2.3, 3).is_ok() && PerturbationTable::new(5, 4.5, 3).is_ok());
    assert!(matches!(PerturbationTable::new(40, 3.0, 1), Err(Error::RareDeviation { .. })));
}

/// (3), from the laws themselves.
#[test]
fn the_range_of_a_number_is_every_count_that_may_have_it() {
    for (most, variance, smallest) in [(5, 3.0, 3), (2, 1.0, 1), (4, 3.5, 3)] {
        let table = PerturbationTable::new(most, variance, smallest).unwrap();
        for number in 0..40_u64 {
            let may = |count: &u64| table.law(*count).iter().any(|&(v, _)| *count as i64 + v == number as i64);
            let counts: Vec<u64> = (0..60).filter(may).collect();
            let range = table.range(number).map(|(low, high)| (low..=high).collect::<Vec<u64>>());
            assert_eq!(range.unwrap_or_default(), counts, "{number} of {most}, {smallest}");
        }
    }
}

#[test]
fn the_same_people_have_the_same_number_in_every_table() {
    let (secret, shape) = (secret(3), [3, 2, 2]);
    let cells = [4, 0, 9, 1, 2, 30, 6, 0, 0, 17, 3, 5];
    let design = PerturbationTable::new(5, 3.0, 3).unwrap();
    let people = people(&shape, &cells, &secret);
    let whole = design.perturb(&people, AttrSet::first(3), &secret).unwrap();
    for axes in AttrSet::first(3).subsets() {
        for (set, margin) in design.perturb(&people, axes, &secret).unwrap().margins() {
            let same = whole.margins().find(|(other, _)| *other == set).unwrap().1;
            assert_eq!(same.cells(), margin.cells());
        }
    }
    // Lines in another order, and counts line by line.
    let domain = Domain::of_cardinalities(&shape).unwrap();
    let mut again = KeyedCounts::new(domain, &secret).unwrap();
    for round in 0..30 {
        for cell in (0..cells.len()).rev().filter(|&cell| cells[cell] > round) {
            again.add(&levels_of(cell, &shape), &cell.to_le_bytes(), 1).unwrap();
        }
    }
    assert_eq!(design.perturb(&again.finish().unwrap(), AttrSet::first(3), &secret).unwrap(), whole);
    let other = perturbed(&design, &shape, &cells, 4);
    assert_ne!(other, whole, "another secret draws anew");
}

/// Classes of the same people: where all others of a row have nobody, its total is that one cell.
#[test]
fn a_total_of_one_part_alone_has_the_number_of_that_part() {
    let design = PerturbationTable::new(5, 3.0, 3).unwrap();
    for byte in 0..40 {
        let table = perturbed(&design, &[2, 3], &[0, 7, 0, 3, 4, 5], byte);
        let margins: Vec<_> = table.margins().collect();
        let (cells, rows) =
            (margins[3].1.cells(), margins.iter().find(|(set, _)| *set == AttrSet::single(0)).unwrap().1);
        assert_eq!(cells[1], rows.cells()[0]);
        assert_eq!((cells[0], cells[2]), (0, 0), "nobody stays nobody");
    }
}

/// Pearson's statistic of deviations of one count against a law, over cells of other people.
fn pearson(design: &PerturbationTable, law: &PerturbationTable, count: u64) -> f64 {
    let (secret, draws) = (secret(9), 20_000_usize);
    let table = people(&[draws], &vec![count; draws], &secret);
    let numbers = design.perturb(&table, AttrSet::first(1), &secret).unwrap();
    let mut seen: BTreeMap<i64, f64> = BTreeMap::new();
    for &number in numbers.margins().last().unwrap().1.cells() {
        *seen.entry(number as i64 - count as i64).or_default() += 1.0;
    }
    law.law(count)
        .iter()
        .map(|(deviation, probability)| {
            let expected = probability * draws as f64;
            (seen.get(deviation).unwrap_or(&0.0) - expected).powi(2) / expected
        })
        .sum()
}

#[test]
fn deviations_have_their_law_and_a_slightly_wrong_one_is_caught() {
    let design = PerturbationTable::new(5, 3.0, 3).unwrap();
    let wrong = PerturbationTable::new(5, 3.3, 3).unwrap();
    for count in [1, 2, 4, 40] {
        // At most 10 degrees of freedom: 45 has a probability of 2e-6.
        assert!(pearson(&design, &design, count) < 45.0, "{count}: {}", pearson(&design, &design, count));
        assert!(pearson(&design, &wrong, count) > 60.0, "{count}: {}", pearson(&design, &wrong, count));
    }
}

/// Every table of 2 x 2 that gives the published numbers under some keys: each count may have its
/// number, and a class and a part of it with the same people have the same number.
fn fiber(table: &PerturbedTable, most: u64) -> Vec<[u64; 4]> {
    let numbers = |set: AttrSet| table.margins().find(|(other, _)| *other == set).unwrap().1.cells().to_vec();
    let (all, rows, columns) = (numbers(AttrSet::EMPTY), numbers(AttrSet::single(0)), numbers(AttrSet::single(1)));
    let cells = numbers(AttrSet::first(2));
    let may =
        |count: u64, number: u64| table.design().law(count).iter().any(|&(v, _)| count as i64 + v == number as i64);
    let mut found = Vec::new();
    for code in 0..(most + 1).pow(4) {
        let own: [u64; 4] = std::array::from_fn(|place| code / (most + 1).pow(place as u32) % (most + 1));
        let row = |row: usize| own[2 * row] + own[2 * row + 1];
        let column = |column: usize| own[column] + own[column + 2];
        let total: u64 = own.iter().sum();
        let mut pairs = vec![(total, all[0])];
        pairs.extend((0..4).map(|cell| (own[cell], cells[cell])));
        pairs.extend((0..2).flat_map(|line| [(row(line), rows[line]), (column(line), columns[line])]));
        let mut nested = Vec::new();
        for cell in 0..4 {
            nested.push((own[cell], cells[cell], row(cell / 2), rows[cell / 2]));
            nested.push((own[cell], cells[cell], column(cell % 2), columns[cell % 2]));
            nested.push((own[cell], cells[cell], total, all[0]));
        }
        for line in 0..2 {
            nested.push((row(line), rows[line], total, all[0]));
            nested.push((column(line), columns[line], total, all[0]));
        }
        let fits = pairs.iter().all(|&(count, number)| may(count, number));
        if fits && nested.iter().all(|&(part, of_part, whole, of_whole)| part != whole || of_part == of_whole) {
            found.push(own);
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// (3) and (7) are all that follows: the engine's ends are those of every table that fits.
    #[test]
    fn the_engine_finds_what_all_tables_leave(cells in prop::collection::vec(0_u64..5, 4), byte in any::<u8>()) {
        let design = PerturbationTable::new(2, 1.2, 1).unwrap();
        let table = perturbed(&design, &[2, 2], &cells, byte);
        let fiber = fiber(&table, 8);
        prop_assert!(fiber.iter().any(|own| own[..] == cells[..]), "the truth fits");
        let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[2, 2]).unwrap()).unwrap();
        knowledge.publish_perturbed(&table).unwrap();
        let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
        for cell in 0..4 {
            let interval = solver.interval(&Class::cell(levels_of(cell, &[2, 2]))).unwrap();
            let least = fiber.iter().map(|own| own[cell]).min().unwrap() as i64;
            let most = fiber.iter().map(|own| own[cell]).max().unwrap() as i64;
            prop_assert_eq!((interval.lower.value, interval.upper.value), (least, most), "{:?} {}", table.margins().map(|(_, m)| m.cells().to_vec()).collect::<Vec<_>>(), cell);
        }
    }
}

/// A row of one person and nobody: without (7) the second cell could be empty. The numbers are
/// those of a secret under which the total and its part differ.
#[test]
fn a_part_that_differs_from_its_whole_says_that_somebody_is_left() {
    let design = PerturbationTable::new(3, 2.5, 3).unwrap();
    let is_telling = |table: &PerturbedTable| {
        let (_, cells) = table.margins().last().unwrap();
        let (_, total) = table.margins().next().unwrap();
        cells.cells()[1] == 0 && cells.cells()[0] != total.cells()[0]
    };
    let mut tables = (0..=255).map(|byte| perturbed(&design, &[2], &[9, 1], byte));
    let table = tables.find(is_telling).unwrap();
    let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[2]).unwrap()).unwrap();
    knowledge.publish_perturbed(&table).unwrap();
    let interval = Solver::new(knowledge, Limits::default()).unwrap().interval(&Class::cell([1])).unwrap();
    assert_eq!(interval.lower.value, 1, "published as 0, and not empty");
}

/// The first table under some secret of which all parts are published as 0, and the total is not.
fn all_zero(design: &PerturbationTable, cells: &[u64]) -> PerturbedTable {
    let mut tables = (0..=255).map(|byte| perturbed(design, &[cells.len()], cells, byte));
    let is_all_zero = |table: &PerturbedTable| {
        let (total, parts) = (table.margins().next().unwrap().1, table.margins().last().unwrap().1);
        total.cells()[0] > 0 && parts.cells().iter().all(|&number| number == 0)
    };
    tables.find(is_all_zero).unwrap()
}

/// Ends of all cells.
fn ends(knowledge: Knowledge, truth: &[i64]) -> Vec<(i64, i64)> {
    let mut solver = Solver::with_table(knowledge, Limits::default(), truth).unwrap();
    let cells = solver.cells().unwrap();
    cells.iter().map(|interval| (interval.lower.value, interval.upper.value)).collect()
}

/// Twenty parts: eight groups say what a row for each part would, wherever the people are.
#[test]
fn many_parts_that_are_published_as_0_take_few_rows_that_the_truth_fits() {
    let design = PerturbationTable::new(2, 1.2, 1).unwrap();
    // Positions 3 and 11 have the same last digit to the base 8, and 3 and 12 have not.
    for (one, other) in [(3, 12), (3, 11)] {
        let mut cells = vec![0_u64; 20];
        (cells[one], cells[other]) = (1, 1);
        let truth: Vec<i64> = cells.iter().map(|&count| count as i64).collect();
        let table = all_zero(&design, &cells);
        let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[20]).unwrap()).unwrap();
        knowledge.publish_perturbed(&table).unwrap();
        assert!(knowledge.system().rows().len() <= 20 + 1 + 8);
        // (7) itself, part by part.
        let mut whole = Knowledge::of_counts(Domain::of_cardinalities(&[20]).unwrap()).unwrap();
        let (_, most) = design.range(table.margins().next().unwrap().1.cells()[0]).unwrap();
        whole.publish_range("total", &Region::everything(), 1, most).unwrap();
        for part in 0..20 {
            whole.publish_range("part", &Region::from(&Class::cell([part])), 0, 2).unwrap();
            let others = Region::everything().with(0, (0..20).filter(|&own| own != part).collect::<Vec<_>>());
            whole.publish_range("others", &others, 1, most).unwrap();
        }
        assert_eq!(ends(knowledge, &truth), ends(whole, &truth));
    }
}

/// One cell whose people come in lines of these sizes.
fn perturbed_in_steps(sizes: &[u64]) -> PerturbedTable {
    let (secret, design) = (secret(5), PerturbationTable::new(5, 3.0, 3).unwrap());
    let mut people = KeyedCounts::new(Domain::of_cardinalities(&[1]).unwrap(), &secret).unwrap();
    sizes.iter().for_each(|&size| people.add(&[0], b"line", size).unwrap());
    design.perturb(&people.finish().unwrap(), AttrSet::first(1), &secret).unwrap()
}

/// Counting takes no longer for many people than for one, and it is of no importance in how many
/// steps they come.
#[test]
fn a_line_for_many_people_has_the_key_of_as_many_lines() {
    assert_eq!(perturbed_in_steps(&[1 << 52]), perturbed_in_steps(&[1, 0, (1 << 52) - 3, 2]));
    assert_eq!(perturbed_in_steps(&[1; 7]), perturbed_in_steps(&[7]));
    let draws: std::collections::BTreeSet<u64> =
        (0..40).map(|more| perturbed_in_steps(&[1000 + more]).margins().next().unwrap().1.cells()[0] - more).collect();
    assert!(draws.len() > 4, "one person more is another draw");
}

#[test]
fn people_who_do_not_fit_are_refused_and_nothing_is_shown() {
    let secret = secret(1);
    let mut own = KeyedCounts::new(Domain::of_cardinalities(&[2, 2]).unwrap(), &secret).unwrap();
    assert_eq!(own.add(&[0], b"", 1), Err(Error::LevelCount { axes: 2, levels: 1 }));
    assert_eq!(own.add(&[0, 2], b"", 1), Err(Error::NoSuchLevel { axis: 1, level: 2 }));
    own.add(&[0, 1], b"", 79_191).unwrap();
    let design = PerturbationTable::new(5, 3.0, 3).unwrap();
    let table = own.finish().unwrap();
    let perturbed = design.perturb(&table, AttrSet::first(2), &secret).unwrap();
    assert!(!format!("{table:?} {perturbed:?}").contains("791"));
    assert!(matches!(design.perturb(&table, AttrSet::first(3), &secret), Err(Error::Shape { .. })));
    let mut other = Knowledge::of_counts(Domain::of_cardinalities(&[2, 3]).unwrap()).unwrap();
    assert!(matches!(other.publish_perturbed(&perturbed), Err(Error::Shape { .. })));
}
