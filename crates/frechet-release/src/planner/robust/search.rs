//! The first step of the ladder that a reader who knows the planner gains nothing from.
//!
//! The planner is its own fixed point. `P_k(x)` is what step `k` publishes of table `x`, and
//!
//! ```text
//! group_k(o) = the tables x with P_k(x) = o that stop at no step before k,
//! x stops at step k   if the rule holds among the tables of group_k(P_k(x)),
//! ```
//!
//! and the output for `x` is that of the step at which it stops. Whether a table stops at a step is
//! a function of what the step publishes, so all tables of a group stop together, and anyone who
//! runs this planner on every table consistent with its output finds that group, in which the rule
//! holds.
//!
//! Groups are enumerated where at most [`MOST_TABLES`] tables are consistent with what is
//! published. Elsewhere members are looked for by a walk that starts from a table of the solver,
//! not from the owner's, and is seeded alike every time, so that what it finds is a function of
//! what is published as well. A step at which the members found keep the rule is one at which the
//! whole group does, since more tables only widen ranges: that is proved and not estimated. Where
//! the walk does not show it, the step is not taken.

use std::collections::BTreeMap;

use privacy_core::rng::SimRng;

use crate::attacker::enumeration::{EnumerationLimits, open_cells, visit_tables};
use crate::attacker::fiber_sampler::{FiberSampler, Prior};
use crate::audit::derived::derived_cells;
use crate::engine::linear_program::MOST_SMALL;
use crate::planner::action::MarginAction;
use crate::planner::problem::ReleaseProblem;
use crate::planner::robust::group::{Group, Judged};
use crate::planner::robust::ladder::{Ladder, Shown};
use crate::solver::Solver;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;

/// Most tables of a group that is enumerated.
const MOST_TABLES: u64 = 2_000;
/// Cells of a large table that are not determined by propagation, up to which its tables are
/// listed. Of more there are hardly ever few tables, and it would take long to see that.
const MOST_OPEN_CELLS: usize = 64;
/// Steps of the walk through a larger one.
const STEPS: u64 = 4_000;
/// Tables that are asked, at steps after the first, whether they stop before.
const MOST_CANDIDATES: u32 = 32;
/// Searches at earlier steps for the members of one group of a large table.
const MOST_SEARCHES: u32 = 2;
/// Seeds the draws. Part of the planner: a reader who runs it draws the same tables.
const SEED: u64 = 0;

/// The evidence that the rule holds among the tables that give this output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Whether every table consistent with what is published was looked at.
    pub(crate) is_whole: bool,
    /// Tables that were looked at.
    pub(crate) looked_at: u64,
    /// Those for which the same is published.
    pub(crate) members: u64,
    /// Requested numbers that are not published exactly.
    pub(crate) withheld: usize,
}

/// A plan, and its evidence; `None` for the last step, which publishes nothing exactly.
pub(crate) struct RobustPlan {
    pub(crate) actions: Vec<MarginAction>,
    pub(crate) evidence: Option<Evidence>,
}

/// Finds the step at which a table stops.
pub(crate) fn robust(problem: &ReleaseProblem, table: &[i64]) -> Result<RobustPlan, Error> {
    let mut search = Search { ladder: Ladder::new(problem)?, problem, decided: BTreeMap::new(), searches: 0 };
    let last = search.ladder.steps() - 1;
    for step in 0..last {
        let shown = search.ladder.shown(step, table);
        if let Some(evidence) = search.stops(step, &shown, table)? {
            let actions = search.ladder.actions(&shown);
            return Ok(RobustPlan { actions, evidence: Some(evidence) });
        }
    }
    let nothing = search.ladder.shown(last, table);
    Ok(RobustPlan { actions: search.ladder.actions(&nothing), evidence: None })
}

/// What a step publishes: which counts, and the counts.
type Output = (usize, Shown, Vec<Vec<u64>>);

