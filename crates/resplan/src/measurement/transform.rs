//! Along the axes of a table: taking out the mean, in integers and in floats, and adding tables
//! of fewer axes.
//!
//! `k` size of an axis; `k I - 11^T` is `k` times the projection that takes out the mean. Tables
//! are row-major, the last axis fastest.

use std::ops::{AddAssign, Mul, Sub};

use privacy_core::AttrSet;
use privacy_core::subsets::{AxisLayout, apply_along_axis};

use crate::queries::basis::QueryBasis;
use crate::strategy::axes::Axes;
use crate::strategy::axis::Residual;

/// Replaces every cell by `k cell - sum of its lane`, along one axis: the integer residual
/// `k I - 11^T`. The caller makes sure that `(largest cell) * 2 k` fits.
pub(crate) fn centre_integers<T>(cells: &mut [T], layout: AxisLayout)
where
    T: Copy + Default + AddAssign + Sub<Output = T> + Mul<Output = T> + From<i64>,
{
    let k = T::from(layout.length as i64);
    update_lanes(cells, layout, |cell, sum| k * cell - sum);
}

/// Takes the mean out of every lane along one axis: the projection `I - 11^T / k`.
pub(crate) fn subtract_means(cells: &mut [f64], layout: AxisLayout) {
    let share = 1.0 / layout.length as f64;
    update_lanes(cells, layout, |cell, sum: f64| cell - sum * share);
}

/// The residual table over `set` from noisy answers to its residual queries: (x) R_i of them.
pub(crate) fn residual_table(axes: &Axes, set: AttrSet, mut answers: Vec<f64>) -> Vec<f64> {
    let mut shape: Vec<usize> = axes.measured(set).map(|axis| axis.residual_queries()).collect();
    for (place, axis) in axes.measured(set).enumerate() {
        match axis.residual() {
            Residual::Centred => subtract_means(&mut answers, AxisLayout::of(&shape, place)),
            Residual::Dense(dense) => {
                answers = apply_along_axis(dense.inverse.view(), &answers, &shape, place);
                shape[place] = axis.size();
            }
        }
    }
    answers
}

/// The answers of a workload from the cells it asks about: W of every lane, along every axis.
pub(crate) fn answers(axes: &Axes, set: AttrSet, mut cells: Vec<f64>) -> Vec<f64> {
    let mut shape: Vec<usize> = axes.of(set).map(|axis| axis.size()).collect();
    for (place, axis) in axes.of(set).enumerate() {
        if *axis.basis().plain() != QueryBasis::Identity {
            cells = answers_along(axis.basis(), axis.queries(), &cells, AxisLayout::of(&shape, place));
            shape[place] = axis.queries();
        }
    }
    cells
}

fn answers_along(basis: &QueryBasis, queries: usize, cells: &[f64], layout: AxisLayout) -> Vec<f64> {
    let AxisLayout { length, inner, .. } = layout;
    let mut all = vec![0.0; cells.len() / length * queries];
    let (mut lane, mut answers) = (vec![0.0; length], Vec::with_capacity(queries));
    for (source, target) in cells.chunks_exact(length * inner).zip(all.chunks_exact_mut(queries * inner)) {
        for offset in 0..inner {
            lane.iter_mut().zip(source[offset..].iter().step_by(inner)).for_each(|(x, &cell)| *x = cell);
            basis.answer(&lane, &mut answers);
            target[offset..].iter_mut().step_by(inner).zip(&answers).for_each(|(x, &answer)| *x = answer);
        }
    }
    all
}

/// Adds `spread[x] * source` to slice x of `target` along one axis; `source` is the table without
/// that axis.
pub(crate) fn add_spread(target: &mut [f64], source: &[f64], layout: AxisLayout, spread: &[f64]) {
    let AxisLayout { length, inner, .. } = layout;
    for (block, source) in target.chunks_exact_mut(length * inner).zip(source.chunks_exact(inner)) {
        for (row, &share) in block.chunks_exact_mut(inner).zip(spread) {
            row.iter_mut().zip(source).for_each(|(cell, &value)| *cell += value * share);
        }
    }
}

/// Adds `scale * source` to every slice of `target` along one axis; `source` is the table without
/// that axis.
pub(crate) fn add_broadcast(target: &mut [f64], source: &[f64], layout: AxisLayout, scale: f64) {
    let AxisLayout { length, inner, .. } = layout;
    // The last axis: lanes are contiguous, and a scalar per lane is faster than slices of length
    // one.
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
    // Any other axis: sums of a whole block of lanes at once, so that memory is read in its
    // order.
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
