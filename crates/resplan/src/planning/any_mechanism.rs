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
#[cfg(feature = "linalg")]
use crate::planning::joint::Block;
use crate::planning::spec::Objective;
use crate::queries::basis::QueryBasis;
#[cfg(feature = "linalg")]
use crate::strategy::joint::joint_optimum;

/// What rounding may have taken from the bound.
#[cfg(feature = "linalg")]
const ROUNDING: f64 = 1e-9;

impl Design {
    /// How far the objective may be above the least of **any** unbiased mechanism that adds
    /// Gaussian noise to linear queries at the cost of this plan, relative: certified by a dual.
    /// [`Design::gap`] compares with plans of the same strategies instead, unless all attributes
    /// are measured together.
    ///
    /// `None` where no bound is known. For queries other than categories: where the attributes of
    /// the workload have more than 256 cells together (64 where rows are replaced), for norms, for
    /// bounds on standard deviations, for very many queries under the largest variance, and for
    /// people with several rows that are replaced. For categories: where rows are replaced, for
    /// more than 14 attributes, and for objectives other than the sum of variances as for other
    /// queries. Up to some seconds; every call computes anew.
    #[must_use]
    pub fn gap_to_any_mechanism(&self) -> Option<f64> {
        if self.is_free() {
            return None;
        }
        let is_sum = self.objective == Objective::SumVariance && self.bounds.is_empty();
        let least = match (self.asks_for_categories(), self.adjacency.neighbours) {
            // Of a measurement in a file nobody has computed it yet.
            _ if self.axes.joint().is_some() && self.gap.is_finite() => return Some(self.gap),
            _ if self.axes.joint().is_some() => self.least_by_cells()?,
            (true, Neighbours::AddRemove) if is_sum => self.least_of_categories(),
            // Objectives and bounds treat the cells of a table alike, and residual planning is
            // optimal for all of these.
            (true, Neighbours::AddRemove) => return Some(self.gap),
            (true, Neighbours::Replace) if is_sum => {
                Corners::new(&self.axes, &self.closure, self.adjacency, &StopFlag::never())?.least_sum(self.pcost)?.dual
            }
            (_, _) => self.least_by_cells()?,
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
        let block = Block::of(self)?;
        let found =
            joint_optimum(&block.asked(), block.neighbour, block.effort(f64::INFINITY), &StopFlag::never()).ok()?;
        let rows = f64::from(self.adjacency.rows_per_person);
        Some(found.dual * (1.0 - ROUNDING) * rows * rows / self.pcost)
    }

    #[cfg(not(feature = "linalg"))]
    fn least_by_cells(&self) -> Option<f64> {
        None
    }
}
