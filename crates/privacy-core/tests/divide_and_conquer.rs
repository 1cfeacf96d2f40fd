//! Why the factorisations keep away from the divide and conquer of the library below them. If these
//! tests fail, the library was mended: it may be used again, behind the same checks.

use faer::{MatRef, Side};
use ndarray::{Array1, Array2};
use privacy_core::linalg::{svd, symmetric_eigen};

use crate::linalg::largest;

/// An integer Gram matrix of a rank; the entries of the factor, from -3 to 3, follow a fixed
/// recurrence (Knuth's MMIX).
fn integer_gram(rank: usize, n: usize) -> Array2<f64> {
    let mut state = 1_u64;
    let factor = Array2::from_shape_simple_fn((rank, n), || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33).rem_euclid(7) as f64 - 3.0
    });
    factor.t().dot(&factor)
}

fn relative(difference: &Array2<f64>, matrix: &Array2<f64>) -> f64 {
    let norm = |a: &Array2<f64>| a.iter().map(|x| x * x).sum::<f64>().sqrt();
    norm(difference) / norm(matrix)
}

fn eigen_residual(matrix: &Array2<f64>, values: &Array1<f64>, vectors: &Array2<f64>) -> f64 {
    relative(&(matrix.dot(vectors) - vectors * values), matrix)
}

fn svd_residual(matrix: &Array2<f64>, u: &Array2<f64>, values: &Array1<f64>, v: &Array2<f64>) -> f64 {
    relative(&(matrix - &(u * values).dot(&v.t())), matrix)
}

fn view(matrix: &Array2<f64>) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(matrix.as_slice().unwrap(), matrix.nrows(), matrix.ncols())
}

fn array(matrix: MatRef<'_, f64>) -> Array2<f64> {
    Array2::from_shape_fn((matrix.nrows(), matrix.ncols()), |(i, j)| matrix[(i, j)])
}

/// `V^T V` is `I` up to 1e-10; a NaN is not.
fn is_orthonormal(vectors: &Array2<f64>) -> bool {
    let gram = vectors.t().dot(vectors) - Array2::<f64>::eye(vectors.ncols());
    gram.iter().all(|x| x.abs() <= 1e-10)
}

#[test]
fn divide_and_conquer_of_the_library_is_wrong_and_the_door_is_not() {
    let mut worst = 0.0;
    for (n, scale) in [(129, 1e6), (256, 1e6), (256, 1e9), (512, 1e6)] {
        let matrix = integer_gram(n, n) * scale;
        let theirs = view(&matrix).self_adjoint_eigen(Side::Lower).unwrap();
        let (values, vectors) = (Array1::from_shape_fn(n, |i| theirs.S()[i]), array(theirs.U()));
        worst = f64::max(worst, eigen_residual(&matrix, &values, &vectors));
        assert!(is_orthonormal(&vectors), "the vectors look right");
        let eigen = symmetric_eigen(matrix.view()).unwrap();
        let behind_the_door = eigen_residual(&matrix, &eigen.values, &eigen.vectors);
        assert!(behind_the_door < 1e-12, "n = {n}, scale {scale:e}: residual {behind_the_door:e}");
    }
    assert!(worst > 1e-6, "residual {worst:e}");
}

/// Singular values at unit scale, where no scaling helps.
#[test]
fn divide_and_conquer_is_wrong_for_singular_matrices_at_unit_scale() {
    let mut worst = 0.0;
    for n in [130, 150, 180] {
        let matrix = integer_gram(n / 2, n);
        let matrix = &matrix * (-largest(&matrix).log2().round()).exp2();
        let theirs = view(&matrix).thin_svd().unwrap();
        let values = Array1::from_shape_fn(n, |i| theirs.S()[i]);
        worst = f64::max(worst, svd_residual(&matrix, &array(theirs.U()), &values, &array(theirs.V())));
        let ours = svd(matrix.view()).unwrap();
        let behind_the_door = svd_residual(&matrix, &ours.u, &ours.values, &ours.v);
        assert!(behind_the_door < 1e-12, "n = {n}: residual {behind_the_door:e}");
    }
    assert!(worst > 1e-6, "residual {worst:e}");
}
