//! The plan: what happens to each margin that was asked for, and why.

use privacy_core::ContingencyTable;

use crate::audit::classes::{Audit, audit};
use crate::planner::action::{Action, Fate, Treatment};
use crate::planner::attack::{self, Told, Violation};
use crate::planner::candidate_recodings::{is_large, options, utility};
use crate::planner::problem::{Basis, Problem, Wanted, truth};
use crate::planner::recoded_margin::Statistic;
use crate::planner::schedule::{Schedule, settle};
use crate::planner::selection::{self, Candidate};
use crate::planner::suppression::{Pattern, Primary, Suppressible, suppress_until};
use crate::solver::Solver;
use crate::table::error::Error;
use frechet_certificate::SparseTable;

/// What would be published. [`release`](ReleasePlan::release) carries it out.
#[derive(Clone, Debug)]
pub struct ReleasePlan {
    pub(crate) problem: Problem,
    pub(crate) actions: Vec<Action>,
    pub(crate) schedule: Option<Schedule>,
    is_optimal: bool,
}

/// Plans a release: exact where that is safe, coarser, incomplete or noised elsewhere.
///
/// On public sizes, every margin has the finest cut whose cells are empty or have `kappa` people; where that leaves one
/// cell and noise is allowed, small cells are noised instead. Counts are not looked at, and the release may miss its policy.
/// On counts, margins and cuts are selected together so that an attacker finds nothing and the utility is largest; then each
/// margin that was left out is tried with cells withheld, then with noise.
///
/// # Errors
/// [`Error::NoPublicSizes`]; [`Error::Unprotectable`] and [`Error::GroupWithinTau`] when what is public already misses the policy; as
/// [`Solver::new`](crate::Solver::new).
pub fn plan(problem: &Problem) -> Result<ReleasePlan, Error> {
    let (mut actions, is_optimal) = match &problem.counts {
        None => (on_public_sizes(problem)?, false),
        Some(table) => on_counts(problem, table)?,
    };
    let schedule = settle(problem, &mut actions)?;
    Ok(ReleasePlan { problem: problem.clone(), actions, schedule, is_optimal })
}

impl ReleasePlan {
    /// What happens to each margin, in the order they were asked for.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The noise, if there is any.
    #[must_use]
    pub fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_ref()
    }

    /// What the plan looked at.
    #[must_use]
    pub fn basis(&self) -> Basis {
        self.problem.basis()
    }

    /// Weight times the logarithm of 1 more than the cells that go out, over all margins.
    #[must_use]
    pub fn utility(&self) -> f64 {
        let shown = |action: &Action| action.fates.iter().filter(|fate| **fate != Fate::Suppressed).count();
        self.actions.iter().map(|action| utility(action.weight, shown(action))).sum()
    }

    /// Whether no selection of the margins and cuts considered keeps more exactly. Never claimed on public sizes, where each
    /// margin is decided by itself, nor for more than 25 candidates.
    #[must_use]
    pub fn is_optimal(&self) -> bool {
        self.is_optimal
    }

    /// What an attacker would learn if the plan were carried out with this table: for the owner's eyes.
    ///
    /// # Errors
    /// [`Error::Shape`] and [`Error::OtherTable`]; as [`audit`].
    pub fn audit(&self, table: &ContingencyTable) -> Result<Audit, Error> {
        let problem = &self.problem;
        problem.checked(table)?;
        let domain = problem.background.domain();
        let mut parts = Vec::new();
        for action in &self.actions {
            if let Some(statistic) = &action.statistic {
                parts.push((statistic, statistic.counts(domain, table)?, &action.fates));
            }
        }
        let is_exact = |fates: &[Fate], cell: usize| fates[cell] == Fate::Exact;
        let tests: Vec<_> = parts.iter().map(|(_, _, fates)| move |cell: usize| is_exact(fates, cell)).collect();
        let told: Vec<Told<'_>> = parts
            .iter()
            .zip(&tests)
            .map(|((statistic, counts, _), is_told)| Told { statistic, counts, is_told })
            .collect();
        let truth = SparseTable::from_dense(&truth(table));
        Ok(attack::attack(problem, &told, &[truth])?.audit)
    }
}

fn on_public_sizes(problem: &Problem) -> Result<Vec<Action>, Error> {
    let kappa = problem.policy.kappa();
    let mut actions = Vec::new();
    for wanted in &problem.wanted {
        let finest = Statistic::finest(problem.background.domain(), wanted.axes)?;
        let sizes = finest.sizes(&problem.background).ok_or(Error::NoPublicSizes)?;
        if is_large(problem, &finest) {
            actions.push(Action::exact(wanted, finest, format!("every cell is empty or has {kappa} people or more")));
            continue;
        }
        let small = sizes.iter().filter(|&&people| people > 0 && people < kappa).count();
        let why = format!("{small} of {} cells have fewer than {kappa} people", sizes.len());
        let best = options(problem, wanted)?.into_iter().next();
        actions.push(match best {
            Some(best) if best.cells() > 1 || problem.noise.is_none() => {
                let kept = format!("{why}; in {} groups all have enough", best.cells());
                Action::exact(wanted, best, kept)
            }
            _ if problem.noise.is_some() => {
                let is_small = |cell: usize| sizes[cell] > 0 && sizes[cell] < kappa;
                Action::noised(wanted, finest, is_small, format!("{why}, and so has every coarser cut"))
            }
            _ => Action::withheld(wanted, format!("{why}, and so has every coarser cut; noise is not allowed")),
        });
    }
    Ok(actions)
}

