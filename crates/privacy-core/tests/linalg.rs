//! Factorisations with known answers, families of difficult matrices, and what is refused.
#![allow(clippy::unwrap_used, reason = "a test may panic; this file is a program of its own too")]

use ndarray::{Array1, Array2, array};
use privacy_core::linalg::{LinalgError, cholesky, pseudo_inverse, svd, symmetric_eigen};
use proptest::prelude::*;

pub(crate) fn largest(matrix: &Array2<f64>) -> f64 {
    matrix.iter().fold(0.0, |largest, x| f64::max(largest, x.abs()))
}

fn close(got: &Array2<f64>, want: &Array2<f64>) -> bool {
    largest(&(got - want)) <= 1e-10 * largest(want)
}

/// Entries in `[-1, 1)` without structure, from a fixed recurrence (Knuth's MMIX).
fn irregular(rows: usize, columns: usize) -> Array2<f64> {
    let mut state = (rows * 1000 + columns) as u64;
    Array2::from_shape_simple_fn((rows, columns), || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state as i64 >> 11) as f64 / (1_u64 << 52) as f64
    })
}

/// Symmetric matrices that are hard in different ways.
fn families(n: usize) -> Vec<(&'static str, Array2<f64>)> {
    let square = irregular(n, n);
    let gram = square.t().dot(&square);
    let grade = Array1::from_shape_fn(n, |i| 10_f64.powf(-12.0 * i as f64 / n as f64));
    let tall = irregular(n, n.div_ceil(3));
    vec![
        ("zero", Array2::zeros((n, n))),
        ("identity", Array2::eye(n)),
        ("ones", Array2::ones((n, n))),
        ("indefinite", &square + &square.t()),
        ("low rank", tall.dot(&tall.t())),
        ("clustered", Array2::eye(n) + &gram * 1e-10),
        ("graded", &gram * &grade * grade.view().insert_axis(ndarray::Axis(1))),
        ("Hilbert", Array2::from_shape_fn((n, n), |(i, j)| 1.0 / (i + j + 1) as f64)),
        ("gram", gram),
        ("path", path_laplacian(n)),
    ]
}

/// Second differences on a path with fixed ends; eigenvalues `2 - 2 cos(pi k / (n + 1))`.
fn path_laplacian(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, n), |(i, j)| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    })
}

#[test]
fn eigenvalues_of_a_path_are_the_known_ones() {
    for n in [1, 2, 3, 50, 200, 300] {
        let eigen = symmetric_eigen(path_laplacian(n).view()).unwrap();
        for (k, value) in (1..).zip(&eigen.values) {
            let want = 2.0 - 2.0 * (std::f64::consts::PI * k as f64 / (n + 1) as f64).cos();
            assert!((value - want).abs() < 1e-13, "n = {n}, k = {k}: {value} for {want}");
        }
    }
}

#[test]
fn difficult_families_are_factorised_at_every_size_and_scale() {
    for n in [1, 2, 3, 17, 64, 129, 200, 256, 300] {
        for (name, matrix) in families(n) {
            for scale in [1.0, 1e-9, 1e9] {
                let matrix = &matrix * scale;
                let eigen = symmetric_eigen(matrix.view()).unwrap_or_else(|e| panic!("{name} {n} {scale:e}: {e}"));
                assert!(eigen.values.iter().zip(eigen.values.iter().skip(1)).all(|(a, b)| a <= b), "{name} {n}");
                let product = (&eigen.vectors * &eigen.values).dot(&eigen.vectors.t());
                assert!(largest(&(product - &matrix)) <= 1e-12 * n as f64 * largest(&matrix), "{name} {n} {scale:e}");
            }
        }
    }
}

#[test]
fn a_power_of_two_changes_the_values_exactly_and_the_vectors_not_at_all() {
    for n in [3, 60, 150] {
        let square = irregular(n, n);
        let (matrix, factor) = (square.dot(&square.t()), 2_f64.powi(61));
        let (one, other) =
            (symmetric_eigen(matrix.view()).unwrap(), symmetric_eigen((&matrix * factor).view()).unwrap());
        assert_eq!(one.vectors, other.vectors);
        assert_eq!(one.values * factor, other.values);
    }
}

#[test]
fn cholesky_of_an_integer_matrix_is_exact() {
    let lower = array![[2.0, 0.0, 0.0], [6.0, 1.0, 0.0], [-8.0, 5.0, 3.0]];
    let matrix = lower.dot(&lower.t());
    for scale in [1.0, 4.0, 2_f64.powi(-40)] {
        assert_eq!(cholesky((&matrix * scale).view()).unwrap(), &lower * scale.sqrt());
    }
}

#[test]
fn matrices_that_are_not_positive_definite_have_no_cholesky_factor() {
    for matrix in [array![[0.0]], array![[-1.0]], array![[1.0, 2.0], [2.0, 1.0]], array![[1.0, 1.0], [1.0, 1.0]]] {
        assert_eq!(cholesky(matrix.view()), Err(LinalgError::NotPositiveDefinite));
    }
}

#[test]
fn the_rank_of_a_product_is_its_inner_dimension() {
    for (m, n, rank) in [(1, 1, 1), (5, 3, 2), (3, 9, 3), (40, 200, 17), (180, 150, 1)] {
        let matrix = irregular(m, rank).dot(&irregular(n, rank).t());
        for scale in [1.0, 1e-200, 1e200] {
            assert_eq!(svd((&matrix * scale).view()).unwrap().rank(), rank, "{m} x {n}, scale {scale:e}");
        }
    }
    assert_eq!(svd(Array2::zeros((4, 3)).view()).unwrap().rank(), 0);
}

