//! Tables of three binary attributes of which every pair is published: all margins with counts up
//! to 2, those that no table has included.

use std::collections::BTreeMap;

use frechet_release::{Error, Knowledge, Limits, Method, Solver};
use privacy_core::{ContingencyTable, Domain};

const PAIRS: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];

type Pairs = [[u64; 4]; 3];

/// The level of an attribute in a cell; the first attribute changes slowest.
fn level(cell: usize, attribute: usize) -> usize {
    cell >> (2 - attribute) & 1
}

fn pairs_of(table: [u64; 8]) -> Pairs {
    PAIRS.map(|[a, b]| {
        let mut counts = [0; 4];
        (0..8).for_each(|cell| counts[2 * level(cell, a) + level(cell, b)] += table[cell]);
        counts
    })
}

/// Whether pairs say the same of each attribute.
fn agrees([ab, ac, bc]: &Pairs) -> bool {
    let rows = |pair: &[u64; 4]| [pair[0] + pair[1], pair[2] + pair[3]];
    let columns = |pair: &[u64; 4]| [pair[0] + pair[2], pair[1] + pair[3]];
    rows(ab) == rows(ac) && columns(ab) == rows(bc) && columns(ac) == columns(bc)
}

/// The digits of a number in base 3.
fn up_to_two<const N: usize>(number: usize) -> [u64; N] {
    std::array::from_fn(|place| (number / 3_usize.pow(place as u32) % 3) as u64)
}

fn small_pairs() -> impl Iterator<Item = Pairs> {
    (0..81_usize.pow(3)).map(|number| [number % 81, number / 81 % 81, number / 6561].map(up_to_two))
}

fn solver(pairs: &Pairs) -> Result<Solver, Error> {
    let domain = Domain::of_cardinalities(&[2, 2, 2]).unwrap();
    let mut knowledge = Knowledge::of_counts(domain.clone()).unwrap();
    for (axes, counts) in PAIRS.iter().zip(pairs) {
        let table = ContingencyTable::from_cells(&domain, axes.iter().copied().collect(), counts.to_vec());
        knowledge.publish_margin(&table.unwrap()).unwrap();
    }
    Solver::new(knowledge, Limits::default())
}

#[test]
fn cells_are_bounded_by_all_tables_and_pairs_without_a_table_are_refused() {
    // Counts of pairs are at most 2, and so are those of the table.
    let mut fibers: BTreeMap<Pairs, Vec<[u64; 8]>> = BTreeMap::new();
    for number in 0..3_usize.pow(8) {
        let table = up_to_two(number);
        fibers.entry(pairs_of(table)).or_default().push(table);
    }
    let (mut bounded, mut refused) = (0, 0);
    for pairs in small_pairs().filter(agrees) {
        match (solver(&pairs), fibers.get(&pairs)) {
            (Err(Error::Inconsistent { .. }), None) => refused += 1,
            (Ok(mut solver), Some(tables)) => {
                bounded += 1;
                for (cell, found) in solver.cells().unwrap().iter().enumerate() {
                    let counts = || tables.iter().map(|table| table[cell] as i64);
                    let range = (counts().min().unwrap(), counts().max().unwrap());
                    assert_eq!((found.lower.value, found.upper.value), range, "{pairs:?}, cell {cell}");
                    assert_eq!(found.method, Method::Parity);
                }
            }
            (found, tables) => panic!("{pairs:?}: {:?}, {tables:?}", found.map(|_| "a solver")),
        }
    }
    assert!(bounded > 400 && refused > 70, "{bounded} {refused}");
}

/// Each pair alone is possible, and two say other numbers of an attribute.
#[test]
fn pairs_that_disagree_about_an_attribute_are_refused() {
    let total = |pair: &[u64; 4]| pair.iter().sum::<u64>();
    let one_total = |pairs: &Pairs| pairs.iter().all(|pair| total(pair) == total(&pairs[0]));
    let mut refused = 0;
    for pairs in small_pairs().step_by(2).filter(|pairs| one_total(pairs) && !agrees(pairs)) {
        assert!(matches!(solver(&pairs), Err(Error::Inconsistent { .. })), "{pairs:?}");
        refused += 1;
    }
    assert!(refused > 5_000, "{refused}");
}
