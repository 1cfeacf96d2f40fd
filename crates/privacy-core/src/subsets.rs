//! Sums over subsets, and linear maps along the axes of a table.
//!
//! `f`, `g` functions on the subsets of an `n`-set, stored by mask in `2^n` cells. Tables are
//! row-major, the last axis fastest. Source: the fast zeta and Moebius transforms (Yates 1937;
//! Kennes and Smets 1990).

use std::ops::{AddAssign, SubAssign};

#[cfg(feature = "tables")]
use ndarray::linalg::general_mat_mul;
#[cfg(feature = "tables")]
use ndarray::{ArrayView2, ArrayViewMut2};

/// In place, `f(S) = sum of g(B) over B subset of S`. `n 2^(n-1)` additions.
///
/// # Panics
/// If the length is not a power of two.
pub fn zeta_over_subsets<T: Copy + AddAssign>(values: &mut [T]) {
    pairs(values, |without, with| *with += *without);
}

/// The inverse of [`zeta_over_subsets`].
///
/// # Panics
/// If the length is not a power of two.
pub fn moebius_over_subsets<T: Copy + SubAssign>(values: &mut [T]) {
    pairs(values, |without, with| *with -= *without);
}

/// In place, `f(S) = sum of g(B) over B superset of S`. `n 2^(n-1)` additions.
///
/// # Panics
/// If the length is not a power of two.
pub fn zeta_over_supersets<T: Copy + AddAssign>(values: &mut [T]) {
    pairs(values, |without, with| *without += *with);
}

/// The inverse of [`zeta_over_supersets`].
///
/// # Panics
/// If the length is not a power of two.
pub fn moebius_over_supersets<T: Copy + SubAssign>(values: &mut [T]) {
    pairs(values, |without, with| *without -= *with);
}

/// Calls `combine(f(S), f(S + i))` for every element `i` and every set `S` without it.
///
/// # Panics
/// If the length is not a power of two.
pub fn pairs<T>(values: &mut [T], mut combine: impl FnMut(&mut T, &mut T)) {
    assert!(values.len().is_power_of_two(), "a function on the subsets of an n-set has 2^n values");
    let mut half = 1;
    while half < values.len() {
        for block in values.chunks_exact_mut(2 * half) {
            let (without, with) = block.split_at_mut(half);
            without.iter_mut().zip(with).for_each(|(without, with)| combine(without, with));
        }
        half *= 2;
    }
}

/// How the cells of a table lie along one axis: the table is `outer` blocks of `length` rows of
/// `inner` cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisLayout {
    /// Product of the sizes before the axis.
    pub outer: usize,
    /// Size of the axis.
    pub length: usize,
    /// Product of the sizes after the axis.
    pub inner: usize,
}

impl AxisLayout {
    /// The layout of `axis` in a row-major table of this shape.
    ///
    /// # Panics
    /// If there is no such axis.
    #[must_use]
    pub fn of(shape: &[usize], axis: usize) -> Self {
        let (outer, inner) = (shape[..axis].iter().product(), shape[axis + 1..].iter().product());
        Self { outer, length: shape[axis], inner }
    }
}

/// `matrix` applied along one axis of a row-major table; that axis takes the number of the
/// matrix's rows. `cells * rows` multiplications, as matrix products.
///
/// # Panics
/// If the table does not have the shape, or the matrix not the axis's number of columns.
#[cfg(feature = "tables")]
#[must_use]
pub fn apply_along_axis(matrix: ArrayView2<'_, f64>, cells: &[f64], shape: &[usize], axis: usize) -> Vec<f64> {
    let AxisLayout { outer, length, inner } = AxisLayout::of(shape, axis);
    assert_eq!(cells.len(), outer * length * inner, "the cells fill the shape");
    assert_eq!(matrix.ncols(), length, "one column for each category of the axis");
    let mut result = vec![0.0; outer * matrix.nrows() * inner];
    if result.is_empty() || cells.is_empty() {
        return result;
    }
    let shaped = "the sizes were checked";
    if inner == 1 {
        let lanes = ArrayView2::from_shape((outer, length), cells).expect(shaped);
        let mut target = ArrayViewMut2::from_shape((outer, matrix.nrows()), &mut result).expect(shaped);
        general_mat_mul(1.0, &lanes, &matrix.t(), 0.0, &mut target);
        return result;
    }
    let blocks = cells.chunks_exact(length * inner);
    for (block, target) in blocks.zip(result.chunks_exact_mut(matrix.nrows() * inner)) {
        let block = ArrayView2::from_shape((length, inner), block).expect(shaped);
        let mut target = ArrayViewMut2::from_shape((matrix.nrows(), inner), target).expect(shaped);
        general_mat_mul(1.0, &matrix, &block, 0.0, &mut target);
    }
    result
}

/// The Kronecker product of `matrices` times `cells`, one axis after the other and never formed.
///
/// # Panics
/// If the number of cells is not the product of the matrices' columns.
#[cfg(feature = "tables")]
#[must_use]
pub fn apply_kronecker(matrices: &[ArrayView2<'_, f64>], cells: &[f64]) -> Vec<f64> {
    let mut shape: Vec<usize> = matrices.iter().map(ArrayView2::ncols).collect();
    assert_eq!(cells.len(), shape.iter().product::<usize>(), "one cell for each combination of columns");
    let mut cells = cells.to_vec();
    for (axis, &matrix) in matrices.iter().enumerate() {
        cells = apply_along_axis(matrix, &cells, &shape, axis);
        shape[axis] = matrix.nrows();
    }
    cells
}
