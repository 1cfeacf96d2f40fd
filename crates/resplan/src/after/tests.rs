//! The least-squares optimum and the roundings against brute force on tiny tables.

use std::sync::Arc;

use ndarray::{Array2, array};
use privacy_core::accounting::PrivacyCost;
use privacy_core::param::Probability;
use privacy_core::subsets::apply_along_axis;
use privacy_core::{AttrSet, Domain};
use proptest::prelude::*;

mod whole;

use super::flow::with_sums;
use super::rounded::with_total;
use super::{Adjusted, NonnegativeSpec, PostProcessing, Trust};
use crate::measurement::measured::{Measured, SimulatedNoise};
use crate::measurement::transform::residual_table;
use crate::{Neighbours, Plan, PlanLimits, PlanSpec, QueryBasis, Workload};

fn plan(sizes: &[usize], bases: Vec<QueryBasis>, sets: &[&[usize]]) -> Plan {
    let domain = Domain::of_cardinalities(sizes).unwrap();
    let workload = Workload::from_sets(sets.iter().map(|set| set.iter().copied().collect()));
    let spec = PlanSpec { bases, ..PlanSpec::new(domain, workload, PrivacyCost::new(1.0).unwrap()) };
    Plan::new(spec, &PlanLimits::default()).unwrap()
}

/// A measurement with this total and residual answers from -`spread` to `spread`.
fn measured(plan: Plan, total: f64, spread: f64, seed: u64) -> Measured<SimulatedNoise> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        spread * ((state >> 11) as f64 / 2.0_f64.powi(52) - 1.0)
    };
    let residuals = plan.closure().sets().iter().map(|&set| {
        if set.is_empty() {
            return vec![total];
        }
        let answers = plan.axes().of(set).map(|axis| axis.residual_queries()).product::<usize>();
        residual_table(plan.axes(), set, (0..answers).map(|_| draw()).collect())
    });
    let residuals = residuals.collect();
    Measured::new(plan.into_design(), residuals)
}

fn to_the_end(trust: f64) -> NonnegativeSpec {
    let unsettled = Probability::new(1e-12).unwrap();
    NonnegativeSpec { trust: Trust::new(trust).unwrap(), unsettled, most_steps: 60_000, ..NonnegativeSpec::default() }
}

fn flat<Origin>(adjusted: &Adjusted<'_, Origin>, set: AttrSet) -> Vec<f64> {
    adjusted.cells(set).unwrap().into_raw_vec_and_offset().0
}

/// The inverse by elimination, for the few rows of a test.
fn inverse(matrix: &Array2<f64>) -> Array2<f64> {
    let n = matrix.nrows();
    let (mut left, mut right) = (matrix.clone(), Array2::<f64>::eye(n));
    for pivot in 0..n {
        let best = (pivot..n).max_by(|&a, &b| left[[a, pivot]].abs().total_cmp(&left[[b, pivot]].abs())).unwrap();
        for column in 0..n {
            left.swap([pivot, column], [best, column]);
            right.swap([pivot, column], [best, column]);
        }
        let scale = left[[pivot, pivot]];
        for column in 0..n {
            left[[pivot, column]] /= scale;
            right[[pivot, column]] /= scale;
        }
        for row in (0..n).filter(|&row| row != pivot) {
            let factor = left[[row, pivot]];
            for column in 0..n {
                left[[row, column]] -= factor * left[[pivot, column]];
                right[[row, column]] -= factor * right[[pivot, column]];
            }
        }
    }
    right
}

