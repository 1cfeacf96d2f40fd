//! The steps of a robust plan, each of which publishes less than the one before it.
//!
//! ```text
//! 1 .. s        every margin in blocks of at least 2, 4, 8, ... levels a side, or in blocks of 2
//!               with every cell below a threshold withheld, which grows from step to step
//! s + 1         margins with a cell that must be withheld are withheld whole
//! s + 2 ..      besides, one margin after the other is withheld, the one with the most cells first
//! ```
//!
//! What a step publishes of a table is a function of which cells must be withheld, which counts
//! are 0 or below the threshold and public sizes. What one step publishes follows from what the
//! step before publishes.
//!
//! A 0 is withheld like a small count where it would disclose a class: one that is in scope, is
//! part of the cell, and is not requested itself.

use std::collections::BTreeSet;

use privacy_core::AttrSet;

use crate::engine::linear_program::MOST_SMALL;
use crate::planner::action::{CellStatus, MarginAction, Treatment};
use crate::planner::attack::primary_reasons;
use crate::planner::margin::recoded_margin::RecodedMargin;
use crate::planner::problem::ReleaseProblem;
use crate::planner::robust::blocks::BlockRule;
use crate::table::error::Error;
use crate::table::grid::Grid;

/// Larger tables, in cells, take fewer steps: every step is attacked for tables of all earlier
/// ones.
const SMALL: usize = 64;
/// What the threshold of one step is multiplied by for the next, in larger tables.
const GROWTH: u64 = 3;

/// The requested margins, and the steps.
pub(crate) struct Ladder<'a> {
    problem: &'a ReleaseProblem,
    margins: Vec<LadderMargin>,
    /// Positions of margins, those with the fewest cells first.
    order: Vec<usize>,
    steps: Vec<Step>,
}

/// A requested margin, as no table changes it.
struct LadderMargin {
    finest: RecodedMargin,
    shape: Vec<usize>,
    /// The class of each cell of the table.
    class_of_cell: Vec<u32>,
    /// People of each cell of the margin, where that is public.
    sizes: Option<Vec<u64>>,
    /// For each smaller requested margin, its position and the cell there of each cell here.
    within: Vec<(usize, Vec<u32>)>,
    /// Whether a count of 0 discloses a class.
    hides_zeros: bool,
}

#[derive(Clone, Copy)]
struct Step {
    pattern: StepPattern,
    /// Counts below this are withheld where nobody knows the people of a cell.
    least: u64,
}

#[derive(Clone, Copy)]
enum StepPattern {
    /// Blocks of at least two to this power levels a side.
    Blocks(u32),
    /// Margins that have a cell to withhold are withheld, and all margins but this number of the
    /// first ones.
    Whole(usize),
}

/// What a step publishes of a table: for each margin, which cells; nothing of a margin that is
/// withheld.
pub(crate) type Shown = Vec<Option<Vec<bool>>>;

impl<'a> Ladder<'a> {
    pub(crate) fn new(problem: &'a ReleaseProblem) -> Result<Self, Error> {
        let (domain, grid) = (problem.background.domain(), &problem.background.grid);
        let mut margins = Vec::new();
        for requested in &problem.requested {
            let finest = RecodedMargin::finest(domain, requested.axes)?;
            let shape = domain.shape(requested.axes);
            let class_of_cell = classes(grid, requested.axes);
            let sizes = finest.sizes(&problem.background);
            let within = (0..problem.requested.len())
                .filter(|&other| {
                    let axes = problem.requested[other].axes;
                    axes != requested.axes && axes.is_subset_of(requested.axes)
                })
                .map(|other| {
                    let coarse = classes(grid, problem.requested[other].axes);
                    let mut of_cell = vec![0; finest.cells()];
                    class_of_cell.iter().zip(coarse).for_each(|(&cell, other)| of_cell[cell as usize] = other);
                    (other, of_cell)
                })
                .collect();
            let hides_zeros = sizes.is_none() && has_finer_class(problem, requested.axes);
            margins.push(LadderMargin { finest, shape, class_of_cell, sizes, within, hides_zeros });
        }
        let mut order: Vec<usize> = (0..margins.len()).collect();
        order.sort_by_key(|&place| (margins[place].finest.cells(), place));
        let steps = steps(problem, &margins);
        Ok(Self { problem, margins, order, steps })
    }

