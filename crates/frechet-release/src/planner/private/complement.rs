//! Complementary cells by a rule that sees which cells are large, and no count.
//!
//! The rule takes the table y that has L people in every large cell and nobody elsewhere, and looks
//! for the fewest numbers to withhold so that every class keeps an interval of more than tau among
//! the tables that have the published numbers of y. If x >= y in every cell and a move z keeps the
//! published numbers and `y + z >= 0`, then `x + z >= 0` too: what ranges over more than tau around
//! y ranges over more than tau around every table whose large cells are large. Equation (22).

use privacy_core::{AttrSet, ContingencyTable, Domain};

use crate::audit::classes::{DisclosureTarget, audit};
use crate::audit::derived::PublishedGroups;
use crate::audit::primary::PrimaryReason;
use crate::audit::rule::DisclosureRule;
use crate::engine::linear_program::{Limits, MOST_SMALL};
use crate::planner::attack::{self, Subject, Violation};
use crate::planner::large::{SmallNumbers, withheld_in_large};
use crate::planner::problem::ReleaseProblem;
use crate::planner::suppression::{PrimaryCell, SuppressibleCell, suppress_until};
use crate::solver::Solver;
use crate::table::class::{Region, Scope};
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;

/// What withholding a number of a margin costs that is the sum of numbers of another one.
const TOTAL_WEIGHT: u64 = 4;
/// Nodes of the searches for the lightest pattern, and for whole tables.
const MOST_NODES: u32 = 2_000;
/// Simplex steps of one question.
const MOST_STEPS: u64 = 50_000;

/// The request as the rule sees it: shapes, and which cells are large.
pub(crate) struct LargeCells<'a> {
    /// Levels of each axis, two or more.
    pub(crate) shape: &'a [usize],
    /// The requested margins over these axes.
    pub(crate) margins: &'a [AttrSet],
    /// The cells of the table that are large, row-major.
    pub(crate) is_large: &'a [bool],
    /// The least count of a large cell, above tau.
    pub(crate) floor: u64,
    /// The width `tau` that an interval must exceed.
    pub(crate) width: u64,
}

/// Which cells are published, for each margin.
pub(crate) type Shown = Vec<Vec<bool>>;

