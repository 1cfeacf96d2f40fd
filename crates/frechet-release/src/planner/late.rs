//! The plan on counts whose time is over: what can be kept without a search.
//!
//! What was not decided counts as disclosed, so it is withheld. Margins without a cell that must be
//! withheld are published whole, those of the largest utility first, as long as closed forms give
//! the ends of every class: margins that fall apart. Their attacker takes time in proportion to the
//! classes, so the plan follows shortly after its time is over.

use privacy_core::ContingencyTable;

use crate::audit::classes::{AuditDetail, audit_in_detail};
use crate::planner::action::MarginAction;
use crate::planner::attack::primary_reasons;
use crate::planner::candidate_recodings::utility;
use crate::planner::margin::recoded_margin::RecodedMargin;
use crate::planner::problem::{ReleaseProblem, RequestedMargin, truth};
use crate::solver::Solver;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;

/// What happens to each margin, in the order of the requests.
pub(crate) fn kept_without_search(
    problem: &ReleaseProblem,
    table: &ContingencyTable,
) -> Result<Vec<MarginAction>, Error> {
    let mut parts = Vec::new();
    for requested in &problem.requested {
        let finest = RecodedMargin::finest(problem.background.domain(), requested.axes)?;
        let counts = finest.counts(problem.background.domain(), table)?;
        parts.push((requested, finest, counts));
    }
    let mut order: Vec<usize> = (0..parts.len()).collect();
    let useful = |&place: &usize| utility(parts[place].0.weight, parts[place].1.cells());
    order.sort_by(|one, other| useful(other).total_cmp(&useful(one)));
    let (mut known, mut is_kept) = (problem.background.clone(), vec![false; parts.len()]);
    for place in order {
        let (_, finest, counts) = &parts[place];
        if primary_reasons(problem, finest, counts).iter().any(Option::is_some) {
            continue;
        }
        let mut more = known.clone();
        finest.publish(&mut more, counts, |_| true)?;
        if is_undisclosed(problem, &more, table)? {
            (known, is_kept[place]) = (more, true);
        }
    }
    Ok(parts
        .into_iter()
        .zip(is_kept)
        .map(|((requested, finest, _), is_kept)| action(problem, requested, finest, is_kept))
        .collect())
}

/// Whether the attacker finds nothing, where closed forms say so.
fn is_undisclosed(problem: &ReleaseProblem, known: &Knowledge, table: &ContingencyTable) -> Result<bool, Error> {
    let mut solver = Solver::with_table(known.clone().bounded()?, problem.limits.clone(), &truth(table))?;
    if !solver.is_decomposable() {
        return Ok(false);
    }
    Ok(audit_in_detail(&mut solver, &problem.rule, AuditDetail::Status)?.meets(problem.target))
}

fn action(problem: &ReleaseProblem, requested: &RequestedMargin, finest: RecodedMargin, is_kept: bool) -> MarginAction {
    let late = "the time limit of the plan was reached before this was decided";
    if is_kept {
        let reason = format!("{late}; published completely, because closed forms show that it discloses nothing");
        return MarginAction::exact(requested, finest, reason);
    }
    let reason = format!("{late}; what is not decided counts as disclosed");
    match problem.noise {
        Some(_) => MarginAction::noised(requested, finest, |_| true, reason),
        None => MarginAction::withheld(requested, reason),
    }
}
