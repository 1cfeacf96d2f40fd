//! One zCDP budget for a release with several parts.
//!
//! `rho` the budget, `e_row` the epsilon of one row added or removed for a part whose noise is
//! pure, `m` the rows of a person, `k` the steps in which neighbours differ for each row (1 added
//! or removed, 2 replaced):
//!
//! ```text
//! e_person = m k e_row                                                                       (7)
//! rho_1    = e_person^2 / 2        every epsilon-DP mechanism is epsilon^2 / 2-zCDP          (8)
//! rho_2    = rho - rho_1           what remains for the other parts, rounded down            (9)
//! ```
//!
//! Costs of parts that use the same rows add up (Bun and Steinke 2016, lemma 1.7). The sum is
//! rounded up and is never above `rho`.

use super::{Neighbours, PrivacyCost, zcdp};
use crate::param::{Epsilon, ParamError, Rho};
use crate::round::{add_up, mul_up, sub_down};

/// Epsilon of a part that adds pure epsilon-DP noise to the cells of tables.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PureNoise {
    /// Epsilon of one row added or removed: over all tables, the sum of the largest epsilon of a
    /// cell. It must be the same for all tables of rows, or the charge itself tells them apart.
    pub row_epsilon: f64,
}

impl PureNoise {
    /// Epsilon for one person with at most `rows_per_person` rows, rounded up: equation (7).
    ///
    /// # Errors
    /// [`ParamError`] when the result is NaN, 0 or too large for a number.
    pub fn epsilon_per_person(self, neighbours: Neighbours, rows_per_person: u32) -> Result<Epsilon, ParamError> {
        // A row that is replaced is one removed and one added.
        let steps = if neighbours == Neighbours::Replace { 2.0 } else { 1.0 };
        Epsilon::new(mul_up(self.row_epsilon, steps * f64::from(rows_per_person)))
    }

    /// The zCDP cost for one person, rounded up: equation (8).
    ///
    /// # Errors
    /// As [`PureNoise::epsilon_per_person`].
    pub fn rho(self, neighbours: Neighbours, rows_per_person: u32) -> Result<Rho, ParamError> {
        zcdp::from_pure(self.epsilon_per_person(neighbours, rows_per_person)?)
    }
}

/// What one part of a release costs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Charge {
    /// The part of the release.
    pub part: String,
    /// Its zCDP cost.
    pub rho: f64,
}

/// A zCDP budget, and what the parts of a release have been charged. All charges are for the same
/// neighbours and unit.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct BudgetAccountant {
    budget: Rho,
    charges: Vec<Charge>,
}

/// A part costs more than what remains of the budget. Allow the budget to be larger, or ask for
/// less.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{part} costs rho {rho}, but only {remaining} of the budget remains")]
#[non_exhaustive]
pub struct BudgetExceeded {
    /// The part that was to be charged.
    pub part: String,
    /// Its cost.
    pub rho: f64,
    /// What remains, rounded down; 0 when nothing does.
    pub remaining: f64,
}

impl BudgetAccountant {
    /// A budget of which nothing is spent.
    pub fn new(budget: Rho) -> Self {
        Self { budget, charges: Vec::new() }
    }

    /// The whole budget.
    #[must_use]
    pub fn budget(&self) -> Rho {
        self.budget
    }

    /// The charges so far, in their order.
    #[must_use]
    pub fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// The sum of all charges, rounded up; at most the budget.
    #[must_use]
    pub fn spent(&self) -> f64 {
        self.charges.iter().fold(0.0, |sum, charge| add_up(sum, charge.rho))
    }

    /// What remains, rounded down; 0 when nothing does.
    #[must_use]
    pub fn remaining(&self) -> f64 {
        sub_down(self.budget.get(), self.spent()).max(0.0)
    }

    /// What remains, as a cost that Gaussian noise may have: equation (9).
    ///
    /// # Errors
    /// [`ParamError`] when nothing remains.
    pub fn remaining_cost(&self) -> Result<PrivacyCost, ParamError> {
        PrivacyCost::from_rho(Rho::new(self.remaining())?)
    }

