//! What an exact release contributes to the linkage attack on all parts of a pipeline: its
//! numbers, by attributes' names.

use std::collections::BTreeSet;

use disclosure::frechet::{CategoryGroup, CellStatus, RecodedMargin, ReleasePlan, Treatment};
use disclosure::privacy_core::ContingencyTable;
use ndarray::IxDyn;

use crate::error::JobError;
use crate::exact::error::too_many_cells;
use crate::exact::job::LoadedJob;
use crate::exact::numbers::{ExactNumber, Levels, NoisedNumber, PolicyClass, PublicPopulation, WithheldNumber};
use crate::exact::problem::DisclosedFacts;

/// Every exact number of a plan, and everything that the attacker is assumed to know besides.
pub(super) fn exact_numbers(job: &LoadedJob, plan: &ReleasePlan) -> Result<Vec<ExactNumber>, JobError> {
    let (problem, counted) = (&job.problem, job.counted_levels.as_ref());
    let mut numbers = Vec::new();
    if let Some(people) = &problem.people {
        let margin = RecodedMargin::finest(&problem.domain, problem.profile())?;
        let number = |(cell, &count): (usize, &u64)| ExactNumber {
            is_published: false,
            ..exact_number(job, &margin, cell, count, None)
        };
        numbers.extend(people.cells().iter().enumerate().map(number));
    }
    for action in plan.actions() {
        let Some(margin) = &action.margin else { continue };
        let counts = margin.counts(&problem.domain, job.table()?)?;
        let exact = counts.into_iter().enumerate().filter(|(cell, _)| action.statuses[*cell] == CellStatus::Exact);
        numbers.extend(exact.map(|(cell, count)| exact_number(job, margin, cell, count, counted)));
    }
    let DisclosedFacts { publish, known, .. } = &job.disclosed;
    numbers.extend(publish.iter().map(|fact| fact.exact_number(&problem.domain, counted)));
    let known = known.iter().map(|fact| fact.exact_number(&problem.domain, counted));
    numbers.extend(known.map(|number| ExactNumber { is_published: false, ..number }));
    Ok(numbers)
}

/// Every class in scope of the rule, of each response, that is not publicly empty.
pub(super) fn policy_classes(job: &LoadedJob) -> Result<Vec<PolicyClass>, JobError> {
    let (problem, attributes) = (&job.problem, job.problem.domain.attributes());
    let mut classes = Vec::new();
    for axes in job.rule.scope().sets(problem.profile()) {
        let people = problem.people.as_ref().map(|people| people.marginal(axes)).transpose().map_err(too_many_cells)?;
        let finest = RecodedMargin::finest(&problem.domain, problem.with_response(axes))?;
        for cell in 0..finest.cells() {
            let groups = || finest.axes.iter().zip(finest.groups(cell));
            let profile = groups().filter(|(axis, _)| axes.contains(**axis)).map(|(_, group)| group.levels[0]);
            let index: Vec<usize> = profile.collect();
            let people = people.as_ref().map(|people| people.counts()[IxDyn(&index)]);
            if people == Some(0) {
                continue;
            }
            let labels = groups().map(|(&axis, group)| (attributes[axis].name().to_owned(), group.label.clone()));
            let fixed = levels(job, &finest, cell).into_iter().chain(job.counted_levels.clone()).collect();
            classes.push(PolicyClass { labels: labels.collect(), fixed, people });
        }
    }
    Ok(classes)
}

/// The population table, where that is public and a response is counted.
pub(super) fn public_population(job: &LoadedJob) -> Option<PublicPopulation> {
    let problem = &job.problem;
    problem.people.as_ref()?;
    let name = |axis: usize| problem.domain.attributes()[axis].name().to_owned();
    let response = match (&job.counted_levels, problem.response) {
        (Some((column, _)), _) => column.clone(),
        (None, Some(axis)) => name(axis),
        (None, None) => return None,
    };
    Some(PublicPopulation { response, profile: problem.profile().iter().map(name).collect() })
}

