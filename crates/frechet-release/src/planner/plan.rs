//! The plan: what happens to each requested margin, and why.

use privacy_core::ContingencyTable;

use crate::audit::classes::{AuditDetail, DisclosureAudit, audit_in_detail};
use crate::engine::linear_program::MOST_SMALL;
use crate::planner::action::{CellStatus, MarginAction, Treatment};
use crate::planner::attack::{self, DisclosedMargin, Violation};
use crate::planner::candidate_recodings::{is_large, options, utility};
use crate::planner::large::{LargeMargin, SmallNumbers, withheld_in_large};
use crate::planner::late::kept_without_search;
use crate::planner::margin::recoded_margin::RecodedMargin;
use crate::planner::problem::{DecisionData, ReleaseProblem, RequestedMargin, truth};
use crate::planner::robust::search::{Evidence, robust};
use crate::planner::schedule::{NoiseSchedule, settle};
use crate::planner::selection::{self, Candidate};
use crate::planner::suppression::{PrimaryCell, SuppressibleCell, SuppressionPattern, suppress_until};
use crate::solver::Solver;
use crate::table::error::Error;
use frechet_certificate::SparseTable;

/// A plan: for every requested margin, what would be published of it, and why.
/// [`release`](ReleasePlan::release) carries it out.
#[derive(Clone, Debug)]
pub struct ReleasePlan {
    pub(crate) problem: ReleaseProblem,
    pub(crate) actions: Vec<MarginAction>,
    pub(crate) schedule: Option<NoiseSchedule>,
    /// Of a robust plan that publishes anything exactly.
    pub(crate) evidence: Option<Evidence>,
    is_optimal: bool,
    /// Whether its time was over: what was not decided is withheld.
    pub(crate) is_late: bool,
    /// Tables that the numbers published allow, with which an audit starts.
    tables: Vec<SparseTable>,
}

/// Plans a release: exact where that is safe, coarser, incomplete or noised elsewhere.
///
/// On public sizes, every margin has the finest recoding whose cells are empty or have at least
/// the minimum frequency; where that leaves one cell and noise is allowed, small cells are noised
/// instead. The plan does not use the counts, and the release may miss its target. On counts,
/// margins and recodings are selected together so that an attacker finds nothing and the utility
/// is largest; then each margin that was left out is tried with cells withheld, then with noise. A
/// robust plan withholds blocks of cells, larger ones until a reader who knows the planner gains
/// nothing by that; a margin of which no block remains is noised where that is allowed.
///
/// There is a plan on counts when the time of [`Limits::deadline`](crate::Limits::deadline) is over
/// as well: what was not decided counts as disclosed, and only margins leave whose attacker needs
/// no search. A robust plan has none, since its rule is a function of the table and not of time.
///
/// # Errors
/// [`Error::OutOfTime`] for a robust plan; [`Error::NoPublicSizes`]; [`Error::Unprotectable`] and
/// [`Error::GroupWithinIntervalWidth`]
/// when what is public already breaks the rule; as [`Solver::new`](crate::Solver::new).
pub fn plan(problem: &ReleaseProblem) -> Result<ReleasePlan, Error> {
    match (planned(problem), &problem.counts, problem.basis) {
        (Err(Error::OutOfTime), Some(table), DecisionData::Counts) => {
            let mut actions = kept_without_search(problem, table)?;
            let schedule = settle(problem, &mut actions)?;
            Ok(ReleasePlan { schedule, is_late: true, ..ReleasePlan::drawn(problem.clone(), actions) })
        }
        (found, ..) => found,
    }
}