/// How much smaller the loss could get, to first order, by moving towards one record: the largest
/// over all records, as a share of the loss's own slope. Records are the vertices of all
/// consistent tables when the workload is decomposable, so that 0 there is the optimum and
/// nothing else is. From K and u alone: no eigenvectors, no multipliers.
fn possible_gain<Origin>(measured: &Measured<Origin>, adjusted: &Adjusted<'_, Origin>, trust: f64) -> f64 {
    let plan = measured.design();
    let (sizes, all) = (plan.domain().shape(plan.domain().all()), plan.domain().all());
    let records = sizes.iter().product::<usize>();
    let (mut slope, mut at, mut scale) = (vec![0.0; records], 0.0, 0.0);
    for &set in plan.closure().sets().iter().filter(|set| !set.is_empty()) {
        let depth = plan.closure().sets().iter().filter(|a| set.is_subset_of(**a)).map(|a| a.len()).max().unwrap();
        let weight = trust.powi((depth - set.len()) as i32) / plan.noise(set);
        let shape = plan.domain().shape(set);
        let apply = |mut cells: Vec<f64>, matrix: &dyn Fn(usize) -> Array2<f64>| {
            for (place, attribute) in set.iter().enumerate() {
                cells = apply_along_axis(matrix(attribute).view(), &cells, &shape, place);
            }
            cells
        };
        let residual = |attribute: usize| {
            let u = plan.axes().get(attribute).spread();
            Array2::from_shape_fn((u.len(), u.len()), |(i, j)| f64::from(u8::from(i == j)) - u[i])
        };
        let precision = |attribute: usize| {
            let c = plan.axes().get(attribute).covariance();
            let even = 1.0 / c.nrows() as f64;
            inverse(&(c + even)) - even
        };
        let after = flat(adjusted, set);
        let before = measured.cells(set).unwrap().into_raw_vec_and_offset().0;
        let moved: Vec<f64> = after.iter().zip(&before).map(|(a, b)| weight * (a - b)).collect();
        // The slope in x: (I - u 1^T)^T K (I - u 1^T) (x - xhat).
        let pull = apply(apply(apply(moved, &residual), &precision), &|a| residual(a).reversed_axes());
        at += pull.iter().zip(&after).map(|(g, x)| g * x).sum::<f64>();
        scale += pull.iter().map(|g| g.abs()).fold(0.0, f64::max);
        for (record, slope) in slope.iter_mut().enumerate() {
            let mut rest = record;
            let mut codes = vec![0; sizes.len()];
            for attribute in (0..sizes.len()).rev() {
                codes[attribute] = rest % sizes[attribute];
                rest /= sizes[attribute];
            }
            *slope += pull[all.intersection(set).iter().fold(0, |place, a| place * sizes[a] + codes[a])];
        }
    }
    let total = flat(adjusted, AttrSet::EMPTY)[0];
    slope.iter().map(|g| (at / total - g) / scale).fold(0.0, f64::max)
}

/// Pairs of neighbouring categories: their best spread gives the middle one less than nothing.
fn pairs() -> QueryBasis {
    QueryBasis::Queries(Arc::new(array![[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.01, 0.0, 0.0], [0.0, 0.0, 0.01]]))
}

