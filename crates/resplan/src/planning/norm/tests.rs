//! Norms and their programs against what their definitions say of two rows.

use super::*;

/// Two rows, of which the second counts three times.
fn norm(order: f64) -> Norm {
    Norm { order, share: vec![0.25, 0.75] }
}

const ORDERS: [f64; 5] = [1.0, 1.5, 2.0, 7.0, f64::INFINITY];

/// Directions in which variances may be.
fn directions() -> impl Iterator<Item = [f64; 2]> {
    (0..=2_000).map(|step| f64::from(step) / 2_000.0).map(|x| [x, 1.0 - x])
}

#[test]
fn weights_of_dual_norm_1_are_nowhere_above_the_norm_and_somewhere_at_it() {
    for order in ORDERS {
        for mut y in [[0.3, 0.4], [0.01, 2.0], [5.0, 0.2]] {
            norm(order).scale(&mut y);
            let most = directions().map(|x| (y[0] * x[0] + y[1] * x[1]) / norm(order).of(&x)).fold(0.0, f64::max);
            assert!((most - 1.0).abs() < 1e-5, "{order} {y:?}: {most}");
        }
        assert_eq!(norm(order).of(&[0.0, 0.0]), 0.0);
    }
}

/// The two variances are on a curve, `1/a + 2/b = 3`, of which every point is looked at.
#[test]
fn the_least_norm_is_found_and_its_bound_is_none_above_it() {
    // [[1, 2], [4, 0.5]]
    let rows = Sparse { starts: vec![0, 2, 4], entries: vec![(0, 1.0), (1, 2.0), (0, 4.0), (1, 0.5)] };
    for order in ORDERS {
        let norm_of = |variances: &[f64]| norm(order).of(&rows.times(variances));
        let points = (1..20_000).map(|step| 3.0 * f64::from(step) / 20_000.0);
        let least = points.map(|x| norm_of(&[1.0 / x, 2.0 / (3.0 - x)])).fold(f64::INFINITY, f64::min);
        let stop = StopFlag::never();
        let (counts, cost) = ([2.0, 6.0], [1.0, 2.0]);
        let program = Program {
            rows: &rows,
            counts: &counts,
            cost: &cost,
            budget: 3.0,
            order,
            gap: 1e-7,
            most_steps: 2_000,
            stop: &stop,
        };
        let found = program.solve(None).unwrap();
        assert!((1.0 / found.variances[0] + 2.0 / found.variances[1] - 3.0).abs() < 1e-9);
        assert!((norm_of(&found.variances) / least - 1.0).abs() < 1e-6, "{order}");
        assert!((found.dual / least - 1.0).abs() < 1e-6, "{order}: {} {least}", found.dual);
        assert!((0.0..=1e-7).contains(&found.gap), "{order}: {:e}", found.gap);
    }
}

#[test]
fn products_by_rows_and_by_columns_are_those_of_the_matrix() {
    // [[1, 0, 2], [0, 3, 0]]
    let by_row = Sparse { starts: vec![0, 2, 3], entries: vec![(0, 1.0), (2, 2.0), (1, 3.0)] };
    assert_eq!(by_row.times(&[1.0, 10.0, 100.0]), [201.0, 30.0]);
    assert_eq!(by_row.transposed(3).times(&[1.0, 10.0]), [1.0, 30.0, 2.0]);
}