pub(super) struct Search<'a> {
    pub(super) problem: &'a ReleaseProblem,
    pub(super) ladder: Ladder<'a>,
    decided: BTreeMap<Output, Option<Evidence>>,
    /// Searches at earlier steps that the group at hand has asked for.
    pub(super) searches: u32,
}

impl Search<'_> {
    /// Whether the tables with this output at this step stop there; `table` is one of them, and
    /// only its published counts are used.
    fn stops(&mut self, step: usize, shown: &Shown, table: &[i64]) -> Result<Option<Evidence>, Error> {
        self.problem.limits.check_stop()?;
        if shown.iter().all(Option::is_none) {
            // The same as the last step.
            return Ok(None);
        }
        if self.ladder.has_short_line(shown, table) {
            return Ok(None);
        }
        let output = (step, shown.clone(), self.ladder.values(shown, table));
        if let Some(decided) = self.decided.get(&output) {
            return Ok(*decided);
        }
        let knowledge = self.knowledge(shown, table)?;
        let is_shown = |place: usize, cell: usize| shown[place].as_ref().is_some_and(|cells| cells[cell]);
        let judged = Judged::new(self.problem, &knowledge, &is_shown);
        // Differences of what is published are the same for all tables with this output.
        if !derived_cells(&knowledge, &self.problem.rule, &self.problem.limits)?.is_empty() {
            self.decided.insert(output, None);
            return Ok(None);
        }
        let evidence = match self.enumerated(&knowledge)? {
            Some(tables) => self.among(step, shown, &judged, &tables)?,
            None => self.among_many(step, shown, &judged, knowledge)?,
        };
        self.decided.insert(output, evidence);
        Ok(evidence)
    }

    fn among(
        &mut self,
        step: usize,
        shown: &Shown,
        judged: &Judged,
        tables: &[Vec<i64>],
    ) -> Result<Option<Evidence>, Error> {
        let mut group = judged.group();
        for table in tables {
            self.add(step, shown, judged, table, &mut group)?;
        }
        let (looked_at, members, withheld) = (tables.len() as u64, group.members, judged.withheld());
        let evidence = Evidence { is_whole: true, looked_at, members, withheld };
        Ok(judged.is_kept(&group, self.problem).then_some(evidence))
    }

    /// Among members that are looked for, since there are too many tables to look at each.
    fn among_many(
        &mut self,
        step: usize,
        shown: &Shown,
        judged: &Judged,
        knowledge: Knowledge,
    ) -> Result<Option<Evidence>, Error> {
        let is_large = knowledge.grid.cells() > MOST_SMALL;
        // What a group may ask for does not depend on what others have asked for: whether it stops
        // is a function of its output.
        let before = std::mem::replace(&mut self.searches, 0);
        let found = self.among_ways(step, shown, judged, &knowledge);
        self.searches = before;
        let found = found?;
        // A walk of few steps in a large table shows less than ways to what is missing.
        if found.is_some() || is_large { Ok(found) } else { self.among_draws(step, shown, judged, knowledge) }
    }

    fn among_draws(
        &mut self,
        step: usize,
        shown: &Shown,
        judged: &Judged,
        knowledge: Knowledge,
    ) -> Result<Option<Evidence>, Error> {
        let Some(mut walk) = drawn_from(knowledge, self.problem, Prior::Tables)? else { return Ok(None) };
        let mut rng = SimRng::for_trial(SEED, "tables with one output", 0);
        let (mut group, mut candidates) = (judged.group(), 0);
        let mut distance = usize::MAX;
        for looked_at in 1..=STEPS {
            self.problem.limits.check_stop()?;
            let before = walk.table().to_vec();
            walk.step(&mut rng);
            // Members are rare among all tables. A step away from them is taken back, so that the
            // walk comes to one, and goes on from there among them.
            let to_here = differences(&self.ladder.shown(step, walk.table()), shown);
            if to_here > distance {
                walk.return_to(before);
                continue;
            }
            distance = to_here;
            if distance > 0 || walk.table() == before && candidates > 0 {
                continue;
            }
            // At later steps a candidate takes a search of its own for each earlier one.
            candidates += 1;
            if step > 0 && candidates > MOST_CANDIDATES {
                return Ok(None);
            }
            let table = walk.table().to_vec();
            if self.add(step, shown, judged, &table, &mut group)? && judged.is_kept(&group, self.problem) {
                let (members, withheld) = (group.members, judged.withheld());
                return Ok(Some(Evidence { is_whole: false, looked_at, members, withheld }));
            }
        }
        Ok(None)
    }

    /// Adds a table to the group, if it is a member.
    pub(super) fn add(
        &mut self,
        step: usize,
        shown: &Shown,
        judged: &Judged,
        table: &[i64],
        group: &mut Group,
    ) -> Result<bool, Error> {
        if self.ladder.shown(step, table) != *shown {
            return Ok(false);
        }
        for earlier in 0..step {
            let own = self.ladder.shown(earlier, table);
            if self.ladder.has_short_line(&own, table) {
                continue;
            }
            self.searches += 1;
            if table.len() > MOST_SMALL && self.searches > MOST_SEARCHES {
                // Fewer members show less, and nothing that is not so.
                return Ok(false);
            }
            if self.stops(earlier, &own, table)?.is_some() {
                return Ok(false);
            }
        }
        group.add(judged, table);
        Ok(true)
    }

    /// What a reader knows.
    fn knowledge(&self, shown: &Shown, table: &[i64]) -> Result<Knowledge, Error> {
        let mut knowledge = self.problem.background.clone();
        for (margin, counts, shown) in self.ladder.published(shown, table) {
            margin.publish(&mut knowledge, &counts, |cell| shown[cell])?;
        }
        Ok(knowledge)
    }

    /// Every table, where there are few.
    fn enumerated(&self, knowledge: &Knowledge) -> Result<Option<Vec<Vec<i64>>>, Error> {
        all_tables(knowledge, MOST_TABLES, self.problem)
    }
}

