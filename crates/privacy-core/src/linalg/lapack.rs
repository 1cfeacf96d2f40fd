//! The same functions over LAPACK (`dsyev`, `dpotrf`, `dgesdd`), for those who have it and as a
//! second opinion.
//!
//! Needs OpenBLAS on the machine: `apt-get install libopenblas-dev`. Its threads are its own;
//! `OPENBLAS_NUM_THREADS=1` keeps it to one.

use ndarray::{Array2, ArrayView2};
use ndarray_linalg::error::LinalgError as Failure;
use ndarray_linalg::{Cholesky, Eigh, JobSvd, SVDDC, UPLO};

use super::check::Backend;
use super::{LinalgError, Svd, SymmetricEigen, cholesky_by, eigen_by, svd_by};

/// As [`super::symmetric_eigen`].
///
/// # Errors
/// As there.
pub fn symmetric_eigen(matrix: ArrayView2<'_, f64>) -> Result<SymmetricEigen, LinalgError> {
    eigen_by::<Lapack>(matrix)
}

/// As [`super::cholesky`].
///
/// # Errors
/// As there.
pub fn cholesky(matrix: ArrayView2<'_, f64>) -> Result<Array2<f64>, LinalgError> {
    cholesky_by::<Lapack>(matrix)
}

/// As [`super::svd`].
///
/// # Errors
/// As there.
pub fn svd(matrix: ArrayView2<'_, f64>) -> Result<Svd, LinalgError> {
    svd_by::<Lapack>(matrix)
}

/// As [`super::pseudo_inverse`].
///
/// # Errors
/// As there.
pub fn pseudo_inverse(matrix: ArrayView2<'_, f64>) -> Result<Array2<f64>, LinalgError> {
    svd(matrix)?.pseudo_inverse()
}

struct Lapack;

impl Backend for Lapack {
    fn symmetric_eigen(matrix: &Array2<f64>) -> Result<SymmetricEigen, LinalgError> {
        let (values, vectors) = matrix.eigh(UPLO::Lower).map_err(|_| LinalgError::NotConverged)?;
        Ok(SymmetricEigen { values, vectors })
    }

    fn cholesky(matrix: &Array2<f64>) -> Result<Array2<f64>, LinalgError> {
        matrix.cholesky(UPLO::Lower).map_err(|_: Failure| LinalgError::NotPositiveDefinite)
    }

    fn svd(matrix: &Array2<f64>) -> Result<Svd, LinalgError> {
        match matrix.svddc(JobSvd::Some) {
            Ok((Some(u), values, Some(vt))) => Ok(Svd { u, values, v: vt.reversed_axes() }),
            _ => Err(LinalgError::NotConverged),
        }
    }
}
