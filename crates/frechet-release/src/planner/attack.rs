//! Runs the attacker on exactly the numbers that would be published.

use std::collections::BTreeSet;

use crate::audit::classes::{AuditDetail, DisclosureAudit, audit_in_detail};
use crate::audit::derived::{DerivedCell, derived_cells};
use crate::audit::primary::{PrimaryReason, judge};
use crate::audit::rule::{DisclosureRule, DisclosureStatus, Finding};
use crate::engine::linear_program::Limits;
use crate::planner::margin::recoded_margin::RecodedMargin;
use crate::planner::problem::ReleaseProblem;
use crate::solver::{Solver, WithoutFacts};
use crate::table::class::Class;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;
use frechet_certificate::SparseTable;

/// A recoded margin, its counts, and which of its cells are published.
pub(crate) struct DisclosedMargin<'a> {
    pub(crate) margin: &'a RecodedMargin,
    pub(crate) counts: &'a [u64],
    pub(crate) is_published: &'a dyn Fn(usize) -> bool,
}

/// What must not follow from what is published.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A class, which is disclosed or undecided.
    Class(Class),
    /// A difference of published numbers, by name.
    Difference(String),
}

/// Why a class or a difference is disclosed by a selection of margins.
pub(crate) struct Violation {
    pub(crate) subject: Subject,
    /// Rows that together prove it; `None` when a limit was reached instead.
    pub(crate) rows: Option<BTreeSet<usize>>,
    /// Whether publishing the class itself would be fine: it is narrow, and not published.
    pub(crate) is_narrow: bool,
}

/// What the attacker found.
pub(crate) struct AttackResult {
    pub(crate) audit: DisclosureAudit,
    pub(crate) violations: Vec<Violation>,
    /// The rows of each published margin.
    pub(crate) rows: Vec<std::ops::Range<usize>>,
    /// Tables that fit.
    pub(crate) tables: Vec<SparseTable>,
}

/// The background and the published margins as one knowledge, and the rows of each margin.
pub(crate) fn knowledge(
    background: &Knowledge,
    disclosed: &[DisclosedMargin<'_>],
) -> Result<(Knowledge, Vec<std::ops::Range<usize>>), Error> {
    let mut knowledge = background.clone();
    let mut rows = Vec::new();
    for disclosed in disclosed {
        let first = knowledge.system.rows.len();
        disclosed.margin.publish(&mut knowledge, disclosed.counts, disclosed.is_published)?;
        rows.push(first..knowledge.system.rows.len());
    }
    Ok((knowledge.bounded()?, rows))
}

/// The fiber's solver, which starts from the tables given.
pub(crate) fn solver(knowledge: Knowledge, limits: &Limits, tables: &[SparseTable]) -> Result<Solver, Error> {
    let cells = knowledge.grid.cells();
    let mut known = tables.iter().map(|table| table.to_dense(cells));
    let first = known.find(|table| knowledge.system.admits(table));
    let mut solver = match first {
        Some(first) => Solver::with_table(knowledge, limits.clone(), &first)?,
        None => Solver::new(knowledge, limits.clone())?,
    };
    solver.remember(tables)?;
    Ok(solver)
}

pub(crate) fn attack(
    problem: &ReleaseProblem,
    disclosed: &[DisclosedMargin<'_>],
    tables: &[SparseTable],
    detail: AuditDetail,
) -> Result<AttackResult, Error> {
    let (knowledge, rows) = knowledge(&problem.background, disclosed)?;
    let mut solver = solver(knowledge, &problem.limits, tables)?;
    let audit = audit_in_detail(&mut solver, &problem.rule, detail)?;
    let violations = violations(&mut solver, &audit, &problem.rule)?;
    let tables = solver.met().to_vec();
    Ok(AttackResult { audit, violations, rows, tables })
}

/// The findings that are disclosed or unknown, and the differences that violate the rule, each with
/// its proof.
pub(crate) fn violations(
    solver: &mut Solver,
    audit: &DisclosureAudit,
    rule: &DisclosureRule,
) -> Result<Vec<Violation>, Error> {
    let derived = derived_cells(solver.knowledge(), rule, solver.limits())?;
    let disclosed = audit
        .findings
        .iter()
        .filter(|finding: &&Finding| matches!(finding.status, DisclosureStatus::Disclosed | DisclosureStatus::Unknown))
        .map(|finding| violation(solver, finding));
    let mut all = disclosed.collect::<Result<Vec<_>, _>>()?;
    all.extend(derived.into_iter().map(|DerivedCell { name, rows, .. }| Violation {
        subject: Subject::Difference(name),
        rows: Some(rows),
        is_narrow: false,
    }));
    Ok(all)
}

fn violation(solver: &mut Solver, finding: &Finding) -> Result<Violation, Error> {
    let response_axis = solver.knowledge().response_axis();
    let mut fixed: Vec<(usize, usize)> = finding.axes.iter().copied().zip(finding.levels.iter().copied()).collect();
    fixed.extend(response_axis.zip(finding.response));
    fixed.sort_unstable();
    let class =
        Class::new(fixed.iter().map(|&(axis, _)| axis).collect(), fixed.iter().map(|&(_, l)| l).collect::<Vec<_>>());
    let interval = match solver.without_assumptions(&class)? {
        WithoutFacts::Interval(before) => before,
        WithoutFacts::Same | WithoutFacts::Open => solver.interval(&class)?,
    };
    let is_narrow = finding.status == DisclosureStatus::Disclosed && finding.unanimity.is_none();
    let rows = (finding.status == DisclosureStatus::Disclosed).then(|| {
        let mut rows = interval.lower.proof.rows();
        rows.extend(interval.upper.proof.rows());
        rows
    });
    Ok(Violation { subject: Subject::Class(class), rows, is_narrow })
}

/// Primary reasons of all cells of a margin. Where there is a response axis, a margin of profiles
/// alone is public already.
pub(crate) fn primary_reasons(
    problem: &ReleaseProblem,
    margin: &RecodedMargin,
    counts: &[u64],
) -> Vec<Option<PrimaryReason>> {
    if problem.background.response_axis().is_some_and(|response_axis| !margin.axes.contains(&response_axis)) {
        return vec![None; counts.len()];
    }
    let sizes = margin.sizes(&problem.background);
    let people = (0..counts.len()).map(|cell| sizes.as_ref().map(|sizes| sizes[cell]));
    counts.iter().zip(people).map(|(&count, people)| judge(&problem.rule, count, people)).collect()
}
