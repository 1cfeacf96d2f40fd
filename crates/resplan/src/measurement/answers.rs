//! Answers about a marginal from residual tables, wherever those are kept.
//!
//! `r_B` the residual table of B.
//! `cells of A = sum over B subset of A of r_B spread by u_j over A \ B`: a zeta transform over
//! the subsets of A whose values are tables, `|A|` passes over the cells of A. The workload's
//! queries come last, as cumulative sums where they serve. Answers are unbiased, and sum up to
//! each other whatever the noise.

use ndarray::Array2;
use privacy_core::AttrSet;
use privacy_core::subsets::{AxisLayout, apply_along_axis};

use crate::measurement::transform::{add_broadcast, add_spread};
use crate::planning::design::Design;
use crate::strategy::axes::Axes;
use crate::strategy::axis::Residual;

/// The cells over `set`, from the residual tables of its subsets: `residual` is asked for each by
/// its position in the closure.
///
/// # Panics
/// If `set` is not in the closure.
pub(crate) fn cells<E>(
    design: &Design,
    set: AttrSet,
    mut residual: impl FnMut(usize) -> Result<Vec<f64>, E>,
) -> Result<Vec<f64>, E> {
    let (axes, closure) = (design.axes(), design.closure());
    if let Some(joint) = axes.joint() {
        let place = |set| closure.position(set).expect("a joint strategy measures the total and its block");
        let (total, mut cells) = (residual(place(AttrSet::EMPTY))?, residual(place(joint.block))?);
        if axes.varying(set).is_empty() {
            // As it was measured: exact where it is public.
            return Ok(total);
        }
        cells.iter_mut().zip(joint.axis.spread()).for_each(|(cell, share)| *cell += share * total[0]);
        return Ok(summed_to(axes, joint.block, set, cells));
    }
    let varying = axes.varying(set);
    // In the order of their masks over the places in `attributes`.
    let subsets: Vec<AttrSet> = varying.subsets().collect();
    let mut tables = Vec::with_capacity(subsets.len());
    for &subset in &subsets {
        tables.push(residual(closure.position(subset).expect("a closure holds the subsets of its sets"))?);
    }
    // After attribute i, the table at a mask is the sum over all residuals that differ from it
    // within the first i + 1 attributes: each is added once to the one with an attribute more.
    for (place, attribute) in varying.iter().enumerate() {
        let axis = axes.get(attribute);
        for with in (0..tables.len()).filter(|mask| mask >> place & 1 == 1) {
            let (sources, targets) = tables.split_at_mut(with);
            let shape = design.domain().shape(subsets[with]);
            let layout = AxisLayout::of(&shape, (with & ((1 << place) - 1)).count_ones() as usize);
            let source = &sources[with ^ 1 << place];
            match axis.residual() {
                Residual::Centred => add_broadcast(&mut targets[0], source, layout, 1.0 / axis.size() as f64),
                Residual::Dense(dense) => add_spread(&mut targets[0], source, layout, &dense.spread),
            }
        }
    }
    Ok(tables.pop().expect("there is one table for each subset, the empty one among them"))
}

/// The table over the attributes of `block` that `set` has: the others are summed over.
pub(crate) fn summed_to(axes: &Axes, block: AttrSet, set: AttrSet, mut cells: Vec<f64>) -> Vec<f64> {
    let mut left: Vec<usize> = block.iter().collect();
    for attribute in block.minus(set).iter() {
        let shape: Vec<usize> = left.iter().map(|&attribute| axes.get(attribute).size()).collect();
        let place = left.iter().position(|&other| other == attribute).expect("an attribute of the block");
        cells = apply_along_axis(Array2::ones((1, shape[place])).view(), &cells, &shape, place);
        left.remove(place);
    }
    cells
}
