//! Integer residuals beside the same in integers of any size, and up to which totals they are made.

use std::sync::Arc;

use dashu_int::IBig;
use privacy_core::rng::{SimRng, below};
use privacy_core::{AttrSet, ContingencyTable, Domain};

use crate::error::Error;
use crate::measurement::integers::{check_integers, narrow_residual, wide_residual};
use crate::strategy::axes::Axes;
use crate::strategy::axis::{Axis, Residual};
use crate::tests::exact::dense_axis;

/// Row `row` of the integer queries of an attribute, at one category.
fn entry(axis: &Axis, row: usize, category: usize) -> IBig {
    match axis.residual() {
        Residual::Centred => IBig::from(if row == category { axis.size() as i64 - 1 } else { -1 }),
        Residual::Dense(dense) => IBig::from(dense.queries[[row, category]]),
    }
}

/// The residual over two attributes, by definition.
fn by_definition(axes: &[Axis; 2], cells: &[u64]) -> Vec<IBig> {
    let [one, other] = axes;
    let rows = (0..one.residual_queries()).flat_map(|a| (0..other.residual_queries()).map(move |b| (a, b)));
    let sums = rows.map(|(a, b)| {
        let cells = cells.iter().enumerate();
        let products = cells.map(|(cell, &count)| {
            let (i, j) = (cell / other.size(), cell % other.size());
            entry(one, a, i) * entry(other, b, j) * IBig::from(count)
        });
        products.sum::<IBig>()
    });
    sums.collect()
}

#[test]
fn residuals_are_exact_whether_64_bits_hold_them_or_not() {
    let mut rng = SimRng::for_trial(1, "resplan integers", 0);
    for case in 0..200 {
        let axes = [case % 2, case / 2 % 2].map(|is_dense| {
            let k = 2 + below(3, &mut rng);
            if is_dense == 1 { dense_axis(k, false, &mut rng) } else { Axis::identity(k) }
        });
        let sizes = axes.each_ref().map(Axis::size);
        let domain = Domain::of_cardinalities(&sizes).unwrap();
        // Few rows, or as many as a table may count.
        let most = [8, 1 << 48][case / 4 % 2];
        let cells: Vec<u64> = (0..sizes[0] * sizes[1]).map(|_| below(most, &mut rng) as u64).collect();
        let table = ContingencyTable::from_cells(&domain, AttrSet::first(2), cells.clone()).unwrap();
        let want = by_definition(&axes, &cells);
        let is_narrow = axes.iter().all(|axis| matches!(axis.residual(), Residual::Centred));
        let axes = Axes::new(axes.map(Arc::new).to_vec());
        let wide: Vec<IBig> = wide_residual(&axes, &table).unwrap().into_iter().map(IBig::from).collect();
        assert_eq!(wide, want, "case {case}");
        if is_narrow {
            let narrow: Vec<IBig> = narrow_residual(&axes, &table).unwrap().into_iter().map(IBig::from).collect();
            assert_eq!(narrow, want, "case {case}");
        }
    }
}

#[test]
fn totals_are_refused_from_the_first_that_could_leave_62_bits() {
    // k cell - sum, each part at most 2^8 times the total.
    let axes = Axes::identity(&Domain::of_cardinalities(&[1 << 8]).unwrap());
    let set = AttrSet::first(1);
    assert!(check_integers(&axes, set, (1 << 53) - 1).is_ok());
    assert!(matches!(check_integers(&axes, set, 1 << 53), Err(Error::CountsTooLarge { .. })));
    // 2 k for each of two attributes: 2^9 2^4 in all.
    let axes = Axes::identity(&Domain::of_cardinalities(&[1 << 8, 1 << 3]).unwrap());
    assert!(check_integers(&axes, AttrSet::first(2), (1 << 49) - 1).is_ok());
    assert!(check_integers(&axes, AttrSet::first(2), 1 << 49).is_err());
    assert!(check_integers(&axes, AttrSet::EMPTY, (1 << 62) - 1).is_ok());
    assert!(check_integers(&axes, AttrSet::EMPTY, 1 << 62).is_err());
}