    /// Charges a part, if that much remains. A refused charge changes nothing.
    ///
    /// # Errors
    /// [`BudgetExceeded`], also for a cost that is NaN or below 0.
    pub fn charge(&mut self, part: impl Into<String>, rho: f64) -> Result<(), BudgetExceeded> {
        let part = part.into();
        // Written so that a NaN is refused.
        if rho >= 0.0 && add_up(self.spent(), rho) <= self.budget.get() {
            self.charges.push(Charge { part, rho });
            return Ok(());
        }
        Err(BudgetExceeded { part, rho, remaining: self.remaining() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accountant(rho: f64) -> BudgetAccountant {
        BudgetAccountant::new(Rho::new(rho).unwrap())
    }

    fn noise(row_epsilon: f64) -> PureNoise {
        PureNoise { row_epsilon }
    }

    #[test]
    fn parts_add_up_to_the_budget_and_never_above_it() {
        let mut budget = accountant(1.0);
        budget.charge("exact", noise(1.0).rho(Neighbours::AddRemove, 1).unwrap().get()).unwrap();
        assert!((budget.spent() - 0.5).abs() < 1e-15 && budget.spent() >= 0.5);
        let left = budget.remaining_cost().unwrap().rho().get();
        assert!(left <= 0.5 && left > 0.5 - 1e-15);
        budget.charge("noisy", left).unwrap();
        assert!(budget.spent() <= 1.0 && budget.remaining_cost().is_err());
        let refused = budget.charge("more", 1e-9).unwrap_err();
        assert_eq!((refused.part.as_str(), refused.rho, budget.charges().len()), ("more", 1e-9, 2));
    }

    #[test]
    fn an_epsilon_is_charged_for_every_row_in_which_neighbours_differ() {
        for (neighbours, rows, want) in [
            (Neighbours::AddRemove, 1, 0.5),
            (Neighbours::Replace, 1, 2.0),
            (Neighbours::AddRemove, 3, 4.5),
            (Neighbours::Replace, 3, 18.0),
        ] {
            let rho = noise(1.0).rho(neighbours, rows).unwrap();
            assert!((rho.get() - want).abs() < 1e-12, "{neighbours:?} {rows}");
        }
    }

    #[test]
    fn costs_that_are_no_numbers_are_refused() {
        for bad in [f64::NAN, -0.1, f64::INFINITY] {
            assert!(accountant(1.0).charge("part", bad).is_err());
        }
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(noise(bad).rho(Neighbours::AddRemove, 1).is_err());
        }
        assert!(noise(1.0).rho(Neighbours::AddRemove, 0).is_err());
    }

    #[test]
    fn a_part_that_costs_nothing_is_charged_and_one_beyond_the_last_bit_is_not() {
        let mut budget = accountant(1.0);
        budget.charge("nothing", 0.0).unwrap();
        budget.charge("all", 1.0).unwrap();
        budget.charge("nothing more", 0.0).unwrap();
        assert!(budget.charge("a little", 1e-30).is_err());
        assert_eq!((budget.spent(), budget.remaining(), budget.charges().len()), (1.0, 0.0, 3));
    }

    #[cfg(feature = "noise")]
    #[test]
    fn every_sum_of_charges_is_rounded_against_the_budget() {
        use crate::accounting::tests::exact::{product_above, size, sum_above, sum_below};
        use crate::rng::SimRng;

        let mut rng = SimRng::for_trial(1, "budget rounding", 0);
        for _ in 0..50 {
            let mut budget = accountant(1e3);
            let mut spent = 0.0;
            for _ in 0..8 {
                let rho = size(&mut rng, (-6.0, 3.0));
                budget.charge("part", rho).unwrap();
                spent = sum_above(spent, rho);
                assert_eq!((budget.spent(), budget.remaining()), (spent, sum_below(1e3, -spent)));
            }
            let epsilon = size(&mut rng, (-4.0, 4.0));
            for (neighbours, rows, steps) in [(Neighbours::AddRemove, 3, 3.0), (Neighbours::Replace, 5, 10.0)] {
                let person = noise(epsilon).epsilon_per_person(neighbours, rows).unwrap();
                assert_eq!(person.get(), product_above(epsilon, steps));
            }
        }
    }
}