fn planned(problem: &ReleaseProblem) -> Result<ReleasePlan, Error> {
    let (mut evidence, mut tables) = (None, Vec::new());
    let (mut actions, is_optimal) = match (&problem.counts, problem.basis) {
        (None, _) => (on_public_sizes(problem)?, false),
        (Some(table), DecisionData::Robust) => {
            let found = robust(problem, &truth(table))?;
            evidence = found.evidence;
            (found.actions, false)
        }
        (Some(table), _) if is_large_pattern(problem) => (on_many_counts(problem, table, &mut tables)?, false),
        (Some(table), _) => on_counts(problem, table)?,
    };
    // What was not decided in time counted as disclosed, so more may be withheld than with more
    // time, and nobody could replay that.
    problem.limits.check_deadline()?;
    let schedule = settle(problem, &mut actions)?;
    Ok(ReleasePlan { problem: problem.clone(), actions, schedule, evidence, is_optimal, is_late: false, tables })
}

impl ReleasePlan {
    /// The plan of a pattern that was drawn.
    pub(crate) fn drawn(problem: ReleaseProblem, actions: Vec<MarginAction>) -> Self {
        let (is_optimal, is_late) = (false, false);
        Self { problem, actions, schedule: None, evidence: None, is_optimal, is_late, tables: Vec::new() }
    }

    /// What happens to each margin, in the order of the requests.
    #[must_use]
    pub fn actions(&self) -> &[MarginAction] {
        &self.actions
    }

    /// The noise, if there is any.
    #[must_use]
    pub fn schedule(&self) -> Option<&NoiseSchedule> {
        self.schedule.as_ref()
    }

    /// What the plan looked at.
    #[must_use]
    pub fn decision_data(&self) -> DecisionData {
        self.problem.decision_data()
    }

    /// Weight times the logarithm of 1 more than the cells that are published, over all margins.
    #[must_use]
    pub fn utility(&self) -> f64 {
        let shown =
            |action: &MarginAction| action.statuses.iter().filter(|status| **status != CellStatus::Suppressed).count();
        self.actions.iter().map(|action| utility(action.weight, shown(action))).sum()
    }

    /// Whether no selection of the margins and recodings considered keeps more exactly. Never
    /// claimed on public sizes, where each margin is decided by itself, of robust plans, nor for
    /// more than 25 candidates.
    #[must_use]
    pub fn is_optimal(&self) -> bool {
        self.is_optimal
    }

    /// What an attacker would learn if the plan were carried out with this table: for the owner's
    /// eyes.
    ///
    /// # Errors
    /// [`Error::Shape`] and [`Error::OtherTable`]; as [`audit`](crate::audit).
    pub fn audit(&self, table: &ContingencyTable) -> Result<DisclosureAudit, Error> {
        let problem = &self.problem;
        problem.checked(table)?;
        let domain = problem.background.domain();
        let mut parts = Vec::new();
        for action in &self.actions {
            if let Some(margin) = &action.margin {
                parts.push((margin, margin.counts(domain, table)?, &action.statuses));
            }
        }
        let tests: Vec<_> =
            parts.iter().map(|(_, _, statuses)| move |cell: usize| statuses[cell] == CellStatus::Exact).collect();
        let disclosed: Vec<DisclosedMargin<'_>> = parts
            .iter()
            .zip(&tests)
            .map(|((margin, counts, _), is_published)| DisclosedMargin { margin, counts, is_published })
            .collect();
        let mut known = vec![SparseTable::from_dense(&truth(table))];
        known.extend(self.tables.iter().cloned());
        Ok(attack::attack(problem, &disclosed, &known, AuditDetail::of(&problem.background))?.audit)
    }
}

