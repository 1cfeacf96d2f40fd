//! Residual queries that are integers, and what undoes them: notation as in [`axis`](super).
//!
//! For the cells of several attributes, whose queries may span directions of very different
//! sizes, what undoes them is made as exact as its numbers can be. `S` the matrix of B and 1^T,
//! `T` that of R and u, which is its inverse up to rounding:
//!
//! ```text
//! F = I - S T    in integers;     T <- T + T F            Newton, Schulz
//! T S x - x = -S^-1 F S x         answers are off as if every measurement were off by F S x
//! ```
//!
//! so that no answer is off by more than its standard deviation times the length of `F S x` over
//! the standard deviations of the measurements. Rows of F, times what a person can add to each
//! entry of `S x`, are kept.

use ndarray::Array2;
#[cfg(feature = "linalg")]
use ndarray::{Array1, ArrayView1, Axis as Direction};
#[cfg(feature = "linalg")]
use privacy_core::linalg::{LinalgError, cholesky, symmetric_eigen};

/// B R may differ from I by this much.
const FAR_FROM_INVERSE: f64 = 1e-6;
/// Improvements of an inverse: each squares its error, until rounding is left.
#[cfg(feature = "linalg")]
const MOST_IMPROVEMENTS: usize = 4;
/// Binary digits behind the point of the fixed numbers that errors are computed in, and the largest
/// of them.
#[cfg(feature = "linalg")]
const POINT: f64 = 60.0;
#[cfg(feature = "linalg")]
const LARGEST_ENTRY: f64 = 1.7e7;

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
    /// By how much a person can take the residual's numbers, together, and the total from what
    /// they say: known where it was computed, for cells of several attributes.
    pub(crate) off: Option<[f64; 2]>,
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
        Ok(Self { queries, digits, inverse, spread, covariance, sensitivity2, least_inner, difference2, off: None })
    }

    /// The same for cells of several attributes: what undoes the integers is improved until it is
    /// as exact as its numbers. `O(k^3)`.
    pub(crate) fn of_block(queries: Array2<i64>, digits: u32) -> Result<Self, LinalgError> {
        let mut dense = Self::of(queries, digits)?;
        let k = dense.spread.len();
        let mut whole = Array2::from_shape_fn((k, k), |(cell, query)| {
            if query + 1 < k { dense.inverse[[cell, query]] } else { dense.spread[cell] }
        });
        let mut errors = dense.errors(&whole);
        for _ in 0..MOST_IMPROVEMENTS {
            let next = &whole + &whole.dot(&errors);
            let own = dense.errors(&next);
            let before = dense.off(&errors);
            if dense.off(&own).iter().zip(before).all(|(after, before)| *after >= 0.5 * before) {
                break;
            }
            (whole, errors) = (next, own);
        }
        dense.inverse = whole.view().split_at(Direction(1), k - 1).0.to_owned();
        dense.spread = whole.column(k - 1).to_vec();
        dense.covariance = dense.inverse.dot(&dense.inverse.t());
        dense.off = Some(dense.off(&errors));
        Ok(dense)
    }

    /// F, exactly, rounded once.
    fn errors(&self, whole: &Array2<f64>) -> Array2<f64> {
        let k = whole.nrows();
        let unit = POINT.exp2();
        // Below 2^105 with the integers, and 256 of them below 2^113.
        let fixed = whole.mapv(|entry| (entry.clamp(-LARGEST_ENTRY, LARGEST_ENTRY) * unit) as i128);
        let one = 1_i64 << self.digits;
        let mut errors = Array2::zeros((k, k));
        for row in 0..k {
            let mut sums = vec![0_i128; k];
            sums[row] = i128::from(one) << POINT as u32;
            for entry in 0..k {
                let query = if row + 1 < k { self.queries[[row, entry]] } else { one };
                sums.iter_mut().zip(fixed.row(entry)).for_each(|(sum, &x)| *sum -= i128::from(query) * x);
            }
            let scale = 1.0 / (one as f64 * unit);
            errors.row_mut(row).iter_mut().zip(sums).for_each(|(error, sum)| *error = sum as f64 * scale);
        }
        errors
    }

    /// [`Dense::off`] of these errors.
    fn off(&self, errors: &Array2<f64>) -> [f64; 2] {
        let unit = f64::from(1 << self.digits);
        let largest = |row: ArrayView1<'_, i64>| row.iter().map(|x| x.unsigned_abs()).max().unwrap_or(0) as f64 / unit;
        let mut adds: Vec<f64> = self.queries.rows().into_iter().map(largest).collect();
        adds.push(1.0);
        let rows = errors.rows().into_iter();
        let mut off: Vec<f64> = rows.map(|row| row.iter().zip(&adds).map(|(f, add)| f.abs() * add).sum()).collect();
        let total = off.pop().unwrap_or(0.0);
        [off.iter().map(|row| row * row).sum::<f64>().sqrt(), total]
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
