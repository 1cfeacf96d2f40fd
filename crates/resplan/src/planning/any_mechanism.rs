//! How far a plan is from the best of all mechanisms, not only from the best with its strategies.
//!
//! `N` cells of a table over all attributes of the workload, `Q_A` the queries of marginal A on
//! them, `X` the precision matrix of any linear measurement with Gaussian noise, `c` the budget.
//!
//! ```text
//! G = sum over A of w_A Q_A^T Q_A,    G[x, y] = sum over A of w_A product over i in A of
//! G_i[x_i, y_i] least sum of variances of any unbiased mechanism with Gaussian noise = min of
//! tr(G X^+) over X with diag X <= c
//! ```
//!
//! This is the program of one attribute with N categories, and `optimum` bounds it from below by
//! its dual. Identity queries alone have their optimum in closed form where rows are added or
//! removed. Where they are replaced, the optimum over all mechanisms is that of residual planning
//! as well: the program is convex, and stays what it is when categories are exchanged, so that
//! its optimum may be averaged over all exchanges; what is left is a precision for each residual
//! (`corners`).

use privacy_core::AttrSet;
use privacy_core::accounting::Neighbours;
use privacy_core::stop::StopFlag;

use crate::planning::budget::costs;
use crate::planning::corners::Corners;
use crate::planning::design::Design;
use crate::planning::spec::Objective;
use crate::queries::basis::QueryBasis;

/// Most cells of a table for which the bound is computed: some seconds.
#[cfg(feature = "linalg")]
const MOST_CELLS: f64 = 256.0;
/// Gap at which the bound is close enough, and what rounding may have taken from it.
#[cfg(feature = "linalg")]
const GAP: f64 = 1e-5;
#[cfg(feature = "linalg")]
const ROUNDING: f64 = 1e-9;

impl Design {
    /// How far the weighted sum of variances may be above the least of **any** unbiased mechanism
    /// that adds Gaussian noise to linear queries at the cost of this plan, relative: certified by
    /// a dual. [`Design::gap`] compares with plans of the same strategies instead.
    ///
    /// `None` where no bound is known: for other objectives, for bounds on standard deviations,
    /// and for queries other than categories where rows are replaced or the attributes of the
    /// workload have more than 256 cells together; for categories and replaced rows above 14
    /// attributes. Up to some seconds; every call computes anew.
    #[must_use]
    pub fn gap_to_any_mechanism(&self) -> Option<f64> {
        let is_sum = self.objective == Objective::SumVariance && self.bounds.is_empty();
        if !is_sum || self.is_free() {
            return None;
        }
        let least = match (self.adjacency.neighbours, self.asks_for_categories()) {
            (Neighbours::AddRemove, true) => self.least_of_categories(),
            (Neighbours::AddRemove, false) => self.least_by_cells()?,
            (Neighbours::Replace, true) => {
                Corners::new(&self.axes, &self.closure, self.adjacency, &StopFlag::never())?.least_sum(self.pcost)?.dual
            }
            (Neighbours::Replace, false) => return None,
        };
        // NaN, where numbers overflow, is no certificate.
        Some((self.objective_value() / least - 1.0).max(0.0)).filter(|gap| gap.is_finite())
    }

    fn used(&self) -> AttrSet {
        let all = self.workload.iter().fold(AttrSet::EMPTY, |all, (set, _)| all.union(*set));
        self.axes.varying(all)
    }

    fn asks_for_categories(&self) -> bool {
        self.axes.of(self.used()).all(|axis| *axis.basis() == QueryBasis::Identity)
    }

    /// Residual planning is optimal for categories (Xiao, He, Zhang, Kifer 2023, theorem 3).
    fn least_of_categories(&self) -> f64 {
        let cost = costs(&self.axes, &self.closure, self.adjacency);
        let root: f64 = cost.iter().zip(self.closure.loss()).map(|(p, v)| (p * v).sqrt()).sum();
        root * root / self.pcost
    }

    #[cfg(feature = "linalg")]
    fn least_by_cells(&self) -> Option<f64> {
        let used: Vec<usize> = self.used().iter().collect();
        let cells: f64 = used.iter().map(|&attribute| self.axes.get(attribute).size() as f64).product();
        if cells > MOST_CELLS {
            return None;
        }
        let gram = self.gram_of_cells(&used);
        let found = crate::strategy::optimum::optimum(&gram, GAP, None, &StopFlag::never()).ok()?;
        let rows = f64::from(self.adjacency.rows_per_person);
        Some(found.dual * (1.0 - ROUNDING) * rows * rows / self.pcost)
    }

    #[cfg(not(feature = "linalg"))]
    fn least_by_cells(&self) -> Option<f64> {
        None
    }

    /// G over the cells of these attributes, the last one fastest.
    #[cfg(feature = "linalg")]
    fn gram_of_cells(&self, used: &[usize]) -> ndarray::Array2<f64> {
        let grams: Vec<_> = used
            .iter()
            .map(|&attribute| {
                let axis = self.axes.get(attribute);
                axis.basis().gram(axis.size())
            })
            .collect();
        let sizes: Vec<usize> = grams.iter().map(|gram| gram.nrows()).collect();
        let cells: usize = sizes.iter().product();
        let digits: Vec<Vec<usize>> = (0..cells).map(|cell| digits_of(cell, &sizes)).collect();
        ndarray::Array2::from_shape_fn((cells, cells), |(x, y)| {
            self.workload
                .iter()
                .map(|&(set, weight)| weight * self.entry(set, used, &grams, [&digits[x], &digits[y]]))
                .sum()
        })
    }

    /// The product over the attributes of a marginal. One of one category is in no residual, and
    /// weighs as its queries do.
    #[cfg(feature = "linalg")]
    fn entry(&self, set: AttrSet, used: &[usize], grams: &[ndarray::Array2<f64>], [x, y]: [&[usize]; 2]) -> f64 {
        let alone = set.minus(self.axes.varying(set));
        let constant: f64 = alone.iter().map(|attribute| self.axes.get(attribute).loss().without).product();
        let own = used.iter().enumerate().filter(|(_, attribute)| set.contains(**attribute));
        constant * own.map(|(place, _)| grams[place][[x[place], y[place]]]).product::<f64>()
    }
}

#[cfg(feature = "linalg")]
fn digits_of(cell: usize, sizes: &[usize]) -> Vec<usize> {
    let mut rest = cell;
    let mut digits: Vec<usize> = sizes
        .iter()
        .rev()
        .map(|size| {
            let digit = rest % size;
            rest /= size;
            digit
        })
        .collect();
    digits.reverse();
    digits
}
