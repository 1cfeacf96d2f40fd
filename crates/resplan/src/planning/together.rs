//! The design of a plan that measures all attributes together: from a precision matrix over the
//! cells to integers, variances and a cost.
//!
//! `X` the precision matrix at cost 1, `c` the budget, `m` rows a person, `1 / t` the precision of
//! the total.
//!
//! ```text
//! a row is added or removed   t = 1^T X^-1 1,   K = X - 11^T / t        sigma_0^2 = m^2 t / c
//! a row is replaced           K = P X P,                                the total is exact
//! K = p B^T B with largest diagonal entry of B^T B 1                    sigma_J^2 = m^2 / (c p)
//! ```

use std::sync::Arc;

use privacy_core::accounting::Neighbours;
use privacy_core::linalg::{LinalgError, symmetric_eigen};
use privacy_core::stop::StopFlag;

use crate::error::Error;
use crate::measurement::lattice::check_noise;
use crate::planning::budget::{Spending, all_measured, costs, least_loss, within_budget};
use crate::planning::design::Design;
use crate::planning::joint::{Block, joint_closure};
use crate::planning::spec::Objective;
use crate::queries::basis::QueryBasis;
use crate::strategy::axes::{Axes, Joint};
use crate::strategy::axis::{Axis, DIGITS, Dense, quantised};
use crate::strategy::joint::{JointOptimum, Neighbour, centred, joint_optimum};
use crate::strategy::precision::{SHARES, with_the_rest};

/// How much a joint strategy must save, relative, to be taken: it has no residuals of its own for
/// smaller tables.
const WORTH: f64 = 5e-4;

/// A joint strategy for the same workload, where one is known to save enough.
pub(crate) fn joint_design(design: &Design, spending: Spending, stop: &StopFlag) -> Result<Option<Design>, Error> {
    let Some(block) = Block::of(design).filter(|_| !is_optimal(design) && !design.is_free()) else { return Ok(None) };
    let value = design.objective_value() * unit(design);
    let effort = block.effort(value / (1.0 + WORTH));
    // What cannot be computed is not taken.
    let Ok(found) = joint_optimum(&block.asked(), block.neighbour, effort, stop) else { return Ok(None) };
    if stop.is_set() {
        return Err(Error::Stopped);
    }
    if value <= found.dual * (1.0 + WORTH) {
        return Ok(None);
    }
    let together = Together { design, block: &block, found: &found };
    let Some(joint) = together.joint() else { return Ok(None) };
    let joint = together.measured_with(joint, spending)?;
    Ok((joint.objective_value() < (1.0 - 0.5 * WORTH) * design.objective_value()).then_some(joint))
}

/// Whether residual planning is optimal as it is: categories, where rows are added or removed, or
/// where the exact program of replaced ones is known.
fn is_optimal(design: &Design) -> bool {
    let categories = design.axes.iter().all(|axis| *axis.basis() == QueryBasis::Identity);
    let is_sum = design.objective == Objective::SumVariance;
    categories && (design.adjacency.neighbours == Neighbours::AddRemove || is_sum)
}

/// What the objective is multiplied by to be that at cost 1 and one row a person.
fn unit(design: &Design) -> f64 {
    design.pcost / f64::from(design.adjacency.rows_per_person).powi(2)
}

/// A design of a file that measures all attributes together, with its gap computed anew: nothing is
/// believed but its integers. `None` where no such design would have been made.
#[cfg(feature = "files")]
pub(crate) fn certified(mut design: Design, stop: &StopFlag) -> Result<Option<Design>, Error> {
    let Some(block) = Block::of(&design) else { return Ok(None) };
    let found = joint_optimum(&block.asked(), block.neighbour, block.effort(f64::INFINITY), stop);
    if stop.is_set() {
        return Err(Error::Stopped);
    }
    let gap = found.map(|found| design.objective_value() * unit(&design) / found.dual - 1.0);
    design.gap = gap.map_or(f64::INFINITY, |gap| gap.max(0.0));
    Ok(Some(design))
}

struct Together<'a> {
    /// The best plan with a strategy for each attribute.
    design: &'a Design,
    block: &'a Block<'a>,
    found: &'a JointOptimum,
}

/// The integers of a block, and the ideal variances of total and residual at cost 1.
struct Measured {
    dense: Dense,
    ideal: [f64; 2],
}

impl Together<'_> {
    /// `None` where no share for directions that no query sees gives integers that can be undone.
    fn joint(&self) -> Option<Measured> {
        SHARES.iter().find_map(|&share| self.with_share(share).ok())
    }

    fn with_share(&self, share: f64) -> Result<Measured, LinalgError> {
        let (residual, total) = match self.block.neighbour {
            Neighbour::Cell => {
                let all = with_the_rest(&self.found.precision, 0, share)?;
                let total = symmetric_eigen(all.view())?.pseudo_inverse()?.sum();
                (all - 1.0 / total, total)
            }
            Neighbour::Pair => (centred(&with_the_rest(&centred(&self.found.precision), 1, share)?), 0.0),
        };
        let largest = residual.diag().iter().copied().fold(0.0, f64::max);
        let dense = Dense::of_block(quantised(&residual, DIGITS)?, DIGITS)?;
        Ok(Measured { dense, ideal: [total, 1.0 / largest] })
    }

    fn measured_with(&self, Measured { dense, ideal }: Measured, spending: Spending) -> Result<Design, Error> {
        let Self { design, block, found } = self;
        let joint = Joint { block: block.set, axis: Arc::new(Axis::of_block(dense, found.gap)) };
        let attributes = design.axes.iter().map(|axis| Arc::new(Axis::asked(axis.basis().clone(), axis.size())));
        let axes = Axes::new(attributes.collect());
        let closure = joint_closure(&axes, &joint, &design.workload);
        let axes = axes.with_joint(Some(joint));
        let rows = f64::from(design.adjacency.rows_per_person).powi(2);
        let ideal = match design.objective {
            Objective::SumVariance => least_loss(&closure, &costs(&axes, &closure, design.adjacency), spending.budget),
            _ => ideal.map(|variance| variance * rows / spending.budget).to_vec(),
        };
        let (variances, pcost) = within_budget(&axes, &closure, design.adjacency, &all_measured(ideal), spending)?;
        for (&set, &sigma2) in closure.sets().iter().zip(&variances).filter(|(_, sigma2)| !sigma2.is_zero()) {
            check_noise(&axes, set, sigma2)?;
        }
        let mut joint = Design { axes, closure, variances, pcost, ..(*design).clone() };
        joint.gap = (joint.objective_value() * unit(&joint) / found.dual - 1.0).max(0.0);
        Ok(joint)
    }
}
