//! What a pattern costs, and the threshold that follows from it.
//!
//! ```text
//! e1, e2   epsilons of the threshold and of the coarsening, for one row;  a = exp(-e1)
//! K        cells of the finest table of the request, after coarsening
//! L        a large cell has at least L = max(kappa, tau + 1) people
//! s        the least whole number with  K a^s / (1 + a) <= delta_refusal
//! T        = L + s - 1: a cell is large when its count with discrete Laplace noise is at least T
//! ```
//!
//! A cell with fewer than L people is called large when its noise is at least s, which has
//! probability a^s / (1 + a). Equations (21) to (23) of the page.

use privacy_core::accounting::{DominatingPair, Neighbours, PureNoise, zcdp};
use privacy_core::noise::DiscreteLaplace;
use privacy_core::param::{Delta, Epsilon};
use privacy_core::round;

use crate::planner::noise::by_request::{epsilon_of, laplace_of_share};
use crate::table::error::Error;

/// The part of the budget that chooses the coarsening, where there is a choice.
const COARSENING_SHARE: f64 = 0.2;

/// What a pattern may cost one person. There is no default.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PatternBudget {
    /// Epsilon of a person, for the threshold and the coarsening together.
    pub epsilon: Epsilon,
    /// Delta of a person, which covers that a release may be refused.
    pub delta: Delta,
    /// What neighbouring tables differ in.
    pub neighbours: Neighbours,
    /// The largest number of rows that one person may have.
    pub rows_per_person: u32,
}

/// What a pattern costs one person. It follows from the request alone.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PatternCost {
    /// What neighbouring tables differ in.
    pub neighbours: Neighbours,
    /// The largest number of rows that one person may have.
    pub rows_per_person: u32,
    /// Epsilon of a person, rounded up.
    pub epsilon: f64,
    /// Delta of a person: `(1 + exp(epsilon))` times the probability of a refusal.
    pub delta: f64,
    /// The cost of the pattern as rho of zCDP, rounded up; the refusal adds `delta`.
    pub rho: f64,
    /// For every table, a release is refused with at most this probability.
    pub refusal_probability: f64,
    /// Epsilon of one row in the noisy threshold.
    pub threshold_row_epsilon: f64,
    /// Epsilon of one row in the choice of the coarsening; 0 without a choice.
    pub coarsening_row_epsilon: f64,
}

/// The noise of a pattern.
#[derive(Clone, Debug)]
pub(crate) struct PatternNoise {
    pub(crate) cost: PatternCost,
    pub(crate) threshold: DiscreteLaplace,
    /// Least count of a large cell.
    pub(crate) floor: u64,
}

impl PatternNoise {
    /// Divides the budget, for the least count of a large cell.
    pub(crate) fn new(budget: &PatternBudget, has_choice: bool, floor: u64) -> Result<Self, Error> {
        let steps = if budget.neighbours == Neighbours::Replace { 2.0 } else { 1.0 };
        let rows = steps * f64::from(budget.rows_per_person.max(1));
        let row = round::div_down(budget.epsilon.get(), rows);
        let coarsening = if has_choice { COARSENING_SHARE * row } else { 0.0 };
        // Scales are rounded up to few bits, so a share that is a hair too large usually still
        // fits: tried first, for round scales.
        for nudge in [1.0 + 1e-8, 1.0, 1.0 - 1e-8] {
            let threshold = laplace_of_share((row - coarsening) * nudge)?;
            let cost = cost(budget, epsilon_of(&threshold), coarsening)?;
            if cost.epsilon <= budget.epsilon.get() {
                return Ok(Self { cost, threshold, floor });
            }
        }
        unreachable!("a share that is a hundred millionth smaller outweighs the rounding of a sum")
    }

    /// The least noisy count of a large cell among this many.
    pub(crate) fn least_large(&self, cells: usize) -> i64 {
        let epsilon = 1.0 / self.threshold.scale().to_f64();
        let within = self.cost.refusal_probability * (1.0 + (-epsilon).exp()) / cells.max(1) as f64;
        // The allowance is far above the error of these few operations.
        let steps = (-within.ln() / epsilon * (1.0 + 1e-12) + 1e-9).ceil().max(1.0);
        let floor = i64::try_from(self.floor).unwrap_or(i64::MAX);
        floor.saturating_add(steps as i64 - 1)
    }
}

impl PatternCost {
    /// A pair that dominates the pattern: what a ledger adds up more tightly than rho.
    ///
    /// # Errors
    /// [`Error::Rule`] for an epsilon that is not one: a cost that was made elsewhere.
    pub fn dominated_by(&self) -> Result<DominatingPair, Error> {
        let threshold = self.pair_of(self.threshold_row_epsilon)?;
        if self.coarsening_row_epsilon > 0.0 {
            return Ok(threshold.compose(&self.pair_of(self.coarsening_row_epsilon)?));
        }
        Ok(threshold)
    }

    fn pair_of(&self, row_epsilon: f64) -> Result<DominatingPair, Error> {
        of_person(row_epsilon, self.neighbours, self.rows_per_person).map(DominatingPair::pure)
    }
}

/// Epsilon of a person, with all of their rows.
fn of_person(row_epsilon: f64, neighbours: Neighbours, rows_per_person: u32) -> Result<Epsilon, Error> {
    PureNoise { row_epsilon }.epsilon_per_person(neighbours, rows_per_person).map_err(|_| out_of_range())
}

fn cost(budget: &PatternBudget, threshold: f64, coarsening: f64) -> Result<PatternCost, Error> {
    let (neighbours, rows_per_person) = (budget.neighbours, budget.rows_per_person.max(1));
    let first = of_person(threshold, neighbours, rows_per_person)?;
    let mut rho = zcdp::from_pure(first).map_err(|_| out_of_range())?.get();
    let mut epsilon = first.get();
    if coarsening > 0.0 {
        let second = of_person(coarsening, neighbours, rows_per_person)?.get();
        epsilon = round::add_up(epsilon, second);
        // The exponential mechanism has bounded range: epsilon^2 / 8.
        rho = round::add_up(rho, round::mul_up(round::mul_up(second, second), 0.125));
    }
    let delta = budget.delta.get();
    let refusal = round::div_down(delta, round::add_up(1.0, round::exp_up(epsilon)));
    let refusal_probability = Some(refusal).filter(|refusal| *refusal > 0.0).ok_or_else(out_of_range)?;
    Ok(PatternCost {
        neighbours,
        rows_per_person,
        epsilon,
        delta,
        rho,
        refusal_probability,
        threshold_row_epsilon: threshold,
        coarsening_row_epsilon: coarsening,
    })
}

fn out_of_range() -> Error {
    Error::Rule { name: "epsilon and delta of the pattern", range: "numbers for which a noise exists" }
}