fn on_counts(problem: &Problem, table: &ContingencyTable) -> Result<(Vec<Action>, bool), Error> {
    let selection = selection::select(problem, table)?;
    let mut told: Vec<&Candidate> = selection.kept.iter().map(|&place| &selection.candidates[place]).collect();
    let mut partial = Vec::new();
    let mut actions = Vec::new();
    for (place, wanted) in problem.wanted.iter().enumerate() {
        let whole =
            told.iter().find(|candidate| candidate.wanted == place).map(|candidate| candidate.statistic.clone());
        let finest = Statistic::finest(problem.background.domain(), wanted.axes)?;
        if problem.suppress && whole.as_ref().is_none_or(|statistic| !statistic.is_finest()) {
            let others: Vec<&Candidate> = told.iter().copied().filter(|candidate| candidate.wanted != place).collect();
            let found = with_cells_withheld(problem, &others, &partial, &finest, table)?;
            let cells = whole.as_ref().map_or(0, Statistic::cells);
            if let Some((counts, pattern)) = found.filter(|(counts, found)| counts.len() - found.withheld.len() > cells)
            {
                let fate = |cell| if pattern.withheld.contains(&cell) { Fate::Suppressed } else { Fate::Exact };
                let fates: Vec<Fate> = (0..finest.cells()).map(fate).collect();
                actions.push(suppressed(wanted, finest.clone(), fates.clone(), &pattern));
                partial.push((finest, counts, fates));
                told = others;
                continue;
            }
        }
        actions.push(whole_or_noised(problem, wanted, whole, finest));
    }
    Ok((actions, selection.is_optimal))
}

fn whole_or_noised(problem: &Problem, wanted: &Wanted, whole: Option<Statistic>, finest: Statistic) -> Action {
    // One number for all is a poor substitute for a margin with noise.
    let is_worth_it = |statistic: &Statistic| statistic.cells() > 1 || finest.cells() == 1 || problem.noise.is_none();
    match whole.filter(is_worth_it) {
        Some(statistic) => {
            let reason = "an attacker who knows all that is published finds no class disclosed";
            Action::exact(wanted, statistic, reason.to_owned())
        }
        None if problem.noise.is_some() => {
            let reason = "published exactly, with what else goes out, it would disclose a class";
            Action::noised(wanted, finest, |_| true, reason.to_owned())
        }
        None => {
            let reason = "published in any cut considered, with what else goes out, it would disclose a class";
            Action::withheld(wanted, reason.to_owned())
        }
    }
}

fn suppressed(wanted: &Wanted, statistic: Statistic, fates: Vec<Fate>, pattern: &Pattern) -> Action {
    let own = pattern.withheld.len() - pattern.secondary.len();
    let lightest =
        if pattern.is_lightest { "the lightest such choice" } else { "perhaps not the lightest such choice" };
    let reason = format!(
        "{own} cells must not be published; {} more are withheld so that the others do not give them away: {lightest}",
        pattern.secondary.len()
    );
    let (axes, treatment) = (wanted.axes.iter().collect(), Treatment::Suppressed);
    Action { axes, treatment, statistic: Some(statistic), fates, reasons: vec![reason], weight: wanted.weight }
}

/// The lightest cells of `statistic` to withhold so that nothing is disclosed; `None` when none will do, or all.
fn with_cells_withheld(
    problem: &Problem,
    told: &[&Candidate],
    partial: &[(Statistic, Vec<u64>, Vec<Fate>)],
    statistic: &Statistic,
    table: &ContingencyTable,
) -> Result<Option<(Vec<u64>, Pattern)>, Error> {
    let domain = problem.background.domain();
    let mut background = problem.background.clone();
    for candidate in told {
        candidate.statistic.publish(&mut background, &candidate.counts, |_| true)?;
    }
    for (statistic, counts, fates) in partial {
        statistic.publish(&mut background, counts, |cell| fates[cell] == Fate::Exact)?;
    }
    let counts = statistic.counts(domain, table)?;
    let cell = |(cell, &count): (usize, &u64)| Suppressible {
        name: statistic.name(domain, cell),
        region: statistic.region(cell),
        count,
        weight: count.max(1),
    };
    let cells: Vec<Suppressible> = counts.iter().enumerate().map(cell).collect();
    let unfit = attack::unfit(problem, statistic, &counts);
    let width = problem.policy.tau().saturating_add(1);
    let primaries: Vec<Primary> =
        (0..cells.len()).filter(|&cell| unfit[cell].is_some()).map(|cell| Primary { cell, width }).collect();
    let found =
        suppress_until(&background, &cells, &primaries, &problem.limits, &mut |solver| disclosures(problem, solver));
    match found {
        Ok(pattern) if pattern.withheld.len() < cells.len() => Ok(Some((counts, pattern))),
        Ok(_) | Err(Error::CannotSuppress { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Classes that are disclosed or unknown.
fn disclosures(problem: &Problem, solver: &mut Solver) -> Result<Vec<Violation>, Error> {
    let found = audit(solver, &problem.policy)?;
    attack::violations(solver, &found)
}
