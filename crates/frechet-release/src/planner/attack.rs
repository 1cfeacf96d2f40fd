//! The attacker run on what would be published: exactly those numbers, nothing else.

use std::collections::BTreeSet;

use crate::audit::classes::{Audit, audit};
use crate::audit::primary::{Unfit, judge};
use crate::audit::rule::{Finding, Verdict};
use crate::engine::linear_program::Limits;
use crate::planner::problem::Problem;
use crate::planner::recoded_margin::Statistic;
use crate::solver::{Before, Solver};
use crate::table::class::Class;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;
use frechet_certificate::SparseTable;

/// A statistic, its counts, and which of its cells an attacker is told.
pub(crate) struct Told<'a> {
    pub(crate) statistic: &'a Statistic,
    pub(crate) counts: &'a [u64],
    pub(crate) is_told: &'a dyn Fn(usize) -> bool,
}

/// Why a class or a cell must not go out like that.
pub(crate) struct Violation {
    pub(crate) class: Class,
    /// Rows that together prove it; `None` when a limit was reached instead.
    pub(crate) rows: Option<BTreeSet<usize>>,
    /// Whether publishing the class itself would be fine: it is narrow, and not published.
    pub(crate) is_narrow: bool,
}

/// What the attacker found.
pub(crate) struct Attacked {
    pub(crate) audit: Audit,
    pub(crate) violations: Vec<Violation>,
    /// For each statistic told, its rows.
    pub(crate) rows: Vec<std::ops::Range<usize>>,
    /// Tables that fit.
    pub(crate) tables: Vec<SparseTable>,
}

/// The background and what is told, and the rows of each statistic.
pub(crate) fn knowledge(
    background: &Knowledge,
    told: &[Told<'_>],
) -> Result<(Knowledge, Vec<std::ops::Range<usize>>), Error> {
    let mut knowledge = background.clone();
    let mut rows = Vec::new();
    for told in told {
        let first = knowledge.system.rows.len();
        told.statistic.publish(&mut knowledge, told.counts, told.is_told)?;
        rows.push(first..knowledge.system.rows.len());
    }
    Ok((knowledge.bounded()?, rows))
}

/// The fiber's solver, which starts from the tables given.
pub(crate) fn solver(knowledge: Knowledge, limits: &Limits, tables: &[SparseTable]) -> Result<Solver, Error> {
    let mut solver = Solver::new(knowledge, *limits)?;
    solver.remember(tables)?;
    Ok(solver)
}

pub(crate) fn attack(problem: &Problem, told: &[Told<'_>], tables: &[SparseTable]) -> Result<Attacked, Error> {
    let (knowledge, rows) = knowledge(&problem.background, told)?;
    let mut solver = solver(knowledge, &problem.limits, tables)?;
    let audit = audit(&mut solver, &problem.policy)?;
    let violations = violations(&mut solver, &audit)?;
    let tables = solver.met().to_vec();
    Ok(Attacked { audit, violations, rows, tables })
}

/// The findings that are disclosed or unknown, each with its proof.
pub(crate) fn violations(solver: &mut Solver, audit: &Audit) -> Result<Vec<Violation>, Error> {
    let is_bad = |finding: &&Finding| matches!(finding.verdict, Verdict::Disclosed | Verdict::Unknown);
    audit.findings.iter().filter(is_bad).map(|finding| violation(solver, finding)).collect()
}

fn violation(solver: &mut Solver, finding: &Finding) -> Result<Violation, Error> {
    let vote = solver.knowledge().vote_axis();
    let mut fixed: Vec<(usize, usize)> = finding.axes.iter().copied().zip(finding.levels.iter().copied()).collect();
    fixed.extend(vote.zip(finding.candidate));
    fixed.sort_unstable();
    let class =
        Class::new(fixed.iter().map(|&(axis, _)| axis).collect(), fixed.iter().map(|&(_, l)| l).collect::<Vec<_>>());
    let interval = match solver.before_facts(&class)? {
        Before::Interval(before) => before,
        Before::Same | Before::Open => solver.interval(&class)?,
    };
    let proved = || {
        let mut rows = interval.lower.proof.rows();
        rows.extend(interval.upper.proof.rows());
        rows
    };
    let is_narrow = finding.verdict == Verdict::Disclosed && finding.unanimity.is_none();
    let rows = (finding.verdict == Verdict::Disclosed).then(proved);
    Ok(Violation { class, rows, is_narrow })
}

/// The same for all cells of a statistic. A statistic of profiles alone, where votes are an axis, is public as it is.
pub(crate) fn unfit(problem: &Problem, statistic: &Statistic, counts: &[u64]) -> Vec<Option<Unfit>> {
    if problem.background.vote_axis().is_some_and(|vote| !statistic.axes.contains(&vote)) {
        return vec![None; counts.len()];
    }
    let sizes = statistic.sizes(&problem.background);
    let people = |cell: usize| sizes.as_ref().map(|sizes| sizes[cell]);
    counts.iter().enumerate().map(|(cell, &count)| judge(&problem.policy, count, people(cell))).collect()
}