/// Every number of the margins that were asked for that does not leave exactly.
pub(super) fn withheld_numbers(job: &LoadedJob, plan: &ReleasePlan) -> Result<Vec<WithheldNumber>, JobError> {
    let mut all = Vec::new();
    for action in plan.actions() {
        let finest = RecodedMargin::finest(&job.problem.domain, action.axes.iter().copied().collect())?;
        let mut exact = BTreeSet::new();
        if let Some(margin) = action.margin.as_ref().filter(|_| action.treatment != Treatment::Withheld) {
            for (cell, status) in action.statuses.iter().enumerate() {
                let is_group = margin.groups(cell).iter().any(|group| group.levels.len() != 1);
                match status {
                    CellStatus::Exact => drop(exact.insert(levels(job, margin, cell))),
                    // A group that does not leave exactly is a number of its own, besides its
                    // cells.
                    _ if is_group => all.push(withheld_number(job, margin, cell)),
                    _ => {}
                }
            }
        }
        for cell in (0..finest.cells()).filter(|&cell| !exact.contains(&levels(job, &finest, cell))) {
            if !is_publicly_empty(job, &finest, cell)? {
                all.push(withheld_number(job, &finest, cell));
            }
        }
    }
    Ok(all)
}

/// Every number that leaves with noise, and its count.
pub(super) fn noised_numbers(job: &LoadedJob, plan: &ReleasePlan) -> Result<Vec<NoisedNumber>, JobError> {
    let mut numbers = Vec::new();
    for cell in plan.schedule().iter().flat_map(|schedule| &schedule.cells) {
        let Some(margin) = &plan.actions()[cell.action].margin else { continue };
        let counts = margin.counts(&job.problem.domain, job.table()?)?;
        let fixed = levels(job, margin, cell.cell).into_iter().chain(job.counted_levels.clone()).collect();
        let (at, count) = ((cell.action, cell.cell), counts[cell.cell]);
        numbers.push(NoisedNumber { fixed, scale: cell.scale, at, count });
    }
    Ok(numbers)
}

fn exact_number(
    job: &LoadedJob,
    margin: &RecodedMargin,
    cell: usize,
    count: u64,
    counted: Option<&Levels>,
) -> ExactNumber {
    let fixed = levels(job, margin, cell).into_iter().chain(counted.cloned()).collect();
    ExactNumber { fixed, lower: count, upper: count, is_published: true }
}

fn withheld_number(job: &LoadedJob, margin: &RecodedMargin, cell: usize) -> WithheldNumber {
    let label = |group: &CategoryGroup| group.label.clone();
    let fixed = levels(job, margin, cell);
    let labels = fixed.iter().map(|(name, _)| name.clone()).zip(margin.groups(cell).into_iter().map(label));
    let labels = labels.collect();
    WithheldNumber { labels, fixed: fixed.into_iter().chain(job.counted_levels.clone()).collect() }
}

fn levels(job: &LoadedJob, margin: &RecodedMargin, cell: usize) -> Vec<Levels> {
    let attributes = job.problem.domain.attributes();
    let groups = margin.axes.iter().zip(margin.groups(cell));
    groups.map(|(&axis, group)| (attributes[axis].name().to_owned(), group.levels.clone())).collect()
}

/// Whether everybody knows that nobody is in a cell of single levels.
fn is_publicly_empty(job: &LoadedJob, finest: &RecodedMargin, cell: usize) -> Result<bool, JobError> {
    let (Some(people), profile) = (&job.problem.people, job.problem.profile()) else { return Ok(false) };
    let levels = finest.axes.iter().zip(finest.groups(cell)).filter(|(axis, _)| profile.contains(**axis));
    let (axes, index): (Vec<usize>, Vec<usize>) = levels.map(|(&axis, group)| (axis, group.levels[0])).unzip();
    let margin: ContingencyTable = people.marginal(axes.into_iter().collect()).map_err(too_many_cells)?;
    Ok(margin.counts()[IxDyn(&index)] == 0)
}
