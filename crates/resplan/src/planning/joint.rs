//! Plans that measure all attributes together, where a table over all of them has few cells.
//!
//! A strategy for each attribute is a compromise between the tables that the attribute is in. For
//! up to 256 cells the best measurement of all is found instead (`strategy/joint.rs`), and taken
//! where it is better: its total is measured by itself, as always, and the rest as the residual of
//! one axis whose categories are the cells. Every unbiased mechanism with Gaussian noise is of
//! this form, so that the dual bounds them all.

use ndarray::{Array1, Array2};
use privacy_core::AttrSet;
use privacy_core::accounting::Neighbours;

use crate::accuracy::covariance::kron;
use crate::planning::closure::Closure;
use crate::planning::design::Design;
use crate::planning::spec::Objective;
use crate::queries::basis::QueryBasis;
use crate::strategy::axes::{Axes, Joint};
use crate::strategy::joint::{Asked, Effort, Neighbour};

/// Most cells: an eigen-decomposition of a step takes a tenth of a second. A replaced row has a
/// constraint for each pair of cells, and needs hundreds of steps.
const MOST_CELLS: f64 = 256.0;
const MOST_CELLS_OF_PAIRS: f64 = 64.0;
/// Most multiplications of a step for queries that count each by itself, and most numbers of the
/// rows of all answers on the cells.
const MOST_PRODUCTS: f64 = 6.7e7;
const MOST_NUMBERS: f64 = 8.4e6;
/// Most numbers of the Gram matrices of tables.
const MOST_OF_GRAMS: f64 = 1.7e7;
/// Relative gap that is enough, and the fewest and the most steps that may be taken.
const GAP: f64 = 1e-5;
const GAP_OF_PAIRS: f64 = 3e-4;
const STEPS: (f64, f64) = (100.0, 5e3);
/// Multiplications of all steps, but for those that every search may take.
const ALL_PRODUCTS: f64 = 1.6e8;

/// All attributes of a workload that vary, together.
pub(super) struct Block<'a> {
    design: &'a Design,
    pub(super) set: AttrSet,
    cells: f64,
    pub(super) neighbour: Neighbour,
}

impl<'a> Block<'a> {
    /// `None` where a mechanism for all cells is out of reach: there are too many of them, or of
    /// answers; bounds on standard deviations, norms, and replaced rows of people with several.
    /// `None` as well where nothing but the total is asked for.
    pub(super) fn of(design: &'a Design) -> Option<Self> {
        let all = design.workload.iter().fold(AttrSet::EMPTY, |all, (set, _)| all.union(*set));
        let set = design.axes.varying(all);
        let cells: f64 = design.axes.of(set).map(|axis| axis.size() as f64).product();
        let neighbour = match design.adjacency.neighbours {
            Neighbours::AddRemove => Neighbour::Cell,
            Neighbours::Replace => Neighbour::Pair,
        };
        let most = if neighbour == Neighbour::Pair { MOST_CELLS_OF_PAIRS } else { MOST_CELLS };
        let covered = neighbour == Neighbour::Cell || design.adjacency.total_is_public();
        let block = Self { design, set, cells, neighbour };
        (covered && !set.is_empty() && cells <= most && design.bounds.is_empty() && block.is_small()).then_some(block)
    }

    fn is_small(&self) -> bool {
        let answers: f64 = self.design.workload.iter().map(|&(set, _)| self.design.axes.queries(set)).sum();
        let of_objective = match self.design.objective {
            Objective::SumVariance => true,
            Objective::MaxVariance => answers * self.cells * self.cells <= MOST_PRODUCTS,
            Objective::EqualError => self.design.workload.len() as f64 * self.cells * self.cells <= MOST_OF_GRAMS,
            Objective::NormVariance(_) => false,
        };
        of_objective && answers * self.cells <= MOST_NUMBERS
    }

