//! What stands in front of the attackers: cells that are published and cells that are not, sums
//! that follow from them, and who contributes to each.

use crate::attack::coalitions::Target;
use crate::attack::intervals::is_far_enough;
use crate::attack::program::{Program, Shift};
use crate::attack::tableau::Tableau;
use crate::error::Error;
use crate::table::additive::{AdditiveTable, Relation, UNBOUNDED};
use crate::table::contributions::Contributions;
use crate::table::magnitude::MagnitudeTable;
use privacy_core::stop::StopFlag;

/// Work that one linear program may take.
#[derive(Clone, Debug)]
pub struct AttackLimits {
    /// Steps of the simplex method for one question.
    pub steps: u64,
    /// Ends a long call.
    pub stop: StopFlag,
}

impl Default for AttackLimits {
    fn default() -> Self {
        Self { steps: 100_000, stop: StopFlag::never() }
    }
}

/// A table with derived sums as further cells after its own.
#[derive(Clone, Debug)]
pub(crate) struct Attacked {
    pub(crate) table: AdditiveTable,
    pub(crate) contributions: Contributions,
    /// Cells of the table itself; derived sums come after them.
    pub(crate) own_cells: usize,
    /// Parts of each derived sum.
    pub(crate) derived: Vec<Vec<usize>>,
    /// Cells that may differ from the truth in what an attacker thinks: those that are withheld,
    /// and derived sums.
    pub(crate) is_open: Vec<bool>,
}

impl Attacked {
    pub(crate) fn new(table: &MagnitudeTable, known: Vec<(i64, i64)>, is_open: Vec<bool>) -> Self {
        let additive = AdditiveTable { known, ..table.additive.clone() };
        Self {
            own_cells: additive.amounts.len(),
            table: additive,
            contributions: table.contributions.clone(),
            derived: Vec::new(),
            is_open,
        }
    }

    /// One more sum that follows from what is published.
    pub(crate) fn push_derived(&mut self, parts: &[usize]) -> usize {
        let cell = self.table.amounts.len();
        self.table.amounts.push(parts.iter().map(|&part| self.table.amounts[part]).sum());
        self.table.known.push((0, UNBOUNDED));
        let terms = parts.iter().map(|&part| (part, false)).chain([(cell, true)]).collect();
        self.table.relations.push(Relation { constant: 0, terms });
        self.contributions.push_sum_of(parts);
        self.derived.push(parts.to_vec());
        self.is_open.push(true);
        cell
    }

    /// Takes the last derived sum back.
    pub(crate) fn pop_derived(&mut self) {
        self.table.amounts.pop();
        self.table.known.pop();
        self.table.relations.pop();
        self.contributions.pop();
        self.derived.pop();
        self.is_open.pop();
    }

    /// The attacker's program over the open cells, with multipliers of all relations.
    pub(crate) fn program(&self, limits: &AttackLimits) -> Result<Program, Error> {
        let relations = open_relations(&self.table.relations, &self.is_open);
        let tableau = Tableau::new(self.table.amounts.len(), &relations, true)?;
        let mut program = Program::new(tableau, limits.steps, limits.stop.clone());
        self.set_ranges(&mut program);
        Ok(program)
    }

    pub(crate) fn set_ranges(&self, program: &mut Program) {
        (0..self.table.amounts.len()).for_each(|cell| program.set_range(cell, self.range(cell, &[])));
    }

    /// Between which shifts a coalition thinks a cell possible. A coalition knows the amounts of
    /// its members, and the whole cell where nobody else contributes; that nobody contributes to
    /// an empty cell is known to everybody.
    pub(crate) fn range(&self, cell: usize, coalition: &[u32]) -> (i64, i64) {
        if !self.is_open[cell] {
            return (0, 0);
        }
        let (amount, (least, most)) = (self.table.amounts[cell], self.table.known[cell]);
        let (own, members) = self.contributions.of_coalition(cell, coalition);
        if cell < self.own_cells && members == self.contributions.of_cell(cell).len() {
            return (0, 0);
        }
        (least.max(own) - amount, most - amount)
    }

    /// Whether a coalition thinks a shifted table possible, if the relations hold of it.
    pub(crate) fn accepts(&self, coalition: &[u32], shift: &Shift) -> bool {
        shift.moves.iter().all(|&(cell, by)| {
            let (low, high) = self.range(cell, coalition);
            (i128::from(low) * shift.denominator..=i128::from(high) * shift.denominator).contains(&by)
        })
    }

    /// A table among those found before that answers a question of a coalition.
    pub(crate) fn known(&self, found: &[Shift], target: Target, coalition: &[u32], need: i64) -> Option<Shift> {
        let answers =
            |shift: &&Shift| is_far_enough(shift, target.cell, target.end, need) && self.accepts(coalition, shift);
        found.iter().rev().find(answers).cloned()
    }

    /// Asks a question with the ranges of a coalition.
    pub(crate) fn with_coalition<T>(
        &self,
        program: &mut Program,
        coalition: &[u32],
        ask: impl FnOnce(&mut Program) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let cells =
            || coalition.iter().flat_map(|&member| self.contributions.of_respondent(member).iter().map(|own| own.0));
        cells().for_each(|cell| program.set_range(cell, self.range(cell, coalition)));
        let answer = ask(program);
        cells().for_each(|cell| program.set_range(cell, self.range(cell, &[])));
        answer
    }
}

/// The relations between open cells, with signs.
pub(crate) fn open_relations(relations: &[Relation], is_open: &[bool]) -> Vec<Vec<(usize, i64)>> {
    let open = relations.iter().map(|relation| {
        let terms = relation.terms.iter().filter(|(cell, _)| is_open[*cell]);
        terms.map(|&(cell, is_taken)| (cell, if is_taken { -1 } else { 1 })).collect()
    });
    open.collect()
}