fn on_public_sizes(problem: &ReleaseProblem) -> Result<Vec<MarginAction>, Error> {
    let min_frequency = problem.rule.min_frequency();
    let mut actions = Vec::new();
    for requested in &problem.requested {
        let finest = RecodedMargin::finest(problem.background.domain(), requested.axes)?;
        let sizes = finest.sizes(&problem.background).ok_or(Error::NoPublicSizes)?;
        if is_large(problem, &finest) {
            actions.push(MarginAction::exact(
                requested,
                finest,
                format!("every cell is empty or has {min_frequency} people or more"),
            ));
            continue;
        }
        let small = sizes.iter().filter(|&&people| people > 0 && people < min_frequency).count();
        let why = format!("{small} of {} cells have fewer than {min_frequency} people", sizes.len());
        let best = options(problem, requested)?.into_iter().next();
        actions.push(match best {
            Some(best) if best.cells() > 1 || problem.noise.is_none() => {
                let kept = format!("{why}; merged into {} groups, all have enough", best.cells());
                MarginAction::exact(requested, best, kept)
            }
            _ if problem.noise.is_some() => {
                let is_small = |cell: usize| sizes[cell] > 0 && sizes[cell] < min_frequency;
                MarginAction::noised(
                    requested,
                    finest,
                    is_small,
                    format!("{why}, and the same holds for every coarser recoding"),
                )
            }
            _ => MarginAction::withheld(
                requested,
                format!("{why}, and the same holds for every coarser recoding; noise is not allowed"),
            ),
        });
    }
    Ok(actions)
}

fn on_counts(problem: &ReleaseProblem, table: &ContingencyTable) -> Result<(Vec<MarginAction>, bool), Error> {
    let selection = selection::select(problem, table)?;
    let mut disclosed: Vec<&Candidate> = selection.kept.iter().map(|&place| &selection.candidates[place]).collect();
    let mut partial = Vec::new();
    let mut actions = Vec::new();
    for (place, requested) in problem.requested.iter().enumerate() {
        let whole =
            disclosed.iter().find(|candidate| candidate.requested == place).map(|candidate| candidate.margin.clone());
        let finest = RecodedMargin::finest(problem.background.domain(), requested.axes)?;
        if problem.suppress && whole.as_ref().is_none_or(|margin| !margin.is_finest()) {
            let others: Vec<&Candidate> =
                disclosed.iter().copied().filter(|candidate| candidate.requested != place).collect();
            let found = with_cells_withheld(problem, &others, &partial, &finest, table)?;
            let cells = whole.as_ref().map_or(0, RecodedMargin::cells);
            if let Some((counts, pattern)) = found.filter(|(counts, found)| counts.len() - found.withheld.len() > cells)
            {
                let status =
                    |cell| if pattern.withheld.contains(&cell) { CellStatus::Suppressed } else { CellStatus::Exact };
                let statuses: Vec<CellStatus> = (0..finest.cells()).map(status).collect();
                actions.push(suppressed(requested, finest.clone(), statuses.clone()));
                partial.push((finest, counts, statuses));
                disclosed = others;
                continue;
            }
        }
        actions.push(whole_or_noised(problem, requested, whole, finest));
    }
    Ok((actions, selection.is_optimal))
}

/// Whether all margins get one pattern: those of a large table, of which nobody knows the people.
fn is_large_pattern(problem: &ReleaseProblem) -> bool {
    let background = &problem.background;
    problem.suppress && background.grid.cells() > MOST_SMALL && !background.has_people()
}

fn on_many_counts(
    problem: &ReleaseProblem,
    table: &ContingencyTable,
    tables: &mut Vec<SparseTable>,
) -> Result<Vec<MarginAction>, Error> {
    let (margins, found) = withheld_in_large(problem, table, SmallNumbers::ByRule)?;
    *tables = found;
    let parts = problem.requested.iter().zip(margins);
    Ok(parts.map(|(requested, own)| large_action(problem, requested, own)).collect())
}

fn large_action(problem: &ReleaseProblem, requested: &RequestedMargin, own: LargeMargin) -> MarginAction {
    if !own.is_withheld.contains(&false) {
        whole_or_noised(problem, requested, None, own.finest)
    } else if own.is_withheld.contains(&true) {
        let statuses = own.is_withheld.iter().map(|withheld| CellStatus::of_shown(&!withheld)).collect();
        suppressed(requested, own.finest, statuses)
    } else {
        whole_or_noised(problem, requested, Some(own.finest.clone()), own.finest)
    }
}

