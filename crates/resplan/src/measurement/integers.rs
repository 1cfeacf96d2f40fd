//! The integer queries of a release: exact residuals of exact counts.
//!
//! `v_B` the marginal over B; along an identity attribute the query is `k I - 11^T`, along
//! another the integers `2^20 B`. In 64 bits as long as nothing can leave them, in 128 bits from
//! there on.

use std::ops::{AddAssign, Mul};

use ndarray::Array2;
use privacy_core::subsets::AxisLayout;
use privacy_core::{AttrSet, ContingencyTable};

use crate::error::Error;
use crate::measurement::transform::centre_integers;
use crate::strategy::axes::Axes;
use crate::strategy::axis::{Axis, Residual};

/// Integer residuals stay below this before the noise: below 2^62 over identity attributes, whose
/// noise is below 2^50; below 2^124 over others, whose noise has gamma below 2^112.
const LARGEST_NARROW: u128 = 1 << 62;
const LARGEST_WIDE: u128 = 1 << 124;

/// The exact residual of a marginal over identity attributes: refused where it could leave 62
/// bits.
pub(crate) fn narrow_residual(axes: &Axes, table: &ContingencyTable) -> Result<Vec<i64>, Error> {
    check_integers(axes, table.attributes(), table.total())?;
    let shape = table.counts().shape();
    let mut cells: Vec<i64> = table.cells().iter().map(|&count| count as i64).collect();
    (0..shape.len()).for_each(|axis| centre_integers(&mut cells, AxisLayout::of(shape, axis)));
    Ok(cells)
}

/// The exact residual of any marginal, one axis after the other: refused where it could leave 124
/// bits.
pub(crate) fn wide_residual(axes: &Axes, table: &ContingencyTable) -> Result<Vec<i128>, Error> {
    check_integers(axes, table.attributes(), table.total())?;
    let mut shape: Vec<usize> = axes.measured(table.attributes()).map(Axis::size).collect();
    let mut bound = u128::from(table.total());
    let mut cells: Vec<i64> = table.cells().iter().map(|&count| count as i64).collect();
    let mut wide: Option<Vec<i128>> = None;
    for (axis, measured) in axes.measured(table.attributes()).enumerate() {
        // The bound holds for partial sums too, so that switching to 128 bits before the axis is
        // early enough.
        bound = bound.saturating_mul(growth(measured.residual(), shape[axis]));
        if bound >= LARGEST_NARROW && wide.is_none() {
            wide = Some(cells.iter().map(|&cell| cell.into()).collect());
        }
        let layout = AxisLayout::of(&shape, axis);
        match (measured.residual(), &mut wide) {
            (Residual::Centred, None) => centre_integers(&mut cells, layout),
            (Residual::Centred, Some(wide)) => centre_integers(wide, layout),
            (Residual::Dense(dense), None) => cells = times(&dense.queries, &cells, layout),
            (Residual::Dense(dense), Some(wide)) => *wide = times(&dense.queries, wide, layout),
        }
        if let Residual::Dense(dense) = measured.residual() {
            shape[axis] = dense.queries.nrows();
        }
    }
    Ok(wide.unwrap_or_else(|| cells.iter().map(|&cell| cell.into()).collect()))
}

/// Refuses counts whose residual could leave its integers.
pub(crate) fn check_integers(axes: &Axes, set: AttrSet, total: u64) -> Result<(), Error> {
    let grow = |bound: u128, axis: &Axis| bound.saturating_mul(growth(axis.residual(), axis.size()));
    let largest = axes.measured(set).fold(u128::from(total), grow);
    // Identity residuals are always narrow: their noise is added in 64 bits.
    let limit = if axes.dense(set) == 0 { LARGEST_NARROW } else { LARGEST_WIDE };
    if largest < limit { Ok(()) } else { Err(Error::CountsTooLarge { set }) }
}

/// By how much an axis can make the largest entry grow, partial sums included. Entries are
/// `sum of v_x (product of b)`, at most the total times the largest `|b|` of each axis;
/// `k cell - sum` is made of two parts of that size.
fn growth(residual: &Residual, size: usize) -> u128 {
    match residual {
        Residual::Centred => 2 * size as u128,
        Residual::Dense(dense) => {
            dense.queries.iter().map(|entry| u128::from(entry.unsigned_abs())).max().unwrap_or(0).max(1)
        }
    }
}

/// A matrix along one axis.
fn times<T>(matrix: &Array2<i64>, cells: &[T], layout: AxisLayout) -> Vec<T>
where
    T: Copy + Default + AddAssign + Mul<Output = T> + From<i64>,
{
    let AxisLayout { length, inner, .. } = layout;
    let mut product = Vec::with_capacity(cells.len() / length * matrix.nrows());
    for block in cells.chunks_exact(length * inner) {
        for row in matrix.rows() {
            let start = product.len();
            product.resize(start + inner, T::default());
            for (&entry, source) in row.iter().zip(block.chunks_exact(inner)) {
                let entry = T::from(entry);
                product[start..].iter_mut().zip(source).for_each(|(sum, &cell)| *sum += entry * cell);
            }
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_matrix_along_an_axis_is_the_sum_of_its_products(entries in proptest::collection::vec(-9_i64..9, 6 + 12), axis in 0_usize..2) {
            let matrix = Array2::from_shape_vec((2, 3), entries[..6].to_vec()).unwrap();
            let cells = &entries[6..];
            let shape = if axis == 0 { [3, 4] } else { [4, 3] };
            let got = times(&matrix, cells, AxisLayout::of(&shape, axis));
            let wide: Vec<i128> = cells.iter().map(|&cell| cell.into()).collect();
            let at = |i: usize, j: usize| if axis == 0 { cells[i * 4 + j] } else { cells[j * 3 + i] };
            for r in 0..2 {
                for other in 0..4 {
                    let want: i64 = (0..3).map(|x| matrix[[r, x]] * at(x, other)).sum();
                    let place = if axis == 0 { r * 4 + other } else { other * 2 + r };
                    prop_assert_eq!(got[place], want);
                    prop_assert_eq!(times(&matrix, &wide, AxisLayout::of(&shape, axis))[place], i128::from(want));
                }
            }
        }
    }
}