    /// How many steps there are; the last publishes no margin.
    pub(crate) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// What a step publishes of a table, row-major.
    pub(crate) fn shown(&self, step: usize, table: &[i64]) -> Shown {
        let counts: Vec<Vec<u64>> = self.margins.iter().map(|margin| margin.counts(table)).collect();
        let mut shown: Shown = vec![None; self.margins.len()];
        // A margin knows which counts of smaller ones are published.
        for (rank, &place) in self.order.iter().enumerate() {
            let margin = &self.margins[place];
            let least = self.steps[step].least;
            let is_small = self.small(place, &counts[place], least);
            shown[place] = match self.steps[step].pattern {
                StepPattern::Blocks(size) => {
                    let is_free = self.free(place, &counts, &shown);
                    let withheld = BlockRule { shape: &margin.shape, is_primary: &is_small, is_free: &is_free };
                    Some(withheld.withheld(size).into_iter().map(|withheld| !withheld).collect())
                }
                StepPattern::Whole(kept) => {
                    (rank < kept && !is_small.contains(&true)).then(|| vec![true; is_small.len()])
                }
            };
            // Without suppression a margin leaves whole or not at all.
            if shown[place]
                .as_ref()
                .is_some_and(|cells| !cells.contains(&true) || !self.problem.suppress && cells.contains(&false))
            {
                shown[place] = None;
            }
        }
        shown
    }

    /// Cells that are withheld for their own count.
    fn small(&self, place: usize, counts: &[u64], least: u64) -> Vec<bool> {
        let margin = &self.margins[place];
        let primary = primary_reasons(self.problem, &margin.finest, counts);
        let is_below = |count: u64| margin.sizes.is_none() && count < least && (count > 0 || margin.hides_zeros);
        counts.iter().zip(primary).map(|(&count, primary)| primary.is_some() || is_below(count)).collect()
    }

    /// Counts below this are withheld at a step, where nobody knows the people of a cell.
    pub(crate) fn least(&self, step: usize) -> u64 {
        self.steps[step].least
    }

    /// The cells of the table that a cell of a margin counts, in increasing order.
    pub(crate) fn cells_of(&self, place: usize, cell: usize) -> Vec<u32> {
        let classes = self.margins[place].class_of_cell.iter().enumerate();
        let own = classes.filter(|&(_, &class)| class as usize == cell);
        own.map(|(cell, _)| u32::try_from(cell).expect("at most 2^24 cells")).collect()
    }

    /// Cells that everybody knows, or that may be published as they are: without people where
    /// those are public; else with a count of 0.
    fn free(&self, place: usize, counts: &[Vec<u64>], shown: &Shown) -> Vec<bool> {
        let margin = &self.margins[place];
        let is_in_empty = |cell: usize| {
            margin.within.iter().any(|(other, of_cell)| {
                let own = of_cell[cell] as usize;
                counts[*other][own] == 0 && shown[*other].as_ref().is_some_and(|shown| shown[own])
            })
        };
        let is_free = |cell: usize| match &margin.sizes {
            Some(sizes) => sizes[cell] == 0 || is_in_empty(cell),
            None => counts[place][cell] == 0 && !margin.hides_zeros,
        };
        (0..counts[place].len()).map(is_free).collect()
    }

    /// Whether what is withheld of some line counts fewer people than the minimum frequency, by the
    /// total of the line in another margin. Then no table with this output stops here: withheld
    /// numbers that are nobody together are each known, and fewer people than the minimum frequency
    /// are a difference that violates the rule. This is what most steps fail at, and costs next to
    /// nothing.
    pub(crate) fn has_short_line(&self, shown: &Shown, table: &[i64]) -> bool {
        let grid = &self.problem.background.grid;
        let pairs = (0..self.margins.len())
            .filter(|&place| self.problem.requested[place].axes.len() == 2 && self.margins[place].sizes.is_none());
        let mut totals = BTreeSet::new();
        let mut withheld = Vec::new();
        for place in pairs {
            let Some(cells) = &shown[place] else { continue };
            let counts = self.margins[place].counts(table);
            let axes = self.problem.requested[place].axes;
            for axis in axes.iter() {
                let mut lines = vec![(0_u64, 0_usize); grid.size(axis)];
                for (cell, (&count, &is_shown)) in counts.iter().zip(cells).enumerate() {
                    let levels = grid.levels_of_class(cell, axes);
                    let own = axes.iter().zip(levels).find(|&(other, _)| other == axis).map_or(0, |(_, level)| level);
                    lines[own].0 += if is_shown { 0 } else { count };
                    lines[own].1 += usize::from(!is_shown);
                }
                for (level, (rest, missing)) in lines.into_iter().enumerate() {
                    if missing == 0 {
                        totals.insert((axis, level));
                    } else if rest < self.problem.rule.min_frequency() {
                        withheld.push((axis, level));
                    }
                }
            }
        }
        withheld.iter().any(|line| totals.contains(line))
    }

    /// The counts of the margins that are shown, where they are.
    pub(crate) fn values(&self, shown: &Shown, table: &[i64]) -> Vec<Vec<u64>> {
        let margins = self.margins.iter().zip(shown);
        margins.map(|(margin, shown)| shown_counts(margin, shown.as_deref(), table)).collect()
    }

    /// The margins, each with its counts and which of them are shown.
    pub(crate) fn published(&self, shown: &Shown, table: &[i64]) -> Vec<(&RecodedMargin, Vec<u64>, Vec<bool>)> {
        let parts = self.margins.iter().zip(shown).filter_map(|(margin, shown)| Some((margin, shown.clone()?)));
        parts.map(|(margin, shown)| (&margin.finest, margin.counts(table), shown)).collect()
    }

