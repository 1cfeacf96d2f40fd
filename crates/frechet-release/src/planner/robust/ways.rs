//! Members of a group that are sought one by one, each on a way from the one before.
//!
//! A member shows a count that has one value among those found so far when it has another value
//! there. Such a table is sought on a way through counts below zero
//! ([`BlockMoves::seek`](crate::engine::markov_moves::BlockMoves::seek)), which keeps what is
//! published, and running the planner on it says whether it is a member. The next way starts from
//! there, so that the tables become more and more different and show counts besides those that
//! were sought.
//!
//! The first table is one that the solver makes of what is published, and every choice is seeded,
//! so all of this is a function of what is published.

use privacy_core::rng::{SimRng, below};

use super::group::{Group, Judged};
use super::ladder::Shown;
use super::search::{Evidence, Search};
use crate::engine::linear_program::SearchEnd;
use crate::engine::markov_moves::BlockMoves;
use crate::engine::sought::{FEW_STEPS, MOST_STEPS, SOME_STEPS, Wanted};
use crate::planner::problem::ReleaseProblem;
use crate::solver::Solver;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;
use crate::table::system::System;

/// Seeds the ways. Part of the planner: a reader who runs it goes the same ways.
const SEED: u64 = 0;
/// Ways to a first table with the pattern, and steps of each.
const MOST_REPAIRS: usize = 400;
/// Tables with the pattern that are asked whether they stop at an earlier step, and ways from one
/// to the next.
const MOST_STARTS: usize = 4;
const WAYS_BETWEEN: usize = 200;
/// Ways to members with another value of one count.
const MOST_TRIES: usize = 8;
/// Tables that may turn out to be no members, and tables for each member, before the search ends.
const MOST_MISSES: u64 = 256;
const OF_MEMBERS: u64 = 4;
/// Counts of a large table that short ways may leave, for longer ones to be tried. Where they leave
/// more, some of these counts are narrow.
const MOST_LEFT: usize = 128;

/// A table consistent with what is published, and ways from it to others.
struct Ways<'a> {
    moves: BlockMoves,
    system: &'a System,
    table: Vec<i64>,
    rng: SimRng,
    end: SearchEnd,
}

impl<'a> Ways<'a> {
    /// From a table of the solver; `None` above a limit of it, or where there are no moves.
    fn new(knowledge: &'a Knowledge, problem: &ReleaseProblem) -> Result<Option<Self>, Error> {
        let Some(moves) = BlockMoves::by_margins(knowledge) else { return Ok(None) };
        let made = Solver::new(knowledge.clone().bounded()?, problem.limits.clone())
            .and_then(|mut solver| solver.tables())
            .map(|tables| tables.first().map(|table| table.to_dense(knowledge.grid.cells())));
        let table = match made {
            Ok(Some(table)) => table,
            Err(Error::Stopped) => return Err(Error::Stopped),
            // What is above a limit is so for every table with this output.
            Ok(None) | Err(_) => return Ok(None),
        };
        let rng = SimRng::for_trial(SEED, "ways between tables with one output", 0);
        let end = problem.limits.search_end();
        Ok(Some(Self { moves, system: &knowledge.system, table, rng, end }))
    }

    /// A table with a wanted sum, if one is found within some steps.
    fn sought(&mut self, wanted: &Wanted<'_>, steps: usize) -> Option<Vec<i64>> {
        let made = self.moves.seek(&mut self.table, wanted, steps, (&mut self.rng, &self.end))?;
        let mut table = self.table.clone();
        made.into_iter().for_each(|(cell, more)| table[cell as usize] += more);
        self.system.admits(&table).then_some(table)
    }

    /// Goes some ways anywhere.
    fn wander(&mut self, ways: usize) {
        self.moves.roam(&mut self.table, self.system, ways, (&mut self.rng, &self.end));
    }
}

