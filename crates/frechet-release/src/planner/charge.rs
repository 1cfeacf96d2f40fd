//! What the noise of a plan costs an accountant who adds it to other mechanisms.
//!
//! The statement of a schedule compares tables that agree on every exact number. An accountant
//! compares tables that differ by a row, which may change exact numbers as well: then the noised
//! numbers move by at most one cell of each margin. So both are charged for, the statement and
//! the row:
//!
//! ```text
//! epsilon of a row = sum over the margins of the largest epsilon_c among the noised cells c of the margin
//! ```
//!
//! Where the plan was decided on the counts, whether a cell is noised depends on them. A charge
//! that depended on it would reveal, so the requested epsilon is charged even where nothing was
//! noised, and sensitivity 1 is assumed.

use std::collections::BTreeMap;

use privacy_core::round::add_up;

use crate::planner::noise::statement::Change;
use crate::planner::plan::ReleasePlan;
use crate::planner::problem::DecisionData;
use crate::planner::schedule::NoisedCell;

/// What the noise of a plan costs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NoiseCharge {
    /// Epsilon between the two tables that the statement compares; at least the requested
    /// epsilon.
    pub epsilon: f64,
    /// By how many cells of the full table these differ.
    pub sensitivity: u32,
    /// How they differ; `None` where nothing was noised.
    pub change: Option<Change>,
    /// Whether two such tables exist.
    pub has_neighbours: bool,
    /// Epsilon of one row more or less: the largest noised cell of every margin.
    pub row_epsilon: f64,
}

impl ReleasePlan {
    /// What the noise costs, where noise was allowed and may be drawn; `None` where the plan is
    /// sure to have none.
    #[must_use]
    pub fn noise_charge(&self) -> Option<NoiseCharge> {
        let asked = self.problem.noise?.epsilon.get();
        match (self.schedule(), self.decision_data()) {
            (Some(schedule), basis) => Some(NoiseCharge {
                epsilon: schedule.statement.epsilon.max(asked),
                sensitivity: if basis != DecisionData::PublicSizes { 1 } else { schedule.statement.sensitivity },
                change: Some(schedule.statement.change),
                has_neighbours: schedule.statement.has_neighbours,
                row_epsilon: row_epsilon(&schedule.cells),
            }),
            (None, DecisionData::Counts | DecisionData::Robust) => Some(NoiseCharge {
                epsilon: asked,
                sensitivity: 1,
                change: None,
                has_neighbours: false,
                row_epsilon: asked,
            }),
            (None, DecisionData::PublicSizes) => None,
        }
    }
}

/// A row is in one cell of every margin, which may be the one with the largest epsilon.
fn row_epsilon(cells: &[NoisedCell]) -> f64 {
    let mut largest = BTreeMap::new();
    for cell in cells {
        let most: &mut f64 = largest.entry(cell.action).or_insert(0.0);
        *most = most.max(cell.epsilon);
    }
    largest.values().fold(0.0, |sum, &epsilon| add_up(sum, epsilon))
}

#[cfg(test)]
mod tests {
    use privacy_core::param::Epsilon;
    use privacy_core::{AttrSet, ContingencyTable, Domain};

    use super::*;
    use crate::audit::classes::DisclosureTarget;
    use crate::audit::rule::DisclosureRule;
    use crate::engine::linear_program::Limits;
    use crate::planner::noise::allocation::AllocationLoss;
    use crate::planner::plan::plan;
    use crate::planner::problem::{NoiseBudget, ReleaseProblem};
    use crate::table::class::Scope;
    use crate::table::knowledge::Knowledge;

    /// The total and one margin of these people, with noise of epsilon 1 where it is needed.
    fn problem(people: &[u64]) -> ReleaseProblem {
        let domain = Domain::of_cardinalities(&[people.len()]).unwrap();
        let people = ContingencyTable::from_cells(&domain, domain.all(), people.to_vec()).unwrap();
        let background = Knowledge::with_population(domain, &people).unwrap();
        let rule = DisclosureRule::new(0, 0.05, 20, Scope::All).unwrap();
        let noise = NoiseBudget { epsilon: Epsilon::new(1.0).unwrap(), delta: None, loss: AllocationLoss::Variance };
        let problem =
            ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default()).allow_noise(noise);
        problem.request_margin(AttrSet::EMPTY, 1.0).unwrap().request_margin(AttrSet::single(0), 1.0).unwrap()
    }

    fn decide_on_counts(people: &[u64], counts: &[u64]) -> ReleaseProblem {
        let domain = Domain::of_cardinalities(&[counts.len()]).unwrap();
        let counts = ContingencyTable::from_cells(&domain, domain.all(), counts.to_vec()).unwrap();
        problem(people).decide_on_counts(&counts).unwrap()
    }

    #[test]
    fn noise_is_charged_by_its_statement_and_by_the_row() {
        let charge = plan(&problem(&[400, 350, 10])).unwrap().noise_charge().unwrap();
        assert_eq!((charge.change, charge.sensitivity), (Some(Change::Exchange), 2));
        assert!(charge.epsilon >= 1.0 && charge.has_neighbours);
        // Two cells of one margin have an epsilon of 1 / 2 each, and a row is in one of them.
        assert!((charge.row_epsilon - 0.5).abs() < 1e-6, "{charge:?}");
    }

    #[test]
    fn a_plan_on_public_sizes_without_noise_costs_nothing() {
        assert_eq!(plan(&problem(&[400, 350, 100])).unwrap().noise_charge(), None);
    }

    #[test]
    fn a_plan_on_the_counts_costs_the_same_whether_or_not_it_noises() {
        let nothing = plan(&decide_on_counts(&[400, 350, 100], &[200, 170, 50])).unwrap();
        assert!(nothing.schedule().is_none());
        let expected =
            NoiseCharge { epsilon: 1.0, sensitivity: 1, change: None, has_neighbours: false, row_epsilon: 1.0 };
        assert_eq!(nothing.noise_charge(), Some(expected));
        let some = plan(&decide_on_counts(&[400, 350, 10], &[200, 170, 4])).unwrap().noise_charge().unwrap();
        assert_eq!((some.epsilon, some.sensitivity), (1.0, 1), "{some:?}");
    }

    #[test]
    fn a_row_is_in_the_largest_cell_of_every_margin() {
        let planned = plan(&problem(&[400, 350, 10])).unwrap();
        let mut cells = planned.schedule().unwrap().cells.clone();
        let one = cells[0];
        cells.clear();
        cells.extend([(0, 0.25), (0, 0.5), (1, 2.0), (1, 1.0)].map(|(action, epsilon)| NoisedCell {
            action,
            epsilon,
            ..one
        }));
        assert_eq!(row_epsilon(&cells), 2.5);
        assert_eq!(row_epsilon(&[]), 0.0);
    }
}