/// Sizes, what is asked about each attribute, and the planned marginals.
type Case = (&'static [usize], Vec<QueryBasis>, &'static [&'static [usize]]);

#[test]
fn no_step_towards_any_record_makes_the_loss_smaller() {
    use QueryBasis::{Identity, Prefix, Range};
    let cases: [Case; 5] = [
        (&[5], vec![Identity], &[&[0]]),
        (&[3, 4], vec![Identity, Identity], &[&[0, 1]]),
        (&[4, 3], vec![Prefix, Identity], &[&[0, 1]]),
        (&[3, 4, 2], vec![Identity, Range, Prefix], &[&[0, 1], &[1, 2]]),
        (&[3, 2, 2, 2], vec![Identity; 4], &[&[0, 1, 2], &[2, 3], &[0]]),
    ];
    for (sizes, bases, sets) in cases {
        for (trust, seed) in [(1.0, 1), (10.0, 2)] {
            let measured = measured(plan(sizes, bases.clone(), sets), 20.0, 30.0, seed);
            let adjusted = measured.nonnegative(to_the_end(trust)).unwrap();
            assert!(adjusted.steps() > 0, "the case has negative cells");
            let gain = possible_gain(&measured, &adjusted, trust);
            assert!(gain <= 1e-8, "{sizes:?} {trust} {seed}: {gain:e} after {} steps", adjusted.steps());
            // The twin: an answer to another question is not taken for the optimum.
            let twin = NonnegativeSpec { most_steps: 1000, ..to_the_end(3.0) };
            let twin = measured.nonnegative(twin).unwrap();
            let unlike = possible_gain(&measured, &twin, trust) > 1e-5;
            assert!(unlike || sizes.len() == 1, "{sizes:?}: trust does not matter with one attribute alone");
        }
    }
}

#[test]
fn one_attribute_is_the_projection_onto_the_simplex() {
    let spec = |k: usize| PlanSpec {
        neighbours: Neighbours::Replace,
        ..PlanSpec::new(Domain::of_cardinalities(&[k]).unwrap(), Workload::UpTo(1), PrivacyCost::new(1.0).unwrap())
    };
    // By hand: take the same from all cells, and 0 where less would be left. 6 5 -1: 0.5. 9 4 -1
    // -2: 1.5 from two.
    for (cells, want) in
        [(vec![6.0, 5.0, -1.0], vec![5.5, 4.5, 0.0]), (vec![9.0, 4.0, -1.0, -2.0], vec![7.5, 2.5, 0.0, 0.0])]
    {
        let mean = 10.0 / cells.len() as f64;
        let plan = Plan::new(spec(cells.len()), &PlanLimits::default()).unwrap();
        let residuals = vec![vec![10.0], cells.iter().map(|cell| cell - mean).collect()];
        let measured: Measured<SimulatedNoise> = Measured::new(plan.into_design(), residuals);
        let adjusted = measured.nonnegative(to_the_end(10.0)).unwrap();
        assert_eq!(flat(&adjusted, AttrSet::EMPTY), [10.0]);
        for (got, want) in flat(&adjusted, AttrSet::single(0)).iter().zip(&want) {
            assert!((got - want).abs() <= 1e-9, "{got} for {want}");
        }
    }
}

#[test]
fn spreads_below_zero_are_adjusted_as_well() {
    let plan = plan(&[3, 2], vec![pairs(), QueryBasis::Identity], &[&[0, 1]]);
    assert!(plan.axes().get(0).spread()[1] < 0.0, "the case is what it says");
    let measured = measured(plan, 20.0, 30.0, 4);
    let adjusted = measured.nonnegative(to_the_end(10.0)).unwrap();
    let (table, one) = (flat(&adjusted, AttrSet::first(2)), flat(&adjusted, AttrSet::single(0)));
    assert!(table.iter().all(|&cell| cell >= 0.0) && adjusted.steps() > 0);
    for (pair, cell) in table.chunks(2).zip(one) {
        assert!((pair.iter().sum::<f64>() - cell).abs() <= 1e-9 * 20.0);
    }
}

#[test]
fn stopping_early_leaves_tables_that_are_non_negative_and_consistent() {
    for most_steps in [0, 1, 2, 5] {
        let plan = plan(
            &[3, 4, 2],
            vec![QueryBasis::Identity, QueryBasis::Prefix, QueryBasis::Identity],
            &[&[0, 1], &[1, 2], &[0, 2]],
        );
        let measured = measured(plan, 7.5, 40.0, 5);
        let adjusted = measured.nonnegative(NonnegativeSpec { most_steps, ..NonnegativeSpec::default() }).unwrap();
        assert!(adjusted.steps() == most_steps && adjusted.share_moved() > 0.0);
        let one = flat(&adjusted, AttrSet::single(1));
        let (below, above) =
            (flat(&adjusted, [0, 1].into_iter().collect()), flat(&adjusted, [1, 2].into_iter().collect()));
        for code in 0..4 {
            let (first, second) =
                ((0..3).map(|i| below[4 * i + code]).sum::<f64>(), above[2 * code] + above[2 * code + 1]);
            assert!((first - one[code]).abs() <= 1e-12 * 7.5 && (second - one[code]).abs() <= 1e-12 * 7.5);
        }
        assert!(below.iter().chain(&above).all(|&cell| cell >= 0.0));
        assert!((one.iter().sum::<f64>() - 7.5).abs() <= 1e-12 * 7.5);
    }
}

#[test]
fn permuting_the_attributes_permutes_the_tables() {
    let (sizes, order) = ([3, 4, 2], [2, 0, 1]);
    let sets: [&[usize]; 3] = [&[0, 1], &[1, 2], &[0, 2]];
    let original = measured(plan(&sizes, vec![QueryBasis::Identity; 3], &sets), 12.0, 20.0, 7);
    let permuted_plan = plan(&order.map(|attribute| sizes[attribute]), vec![QueryBasis::Identity; 3], &sets);
    let residuals: Vec<Vec<f64>> = permuted_plan
        .closure()
        .sets()
        .iter()
        .map(|&set| {
            let before: AttrSet = set.iter().map(|attribute| order[attribute]).collect();
            let axes: Vec<usize> = set.iter().map(|attribute| before.axis_of(order[attribute]).unwrap()).collect();
            // The cells of a measurement hold its residuals: what is measured of them again is
            // the same.
            original.cells(before).unwrap().permuted_axes(axes).iter().copied().collect()
        })
        .zip(permuted_plan.closure().sets())
        .map(|(cells, &set)| residual_table(permuted_plan.axes(), set, cells))
        .collect();
    let permuted: Measured<SimulatedNoise> = Measured::new(permuted_plan.into_design(), residuals);
    let (one, other) =
        (original.nonnegative(to_the_end(10.0)).unwrap(), permuted.nonnegative(to_the_end(10.0)).unwrap());
    assert!(one.steps() > 0);
    // Attributes 0 and 1 are the last two of the other table.
    for (a, b) in flat(&one, [0, 1].into_iter().collect()).iter().zip(flat(&other, [1, 2].into_iter().collect())) {
        assert!((a - b).abs() <= 1e-9 * 12.0, "{a} and {b}");
    }
}

#[test]
fn a_total_below_zero_becomes_zero_and_all_cells_with_it() {
    let measured = measured(plan(&[3, 2], vec![QueryBasis::Identity; 2], &[&[0, 1]]), -0.5, 3.0, 6);
    let adjusted = measured.nonnegative(NonnegativeSpec::default()).unwrap();
    for set in AttrSet::first(2).subsets() {
        assert!(flat(&adjusted, set).iter().all(|&cell| cell == 0.0));
        assert!(adjusted.rounded(set).unwrap().cells.iter().all(|&cell| cell == 0));
    }
}

#[test]
fn every_rounding_of_small_tables_is_as_tight_as_any() {
    let values = [0.0, 0.25, 0.5, 1.0, 1.75];
    let ways = |x: f64| if x == x.floor() { vec![x as i64] } else { vec![x.floor() as i64, x.floor() as i64 + 1] };
    let (mut tight, mut near, mut free) = (0, 0, 0);
    for code in 0..5_usize.pow(4) {
        let cells: Vec<f64> = (0..4).map(|i| values[code / 5_usize.pow(i) % 5]).collect();
        for rows in product(&ways(cells[0] + cells[1]), &ways(cells[2] + cells[3])) {
            for columns in product(&ways(cells[0] + cells[2]), &ways(cells[1] + cells[3])) {
                if rows[0] + rows[1] != columns[0] + columns[1] {
                    continue;
                }
                let got = with_sums(&cells, &rows, &columns);
                assert_eq!([got[0] + got[1], got[2] + got[3]], rows);
                assert_eq!([got[0] + got[2], got[1] + got[3]], columns);
                assert!(got.iter().all(|&y| y >= 0));
                // All tables with these sums, by their first cell.
                let others = (0..=rows[0]).map(|y| [y, rows[0] - y, columns[0] - y, rows[1] - columns[0] + y]);
                let others: Vec<_> = others.filter(|t| t.iter().all(|&y| y >= 0)).collect();
                let is_tight = |t: &[i64]| t.iter().zip(&cells).all(|(&y, &x)| (y as f64 - x).abs() < 1.0);
                let is_near = |t: &[i64]| t.iter().zip(&cells).all(|(&y, &x)| (y as f64 - x).abs() <= 1.0);
                if others.iter().any(|t| is_tight(t)) {
                    assert!(is_tight(&got), "{cells:?} {rows:?} {columns:?}: {got:?}");
                    tight += 1;
                } else if others.iter().any(|t| is_near(t)) {
                    assert!(is_near(&got), "{cells:?} {rows:?} {columns:?}: {got:?}");
                    near += 1;
                } else {
                    free += 1;
                }
            }
        }
    }
    assert!(tight > 1000 && near > 0 && free > 0, "{tight} {near} {free}: every kind is met");
}

fn product(first: &[i64], second: &[i64]) -> Vec<[i64; 2]> {
    first.iter().flat_map(|&a| second.iter().map(move |&b| [a, b])).collect()
}

#[test]
fn sums_rounded_beforehand_may_leave_no_cell_within_its_own_two_numbers() {
    assert_eq!(with_sums(&[0.5, 0.0, 0.0, 0.5], &[1, 0], &[0, 1]), [0, 1, 0, 0]);
    assert_eq!(with_sums(&[0.5, 0.0, 0.0, 0.5], &[1, 0], &[1, 0]), [1, 0, 0, 0]);
    // Rows that add up to a little less than whole cells, and to more.
    assert_eq!(with_sums(&[1.0, 2.0], &[2], &[1, 1]), [1, 1]);
    assert_eq!(with_sums(&[1.0, 2.0], &[4], &[1, 3]), [1, 3]);
}

#[test]
fn the_largest_fractions_are_rounded_up_and_ties_by_position() {
    assert_eq!(with_total(&[0.5, 0.5, 0.5, 0.5], 2), [1, 1, 0, 0]);
    assert_eq!(with_total(&[0.2, 1.9, 0.9, 3.0], 6), [0, 2, 1, 3]);
    assert_eq!(with_total(&[-0.5, -1.25, 2.75], 1), [-1, -1, 3]);
}

#[test]
fn labels_say_what_a_table_is_and_is_not() {
    assert_eq!(PostProcessing::NonNegative.to_string(), "non-negative and consistent, no longer unbiased");
    for label in [PostProcessing::NonNegative, PostProcessing::RoundedConsistent, PostProcessing::RoundedTotal] {
        assert!(label.to_string().ends_with("no longer unbiased"));
    }
    assert!(PostProcessing::Unbiased.to_string().starts_with("unbiased"));
    assert!(Trust::new(0.99).is_err() && Trust::new(f64::NAN).is_err() && Trust::new(1e3).is_ok());
}

proptest! {
    #[test]
    fn two_way_tables_of_any_size_reach_their_sums(
        shape in (1_usize..9, 1_usize..9),
        raw in proptest::collection::vec(0.0_f64..3.0, 64),
        empty: u64,
    ) {
        let (height, width) = shape;
        let kept = |i: usize| if empty >> i & 1 == 1 { 0.0 } else { raw[i] };
        let cells: Vec<f64> = (0..height * width).map(kept).collect();
        let total = cells.iter().sum::<f64>().round_ties_even() as i64;
        let sums = |of: &dyn Fn(usize) -> usize, count: usize| {
            let mut sums = vec![0.0; count];
            cells.iter().enumerate().for_each(|(i, cell)| sums[of(i)] += cell);
            with_total(&sums, total)
        };
        let (rows, columns) = (sums(&|i| i / width, height), sums(&|i| i % width, width));
        let whole = with_sums(&cells, &rows, &columns);
        prop_assert!(whole.iter().all(|&y| y >= 0));
        for (row, want) in whole.chunks(width).zip(&rows) {
            prop_assert_eq!(row.iter().sum::<i64>(), *want);
        }
        for (column, want) in columns.iter().enumerate() {
            prop_assert_eq!(whole.iter().skip(column).step_by(width).sum::<i64>(), *want);
        }
        // Rounding what is rounded changes nothing.
        let again: Vec<f64> = whole.iter().map(|&y| y as f64).collect();
        prop_assert_eq!(with_sums(&again, &rows, &columns), whole);
    }
}
