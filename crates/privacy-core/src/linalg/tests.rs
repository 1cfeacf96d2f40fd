use super::check::{Backend, Scaled};
use super::*;
use ndarray::array;

/// A library that knows the factors of multiples of `((2, 1), (1, 2))`, or returns those of some
/// other matrix.
struct OneMatrix<const IS_WRONG: bool>;

impl<const IS_WRONG: bool> OneMatrix<IS_WRONG> {
    /// The values of a matrix, or wrong ones.
    fn values(matrix: &Array2<f64>) -> Array1<f64> {
        array![3.0, 1.0] * (matrix[[0, 1]] * Self::off())
    }

    fn off() -> f64 {
        if IS_WRONG { 1.0 + 1e-9 } else { 1.0 }
    }
}

fn vectors() -> Array2<f64> {
    array![[1.0, 1.0], [1.0, -1.0]] / 2.0_f64.sqrt()
}

impl<const IS_WRONG: bool> Backend for OneMatrix<IS_WRONG> {
    fn symmetric_eigen(matrix: &Array2<f64>) -> Result<SymmetricEigen, LinalgError> {
        Ok(SymmetricEigen { values: Self::values(matrix), vectors: vectors() })
    }

    fn cholesky(matrix: &Array2<f64>) -> Result<Array2<f64>, LinalgError> {
        let lower = array![[2.0, 0.0], [1.0, 3.0_f64.sqrt()]] / 2.0_f64.sqrt();
        Ok(lower * (matrix[[0, 1]].sqrt() * Self::off()))
    }

    fn svd(matrix: &Array2<f64>) -> Result<Svd, LinalgError> {
        Ok(Svd { u: vectors(), values: Self::values(matrix), v: vectors() })
    }
}

#[test]
fn right_factors_pass_and_wrong_factors_are_an_error() {
    let matrix = array![[2.0, 1.0], [1.0, 2.0]];
    assert!(eigen_by::<OneMatrix<false>>(matrix.view()).is_ok());
    assert!(cholesky_by::<OneMatrix<false>>(matrix.view()).is_ok());
    assert!(svd_by::<OneMatrix<false>>(matrix.view()).is_ok());
    assert!(matches!(eigen_by::<OneMatrix<true>>(matrix.view()), Err(LinalgError::Residual { .. })));
    assert!(matches!(cholesky_by::<OneMatrix<true>>(matrix.view()), Err(LinalgError::Residual { .. })));
    assert!(matches!(svd_by::<OneMatrix<true>>(matrix.view()), Err(LinalgError::Residual { .. })));
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