#[test]
fn what_is_no_matrix_to_factorise_is_refused() {
    let oblong = Array2::<f64>::zeros((2, 3));
    assert_eq!(symmetric_eigen(oblong.view()), Err(LinalgError::NotSquare { rows: 2, columns: 3 }));
    assert_eq!(cholesky(oblong.view()), Err(LinalgError::NotSquare { rows: 2, columns: 3 }));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let matrix = array![[1.0, 0.0], [bad, 1.0]];
        let refused = LinalgError::NotFinite { row: 1, column: 0 };
        assert_eq!(symmetric_eigen(matrix.view()), Err(refused.clone()));
        assert_eq!(cholesky(matrix.view()), Err(refused.clone()));
        assert_eq!(svd(matrix.view()), Err(refused));
    }
    let lopsided = array![[1e6, 1.0], [1.0 + 1e-5, 1e6]];
    assert_eq!(symmetric_eigen(lopsided.view()), Err(LinalgError::NotSymmetric { row: 0, column: 1 }));
    let rounded = array![[1e6, 1.0], [1.0 + 1e-10, 1e6]];
    assert!(symmetric_eigen(rounded.view()).is_ok());
}

#[test]
fn results_beyond_the_range_are_refused() {
    assert_eq!(symmetric_eigen(Array2::from_elem((4, 4), f64::MAX).view()), Err(LinalgError::OutOfRange));
    assert_eq!(pseudo_inverse(array![[1e-320]].view()), Err(LinalgError::OutOfRange));
    assert_eq!(symmetric_eigen(array![[f64::MAX]].view()).unwrap().values, array![f64::MAX]);
}

#[test]
fn empty_matrices_have_empty_factors() {
    let empty = Array2::<f64>::zeros((0, 0));
    assert_eq!(symmetric_eigen(empty.view()).unwrap().vectors.dim(), (0, 0));
    assert_eq!(cholesky(empty.view()).unwrap().dim(), (0, 0));
    assert_eq!(pseudo_inverse(Array2::zeros((0, 3)).view()).unwrap().dim(), (3, 0));
}

#[test]
fn column_major_and_strided_input_is_read_by_its_indices() {
    let matrix = irregular(6, 4);
    let transposed = matrix.t().to_owned();
    assert_eq!(svd(matrix.view()), svd(transposed.t()));
    let every_other = matrix.slice(ndarray::s![..;2, ..]);
    assert_eq!(svd(every_other), svd(every_other.to_owned().view()));
}

#[test]
fn both_pseudo_inverses_of_a_symmetric_matrix_agree() {
    for n in [3, 30, 150] {
        let tall = irregular(n, n.div_ceil(2));
        let matrix = tall.dot(&tall.t());
        let from_eigen = symmetric_eigen(matrix.view()).unwrap().pseudo_inverse().unwrap();
        assert_eq!(from_eigen, from_eigen.t());
        assert!(close(&from_eigen, &pseudo_inverse(matrix.view()).unwrap()), "n = {n}");
    }
}

#[cfg(feature = "lapack")]
#[test]
fn lapack_and_the_default_agree() {
    use privacy_core::linalg::lapack;
    for n in [1, 2, 40, 129, 300] {
        let square = irregular(n, n);
        let definite = square.t().dot(&square) * 1e6 + Array2::<f64>::eye(n);
        for matrix in [&definite, &(&square + &square.t())] {
            let (ours, theirs) =
                (symmetric_eigen(matrix.view()).unwrap(), lapack::symmetric_eigen(matrix.view()).unwrap());
            let column = |values: Array1<f64>| values.insert_axis(ndarray::Axis(1));
            assert!(close(&column(ours.values), &column(theirs.values)), "n = {n}");
        }
        // Vectors have arbitrary signs; projections and factors have not.
        assert!(close(&cholesky(definite.view()).unwrap(), &lapack::cholesky(definite.view()).unwrap()));
        let oblong = irregular(n, 2 * n);
        assert!(close(&pseudo_inverse(oblong.view()).unwrap(), &lapack::pseudo_inverse(oblong.view()).unwrap()));
    }
    assert_eq!(lapack::cholesky(array![[-1.0]].view()), Err(LinalgError::NotPositiveDefinite));
    assert_eq!(lapack::svd(array![[f64::NAN]].view()), Err(LinalgError::NotFinite { row: 0, column: 0 }));
}

proptest! {
    #[test]
    fn a_pseudo_inverse_satisfies_the_four_conditions_of_penrose(
        (m, n, rank) in (1_usize..9, 1_usize..9, 1_usize..4),
        entries in proptest::collection::vec(-4_i8..5, 72),
    ) {
        let entry = |i: usize| f64::from(entries[i % 72]);
        let left = Array2::from_shape_fn((m, rank), |(i, j)| entry(i * rank + j));
        let right = Array2::from_shape_fn((rank, n), |(i, j)| entry(36 + i * n + j));
        let matrix = left.dot(&right);
        let inverse = pseudo_inverse(matrix.view()).unwrap();
        let (onto_rows, onto_columns) = (inverse.dot(&matrix), matrix.dot(&inverse));
        prop_assert!(close(&matrix.dot(&onto_rows), &matrix));
        prop_assert!(close(&onto_rows.dot(&inverse), &inverse));
        prop_assert!(largest(&(&onto_rows - &onto_rows.t())) < 1e-10);
        prop_assert!(largest(&(&onto_columns - &onto_columns.t())) < 1e-10);
    }
}