    /// How far the search goes; `enough` a bound from which on nobody needs to know more.
    pub(super) fn effort(&self, enough: f64) -> Effort {
        let gap = if self.neighbour == Neighbour::Pair { GAP_OF_PAIRS } else { GAP };
        let steps = (ALL_PRODUCTS / self.cells.powi(3)).clamp(STEPS.0, STEPS.1) as usize;
        Effort { gap, steps, enough }
    }

    /// What is to be small, at cost 1.
    pub(super) fn asked(&self) -> Asked {
        let (axes, workload) = (&self.design.axes, &self.design.workload);
        let asked = match self.design.objective {
            Objective::EqualError => Asked::Grams(
                workload
                    .iter()
                    .map(|&(set, weight)| gram(axes, self.set, set, QueryBasis::plain) * (weight / axes.queries(set)))
                    .collect(),
            ),
            Objective::MaxVariance => Asked::Rows(self.weighted_rows()),
            Objective::SumVariance | Objective::NormVariance(_) => Asked::Grams(vec![sum(axes, self.set, workload)]),
        };
        if self.neighbour == Neighbour::Pair { asked.without_total() } else { asked }
    }

    /// Every query, times the root of its weight.
    fn weighted_rows(&self) -> Array2<f64> {
        let axes = &self.design.axes;
        let tables = self.design.workload.iter().flat_map(|&(set, weight)| {
            let mut rows = axes.rows_on_block(self.set, set);
            let weights = query_weights(axes, set);
            rows.rows_mut().into_iter().zip(weights).for_each(|(mut row, own)| row *= (weight * own).sqrt());
            rows.into_raw_vec_and_offset().0
        });
        let numbers: Vec<f64> = tables.collect();
        let size = self.cells as usize;
        Array2::from_shape_vec((numbers.len() / size, size), numbers).expect("one number for each cell")
    }
}

/// The Gram matrix of the weighted sum of variances over the cells of a block.
fn sum(axes: &Axes, block: AttrSet, workload: &[(AttrSet, f64)]) -> Array2<f64> {
    let tables = workload.iter().map(|&(set, weight)| gram(axes, block, set, |basis| basis) * weight);
    tables.reduce(|sum, own| sum + own).unwrap_or_default()
}

/// The Gram matrix of the queries about a table over the cells of a block.
fn gram(axes: &Axes, block: AttrSet, set: AttrSet, basis: impl Fn(&QueryBasis) -> &QueryBasis) -> Array2<f64> {
    block.union(set).iter().fold(Array2::ones((1, 1)), |product, attribute| {
        let axis = axes.get(attribute);
        match set.contains(attribute) {
            true => kron(&product, &basis(axis.basis()).gram(axis.size())),
            false => kron(&product, &Array2::ones((axis.size(), axis.size()))),
        }
    })
}

/// Total and block as the residuals of a workload that one strategy measures, with their losses:
/// `u^T G u` and `tr(G C)`.
pub(crate) fn joint_closure(axes: &Axes, joint: &Joint, workload: &[(AttrSet, f64)]) -> Closure {
    let (gram, spread) = (sum(axes, joint.block, workload), Array1::from(joint.axis.spread()));
    let losses = vec![spread.dot(&gram.dot(&spread)), (gram * joint.axis.covariance()).sum()];
    Closure::of(vec![AttrSet::EMPTY, joint.block], losses)
}

/// The weights of the queries about a table, in row-major order.
fn query_weights(axes: &Axes, set: AttrSet) -> Vec<f64> {
    axes.of(set).fold(vec![1.0], |weights, axis| {
        let own = match axis.basis() {
            QueryBasis::Weighted(_, own) => own.to_vec(),
            _ => vec![1.0; axis.queries()],
        };
        weights.iter().flat_map(|weight| own.iter().map(move |own| weight * own)).collect()
    })
}

impl Design {
    /// The largest variance of an answer about `set`, each times the weight of its query.
    pub(super) fn largest_joint_loss(&self, joint: &Joint, set: AttrSet) -> f64 {
        let variances = self.joint_variances(joint, set);
        variances
            .iter()
            .zip(query_weights(&self.axes, set))
            .map(|(variance, weight)| variance * weight)
            .fold(0.0, f64::max)
    }
}
