//! The one door to dense factorisations.
//!
//! `A` the matrix, `|A|` its Frobenius norm, `V`, `W` vectors and values, `L` a lower triangle,
//! `U S V^T` singular vectors and values.
//!
//! A library may return wrong numbers without a word, so what comes through this door was
//! checked, not trusted:
//!
//! 1. The input is finite and has the right shape; symmetric means symmetric to 1e-12 of the
//!    largest entry, and the two halves are averaged.
//! 2. The matrix is scaled by the power of two nearest to `1 / max|a|`, and the values back:
//!    exact, no square under- or overflows, and libraries are at their best near unit scale.
//! 3. The factors are multiplied out again. `|A V - V W|`, `|A - L L^T|` and `|A - U S V^T|` must
//!    be below `1e-10 |A|`, and the vectors orthonormal to 1e-10; otherwise the call is an error.
//!
//! The algorithms are those that were never found wrong, not the fastest ones: see
//! `docs/math/linalg.md`. Everything runs on one thread and gives the same bits at any thread
//! count. Processors with other vector units may differ in the last bits: nothing that must be
//! equal everywhere may hang from them.
//!
//! With the feature `lapack`, the module `lapack` has the same functions over LAPACK, behind the
//! same checks.

mod check;
mod faer;
#[cfg(feature = "lapack")]
pub mod lapack;

use ndarray::{Array1, Array2, ArrayView2};

use check::{Backend, Scaled};

/// The largest relative residual that is accepted.
const TOLERANCE: f64 = 1e-10;

/// Why there is no factorisation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinalgError {
    /// The factorisation is one of square matrices.
    #[error("the matrix must be square, got {rows} x {columns}")]
    NotSquare {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// An entry is NaN or infinite. Look at how it was computed.
    #[error("the entry at row {row}, column {column} is not finite")]
    NotFinite {
        /// Row of the entry, from 0.
        row: usize,
        /// Column of the entry, from 0.
        column: usize,
    },
    /// An entry differs from its mirror image by more than rounding. Average the two halves if
    /// that is meant.
    #[error("the entry at row {row}, column {column} differs from its mirror image")]
    NotSymmetric {
        /// Row of the entry, from 0.
        row: usize,
        /// Column of the entry, from 0.
        column: usize,
    },
    /// The matrix has a direction of zero or negative form. Use [`symmetric_eigen`] for one that
    /// may be singular.
    #[error("the matrix is not positive definite")]
    NotPositiveDefinite,
    /// The iteration did not converge. Not expected of a finite matrix: please report the matrix.
    #[error("the factorisation did not converge")]
    NotConverged,
    /// The factors do not multiply out to the matrix. A defect of the library underneath: please
    /// report the matrix.
    #[error("the factorisation is wrong: relative residual {relative:e}, at most 1e-10 is accepted")]
    Residual {
        /// The relative residual.
        relative: f64,
    },
    /// A number of the result is beyond the range of `f64`. Change the unit of the matrix.
    #[error("the result exceeds the range of double precision")]
    OutOfRange,
}

/// `A = V W V^T`, of a symmetric matrix.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct SymmetricEigen {
    /// Eigenvalues, ascending.
    pub values: Array1<f64>,
    /// Eigenvectors in columns, in the order of the values; orthonormal, of arbitrary sign.
    pub vectors: Array2<f64>,
}

/// `A = U S V^T`, thin: as many columns as the smaller side of the matrix.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Svd {
    /// Left singular vectors in columns.
    pub u: Array2<f64>,
    /// Singular values, descending, none negative.
    pub values: Array1<f64>,
    /// Right singular vectors in columns.
    pub v: Array2<f64>,
}

/// Eigenvalues and eigenvectors of a symmetric matrix. `O(n^3)`.
///
/// # Errors
/// All of [`LinalgError`] but [`NotPositiveDefinite`](LinalgError::NotPositiveDefinite).
pub fn symmetric_eigen(matrix: ArrayView2<'_, f64>) -> Result<SymmetricEigen, LinalgError> {
    eigen_by::<faer::Faer>(matrix)
}

/// The lower triangle `L`, positive on its diagonal, with `A = L L^T`. `O(n^3)`.
///
/// # Errors
/// All of [`LinalgError`] but [`NotConverged`](LinalgError::NotConverged).
pub fn cholesky(matrix: ArrayView2<'_, f64>) -> Result<Array2<f64>, LinalgError> {
    cholesky_by::<faer::Faer>(matrix)
}

