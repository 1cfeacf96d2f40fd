//! Residual queries that are integers, and what undoes them: notation as in [`axis`](super).

use ndarray::Array2;
#[cfg(feature = "linalg")]
use ndarray::{Array1, Axis as Direction};
#[cfg(feature = "linalg")]
use privacy_core::linalg::{LinalgError, cholesky, symmetric_eigen};

/// B R may differ from I by this much.
const FAR_FROM_INVERSE: f64 = 1e-6;

/// Integer residual queries, and what undoes them.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    /// 2^digits B: (k - 1) x k.
    pub(crate) queries: Array2<i64>,
    /// Binary digits behind the point.
    pub(crate) digits: u32,
    /// R: k x (k - 1).
    pub(crate) inverse: Array2<f64>,
    /// u.
    pub(crate) spread: Vec<f64>,
    /// C.
    pub(crate) covariance: Array2<f64>,
    /// The largest squared length of a column of 2^digits B.
    pub(crate) sensitivity2: u64,
    /// The smallest inner product of two of its columns.
    pub(crate) least_inner: i64,
    /// The largest squared length of the difference of two of its columns.
    pub(crate) difference2: u64,
}

/// 2^digits B of a precision matrix, scaled to a largest diagonal entry of 1.
#[cfg(feature = "linalg")]
pub(crate) fn quantised(precision: &Array2<f64>, digits: u32) -> Result<Array2<i64>, LinalgError> {
    let eigen = symmetric_eigen(precision.view())?;
    let largest = precision.diag().iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let (k, unit) = (precision.nrows(), f64::from(1 << digits));
    // The first eigenvalue is that of the null space: rows begin with the second.
    Ok(Array2::from_shape_fn((k - 1, k), |(row, column)| {
        let weight = (eigen.values[row + 1].max(0.0) / largest).sqrt();
        (unit * weight * eigen.vectors[[column, row + 1]]).round() as i64
    }))
}

#[cfg(feature = "linalg")]
impl Dense {
    pub(crate) fn of(queries: Array2<i64>, digits: u32) -> Result<Self, LinalgError> {
        let k = queries.ncols();
        let unit = f64::from(1 << digits);
        let b = queries.mapv(|entry| entry as f64 / unit);
        // C + 11^T / k is the inverse of P B^T B P + 11^T / k.
        let row_means = b.mean_axis(Direction(1)).unwrap_or_default();
        let centred = Array2::from_shape_fn(b.dim(), |(i, j)| b[[i, j]] - row_means[i]);
        let mut covariance = inverse(&(centred.t().dot(&centred) + 1.0 / k as f64))?;
        covariance -= 1.0 / k as f64;
        let inverse = covariance.dot(&b.t());
        let identity = b.dot(&inverse);
        let off =
            identity.indexed_iter().map(|((i, j), x)| (x - f64::from(u8::from(i == j))).abs()).fold(0.0, f64::max);
        if off > FAR_FROM_INVERSE {
            // Its rows depend on each other, up to rounding: what was measured would not give the
            // categories back.
            return Err(LinalgError::NotPositiveDefinite);
        }
        let means: Array1<f64> = b.sum_axis(Direction(1)) / k as f64;
        let spread = inverse.dot(&means).iter().map(|share| 1.0 / k as f64 - share).collect();
        let Lengths { sensitivity2, least_inner, difference2 } = lengths(&queries);
        Ok(Self { queries, digits, inverse, spread, covariance, sensitivity2, least_inner, difference2 })
    }
}

/// The inverse of a positive definite matrix, exactly symmetric.
#[cfg(feature = "linalg")]
fn inverse(matrix: &Array2<f64>) -> Result<Array2<f64>, LinalgError> {
    let lower = cholesky(matrix.view())?;
    let k = matrix.nrows();
    // Columns of L^-1 by forward substitution, as rows.
    let mut columns = Array2::<f64>::zeros((k, k));
    for column in 0..k {
        for row in column..k {
            let known: f64 = (column..row).map(|i| lower[[row, i]] * columns[[column, i]]).sum();
            let unit = f64::from(u8::from(row == column));
            columns[[column, row]] = (unit - known) / lower[[row, row]];
        }
    }
    Ok(columns.dot(&columns.t()))
}

/// What the columns of the integers say about people.
#[cfg(feature = "linalg")]
struct Lengths {
    sensitivity2: u64,
    least_inner: i64,
    difference2: u64,
}

/// The lengths of columns and of their differences, and the least inner product of two. In
/// integers: entries are at most 2^20 (a column of B has length 1, up to rounding), so that sums
/// of some thousand products are far within 64 bits.
#[cfg(feature = "linalg")]
fn lengths(queries: &Array2<i64>) -> Lengths {
    let columns = queries.t().as_standard_layout().into_owned();
    let k = columns.nrows();
    let squares: Vec<i64> = (0..k).map(|i| columns.row(i).dot(&columns.row(i))).collect();
    let (mut least_inner, mut difference2) = (0, 0);
    for (i, j) in (0..k).flat_map(|i| (0..i).map(move |j| (i, j))) {
        let inner = columns.row(i).dot(&columns.row(j));
        least_inner = if (i, j) == (1, 0) { inner } else { inner.min(least_inner) };
        difference2 = difference2.max(squares[i] + squares[j] - 2 * inner);
    }
    let sensitivity2 = squares.iter().copied().max().unwrap_or(0).unsigned_abs();
    Lengths { sensitivity2, least_inner, difference2: difference2.unsigned_abs() }
}