impl Search<'_> {
    /// Whether the rule holds among the members that ways lead to.
    pub(super) fn among_ways(
        &mut self,
        step: usize,
        shown: &Shown,
        judged: &Judged,
        knowledge: &Knowledge,
    ) -> Result<Option<Evidence>, Error> {
        let Some(mut ways) = Ways::new(knowledge, self.problem)? else { return Ok(None) };
        let mut group = judged.group();
        let mut looked_at = 0;
        for start in 0..MOST_STARTS {
            if start > 0 {
                ways.wander(WAYS_BETWEEN);
            }
            if !self.has_pattern(step, shown, &mut ways)? {
                return Ok(None);
            }
            looked_at += 1;
            let table = ways.table.clone();
            if self.add(step, shown, judged, &table, &mut group)? {
                break;
            }
        }
        if group.members == 0 {
            return Ok(None);
        }
        for steps in [FEW_STEPS, SOME_STEPS, MOST_STEPS] {
            let left = judged.open(&group, self.problem);
            if steps > FEW_STEPS && left.len() > MOST_LEFT {
                return Ok(None);
            }
            for open in left {
                looked_at += self.widen(step, shown, (judged, open), &mut group, (&mut ways, steps))?;
                if looked_at > MOST_MISSES + OF_MEMBERS * group.members {
                    return Ok(None);
                }
                if steps == MOST_STEPS && !judged.is_wide(open, &group, self.problem) {
                    return Ok(None);
                }
            }
        }
        let (members, withheld) = (group.members, judged.withheld());
        let is_kept = judged.is_kept(&group, self.problem);
        Ok(is_kept.then_some(Evidence { is_whole: false, looked_at, members, withheld }))
    }

    /// Goes to a table with the pattern of a step; `false` where none is found.
    fn has_pattern(&self, step: usize, shown: &Shown, ways: &mut Ways<'_>) -> Result<bool, Error> {
        let goal = i64::try_from(self.ladder.least(step)).unwrap_or(i64::MAX) - 1;
        for _ in 0..MOST_REPAIRS {
            self.problem.limits.check_stop()?;
            // A block is withheld for a small count, which the table must have as well.
            let missing = missing(&self.ladder.shown(step, &ways.table), shown);
            if missing.is_empty() {
                return Ok(self.ladder.shown(step, &ways.table) == *shown);
            }
            let (place, cell) = missing[below(missing.len(), &mut ways.rng)];
            let cells = self.ladder.cells_of(place, cell);
            let table = ways.sought(&Wanted { cells: &cells, sign: -1, goal }, FEW_STEPS);
            if let Some(table) = table {
                ways.table = table;
            }
        }
        Ok(false)
    }

    /// Looks for a member with another count; how many tables were looked at.
    fn widen(
        &mut self,
        step: usize,
        shown: &Shown,
        (judged, open): (&Judged, (usize, usize)),
        group: &mut Group,
        (ways, steps): (&mut Ways<'_>, usize),
    ) -> Result<u64, Error> {
        let width = i64::try_from(self.problem.rule.min_interval_width()).unwrap_or(i64::MAX);
        let mut looked_at = 0;
        for attempt in 0..2 * MOST_TRIES {
            self.problem.limits.check_stop()?;
            let (cells, (least, most)) = judged.sought(open, group);
            if most - least > width {
                break;
            }
            // Up, then down.
            let sign = if attempt % 2 == 0 { 1 } else { -1 };
            let goal = if sign > 0 { least.saturating_add(width + 1) } else { most.saturating_sub(width + 1) };
            if goal < 0 {
                continue;
            }
            let Some(table) = ways.sought(&Wanted { cells: &cells, sign, goal }, steps) else {
                // What takes long to miss is not tried again.
                if attempt > 0 {
                    break;
                }
                continue;
            };
            looked_at += 1;
            if self.add(step, shown, judged, &table, group)? {
                ways.table = table;
            }
        }
        Ok(looked_at)
    }
}

/// The numbers that one output publishes and the other withholds.
fn missing(own: &Shown, wanted: &Shown) -> Vec<(usize, usize)> {
    let mut missing = Vec::new();
    for (place, (own, wanted)) in own.iter().zip(wanted).enumerate() {
        let Some(own) = own else { continue };
        let is_wanted = |cell: usize| wanted.as_ref().is_some_and(|wanted| wanted[cell]);
        missing.extend((0..own.len()).filter(|&cell| own[cell] && !is_wanted(cell)).map(|cell| (place, cell)));
    }
    missing
}
