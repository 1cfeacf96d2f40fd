use super::check::{Backend, Scaled};
use super::*;
use ::faer::{MatRef, Side};
use ndarray::array;

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

fn svd_residual(matrix: &Array2<f64>, Svd { u, values, v }: &Svd) -> f64 {
    relative(&(matrix - &(u * values).dot(&v.t())), matrix)
}

fn array(matrix: MatRef<'_, f64>) -> Array2<f64> {
    Array2::from_shape_fn((matrix.nrows(), matrix.ncols()), |(i, j)| matrix[(i, j)])
}

/// Why the door keeps away from the library's divide and conquer. If this fails, the library was
/// mended: it may be used again, behind the same checks.
#[test]
fn divide_and_conquer_of_the_library_is_wrong_and_the_door_is_not() {
    let mut worst = 0.0;
    for (n, scale) in [(129, 1e6), (256, 1e6), (256, 1e9), (512, 1e6)] {
        let matrix = integer_gram(n, n) * scale;
        let theirs = faer::view(&matrix).self_adjoint_eigen(Side::Lower).unwrap();
        let (values, vectors) = (Array1::from_shape_fn(n, |i| theirs.S()[i]), array(theirs.U()));
        worst = f64::max(worst, eigen_residual(&matrix, &values, &vectors));
        assert_eq!(check::orthonormal(&vectors), Ok(()), "the vectors look right");
        let eigen = symmetric_eigen(matrix.view()).unwrap();
        let behind_the_door = eigen_residual(&matrix, &eigen.values, &eigen.vectors);
        assert!(behind_the_door < 1e-12, "n = {n}, scale {scale:e}: residual {behind_the_door:e}");
    }
    assert!(worst > 1e-6, "residual {worst:e}");
}

/// The same for singular values, where no scaling helps.
#[test]
fn divide_and_conquer_is_wrong_for_singular_matrices_at_unit_scale() {
    let mut worst = 0.0;
    for n in [130, 150, 180] {
        let matrix = Scaled::new(integer_gram(n / 2, n).view()).unwrap().matrix;
        let theirs = faer::view(&matrix).thin_svd().unwrap();
        let values = Array1::from_shape_fn(n, |i| theirs.S()[i]);
        worst = f64::max(worst, svd_residual(&matrix, &Svd { u: array(theirs.U()), values, v: array(theirs.V()) }));
        let behind_the_door = svd_residual(&matrix, &svd(matrix.view()).unwrap());
        assert!(behind_the_door < 1e-12, "n = {n}: residual {behind_the_door:e}");
    }
    assert!(worst > 1e-6, "residual {worst:e}");
}

/// A library that returns factors of some other matrix.
struct Broken;

const OFF: f64 = 1.0 + 1e-9;

impl Backend for Broken {
    fn symmetric_eigen(matrix: &Array2<f64>) -> Result<SymmetricEigen, LinalgError> {
        faer::Faer::symmetric_eigen(matrix).map(|right| SymmetricEigen { values: right.values * OFF, ..right })
    }

    fn cholesky(matrix: &Array2<f64>) -> Result<Array2<f64>, LinalgError> {
        faer::Faer::cholesky(matrix).map(|right| right * OFF)
    }

    fn svd(matrix: &Array2<f64>) -> Result<Svd, LinalgError> {
        faer::Faer::svd(matrix).map(|right| Svd { values: right.values * OFF, ..right })
    }
}

#[test]
fn wrong_factors_are_an_error() {
    let matrix = array![[2.0, 1.0], [1.0, 2.0]];
    assert!(matches!(eigen_by::<Broken>(matrix.view()), Err(LinalgError::Residual { .. })));
    assert!(matches!(cholesky_by::<Broken>(matrix.view()), Err(LinalgError::Residual { .. })));
    assert!(matches!(svd_by::<Broken>(matrix.view()), Err(LinalgError::Residual { .. })));
}

#[test]
fn zeros_and_nans_do_not_pass_for_vectors() {
    assert_eq!(check::orthonormal(&Array2::zeros((2, 2))), Err(LinalgError::Residual { relative: 1.0 }));
    assert!(check::orthonormal(&array![[f64::NAN]]).is_err());
    assert!(check::residual(&array![[1.0]], &array![[f64::NAN]]).is_err());
    assert!(check::residual(&array![[0.0]], &array![[1e-9]]).is_err());
    assert!(check::residual(&array![[0.0]], &array![[0.0]]).is_ok());
}

#[test]
fn scaling_is_by_the_nearest_power_of_two_and_back() {
    let tiny = f64::from_bits(1);
    for x in [1.0, 1.4, 1.42, 0.71, 0.7, 1e300, 1e-300, -3.0, f64::MAX, f64::MIN_POSITIVE, tiny] {
        let scaled = Scaled::new(array![[x]].view()).unwrap();
        let largest = scaled.matrix[[0, 0]];
        assert!((0.499_999..=2.000_001).contains(&largest.powi(2)), "{x:e} became {largest}");
        assert_eq!(scaled.back(scaled.matrix.clone(), 1), Ok(array![[x]]));
    }
    assert_eq!(Scaled::new(array![[0.0]].view()).unwrap().matrix, array![[0.0]]);
}
