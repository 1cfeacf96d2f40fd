//! The search for complementary cells.
//!
//! For a cell `c`, a coalition and an end, program (5) of the attack is solved over all cells, with
//! a cost for every unit that a published cell would have to move. Cells that move are withheld,
//! and the shift itself is the second table that the coalition thinks possible. Withholding more
//! never narrows what was wide enough, so no cell is looked at twice.
//!
//! Source: Kelly, Golden and Assad (1992), Cox (1995) and Castro (2007) for cells by linear
//! programs; respondents as attackers as in [`crate::rule`].

use std::collections::{BTreeMap, BTreeSet};

use crate::attack::attacked::{Attacked, open_relations};
use crate::attack::coalitions::{Target, face_all};
use crate::attack::intervals::is_far_enough;
use crate::attack::program::{End, Program, Question, Shift};
use crate::attack::tableau::Tableau;
use crate::error::Error;
use crate::suppression::derived::derived_sums;
use crate::suppression::plan::{SuppressionCost, SuppressionProblem};

pub(super) struct Search<'a> {
    pub(super) problem: &'a SuppressionProblem<'a>,
    /// Cells that are withheld so far are open.
    pub(super) attacked: Attacked,
    /// The same table with every cell open that may be withheld.
    all_open: Attacked,
    /// The program over all cells.
    pub(super) program: Program,
    pub(super) sensitive: Vec<usize>,
    /// The cost of each cell that is still published, 0 of those that are not.
    weights: Vec<i64>,
    /// Tables that coalitions think possible.
    pub(super) found: Vec<Shift>,
    /// Sums of withheld cells that were looked at, with the cell of each that is sensitive.
    pub(super) sums: BTreeMap<Vec<usize>, Option<usize>>,
    /// Cells that move in the tables which protect each sensitive cell.
    pub(super) moved: BTreeMap<usize, BTreeSet<usize>>,
}

/// The largest weight of a cell: enough steps between cheap and dear, and no overflow.
const MOST_WEIGHT: f64 = 1_000_000.0;

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a SuppressionProblem<'a>) -> Result<Self, Error> {
        let table = problem.table;
        let cells = table.cube().cells();
        let sensitive: Vec<usize> =
            (0..cells).filter(|&cell: &usize| problem.rule.is_sensitive(table.contributions(cell))).collect();
        if let Some(&cell) = sensitive.iter().find(|cell| problem.keep.contains(cell)) {
            return Err(Error::KeptSensitive { cell });
        }
        let mut movable = problem.open(&vec![true; cells]);
        problem.keep.iter().filter(|&&cell| cell < cells).for_each(|&cell| movable[cell] = false);
        let mut is_open = vec![false; cells];
        sensitive.iter().for_each(|&cell| is_open[cell] = true);
        let attacked = Attacked::new(table, problem.known(), is_open);
        let all_open = Attacked { is_open: movable, ..attacked.clone() };
        let tableau = Tableau::new(cells, &open_relations(&table.additive.relations, &all_open.is_open), false)?;
        let mut program = Program::new(tableau, problem.limits.steps, problem.limits.stop.clone());
        all_open.set_ranges(&mut program);
        let weights = weights(problem, &sensitive);
        let (found, sums, moved) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        Ok(Self { problem, attacked, all_open, program, sensitive, weights, found, sums, moved })
    }

    pub(super) fn level(&self, cell: usize) -> i64 {
        self.problem.rule.level(self.attacked.contributions.of_cell(cell), &[])
    }

    /// Gives a cell the room that it needs against every coalition.
    pub(super) fn protect(&mut self, cell: usize) -> Result<(), Error> {
        let Self { problem, attacked, all_open, program, weights, found, moved, .. } = self;
        let moved = moved.entry(cell).or_default();
        for end in End::BOTH {
            let target = Target { cell, end };
            face_all(all_open, problem.rule, target, &mut |coalition, need| {
                // A table that was found for another cell costs nothing more.
                if let Some(shift) = all_open.known(found, target, coalition, need) {
                    moved.extend(shift.moves.iter().map(|own| own.0));
                    return Ok(Some(shift));
                }
                let question = Question { cell, end, most: need, weights, gain: 1 };
                let shift = all_open.with_coalition(program, coalition, |program| cheapest(program, question))?;
                if !is_far_enough(&shift, cell, end, need) {
                    return Err(Error::Unprotectable { cell });
                }
                for &(cell, _) in &shift.moves {
                    attacked.is_open[cell] = true;
                    weights[cell] = 0;
                    moved.insert(cell);
                }
                found.push(shift.clone());
                Ok(Some(shift))
            })?;
        }
        Ok(())
    }

    /// Sums of withheld cells that one relation gives away, until none is sensitive.
    pub(super) fn protect_sums(&mut self) -> Result<(), Error> {
        loop {
            let new: Vec<Vec<usize>> =
                self.derived_sums().into_iter().filter(|sum| !self.sums.contains_key(sum)).collect();
            if new.is_empty() {
                return Ok(());
            }
            for parts in new {
                if let Some(cell) = self.add_sum(parts)? {
                    self.protect(cell)?;
                }
            }
        }
    }

    /// The sums that the present pattern gives away.
    pub(super) fn derived_sums(&self) -> Vec<Vec<usize>> {
        derived_sums(self.problem.table, &self.attacked.is_open[..self.attacked.own_cells])
    }

    /// The further cell of a sum, if the sum is sensitive.
    pub(super) fn add_sum(&mut self, parts: Vec<usize>) -> Result<Option<usize>, Error> {
        if let Some(&known) = self.sums.get(&parts) {
            return Ok(known);
        }
        let cell = self.attacked.push_derived(&parts);
        self.all_open.push_derived(&parts);
        let is_sensitive = self.problem.rule.is_sensitive(self.attacked.contributions.of_cell(cell));
        if is_sensitive {
            self.program.push_sum_of(&parts, self.all_open.range(cell, &[]))?;
            self.weights.push(0);
        } else {
            self.attacked.pop_derived();
            self.all_open.pop_derived();
        }
        let cell = is_sensitive.then_some(cell);
        self.sums.insert(parts, cell);
        Ok(cell)
    }
}

/// The cheapest shift as far as the question asks; or the farthest, where none goes so far.
fn cheapest(program: &mut Program, question: Question<'_>) -> Result<Shift, Error> {
    // Moving one unit moves no cell by more than a small multiple of it, so this gain is above the
    // cost of any way to move the cell.
    let gain = question.weights.iter().sum::<i64>().saturating_mul(16).saturating_add(1);
    let shift = program.solve(Question { gain, ..question })?;
    if is_far_enough(&shift, question.cell, question.end, question.most) {
        return Ok(shift);
    }
    // Should a multiple be larger after all, cost does not stand in the way.
    program.solve(Question { weights: &[], ..question })
}

/// What each published cell costs; a unit that moves costs at least 1.
pub(super) fn weights(problem: &SuppressionProblem<'_>, sensitive: &[usize]) -> Vec<i64> {
    let table = problem.table;
    let costs = (0..table.cube().cells()).map(|cell| match problem.cost {
        SuppressionCost::Value => table.additive.amounts[cell] as f64,
        SuppressionCost::Count => table.contributions(cell).len() as f64,
        SuppressionCost::Equal => 1.0,
    });
    let costs: Vec<f64> = costs.collect();
    let most = costs.iter().copied().fold(1.0, f64::max);
    let mut weights: Vec<i64> = costs.iter().map(|cost| 1 + (cost / most * MOST_WEIGHT) as i64).collect();
    sensitive.iter().for_each(|&cell| weights[cell] = 0);
    weights
}