impl LargeCells<'_> {
    /// The numbers that are published. A margin for which no pattern is found is left out, the
    /// one with the most cells first.
    pub(crate) fn shown(&self, limits: &Limits) -> Result<Shown, Error> {
        let cells: Vec<usize> = self.margins.iter().map(|&axes| self.cells(axes)).collect();
        let mut shown: Shown = cells.iter().map(|&cells| vec![false; cells]).collect();
        if !self.is_large.contains(&true) {
            // Every number is about small cells alone.
            return Ok(shown);
        }
        if self.shape.is_empty() {
            return Ok(self.margins.iter().map(|_| vec![self.is_large[0]]).collect());
        }
        let mut kept: Vec<usize> = (0..self.margins.len()).collect();
        kept.sort_by_key(|&margin| (cells[margin], margin));
        while !kept.is_empty() {
            limits.check_stop()?;
            match self.pattern(&kept, limits) {
                Ok(patterns) => {
                    kept.iter().zip(patterns).for_each(|(&margin, own)| shown[margin] = own);
                    return Ok(shown);
                }
                Err(Error::Stopped) => return Err(Error::Stopped),
                Err(_) => kept.truncate(kept.len() - 1),
            }
        }
        Ok(shown)
    }

    fn cells(&self, axes: AttrSet) -> usize {
        axes.iter().map(|axis| self.shape[axis]).product()
    }

    /// Few numbers of some margins to withhold in a table whose lightest patterns take too long to
    /// find: those of a plan on the counts of `table`.
    fn large_pattern(
        &self,
        kept: &[usize],
        table: &ContingencyTable,
        background: Knowledge,
        limits: &Limits,
    ) -> Result<Shown, Error> {
        let rule = DisclosureRule::new(self.width, 0.5, 1, Scope::All)?;
        let mut problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, limits.clone());
        for &margin in kept {
            problem = problem.request_margin(self.margins[margin], 1.0)?;
        }
        let (margins, _) = withheld_in_large(&problem, table, SmallNumbers::WithoutLargeCell(self.is_large))?;
        let shown = margins.into_iter().map(|margin| margin.is_withheld.into_iter().map(|withheld| !withheld));
        Ok(shown.map(Iterator::collect).collect())
    }

    /// The fewest numbers of some margins to withhold.
    fn pattern(&self, kept: &[usize], limits: &Limits) -> Result<Shown, Error> {
        let domain = Domain::of_cardinalities(self.shape).map_err(|_| Error::TooLargeTogether)?;
        let counts = self.is_large.iter().map(|&is_large| if is_large { self.floor } else { 0 }).collect();
        let table = ContingencyTable::from_cells(&domain, domain.all(), counts).map_err(|_| Error::TooLargeTogether)?;
        if table.cells().len() > MOST_SMALL {
            return self.large_pattern(kept, &table, Knowledge::of_counts(domain)?, limits);
        }
        let (mut cells, mut primaries, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for &margin in kept {
            let axes = self.margins[margin];
            let sums = table.marginal(axes).map_err(|_| Error::TooLargeTogether)?;
            let weight = if self.is_sum(margin) { TOTAL_WEIGHT } else { 1 };
            for (index, &count) in sums.cells().iter().enumerate() {
                // A number about no large cell may be about anybody.
                if count == 0 {
                    primaries.push(PrimaryCell { cell: cells.len(), width: self.width.saturating_add(1) });
                }
                let region = self.region(axes, index);
                cells.push(SuppressibleCell { name: format!("number {}", cells.len() + 1), region, count, weight });
            }
            ends.push(cells.len());
        }
        let rule = DisclosureRule::new(self.width, 0.5, 1, Scope::All)?;
        let limits =
            Limits { nodes: limits.nodes.min(MOST_NODES), steps: limits.steps.min(MOST_STEPS), ..limits.clone() };
        let background = Knowledge::of_counts(domain)?;
        let found =
            suppress_until(&background, &cells, &primaries, &limits, &mut |solver| self.violations(solver, &rule))?;
        let mut shown = vec![true; cells.len()];
        found.withheld.iter().for_each(|&cell| shown[cell] = false);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        Ok(starts.zip(&ends).map(|(start, &end)| shown[start..end].to_vec()).collect())
    }

    /// Classes that are known to within tau around y, and differences about no large cell.
    fn violations(&self, solver: &mut Solver, rule: &DisclosureRule) -> Result<Vec<Violation>, Error> {
        let found = audit(solver, rule)?;
        let mut violations = attack::violations(solver, &found, rule)?;
        let judged = |cells: &[u32], _: u64| {
            let is_small = !cells.is_empty() && !cells.iter().any(|&cell| self.is_large[cell as usize]);
            is_small.then_some(PrimaryReason::Small)
        };
        let derived = PublishedGroups::of(solver.knowledge()).violations(&judged, solver.limits())?;
        violations.extend(derived.into_iter().map(|derived| Violation {
            subject: Subject::Difference(derived.name),
            rows: Some(derived.rows),
            is_narrow: false,
        }));
        Ok(violations)
    }

    /// Whether a margin is the sum of another requested one.
    fn is_sum(&self, margin: usize) -> bool {
        let own = self.margins[margin];
        self.margins.iter().any(|&other| own != other && own.is_subset_of(other))
    }

    fn region(&self, axes: AttrSet, mut index: usize) -> Region {
        let own: Vec<usize> = axes.iter().collect();
        own.iter().rev().fold(Region::everything(), |region, &axis| {
            let level = index % self.shape[axis];
            index /= self.shape[axis];
            region.with(axis, [level])
        })
    }
}