fn whole_or_noised(
    problem: &ReleaseProblem,
    requested: &RequestedMargin,
    whole: Option<RecodedMargin>,
    finest: RecodedMargin,
) -> MarginAction {
    // One number for all is a poor substitute for a margin with noise.
    match whole.filter(|margin: &RecodedMargin| margin.cells() > 1 || finest.cells() == 1 || problem.noise.is_none()) {
        Some(margin) => {
            let reason = "an attacker who knows everything published finds that no class is disclosed";
            MarginAction::exact(requested, margin, reason.to_owned())
        }
        None if problem.noise.is_some() => {
            let reason = "published exactly, together with the other numbers, it would disclose a class";
            MarginAction::noised(requested, finest, |_| true, reason.to_owned())
        }
        None => {
            let reason =
                "published in any recoding considered, together with the other numbers, it would disclose a class";
            MarginAction::withheld(requested, reason.to_owned())
        }
    }
}

fn suppressed(requested: &RequestedMargin, margin: RecodedMargin, statuses: Vec<CellStatus>) -> MarginAction {
    // Reasons leave with the release. How many cells must be withheld by themselves, and how many
    // protect those, would tell small counts from others.
    let reason = format!(
        "{} of {} cells are withheld, so that neither they nor a class follow from what is published",
        statuses.iter().filter(|status| **status == CellStatus::Suppressed).count(),
        statuses.len()
    );
    let (axes, treatment) = (requested.axes.iter().collect(), Treatment::Suppressed);
    MarginAction { axes, treatment, margin: Some(margin), statuses, reasons: vec![reason], weight: requested.weight }
}

/// The lightest cells of `margin` to suppress so that nothing is disclosed; `None` when no
/// pattern works, or only that of all cells.
fn with_cells_withheld(
    problem: &ReleaseProblem,
    disclosed: &[&Candidate],
    partial: &[(RecodedMargin, Vec<u64>, Vec<CellStatus>)],
    margin: &RecodedMargin,
    table: &ContingencyTable,
) -> Result<Option<(Vec<u64>, SuppressionPattern)>, Error> {
    let domain = problem.background.domain();
    let mut background = problem.background.clone();
    for candidate in disclosed {
        candidate.margin.publish(&mut background, &candidate.counts, |_| true)?;
    }
    for (margin, counts, statuses) in partial {
        margin.publish(&mut background, counts, |cell| statuses[cell] == CellStatus::Exact)?;
    }
    let counts = margin.counts(domain, table)?;
    let cell = |(cell, &count): (usize, &u64)| SuppressibleCell {
        name: margin.name(domain, cell),
        region: margin.region(cell),
        count,
        weight: count.max(1),
    };
    let cells: Vec<SuppressibleCell> = counts.iter().enumerate().map(cell).collect();
    let primary_reasons = attack::primary_reasons(problem, margin, &counts);
    let width = problem.rule.min_interval_width().saturating_add(1);
    let primaries: Vec<PrimaryCell> = (0..cells.len())
        .filter(|&cell| primary_reasons[cell].is_some())
        .map(|cell| PrimaryCell { cell, width })
        .collect();
    let found =
        suppress_until(&background, &cells, &primaries, &problem.limits, &mut |solver| disclosures(problem, solver));
    match found {
        Ok(pattern) if pattern.withheld.len() < cells.len() => Ok(Some((counts, pattern))),
        Ok(_) | Err(Error::CannotSuppress { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Classes that are disclosed or unknown.
fn disclosures(problem: &ReleaseProblem, solver: &mut Solver) -> Result<Vec<Violation>, Error> {
    let found = audit_in_detail(solver, &problem.rule, AuditDetail::Status)?;
    attack::violations(solver, &found, &problem.rule)
}
