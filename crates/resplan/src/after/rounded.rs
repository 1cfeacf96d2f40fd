//! Whole numbers with one total.
//!
//! `N` the total rounded to the nearest whole number. Every table of whole numbers sums to N;
//! every cell is the number below or above its value. The cells with the largest fractions are
//! rounded up, ties by position. Since N is the number below or above the sum of the cells (up to
//! rounding of floats, which N is nearest to), there is always such a table.
//!
//! A table of two attributes is rounded so that its sums are the rounded tables of one attribute:
//! see `flow`. Of three and more only the total is promised; there may be no table within one of
//! its cells for given tables of two (`docs/math/after-noise.md`).

use ndarray::{ArrayD, IxDyn};
use privacy_core::AttrSet;

use super::flow::with_sums;
use super::{Adjusted, PostProcessing};
use crate::error::Error;
use crate::measurement::measured::Measured;
use crate::measurement::transform::answers;
use crate::planning::design::Design;

/// A table of whole numbers, and the answers that follow from it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
#[must_use]
pub struct RoundedMarginal {
    /// Its attributes, one an axis, in increasing order.
    pub attributes: AttrSet,
    /// Counts of the categories: at least 0 when they come from an [`Adjusted`].
    pub cells: ArrayD<i64>,
    /// Answers from these cells, along each axis in the order of its basis: whole where queries
    /// add whole cells.
    pub values: ArrayD<f64>,
    /// Cells that are neither the whole number below their value nor the one above it. 0 for
    /// tables of one attribute, three attributes and more; of two, when rows and columns cannot
    /// add up otherwise.
    pub beyond: usize,
    /// What the numbers are.
    pub label: PostProcessing,
}

impl<Origin> Adjusted<'_, Origin> {
    /// The counts over `set` in whole numbers, none below 0, with the total of all rounded tables
    /// of this adjustment. `O(cells)` and, for two attributes, `O(cells)` more for each of a few
    /// units.
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    pub fn rounded(&self, set: AttrSet) -> Result<RoundedMarginal, Error> {
        rounded(self.measured().design(), set, |set| self.cells(set))
    }
}

impl<Origin> Measured<Origin> {
    /// The measured counts over `set` in whole numbers, which may be negative, with the total of
    /// all rounded tables of this measurement. As [`Adjusted::rounded`].
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    pub fn rounded(&self, set: AttrSet) -> Result<RoundedMarginal, Error> {
        rounded(self.design(), set, |set| self.cells(set))
    }
}

fn rounded(
    design: &Design,
    set: AttrSet,
    cells: impl Fn(AttrSet) -> Result<ArrayD<f64>, Error>,
) -> Result<RoundedMarginal, Error> {
    let exact = flat(cells(set)?);
    let total = flat(cells(AttrSet::EMPTY)?)[0].round_ties_even() as i64;
    let attributes: Vec<usize> = set.iter().collect();
    let (whole, label) = match attributes[..] {
        [first, second] => {
            let rows = with_total(&flat(cells(AttrSet::single(first))?), total);
            let columns = with_total(&flat(cells(AttrSet::single(second))?), total);
            (with_sums(&exact, &rows, &columns), PostProcessing::RoundedConsistent)
        }
        [] | [_] => (with_total(&exact, total), PostProcessing::RoundedConsistent),
        _ => (with_total(&exact, total), PostProcessing::RoundedTotal),
    };
    let beyond = whole.iter().zip(&exact).filter(|&(&y, &x)| y < x.floor() as i64 || y > x.ceil() as i64).count();
    let axes = design.axes();
    let values = answers(axes, set, whole.iter().map(|&cell| cell as f64).collect());
    let queries: Vec<usize> = axes.of(set).map(|axis| axis.queries()).collect();
    Ok(RoundedMarginal {
        attributes: set,
        cells: ArrayD::from_shape_vec(IxDyn(&design.domain().shape(set)), whole).expect("as many as there were"),
        values: ArrayD::from_shape_vec(IxDyn(&queries), values).expect("one answer a query"),
        beyond,
        label,
    })
}

fn flat(cells: ArrayD<f64>) -> Vec<f64> {
    cells.into_raw_vec_and_offset().0
}

/// The numbers below the cells, and above those with the largest fractions, as many as make them
/// sum to `total`.
pub(super) fn with_total(cells: &[f64], total: i64) -> Vec<i64> {
    let mut whole: Vec<i64> = cells.iter().map(|cell| cell.floor() as i64).collect();
    let missing = usize::try_from(total - whole.iter().sum::<i64>()).unwrap_or(0);
    let mut fractional: Vec<usize> = (0..cells.len()).filter(|&place| cells[place] != cells[place].floor()).collect();
    let fractions: Vec<f64> = cells.iter().map(|cell| cell - cell.floor()).collect();
    if missing < fractional.len() {
        fractional.select_nth_unstable_by(missing, |&a, &b| fractions[b].total_cmp(&fractions[a]).then(a.cmp(&b)));
        fractional.truncate(missing);
    }
    fractional.into_iter().for_each(|place| whole[place] += 1);
    whole
}
