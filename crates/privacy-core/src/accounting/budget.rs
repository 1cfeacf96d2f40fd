//! One zCDP budget for a release with several parts.
//!
//! `rho` the budget, `e` the epsilon of a part whose noise is epsilon-differentially private, `s`
//! the number of cells that the statement of that part changes, `e_row` the epsilon of one row
//! added or removed over all its tables, `m` the rows of a person, `k` the rows in which
//! neighbours differ by one each (1 added or removed, 2 replaced):
//!
//! ```text
//! e_person = max(m max(1, k / s) e, m k e_row)                                               (7)
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
    /// Epsilon of what the part's own statement compares.
    pub epsilon: f64,
    /// How many cells of the full table that comparison changes by one each: 1 where a row is
    /// added or removed, 2 where one is moved.
    pub changed_cells: u32,
    /// Epsilon of one row added or removed: over all tables, the sum of the largest epsilon of a
    /// cell. The statement compares tables of the people who are there; a row that is added may
    /// be in the cell with the largest epsilon of every table.
    pub row_epsilon: f64,
}

impl PureNoise {
    /// Epsilon for one person with at most `rows_per_person` rows, rounded up: equation (7).
    ///
    /// # Errors
    /// [`ParamError`] when a number is NaN, or the result is 0 or too large for a number.
    pub fn epsilon_per_person(self, neighbours: Neighbours, rows_per_person: u32) -> Result<Epsilon, ParamError> {
        let is_replaced = neighbours == Neighbours::Replace;
        let rows = f64::from(rows_per_person);
        let changed = if is_replaced { 2.0 * rows } else { rows };
        // A statement that already moves a row from one cell to another covers a replacement.
        let compared = if is_replaced && self.changed_cells < 2 { changed } else { rows };
        let (by_statement, by_row) = (mul_up(self.epsilon, compared), mul_up(self.row_epsilon, changed));
        // `f64::max` would drop a NaN.
        Epsilon::new(if by_statement.is_nan() || by_row.is_nan() { f64::NAN } else { by_statement.max(by_row) })
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
#[error("{part} costs rho {rho}, of the budget {remaining} remains")]
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

    fn noise(epsilon: f64, changed_cells: u32) -> PureNoise {
        PureNoise { epsilon, changed_cells, row_epsilon: 0.5 * epsilon }
    }

    #[test]
    fn a_row_may_be_in_the_cell_with_the_largest_epsilon_of_every_table() {
        let rho = PureNoise { row_epsilon: 3.0, ..noise(1.0, 1) }.rho(Neighbours::AddRemove, 1).unwrap();
        assert!((rho.get() - 4.5).abs() < 1e-12 && rho.get() >= 4.5);
    }

    #[test]
    fn parts_add_up_to_the_budget_and_never_above_it() {
        let mut budget = accountant(1.0);
        budget.charge("exact", noise(1.0, 2).rho(Neighbours::AddRemove, 1).unwrap().get()).unwrap();
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
        for (neighbours, rows, changed_cells, want) in [
            (Neighbours::AddRemove, 1, 1, 0.5),
            (Neighbours::Replace, 1, 2, 0.5),
            (Neighbours::Replace, 1, 1, 2.0),
            (Neighbours::AddRemove, 3, 2, 4.5),
        ] {
            let rho = noise(1.0, changed_cells).rho(neighbours, rows).unwrap();
            assert!((rho.get() - want).abs() < 1e-12, "{neighbours:?} {rows} {changed_cells}");
        }
    }

    #[test]
    fn costs_that_are_no_numbers_are_refused() {
        for bad in [f64::NAN, -0.1, f64::INFINITY] {
            assert!(accountant(1.0).charge("part", bad).is_err());
        }
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(PureNoise { row_epsilon: bad, ..noise(1.0, 1) }.rho(Neighbours::AddRemove, 1).is_err());
            assert!(PureNoise { epsilon: bad, ..noise(1.0, 1) }.rho(Neighbours::AddRemove, 1).is_err());
        }
        assert!(noise(1.0, 1).rho(Neighbours::AddRemove, 0).is_err());
    }
}
