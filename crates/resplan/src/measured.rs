//! What was measured, and every marginal that follows from it.
//!
//! `r_B` the residual table of B. `marginal A = sum over B subset of A of broadcast(r_B) / product of k_j over A \ B`:
//! a zeta transform over the subsets of A whose values are tables, `|A|` passes over the cells of A.
//! Answers are unbiased, and sum up to each other whatever the noise.

use std::marker::PhantomData;

use ndarray::{ArrayD, IxDyn};
use privacy_core::AttrSet;
use privacy_core::subsets::AxisLayout;

use crate::closure::varying;
use crate::error::Error;
use crate::parallel;
use crate::plan::Plan;
use crate::transform::add_broadcast;

/// Origin of a [`Measured`]: exact noise, a privacy cost that is spent.
#[derive(Clone, Copy, Debug)]
pub enum Release {}

/// Origin of a [`Measured`]: simulated noise. Not for publication.
#[derive(Clone, Copy, Debug)]
pub enum Simulation {}

/// Noisy residuals. Holding one of a [`Release`] means that its plan was carried out: there is no other way to it.
pub struct Measured<Origin> {
    plan: Plan,
    residuals: Vec<Vec<f64>>,
    origin: PhantomData<fn() -> Origin>,
}

/// A noisy marginal: unbiased values, and the variance that each of them has.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use]
pub struct NoisyMarginal {
    /// Its attributes, one an axis, in increasing order.
    pub attributes: AttrSet,
    /// Noisy counts. They may be negative and need not be whole: that is what keeps them unbiased.
    pub values: ArrayD<f64>,
    /// Variance of every value, in counts squared, from the plan (discrete noise has at most this variance).
    pub variance: f64,
}

impl<Origin> Measured<Origin> {
    pub(crate) fn new(plan: Plan, residuals: Vec<Vec<f64>>) -> Self {
        Self { plan, residuals, origin: PhantomData }
    }

    /// The plan that was carried out.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The marginal over `set`: any subset of a planned marginal, planned itself or not. `O(|set| * cells)`.
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    ///
    /// # Panics
    /// Never: a residual has the cells of its attributes.
    pub fn marginal(&self, set: AttrSet) -> Result<NoisyMarginal, Error> {
        let variance = self.plan.variance(set)?;
        let cells = self.sum_of_residuals(varying(self.plan.domain(), set));
        let shape = self.plan.domain().shape(set);
        let values = ArrayD::from_shape_vec(IxDyn(&shape), cells);
        let values = values.expect("attributes of one category do not change the number of cells");
        Ok(NoisyMarginal { attributes: set, values, variance })
    }

    /// Every planned marginal, in the order of the workload. Holds them all: see [`Measured::marginal`] for one at
    /// a time.
    ///
    /// # Panics
    /// Never: a planned marginal is in its own closure.
    pub fn marginals(&self) -> Vec<NoisyMarginal> {
        let sets: Vec<AttrSet> = self.plan.marginals().map(|marginal| marginal.attributes).collect();
        parallel::map(&sets, |&set| self.marginal(set).expect("a planned marginal is in its own closure"))
    }

    /// The cells of the marginal over `set`, whose attributes all vary.
    fn sum_of_residuals(&self, set: AttrSet) -> Vec<f64> {
        let (domain, closure) = (self.plan.domain(), self.plan.closure());
        let attributes: Vec<usize> = set.iter().collect();
        let subset = |mask: usize| -> AttrSet {
            attributes.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, &a)| a).collect()
        };
        let mut tables: Vec<Vec<f64>> = (0..1 << attributes.len())
            .map(|mask| closure.position(subset(mask)).expect("a closure holds the subsets of its sets"))
            .map(|position| self.residuals[position].clone())
            .collect();
        for (axis, &attribute) in attributes.iter().enumerate() {
            let scale = 1.0 / domain.cardinality(attribute) as f64;
            for with in (0..tables.len()).filter(|mask| mask >> axis & 1 == 1) {
                let (sources, targets) = tables.split_at_mut(with);
                let layout =
                    AxisLayout::of(&domain.shape(subset(with)), (with & ((1 << axis) - 1)).count_ones() as usize);
                add_broadcast(&mut targets[0], &sources[with ^ 1 << axis], layout, scale);
            }
        }
        tables.pop().expect("there is one table for each subset, the empty one among them")
    }
}

/// Shapes and costs may be told, values may not.
impl<Origin> std::fmt::Debug for Measured<Origin> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Measured")
            .field("residuals", &self.residuals.len())
            .field("pcost", &self.plan.pcost())
            .finish_non_exhaustive()
    }
}
