//! Complementary suppression: for every coalition that comes too close to a sensitive cell, the
//! cheapest further cells that give the cell room.
//!
//! For a cell `c`, a coalition and an end, program (5) of the attack is solved over all cells, with
//! a cost for every unit that a published cell would have to move. Cells that move are withheld,
//! and the shift itself is the second table that the coalition thinks possible. Withholding more
//! never narrows what was wide enough, so no cell is looked at twice; the audit afterwards is what
//! is trusted.
//!
//! Source: Kelly, Golden and Assad (1992), Cox (1995) and Castro (2007) for cells by linear
//! programs; respondents as attackers as in [`crate::rule`].

use std::collections::BTreeSet;

use crate::attack::attacked::{AttackLimits, Attacked, open_relations};
use crate::attack::audit::{AmountAudit, AmountStatus, audit};
use crate::attack::coalitions::{Target, face_all};
use crate::attack::intervals::{CellInterval, intervals, is_far_enough, with_certificates};
use crate::attack::program::{End, Program, Question, Shift};
use crate::attack::tableau::Tableau;
use crate::error::Error;
use crate::rule::{SensitivityRule, Share};
use crate::suppression::derived::derived_sums;
use crate::table::magnitude::MagnitudeTable;
use frechet_certificate::Certificates;

/// What a withheld cell costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum SuppressionCost {
    /// Its amount: large cells stay.
    #[default]
    Value,
    /// Its number of respondents: cells that are about many stay.
    Count,
    /// The same for every cell: few cells are withheld.
    Equal,
}

/// Why a cell is as it is. What is published does not say it: see
/// [`PublishedAmount`](crate::PublishedAmount).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum SuppressionStatus {
    /// It is published.
    Published,
    /// It is withheld because the rule calls it sensitive.
    Primary,
    /// It is withheld to protect others.
    Complementary,
}

/// What to protect, and at which cost.
#[derive(Clone, Debug)]
pub struct SuppressionProblem<'a> {
    /// The table.
    pub table: &'a MagnitudeTable,
    /// When a cell is sensitive, and to whom.
    pub rule: &'a SensitivityRule,
    /// What a withheld cell costs.
    pub cost: SuppressionCost,
    /// Cells that must be published.
    pub keep: BTreeSet<usize>,
    /// Every attacker knows each amount to within this share of it; `None` if only that amounts
    /// are not negative.
    pub known_within: Option<Share>,
    /// Work of one linear program.
    pub limits: AttackLimits,
}

impl<'a> SuppressionProblem<'a> {
    /// No cell must be published, and attackers know nothing beforehand.
    #[must_use]
    pub fn new(table: &'a MagnitudeTable, rule: &'a SensitivityRule) -> Self {
        let (cost, limits) = (SuppressionCost::default(), AttackLimits::default());
        Self { table, rule, cost, keep: BTreeSet::new(), known_within: None, limits }
    }

    /// The least and the largest amount of each cell that everybody knows to be possible.
    fn known(&self) -> Vec<(i64, i64)> {
        let additive = self.table.additive();
        match self.known_within {
            None => additive.known().to_vec(),
            Some(share) => additive.amounts().iter().map(|&amount| around(amount, share)).collect(),
        }
    }

    /// Judges any pattern against the rule: see [`audit`](crate::audit).
    ///
    /// # Errors
    /// As [`audit`](crate::audit).
    pub fn audit(&self, is_withheld: &[bool]) -> Result<AmountAudit, Error> {
        audit(self.table, self.rule, is_withheld, self.known(), &self.limits)
    }

    /// Between which amounts a reader without an amount of their own knows every withheld cell to
    /// be, and certificates of both ends in whole units.
    ///
    /// # Errors
    /// [`Error::TooLargeProgram`], [`Error::Stopped`].
    pub fn intervals(&self, is_withheld: &[bool]) -> Result<Vec<CellInterval>, Error> {
        let table = crate::AdditiveTable { known: self.known(), ..self.table.additive.clone() };
        Ok(intervals(&table, &self.open(is_withheld), &self.limits)?.0)
    }

    /// As [`SuppressionProblem::intervals`], with certificates that
    /// [`frechet_certificate::verify`] checks.
    ///
    /// # Errors
    /// As [`SuppressionProblem::intervals`].
    pub fn certificates(&self, is_withheld: &[bool]) -> Result<(Vec<CellInterval>, Certificates), Error> {
        let table = crate::AdditiveTable { known: self.known(), ..self.table.additive.clone() };
        with_certificates(&table, &self.open(is_withheld), &self.limits)
    }

    /// Everybody knows which cells are empty.
    fn open(&self, is_withheld: &[bool]) -> Vec<bool> {
        let cells = is_withheld.iter().enumerate();
        cells.map(|(cell, &is_withheld)| is_withheld && !self.table.contributions(cell).is_empty()).collect()
    }
}

/// The amounts within a share of one.
fn around(amount: i64, share: Share) -> (i64, i64) {
    let room = i64::try_from(share.of(i128::from(amount))).unwrap_or(amount);
    ((amount - room).max(0), amount + room)
}

/// Which cells are withheld, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuppressionPlan {
    pub(crate) statuses: Vec<SuppressionStatus>,
    pub(crate) audit: AmountAudit,
}

impl SuppressionPlan {
    /// The status of every cell.
    #[must_use]
    pub fn statuses(&self) -> &[SuppressionStatus] {
        &self.statuses
    }