/// In how many numbers two outputs differ, by what is published of each.
fn differences(one: &Shown, other: &Shown) -> usize {
    one.iter().zip(other).map(|(one, other)| differing_cells(one.as_deref(), other.as_deref())).sum()
}

/// The same of one margin; all its cells where only one output has the margin.
fn differing_cells(one: Option<&[bool]>, other: Option<&[bool]>) -> usize {
    match (one, other) {
        (Some(one), Some(other)) => one.iter().zip(other).filter(|(one, other)| one != other).count(),
        (None, None) => 0,
        (Some(cells), None) | (None, Some(cells)) => cells.len(),
    }
}

/// Every table consistent with what is known, where there are at most `most`.
pub(crate) fn all_tables(
    knowledge: &Knowledge,
    most: u64,
    problem: &ReleaseProblem,
) -> Result<Option<Vec<Vec<i64>>>, Error> {
    if knowledge.grid.cells() > MOST_SMALL && open_cells(knowledge) > MOST_OPEN_CELLS {
        return Ok(None);
    }
    let limits = EnumerationLimits { tables: most, stop: problem.limits.stop.clone() };
    let mut tables = Vec::new();
    match visit_tables(knowledge, &limits, |table| tables.push(table.to_vec())) {
        Ok(()) => Ok(Some(tables)),
        Err(Error::FiberTooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A walk over the tables consistent with what is known, which starts from one of the solver's;
/// `None` above a limit of the solver.
pub(crate) fn drawn_from(
    knowledge: Knowledge,
    problem: &ReleaseProblem,
    prior: Prior,
) -> Result<Option<FiberSampler>, Error> {
    let made = Solver::new(knowledge.bounded()?, problem.limits.clone())
        .and_then(|mut solver| FiberSampler::new(&mut solver, prior));
    match made {
        Ok(walk) => Ok(Some(walk)),
        Err(Error::Stopped) => Err(Error::Stopped),
        // What is above a limit is so for every table with this output.
        Err(_) => Ok(None),
    }
}