    /// What happens to each margin.
    pub(crate) fn actions(&self, shown: &Shown) -> Vec<MarginAction> {
        let parts = self.problem.requested.iter().zip(self.margins.iter().zip(shown));
        parts
            .map(|(requested, (margin, shown))| {
                let finest = margin.finest.clone();
                match shown {
                    Some(cells) if !cells.contains(&false) => {
                        MarginAction::exact(requested, finest, "no part of it has to be withheld".to_owned())
                    }
                    Some(cells) => {
                        let statuses: Vec<CellStatus> = cells.iter().map(CellStatus::of_shown).collect();
                        let withheld = statuses.iter().filter(|&&status| status == CellStatus::Suppressed).count();
                        let reason = format!(
                            "{withheld} of {} cells are withheld, in blocks that do not depend on the counts",
                            statuses.len()
                        );
                        MarginAction {
                            axes: requested.axes.iter().collect(),
                            treatment: Treatment::Suppressed,
                            margin: Some(finest),
                            statuses,
                            reasons: vec![reason],
                            weight: requested.weight,
                        }
                    }
                    None if self.problem.noise.is_some() => MarginAction::noised(
                        requested,
                        finest,
                        |_| true,
                        "no part of it can be published exactly if readers know how this was decided".to_owned(),
                    ),
                    None => MarginAction::withheld(
                        requested,
                        "no part of it can be published if readers know how this was decided".to_owned(),
                    ),
                }
            })
            .collect()
    }
}

impl LadderMargin {
    fn counts(&self, table: &[i64]) -> Vec<u64> {
        let mut counts = vec![0_u64; self.finest.cells()];
        for (&class, &count) in self.class_of_cell.iter().zip(table) {
            counts[class as usize] += count.unsigned_abs();
        }
        counts
    }
}

/// The counts of a margin that are shown; none where the margin is not.
fn shown_counts(margin: &LadderMargin, shown: Option<&[bool]>, table: &[i64]) -> Vec<u64> {
    let counts = margin.counts(table).into_iter();
    shown.map_or_else(Vec::new, |shown| counts.zip(shown).filter_map(|(count, &is)| is.then_some(count)).collect())
}

/// The class over some axes of each cell of the table.
pub(crate) fn classes(grid: &Grid, axes: AttrSet) -> Vec<u32> {
    let classes = (0..grid.cells()).map(|cell| grid.class_of_cell(cell, axes));
    classes.map(|class| u32::try_from(class).expect("at most 2^24 cells")).collect()
}

/// Whether a class in scope is part of a cell of the margin and no part of the request. A cell
/// without people would tell its count.
fn has_finer_class(problem: &ReleaseProblem, axes: AttrSet) -> bool {
    let is_requested = |own: AttrSet| problem.requested.iter().any(|requested| requested.axes == own);
    let scope = problem.rule.scope().sets(problem.background.profile());
    scope.into_iter().any(|own| own != axes && axes.is_subset_of(own) && !is_requested(own))
}

fn steps(problem: &ReleaseProblem, margins: &[LadderMargin]) -> Vec<Step> {
    let sizes = margins.iter().map(|margin| BlockRule::sizes(&margin.shape)).max().unwrap_or(1);
    let cells = problem.background.grid.cells();
    let kappa = problem.rule.min_frequency();
    let blocks: Vec<(u32, u64)> = match problem.suppress {
        false => Vec::new(),
        true if cells <= SMALL => (1..=sizes).map(|size| (size, kappa)).collect(),
        true if problem.background.has_people() => vec![(1, kappa)],
        // Withheld lines of a sparse table count few people where only the smallest counts are
        // withheld, and every step more is attacked for tables of all earlier ones.
        true => thresholds(kappa, cells > MOST_SMALL).map(|least| (1, least)).collect(),
    };
    // A margin that is withheld in part at one step must not be whole at a later one.
    let least = blocks.last().map_or(kappa, |&(_, least)| least);
    let whole: Vec<usize> = match blocks.len() {
        _ if cells <= SMALL => (0..=margins.len()).rev().collect(),
        // Its members would have to fail at both thresholds, each of which takes searches.
        2.. if cells > MOST_SMALL => vec![0],
        _ => vec![margins.len(), 0],
    };
    let blocks = blocks.into_iter().map(|(size, least)| Step { pattern: StepPattern::Blocks(size), least });
    blocks.chain(whole.into_iter().map(|kept| Step { pattern: StepPattern::Whole(kept), least })).collect()
}

/// Growing thresholds. In large tables the first step is one that most tables stop at.
fn thresholds(kappa: u64, is_large: bool) -> impl Iterator<Item = u64> {
    (u32::from(is_large)..3).map(move |power| kappa.saturating_mul(GROWTH.pow(power)))
}