    /// What the attackers found in it.
    #[must_use]
    pub fn audit(&self) -> &AmountAudit {
        &self.audit
    }

    /// Whether each cell is withheld.
    #[must_use]
    pub fn is_withheld(&self) -> Vec<bool> {
        self.statuses.iter().map(|&status| status != SuppressionStatus::Published).collect()
    }

    /// How many cells have a status.
    #[must_use]
    pub fn count(&self, status: SuppressionStatus) -> usize {
        self.statuses.iter().filter(|&&own| own == status).count()
    }
}

/// Finds the cells to withhold, and lets every coalition attack what is left.
///
/// # Errors
/// [`Error::KeptSensitive`], [`Error::Unprotectable`], [`Error::NotProtected`] if the attackers
/// found what the search overlooked, [`Error::TooLargeProgram`], [`Error::Limit`] and
/// [`Error::Stopped`].
pub fn plan(problem: &SuppressionProblem<'_>) -> Result<SuppressionPlan, Error> {
    let mut search = Search::new(problem)?;
    let mut sensitive = search.sensitive.clone();
    // Cells that ask for the most room come first: what they need often serves the others.
    sensitive.sort_by_key(|&cell| (std::cmp::Reverse(search.level(cell)), cell));
    for cell in sensitive {
        search.protect(cell)?;
    }
    search.protect_sums()?;
    let is_withheld: Vec<bool> = search.attacked.is_open.iter().take(search.attacked.own_cells).copied().collect();
    let audit = problem.audit(&is_withheld)?;
    if !audit.is_protected() {
        let [exposed, undecided] = [AmountStatus::Exposed, AmountStatus::Undecided].map(|status| audit.count(status));
        return Err(Error::NotProtected { exposed, undecided });
    }
    let mut statuses = vec![SuppressionStatus::Published; is_withheld.len()];
    for (cell, _) in is_withheld.iter().enumerate().filter(|(_, is_withheld)| **is_withheld) {
        statuses[cell] = SuppressionStatus::Complementary;
    }
    search.sensitive.iter().for_each(|&cell| statuses[cell] = SuppressionStatus::Primary);
    Ok(SuppressionPlan { statuses, audit })
}

struct Search<'a> {
    problem: &'a SuppressionProblem<'a>,
    /// Cells that are withheld so far are open.
    attacked: Attacked,
    /// The same table with every cell open that may be withheld.
    all_open: Attacked,
    /// The program over all cells.
    program: Program,
    sensitive: Vec<usize>,
    /// The cost of each cell that is still published, 0 of those that are not.
    weights: Vec<i64>,
    /// Tables that coalitions think possible.
    found: Vec<Shift>,
    /// Sums that were protected already.
    sums: BTreeSet<Vec<usize>>,
}

/// The largest weight of a cell: enough steps between cheap and dear, and no overflow.
const MOST_WEIGHT: f64 = 1_000_000.0;

impl<'a> Search<'a> {
    fn new(problem: &'a SuppressionProblem<'a>) -> Result<Self, Error> {
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
        Ok(Self { problem, attacked, all_open, program, sensitive, weights, found: Vec::new(), sums: BTreeSet::new() })
    }

    fn level(&self, cell: usize) -> i64 {
        self.problem.rule.level(self.attacked.contributions.of_cell(cell), &[])
    }

    /// Gives a cell the room that it needs against every coalition.
    fn protect(&mut self, cell: usize) -> Result<(), Error> {
        let Self { problem, attacked, all_open, program, weights, found, .. } = self;
        for end in End::BOTH {
            let target = Target { cell, end };
            face_all(all_open, problem.rule, target, &mut |coalition, need| {
                // A table that was found for another cell costs nothing more.
                if let Some(shift) = all_open.known(found, target, coalition, need) {
                    return Ok(Some(shift));
                }
                let question = Question { cell, end, most: need, weights, gain: 1 };
                let shift = all_open.with_coalition(program, coalition, |program| cheapest(program, question))?;
                if !is_far_enough(&shift, cell, end, need) {
                    return Err(Error::Unprotectable { cell });
                }
                for &(moved, _) in &shift.moves {
                    attacked.is_open[moved] = true;
                    weights[moved] = 0;
                }
                found.push(shift.clone());
                Ok(Some(shift))
            })?;
        }
        Ok(())
    }

    /// Sums of withheld cells that one relation gives away, until none is sensitive.
    fn protect_sums(&mut self) -> Result<(), Error> {
        loop {
            let is_withheld = self.attacked.is_open[..self.attacked.own_cells].to_vec();
            let new: Vec<Vec<usize>> = derived_sums(self.problem.table, &is_withheld)
                .into_iter()
                .filter(|sum| !self.sums.contains(sum))
                .collect();
            if new.is_empty() {
                return Ok(());
            }
            for parts in new {
                let cell = self.attacked.push_derived(&parts);
                self.all_open.push_derived(&parts);
                self.sums.insert(parts.clone());
                if !self.problem.rule.is_sensitive(self.attacked.contributions.of_cell(cell)) {
                    self.attacked.pop_derived();
                    self.all_open.pop_derived();
                    continue;
                }
                self.program.push_sum_of(&parts, self.all_open.range(cell, &[]))?;
                self.weights.push(0);
                self.protect(cell)?;
            }
        }
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
fn weights(problem: &SuppressionProblem<'_>, sensitive: &[usize]) -> Vec<i64> {
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
