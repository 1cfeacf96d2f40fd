//! Noise that follows from a request alone: its margins, their cells and weights, and the budget.
//!
//! `n_m` number of cells of margin `m`, `w_m` its weight, `b` what one step of the full table may
//! cost, `p` the power of the loss. Every cell of a margin has the same epsilon `e_m`, whether or
//! not it is noised, and whether or not anybody is in it:
//!
//! ```text
//! (16)  minimise  sum_m n_m w_m e_m^-p   so that   sum_m e_m <= b:    e_m proportional to (n_m w_m)^(1/(p+1))
//! ```
//!
//! A row that is added or removed changes one cell of each margin by one, and its noised numbers
//! cost at most `sum_m e_m` whichever cells those are: the epsilon of a row. Scales and charge are
//! the same for all tables, so that neither tells two of them apart.

use privacy_core::noise::{DiscreteLaplace, Rational};
use privacy_core::round;

use super::allocation::allocate_common_budget;
use super::statement::{Change, NoiseStatement, compose};
use crate::planner::problem::NoiseBudget;
use crate::table::error::Error;

/// Bits of a scale: fewer make its fraction, and so its sampler, simpler.
const SCALE_BITS: u32 = 24;

/// A margin of a request, as far as its noise depends on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarginSize {
    /// Number of its cells, not recoded.
    pub cells: u64,
    /// Its weight, positive and finite.
    pub weight: f64,
}

/// The noise of the margins of a request, whichever of their cells get any.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RequestedNoise {
    /// The epsilon of one row added or removed; rounded up.
    pub row_epsilon: f64,
    pub(crate) margins: Vec<DiscreteLaplace>,
    pub(crate) statement: NoiseStatement,
}

impl RequestedNoise {
    /// Divides the budget over all cells of these margins: equation (16). `has_responses` where
    /// the response of a person is an axis of every margin.
    ///
    /// # Errors
    /// [`Error::Accounting`] and an error of the noise where the budget is too small or too large
    /// for a scale; [`Error::Weight`] for a weight that is not positive and finite, or for a
    /// margin without cells.
    pub fn new(noise: &NoiseBudget, margins: &[MarginSize], has_responses: bool) -> Result<Self, Error> {
        // An exchange of answers is the larger change, so the scales suffice for both, whether or
        // not a plan leaves any number exact.
        let change = Change::of(true, has_responses);
        let largest = margins.iter().map(|margin| margin.weight).fold(0.0, f64::max);
        let weights: Vec<f64> = margins.iter().map(|margin| margin.cells as f64 * (margin.weight / largest)).collect();
        if !weights.iter().all(|&weight| weight > 0.0 && weight < f64::INFINITY) {
            return Err(Error::Weight);
        }
        // The smallest epsilons have no half, and no noise has them as they are either.
        let budget = (noise.epsilon.get() / f64::from(change.sensitivity())).max(f64::from_bits(1));
        let shares = allocate_common_budget(&weights, budget, noise.loss).shares;
        // Scales are rounded up to few bits, so a share that is a hair too large usually still
        // fits: tried first, for round scales.
        for nudge in [1.0 + 1e-8, 1.0, 1.0 - 1e-8] {
            let margins = shares.iter().map(|share| laplace_of_share(share * nudge)).collect::<Result<Vec<_>, _>>()?;
            let epsilons: Vec<f64> = margins.iter().map(epsilon_of).collect();
            let statement = statement(noise, change, &epsilons)?;
            if statement.epsilon <= noise.epsilon.get() {
                return Ok(Self { row_epsilon: round::sum_up(&epsilons), margins, statement });
            }
        }
        unreachable!("a share that is a hundred millionth smaller outweighs the rounding of a sum")
    }
}

/// Noise that costs at most this epsilon.
pub(crate) fn laplace_of_share(share: f64) -> Result<DiscreteLaplace, Error> {
    Ok(DiscreteLaplace::new(Rational::round_up(round::div_up(1.0, share), SCALE_BITS)?)?)
}

/// The epsilon of a cell with this noise, rounded up.
pub(crate) fn epsilon_of(noise: &DiscreteLaplace) -> f64 {
    round::div_up(1.0, noise.scale().to_f64())
}

/// Each step of the change moves at most one noised cell of every margin. Whether an exchange
/// exists depends on the plan.
fn statement(noise: &NoiseBudget, change: Change, epsilons: &[f64]) -> Result<NoiseStatement, Error> {
    let sensitivity = change.sensitivity();
    let steps = epsilons.repeat(sensitivity as usize);
    let at_delta = noise.delta.map(|delta| compose(&steps, delta)).transpose()?;
    let epsilon = round::sum_up(&steps);
    Ok(NoiseStatement { change, sensitivity, has_neighbours: true, epsilon, budget: noise.epsilon, at_delta })
}

#[cfg(test)]
mod tests {
    use privacy_core::param::{Delta, Epsilon};

    use super::*;
    use crate::planner::noise::allocation::{AllocationLoss, allocate_budget};

    fn budget(epsilon: f64) -> NoiseBudget {
        let delta = Some(Delta::new(1e-6).unwrap());
        NoiseBudget { epsilon: Epsilon::new(epsilon).unwrap(), delta, loss: AllocationLoss::Variance }
    }

    fn sizes(cells: &[u64]) -> Vec<MarginSize> {
        cells.iter().map(|&cells| MarginSize { cells, weight: 1.0 }).collect()
    }

    #[test]
    fn a_row_costs_its_share_of_an_exchange() {
        for (has_responses, sensitivity) in [(false, 2.0), (true, 4.0)] {
            let noise = RequestedNoise::new(&budget(1.0), &sizes(&[7, 4, 1]), has_responses).unwrap();
            assert!(noise.statement.epsilon <= 1.0 && noise.statement.epsilon > 1.0 - 1e-7);
            assert!((noise.row_epsilon * sensitivity - 1.0).abs() < 1e-7, "{noise:?}");
            assert!(noise.statement.at_delta.is_some());
        }
    }

    #[test]
    fn the_division_is_that_of_a_table_in_which_every_cell_is_noised_and_occupied() {
        // A 2 x 3 table with both margins: every person is in one cell of each.
        let noise = RequestedNoise::new(&budget(2.0), &sizes(&[2, 3]), false).unwrap();
        let persons: Vec<Vec<usize>> = (0..2).flat_map(|a| (0..3).map(move |b| vec![a, 2 + b])).collect();
        let all = allocate_budget(&[1.0; 5], &persons, 1.0, AllocationLoss::Variance);
        for (margin, cell) in [(0, 0), (1, 2)] {
            let epsilon = epsilon_of(&noise.margins[margin]);
            assert!((epsilon - all.shares[cell]).abs() < 1e-4, "{epsilon} {}", all.shares[cell]);
        }
    }

    #[test]
    fn weights_of_any_size_are_compared_with_each_other() {
        let huge = [MarginSize { cells: 9, weight: 1e307 }, MarginSize { cells: 9, weight: 1e307 }];
        let noise = RequestedNoise::new(&budget(1.0), &huge, false).unwrap();
        assert!((noise.row_epsilon - 0.5).abs() < 1e-7);
        let none = MarginSize { cells: 0, weight: 1.0 };
        assert_eq!(RequestedNoise::new(&budget(1.0), &[none], false).err(), Some(Error::Weight));
    }
}