/// Singular values and vectors of any matrix. `O(m n min(m, n))`.
///
/// # Errors
/// [`LinalgError`], those about square and symmetric matrices excepted.
pub fn svd(matrix: ArrayView2<'_, f64>) -> Result<Svd, LinalgError> {
    svd_by::<faer::Faer>(matrix)
}

/// The Moore-Penrose inverse of any matrix; of a symmetric one,
/// [`SymmetricEigen::pseudo_inverse`] is cheaper.
///
/// # Errors
/// As [`svd`].
pub fn pseudo_inverse(matrix: ArrayView2<'_, f64>) -> Result<Array2<f64>, LinalgError> {
    svd(matrix)?.pseudo_inverse()
}

impl SymmetricEigen {
    /// The Moore-Penrose inverse, exactly symmetric. Eigenvalues up to `n eps max|w|` count as
    /// zero.
    ///
    /// # Errors
    /// [`LinalgError::OutOfRange`].
    pub fn pseudo_inverse(&self) -> Result<Array2<f64>, LinalgError> {
        let inverse = invert(&self.values, self.values.len());
        let half = (&self.vectors * &inverse).dot(&self.vectors.t());
        all_finite((&half + &half.t()) / 2.0)
    }
}

impl Svd {
    /// How many singular values are above `max(m, n) eps max(s)`.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.inverse_values().iter().filter(|&&s| s > 0.0).count()
    }

    /// The Moore-Penrose inverse. Singular values up to `max(m, n) eps max(s)` count as zero.
    ///
    /// # Errors
    /// [`LinalgError::OutOfRange`].
    pub fn pseudo_inverse(&self) -> Result<Array2<f64>, LinalgError> {
        all_finite((&self.v * &self.inverse_values()).dot(&self.u.t()))
    }

    fn inverse_values(&self) -> Array1<f64> {
        invert(&self.values, self.u.nrows().max(self.v.nrows()))
    }
}

/// `1 / x`, or 0 where `|x|` is at most `size eps max|x|`: as small as the error of the values
/// themselves.
fn invert(values: &Array1<f64>, size: usize) -> Array1<f64> {
    let largest = values.iter().fold(0.0, |largest, x| f64::max(largest, x.abs()));
    let zero = size as f64 * f64::EPSILON * largest;
    values.mapv(|x| if x.abs() > zero { 1.0 / x } else { 0.0 })
}

fn all_finite(matrix: Array2<f64>) -> Result<Array2<f64>, LinalgError> {
    if matrix.iter().all(|x| x.is_finite()) { Ok(matrix) } else { Err(LinalgError::OutOfRange) }
}

fn eigen_by<B: Backend>(matrix: ArrayView2<'_, f64>) -> Result<SymmetricEigen, LinalgError> {
    let scaled = Scaled::symmetric(matrix)?;
    if matrix.is_empty() {
        return Ok(SymmetricEigen { values: Array1::zeros(0), vectors: Array2::zeros((0, 0)) });
    }
    let SymmetricEigen { values, vectors } = B::symmetric_eigen(&scaled.matrix)?;
    check::orthonormal(&vectors)?;
    check::residual(&scaled.matrix, &(scaled.matrix.dot(&vectors) - &vectors * &values))?;
    Ok(SymmetricEigen { values: scaled.back(values, 1)?, vectors })
}

fn cholesky_by<B: Backend>(matrix: ArrayView2<'_, f64>) -> Result<Array2<f64>, LinalgError> {
    let scaled = Scaled::symmetric(matrix)?.with_even_exponent();
    if matrix.is_empty() {
        return Ok(Array2::zeros((0, 0)));
    }
    let lower = B::cholesky(&scaled.matrix)?;
    check::residual(&scaled.matrix, &(&scaled.matrix - &lower.dot(&lower.t())))?;
    scaled.back(lower, 2)
}

fn svd_by<B: Backend>(matrix: ArrayView2<'_, f64>) -> Result<Svd, LinalgError> {
    let scaled = Scaled::new(matrix)?;
    if matrix.is_empty() {
        let none = |rows| Array2::zeros((rows, 0));
        return Ok(Svd { u: none(matrix.nrows()), values: Array1::zeros(0), v: none(matrix.ncols()) });
    }
    let Svd { u, values, v } = B::svd(&scaled.matrix)?;
    check::orthonormal(&u)?;
    check::orthonormal(&v)?;
    check::residual(&scaled.matrix, &(&scaled.matrix - &(&u * &values).dot(&v.t())))?;
    Ok(Svd { u, values: scaled.back(values, 1)?, v })
}

#[cfg(test)]
mod tests;
