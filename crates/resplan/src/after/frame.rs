//! Coordinates in which the least-squares problem is diagonal.
//!
//! One attribute of `k` categories: `C` the covariance of its residual at unit noise, `K = C^+`,
//! `u` the spread of the total, all entries above 0 (see [`positive`]), `D = diag(1 / u)`.
//!
//! ```text
//! D^(-1/2) K D^(-1/2) = W diag(mu) W^T  on the complement of u^(1/2),   from C: D^(1/2) C D^(1/2) = W diag(1 / mu) W^T
//! V = D^(-1/2) W          V^T D V = I,   V^T K V = diag(mu),   1^T V = 0,   V^T D u = 0
//! ```
//!
//! A vector x is `u (1^T x) + V a` with `a = V^T D x`. Identity attributes have u = 1/k and mu =
//! 1/k, and any orthogonal V will do: their coordinates are the cells with the mean taken out.
//! Source: `docs/math/after-noise.md`.

use ndarray::Array2;
use privacy_core::AttrSet;
#[cfg(feature = "linalg")]
use privacy_core::linalg::symmetric_eigen;
use privacy_core::subsets::{AxisLayout, apply_along_axis};

use crate::error::Error;
use crate::measurement::transform::{add_broadcast, add_spread, subtract_means};
use crate::planning::design::Design;
use crate::strategy::axis::Residual;

/// The least entry of a spread, as a share of an even one.
const LEAST_SHARE: f64 = 1e-2;

/// One attribute.
struct AxisFrame {
    size: usize,
    /// u.
    spread: Vec<f64>,
    /// The mean of mu.
    scale: f64,
    dense: Option<Dense>,
}

struct Dense {
    /// V^T D.
    forward: Array2<f64>,
    /// V.
    backward: Array2<f64>,
    /// mu.
    precision: Vec<f64>,
}

/// All attributes of a plan, and last the cells of a block that one strategy measures.
pub(crate) struct Frames {
    each: Vec<AxisFrame>,
    block: Option<AttrSet>,
}

impl Frames {
    /// One eigen-decomposition for each attribute that is not asked for its categories.
    pub(crate) fn of(design: &Design) -> Result<Self, Error> {
        let joint = design.axes().joint();
        let axes = design.axes().iter().chain(joint.map(|joint| &*joint.axis));
        let frames = axes.enumerate().map(|(attribute, axis)| match axis.residual() {
            Residual::Centred => Ok(AxisFrame::even(axis.size())),
            Residual::Dense(dense) => AxisFrame::uneven(attribute, &dense.covariance, positive(&dense.spread)),
        });
        Ok(Self { each: frames.collect::<Result<_, _>>()?, block: joint.map(|joint| joint.block) })
    }

    /// What a table over `set` lies along: its attributes, or the cells of a block.
    fn along(&self, set: AttrSet) -> impl Iterator<Item = &AxisFrame> {
        let is_block = self.block == Some(set);
        let each = if is_block { AttrSet::EMPTY } else { set };
        self.each.last().filter(|_| is_block).into_iter().chain(each.iter().map(|attribute| &self.each[attribute]))
    }

    /// The sizes of a table over `set`.
    pub(crate) fn shape(&self, set: AttrSet) -> Vec<usize> {
        self.along(set).map(|frame| frame.size).collect()
    }

    /// The coordinates of the residual over `set` in a table over `set`: whatever else the table
    /// holds is dropped.
    pub(crate) fn coordinates(&self, set: AttrSet, mut table: Vec<f64>) -> Vec<f64> {
        let mut shape = self.shape(set);
        for (place, frame) in self.along(set).enumerate() {
            match &frame.dense {
                None => subtract_means(&mut table, AxisLayout::of(&shape, place)),
                Some(dense) => {
                    table = apply_along_axis(dense.forward.view(), &table, &shape, place);
                    shape[place] = dense.forward.nrows();
                }
            }
        }
        table
    }

    /// The residual table with these coordinates.
    pub(crate) fn table(&self, set: AttrSet, mut coordinates: Vec<f64>) -> Vec<f64> {
        let mut shape: Vec<usize> = self.along(set).map(AxisFrame::coordinates).collect();
        for (place, frame) in self.along(set).enumerate() {
            if let Some(dense) = &frame.dense {
                coordinates = apply_along_axis(dense.backward.view(), &coordinates, &shape, place);
                shape[place] = frame.size;
            }
        }
        coordinates
    }

    /// The products of mu over `set`: one a coordinate, or a single one that all of them have.
    pub(crate) fn precisions(&self, set: AttrSet) -> Vec<f64> {
        if self.along(set).all(|frame| frame.dense.is_none()) {
            return vec![self.scale(set)];
        }
        self.along(set).fold(vec![1.0], |products, frame| {
            let even = vec![frame.scale; frame.size];
            let own = frame.dense.as_ref().map_or(&even, |dense| &dense.precision);
            products.iter().flat_map(|product| own.iter().map(move |mu| product * mu)).collect()
        })
    }

    /// The mean of [`Frames::precisions`].
    pub(crate) fn scale(&self, set: AttrSet) -> f64 {
        self.along(set).map(|frame| frame.scale).product()
    }

