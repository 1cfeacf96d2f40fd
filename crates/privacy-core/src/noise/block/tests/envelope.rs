//! The envelope against big integers, and the alias table by its whole mass.

use proptest::prelude::*;

use super::table;
use crate::noise::Rational;
use crate::noise::block::*;
use crate::noise::tests::gammas;
use crate::noise::tests::words::Script;

/// Digits of the big integers.
const DIGITS: usize = 1200;

/// S exp(-x^2 / (2 gamma^2)) from below and from above, times 2^[`DIGITS`].
fn scaled_bell(table: &BlockTable<i128>, x: i128) -> [UBig; 2] {
    let (p, q) = table.gamma.exponent(UBig::from(x.magnitude()).pow(2));
    let (low, high) = exp_minus_bracket(&p, &q, DIGITS);
    [low, high].map(|bound| bound * UBig::from(table.scale))
}

/// H is S exp(-x^2 / (2 gamma^2)) at the nearest point of the block, rounded up, but for the
/// margin.
fn assert_height(table: &BlockTable<i128>, block: usize, height: u64) {
    let [low, high] = scaled_bell(table, table.shape.magnitudes(block).0);
    let height = UBig::from(height) << DIGITS;
    assert!(height >= high, "block {block}: below the law");
    assert!(height <= &low + (&low >> 37) + (UBig::ONE << DIGITS), "block {block}: more than needed");
}

/// The first look accepts U below the ratio at the furthest point, but for the margin, and never
/// in a tail.
fn assert_first_look(table: &BlockTable<i128>, block: usize, step: Step) {
    if block >= table.shape.right_tail() {
        return assert_eq!(step.surely_below, 0, "a tail");
    }
    let [low, high] = scaled_bell(table, table.shape.magnitudes(block).1);
    let units = |bound: UBig| bound << table.shape.first_accept_bits as usize;
    let of_height = |bits: u64| (UBig::from(bits) * UBig::from(step.height)) << DIGITS;
    assert!(of_height(step.surely_below) <= units(low), "block {block}: accepted too early");
    let reached = of_height(step.surely_below + 1);
    assert!(&reached + (&reached >> 37) >= units(high), "block {block}: less than is certain");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn steps_are_nowhere_below_the_law_and_nowhere_higher_than_needed(gamma in gammas()) {
        let table = table::<i128>(gamma);
        prop_assert_eq!(table.steps.len(), table.shape.right_tail() + 2);
        for (block, &step) in table.steps.iter().enumerate() {
            assert_height(&table, block, step.height);
            assert_first_look(&table, block, step);
        }
        let heights: Vec<u64> = table.steps.iter().map(|step| step.height).collect();
        let (sum, capacity) = (weights(table.shape, &heights).iter().sum::<u64>(), 1_u64 << 40);
        // The void is a waste: no more of it than two steps of the search for the scale leave.
        prop_assert!(sum <= capacity && sum >= capacity - capacity / 32, "{} of {}", sum, capacity);
    }
}

proptest! {
    /// Every block has the mass of its weight in the columns, and the void what is left.
    #[test]
    fn columns_hold_the_weights(weights in proptest::collection::vec(0_u64..1 << 20, 1..16)) {
        let shape = Shape { index_bits: 4, weight_bits: 20, ..Shape::for_gamma(Rational::ONE.into()) };
        let (columns, full) = (alias_columns(shape, &weights), 1 << shape.weight_bits);
        let mut masses = vec![0; columns.len()];
        for (index, column) in columns.iter().enumerate() {
            masses[index] += column.threshold;
            masses[usize::from(column.alias)] += full - column.threshold;
        }
        let mut want = weights.clone();
        want.push(16 * full - weights.iter().sum::<u64>());
        want.resize(16, 0);
        prop_assert_eq!(masses, want);
    }
}

/// Every weight of every column, with the first bits and the rest apart.
#[test]
fn a_block_is_that_of_the_whole_weight() {
    let shape = Shape {
        index_bits: 3,
        weight_bits: 6,
        first_weight_bits: 4,
        accept_bits: 2,
        first_accept_bits: 1,
        shift: 1,
        half: 1,
        tail_shift: 0,
    };
    let sigma2 = Rational::new(9, 4).unwrap();
    let table = BlockTable::<i64>::new(sigma2.into(), shape).expect("the shape suits");
    let mut open = 0;
    for (index, weight) in (0..8).flat_map(|index| (0..64_u64).map(move |weight| (index, weight))) {
        let column = table.columns[index];
        let (first, rest) = (weight >> 2, weight & 3);
        let mut source = Script::new(vec![rest << 62]);
        let block = table.block(index, first, &mut source);
        assert_eq!(block, if weight < column.threshold { index } else { column.alias.into() });
        // The rest is drawn where the threshold lies within what it can make.
        let is_open = (4 * first + 1..4 * first + 4).contains(&column.threshold);
        assert_eq!(source.requests, if is_open { vec![2] } else { vec![] });
        open += u32::from(is_open);
    }
    assert!(open > 0, "a column that the first bits do not decide");
}
