//! Along the axes of a table: taking out the mean, in integers and in floats, and adding tables of fewer axes.
//!
//! `k` size of an axis; `k I - 11^T` is `k` times the projection that takes out the mean. Tables are row-major, the
//! last axis fastest.

use std::ops::AddAssign;

use privacy_core::subsets::AxisLayout;

/// Replaces every cell by `k cell - sum of its lane`, along every axis: the integer residual (x) (k I - 11^T).
/// The caller makes sure that `(largest cell) * 2 * (product of k)` fits.
pub(crate) fn centre_integers(cells: &mut [i64], shape: &[usize]) {
    for axis in 0..shape.len() {
        let k = shape[axis] as i64;
        update_lanes(cells, AxisLayout::of(shape, axis), |cell, sum| k * cell - sum);
    }
}

/// Takes the mean out of every lane along every axis: the projection (x) (I - 11^T / k).
pub(crate) fn subtract_means(cells: &mut [f64], shape: &[usize]) {
    for axis in 0..shape.len() {
        let share = 1.0 / shape[axis] as f64;
        update_lanes(cells, AxisLayout::of(shape, axis), |cell, sum: f64| cell - sum * share);
    }
}

/// Adds `scale * source` to every slice of `target` along one axis; `source` is the table without that axis.
pub(crate) fn add_broadcast(target: &mut [f64], source: &[f64], layout: AxisLayout, scale: f64) {
    let AxisLayout { length, inner, .. } = layout;
    if inner == 1 {
        for (lane, &value) in target.chunks_exact_mut(length).zip(source) {
            let value = value * scale;
            lane.iter_mut().for_each(|cell| *cell += value);
        }
        return;
    }
    for (block, source) in target.chunks_exact_mut(length * inner).zip(source.chunks_exact(inner)) {
        for row in block.chunks_exact_mut(inner) {
            row.iter_mut().zip(source).for_each(|(cell, &value)| *cell += value * scale);
        }
    }
}

/// Replaces every cell along an axis by `update(cell, sum of its lane)`.
fn update_lanes<T: Copy + Default + AddAssign>(cells: &mut [T], layout: AxisLayout, update: impl Fn(T, T) -> T) {
    let AxisLayout { length, inner, .. } = layout;
    if inner == 1 {
        for lane in cells.chunks_exact_mut(length) {
            let mut sum = T::default();
            lane.iter().for_each(|&cell| sum += cell);
            lane.iter_mut().for_each(|cell| *cell = update(*cell, sum));
        }
        return;
    }
    let mut sums = vec![T::default(); inner];
    for block in cells.chunks_exact_mut(length * inner) {
        sums.fill(T::default());
        for row in block.chunks_exact(inner) {
            sums.iter_mut().zip(row).for_each(|(sum, &cell)| *sum += cell);
        }
        for row in block.chunks_exact_mut(inner) {
            row.iter_mut().zip(&sums).for_each(|(cell, &sum)| *cell = update(*cell, sum));
        }
    }
}