    /// The cells over `set` from the residual tables of its subsets, by the bits of their places
    /// in `set`: each spread by u over the attributes that it does not have. `|set|` passes over
    /// the cells.
    pub(crate) fn cells(&self, set: AttrSet, mut tables: Vec<Vec<f64>>) -> Vec<f64> {
        let sizes = self.shape(set);
        for (place, frame) in self.along(set).enumerate() {
            for with in (0..tables.len()).filter(|mask| mask >> place & 1 == 1) {
                let (sources, targets) = tables.split_at_mut(with);
                let layout = layout_within(&sizes, with, place);
                let source = &sources[with ^ 1 << place];
                match frame.dense {
                    None => add_broadcast(&mut targets[0], source, layout, 1.0 / frame.size as f64),
                    Some(_) => add_spread(&mut targets[0], source, layout, &frame.spread),
                }
            }
        }
        tables.pop().expect("there is one table for each subset, the empty one among them")
    }

    /// The marginals of a table over all proper subsets of `set`, by the bits of their places.
    pub(crate) fn marginals(&self, set: AttrSet, table: &[f64]) -> Vec<Vec<f64>> {
        let sizes = self.shape(set);
        let all = (1_usize << sizes.len()) - 1;
        let mut marginals = vec![Vec::new(); all];
        // From the largest subsets down, so that the table with one attribute more is there.
        for mask in (0..all).rev() {
            // The table with one attribute more that is smallest.
            let missing = (0..sizes.len()).filter(|place| mask >> place & 1 == 0);
            let place = missing.min_by_key(|&place| sizes[place]).expect("a proper subset misses an attribute");
            let from = mask | 1 << place;
            let source = if from == all { table } else { &marginals[from] };
            marginals[mask] = summed(source, layout_within(&sizes, from, place));
        }
        marginals
    }
}

impl AxisFrame {
    fn even(size: usize) -> Self {
        let share = 1.0 / size as f64;
        Self { size, spread: vec![share; size], scale: share, dense: None }
    }

    /// How many coordinates a residual has along it.
    fn coordinates(&self) -> usize {
        self.dense.as_ref().map_or(self.size, |dense| dense.precision.len())
    }

    #[cfg(not(feature = "linalg"))]
    fn uneven(attribute: usize, _: &Array2<f64>, _: Vec<f64>) -> Result<Self, Error> {
        Err(Error::NeedsLinalg { attribute })
    }

    #[cfg(feature = "linalg")]
    fn uneven(attribute: usize, covariance: &Array2<f64>, spread: Vec<f64>) -> Result<Self, Error> {
        let k = spread.len();
        let root: Vec<f64> = spread.iter().map(|share| share.sqrt()).collect();
        let scaled = Array2::from_shape_fn((k, k), |(i, j)| covariance[[i, j]] / (root[i] * root[j]));
        let eigen = symmetric_eigen(scaled.view()).map_err(|cause| Error::NoStrategy { attribute, cause })?;
        // Ascending: the first belongs to u^(1/2), with the value 0.
        let precision: Vec<f64> = eigen.values.iter().skip(1).map(|nu| 1.0 / nu).collect();
        // D^(1/2) C D^(1/2) has eigenvectors W: V = D^(-1/2) W and V^T D = W^T D^(1/2).
        let backward = Array2::from_shape_fn((k, k - 1), |(i, j)| eigen.vectors[[i, j + 1]] * root[i]);
        let forward = Array2::from_shape_fn((k - 1, k), |(i, j)| eigen.vectors[[j, i + 1]] / root[j]);
        let scale = precision.iter().sum::<f64>() / (k - 1) as f64;
        Ok(Self { size: k, spread, scale, dense: Some(Dense { forward, backward, precision }) })
    }
}

/// A spread whose entries are above 0, so that `1 / u` is a weight. All named bases have one;
/// custom queries may ask for an answer below 0, which is raised here and the rest scaled. That
/// changes the metric a little, no constraint.
fn positive(spread: &[f64]) -> Vec<f64> {
    let least = LEAST_SHARE / spread.len() as f64;
    let raised: Vec<f64> = spread.iter().map(|share| share.max(least)).collect();
    let sum: f64 = raised.iter().sum();
    raised.into_iter().map(|share| share / sum).collect()
}

/// The layout of one axis of the table over the places in `mask`.
fn layout_within(sizes: &[usize], mask: usize, place: usize) -> AxisLayout {
    let shape: Vec<usize> =
        sizes.iter().enumerate().map(|(other, &size)| if mask >> other & 1 == 1 { size } else { 1 }).collect();
    AxisLayout::of(&shape, place)
}

/// The table summed along one axis.
fn summed(table: &[f64], AxisLayout { outer, length, inner }: AxisLayout) -> Vec<f64> {
    if inner == 1 {
        return table.chunks_exact(length).map(|lane| lane.iter().sum()).collect();
    }
    let mut sums = vec![0.0; outer * inner];
    for (sums, block) in sums.chunks_exact_mut(inner).zip(table.chunks_exact(length * inner)) {
        for row in block.chunks_exact(inner) {
            sums.iter_mut().zip(row).for_each(|(sum, &cell)| *sum += cell);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three categories: no share is below a hundredth of a third, and all add up to 1.
    #[test]
    fn a_spread_below_zero_is_raised_and_the_rest_scaled() {
        let least = 0.01 / 3.0;
        let sum = 0.8 + 0.5 + least;
        for (share, want) in positive(&[0.8, -0.3, 0.5]).into_iter().zip([0.8 / sum, least / sum, 0.5 / sum]) {
            assert!((share - want).abs() < 1e-15, "{share} {want}");
        }
        let kept = [0.25, 0.5, 0.25];
        assert_eq!(positive(&kept), kept);
    }
}
