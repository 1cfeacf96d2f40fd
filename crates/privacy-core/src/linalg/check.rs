//! What is asked of a matrix before a factorisation, and of the factors after it.

use ndarray::{Array, Array2, ArrayView2, Dimension, Zip};

use super::{LinalgError, Svd, SymmetricEigen, TOLERANCE};

/// The factorisations that a library offers, of finite matrices near unit scale that are not
/// empty.
pub(super) trait Backend {
    fn symmetric_eigen(matrix: &Array2<f64>) -> Result<SymmetricEigen, LinalgError>;
    fn cholesky(matrix: &Array2<f64>) -> Result<Array2<f64>, LinalgError>;
    fn svd(matrix: &Array2<f64>) -> Result<Svd, LinalgError>;
}

/// A matrix times `2^exponent`, its largest entry between `sqrt(1/2)` and `sqrt(2)`, or all of it
/// zero.
pub(super) struct Scaled {
    pub(super) matrix: Array2<f64>,
    exponent: i32,
}

impl Scaled {
    pub(super) fn new(matrix: ArrayView2<'_, f64>) -> Result<Self, LinalgError> {
        if let Some(((row, column), _)) = matrix.indexed_iter().find(|(_, x)| !x.is_finite()) {
            return Err(LinalgError::NotFinite { row, column });
        }
        let (fraction, exponent) = libm::frexp(largest(matrix));
        // The fraction is 0 or in [1/2, 1): the nearer of 2^exponent and 2^(exponent - 1).
        let exponent = if fraction < std::f64::consts::FRAC_1_SQRT_2 { 1 - exponent } else { -exponent };
        let mut matrix = matrix.as_standard_layout().into_owned();
        matrix.mapv_inplace(|x| libm::ldexp(x, exponent));
        Ok(Self { matrix, exponent })
    }

    /// The average of the matrix and its transpose, scaled.
    pub(super) fn symmetric(matrix: ArrayView2<'_, f64>) -> Result<Self, LinalgError> {
        let (rows, columns) = matrix.dim();
        if rows != columns {
            return Err(LinalgError::NotSquare { rows, columns });
        }
        let scaled = Self::new(matrix)?;
        let mirror = scaled.matrix.t();
        let mut pairs = scaled.matrix.indexed_iter().zip(&mirror);
        // The largest entry is at most sqrt(2), so this is 1e-12 of it, up to that factor.
        if let Some((((row, column), _), _)) = pairs.find(|((_, a), b)| (*a - *b).abs() > 1e-12) {
            return Err(LinalgError::NotSymmetric { row, column });
        }
        let matrix = (&scaled.matrix + &mirror) / 2.0;
        Ok(Self { matrix, ..scaled })
    }

    /// Scaled by 2 once more if the exponent is odd, so that `2^(exponent / 2)` is a double.
    pub(super) fn with_even_exponent(self) -> Self {
        if self.exponent % 2 == 0 { self } else { Self { matrix: self.matrix * 2.0, exponent: self.exponent + 1 } }
    }

    /// A factor of the scaled matrix as one of the matrix itself: times `2^(-exponent / root)`.
    pub(super) fn back<D: Dimension>(&self, factor: Array<f64, D>, root: i32) -> Result<Array<f64, D>, LinalgError> {
        let factor = factor.mapv_into(|x| libm::ldexp(x, -self.exponent / root));
        if factor.iter().all(|x| x.is_finite()) { Ok(factor) } else { Err(LinalgError::OutOfRange) }
    }
}

fn largest(matrix: ArrayView2<'_, f64>) -> f64 {
    matrix.iter().fold(0.0, |largest, x| f64::max(largest, x.abs()))
}

fn norm(matrix: &Array2<f64>) -> f64 {
    matrix.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// `|difference| / |matrix|` is small.
pub(super) fn residual(matrix: &Array2<f64>, difference: &Array2<f64>) -> Result<(), LinalgError> {
    let (matrix, difference) = (norm(matrix), norm(difference));
    // Of a zero matrix, nothing but zero is right. Written so that a NaN is refused.
    if difference <= TOLERANCE * matrix { Ok(()) } else { Err(LinalgError::Residual { relative: difference / matrix }) }
}

/// The columns are orthonormal: without this, zeros would pass for vectors.
pub(super) fn orthonormal(vectors: &Array2<f64>) -> Result<(), LinalgError> {
    let mut gram = vectors.t().dot(vectors);
    Zip::from(gram.diag_mut()).for_each(|x| *x -= 1.0);
    let relative = largest(gram.view());
    let is_small = gram.iter().all(|x| x.abs() <= TOLERANCE);
    if is_small { Ok(()) } else { Err(LinalgError::Residual { relative }) }
}
