//! Which noise each noised cell gets.
//!
//! By default the budget is divided among the noised cells, as far as people of the public table
//! share them. A plan on the counts divides over all cells of the domain, and so does a plan
//! whose noise is charged for a row: see [`RequestedNoise`].

use std::collections::BTreeSet;

use privacy_core::noise::DiscreteLaplace;
use privacy_core::round;

use crate::planner::action::{CellStatus, MarginAction, Treatment};
use crate::planner::noise::allocation::allocate;
use crate::planner::noise::by_request::{RequestedNoise, epsilon_of, laplace_of_share};
use crate::planner::noise::row_space::{Combination, NamedRow, RowSpace};
use crate::planner::noise::statement::{Change, NoiseStatement, compose};
use crate::planner::problem::{NoiseBudget, NoiseDivision, ReleaseProblem};
use crate::table::error::Error;

/// The noise of one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NoisedCell {
    /// Position of its margin among the actions.
    pub action: usize,
    /// Position of the cell in its margin.
    pub cell: usize,
    /// Its share of the budget.
    pub epsilon: f64,
    /// The scale of its discrete Laplace noise, in counts: `1 / epsilon`.
    pub scale: f64,
    /// The variance of the noise, in counts squared: `1 / (2 sinh(epsilon / 2)^2)`.
    pub variance: f64,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) noise: DiscreteLaplace,
}

/// The noise of a plan.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NoiseSchedule {
    /// One entry a noised cell, in the order of the actions.
    pub cells: Vec<NoisedCell>,
    /// What the noise promises.
    pub statement: NoiseStatement,
    /// How much smaller the loss might be with another division of the budget, relative to it:
    /// certified.
    pub gap: f64,
}

/// Refuses noise that exact numbers cancel, and allocates the budget to the other noised cells.
pub(crate) fn settle(problem: &ReleaseProblem, actions: &mut [MarginAction]) -> Result<Option<NoiseSchedule>, Error> {
    let Some(noise) = problem.noise else { return Ok(None) };
    while let Some((place, cell, combination)) = void(problem, actions)? {
        refuse(problem, &mut actions[place], cell, &combination);
    }
    let noised: Vec<(usize, usize)> =
        actions.iter().enumerate().flat_map(|(place, action)| cells(place, action, CellStatus::Noised)).collect();
    if noised.is_empty() {
        return Ok(None);
    }
    match problem.noise_division() {
        NoiseDivision::AllCells => over_all_cells(problem, actions, &noised).map(Some),
        NoiseDivision::NoisedCells => over_noised_cells(problem, actions, &noised, &noise).map(Some),
    }
}

/// Every cell has the noise that its margin has in any plan of this request.
fn over_all_cells(
    problem: &ReleaseProblem,
    actions: &[MarginAction],
    noised: &[(usize, usize)],
) -> Result<NoiseSchedule, Error> {
    let RequestedNoise { margins, statement, .. } =
        problem.requested_noise()?.expect("a noised cell has a budget of noise");
    let cells = noised.iter().map(|&at| noised_cell(at, margins[at.0])).collect();
    // Anybody may be in any cell: which classes are empty is not for a published sentence.
    let (rows, is_empty) = exact_rows(problem, actions)?;
    let has_neighbours = has_neighbours(problem, actions, &rows, &vec![false; is_empty.len()])?;
    Ok(NoiseSchedule { cells, statement: NoiseStatement { has_neighbours, ..statement }, gap: 0.0 })
}

/// The cells that are noised share the budget where a person of the public table is in several.
fn over_noised_cells(
    problem: &ReleaseProblem,
    actions: &[MarginAction],
    noised: &[(usize, usize)],
    noise: &NoiseBudget,
) -> Result<NoiseSchedule, Error> {
    let persons = persons(problem, actions, noised)?;
    let has_exact = !exact_rows(problem, actions)?.0.is_empty();
    let change = Change::of(has_exact && has_data(problem, actions), problem.background.response_axis().is_some());
    let weights: Vec<f64> = noised.iter().map(|&(place, _)| actions[place].weight).collect();
    let budget = noise.epsilon.get() / f64::from(change.sensitivity());
    let division = allocate(&weights, &persons, budget, noise.loss, &problem.limits.stop);
    problem.limits.check_stop()?;
    // Scales are rounded up to few bits, so a share that is a hair too large usually still fits:
    // tried first, for round scales.
    for nudge in [1.0 + 1e-8, 1.0, 1.0 - 1e-8] {
        let shares: Vec<f64> = division.shares.iter().map(|share| share * nudge).collect();
        let cells =
            noised.iter().zip(&shares).map(|(&at, &share)| cell_noise(at, share)).collect::<Result<Vec<_>, _>>()?;
        let (rows, is_empty) = exact_rows(problem, actions)?;
        let has_neighbours = has_neighbours(problem, actions, &rows, &is_empty)?;
        let statement = statement(noise, change, &persons, &cells, has_neighbours)?;
        if statement.epsilon <= noise.epsilon.get() {
            return Ok(NoiseSchedule { cells, statement, gap: division.gap() });
        }
    }
    unreachable!("a share that is a hundred millionth smaller outweighs the rounding of a sum")
}

fn cells(place: usize, action: &MarginAction, status: CellStatus) -> impl Iterator<Item = (usize, usize)> {
    (0..action.statuses.len()).filter(move |&cell| action.statuses[cell] == status).map(move |cell| (place, cell))
}

fn cell_noise(at: (usize, usize), share: f64) -> Result<NoisedCell, Error> {
    Ok(noised_cell(at, laplace_of_share(share)?))
}

fn noised_cell((action, cell): (usize, usize), noise: DiscreteLaplace) -> NoisedCell {
    let scale = noise.scale().to_f64();
    let half = (0.5 / scale).sinh();
    NoisedCell { action, cell, epsilon: epsilon_of(&noise), scale, variance: 0.5 / (half * half), noise }
}

fn statement(
    noise: &NoiseBudget,
    change: Change,
    persons: &[Vec<usize>],
    cells: &[NoisedCell],
    has_neighbours: bool,
) -> Result<NoiseStatement, Error> {
    let sensitivity = change.sensitivity();
    let spent: Vec<Vec<f64>> = persons.iter().map(|numbers| epsilons(numbers, cells, sensitivity)).collect();
    let most = spent.iter().map(|epsilons| round::sum_up(epsilons)).fold(0.0, f64::max);
    let at_delta = match noise.delta {
        None => None,
        Some(delta) => {
            let all: Vec<_> = spent.iter().map(|epsilons| compose(epsilons, delta)).collect::<Result<_, _>>()?;
            all.into_iter().reduce(|a, b| {
                let (basic, advanced) = (a.basic.max(b.basic), a.advanced.max(b.advanced));
                crate::planner::noise::statement::ComposedEpsilon { basic, advanced, zcdp: a.zcdp.max(b.zcdp), ..a }
            })
        }
    };
    Ok(NoiseStatement { change, sensitivity, has_neighbours, epsilon: most, budget: noise.epsilon, at_delta })
}

/// The epsilons of the noised numbers that a person is in, each as often as the change moves it.
fn epsilons(numbers: &[usize], cells: &[NoisedCell], sensitivity: u32) -> Vec<f64> {
    let once: Vec<f64> = numbers.iter().map(|&number| cells[number].epsilon).collect();
    once.repeat(sensitivity as usize)
}

/// A noised cell whose exact count follows from exact numbers.
fn void(problem: &ReleaseProblem, actions: &[MarginAction]) -> Result<Option<(usize, usize, Combination)>, Error> {
    if actions.iter().all(|action| !action.statuses.contains(&CellStatus::Noised)) {
        return Ok(None);
    }
    let (rows, is_empty) = exact_rows(problem, actions)?;
    let span = RowSpace::new(&rows, &is_empty, &problem.limits.stop)?;
    for (place, action) in actions.iter().enumerate() {
        let Some(margin) = &action.margin else { continue };
        for (_, cell) in cells(place, action, CellStatus::Noised) {
            let asked = margin.region(cell).cells(&problem.background.grid)?;
            if let Some(combination) = span.combination(&asked) {
                return Ok(Some((place, cell, combination)));
            }
        }
    }
    Ok(None)
}

/// One more cell of the margin gets noise, the smallest of those from which the exact count
/// follows; or the margin is withheld.
fn refuse(problem: &ReleaseProblem, action: &mut MarginAction, cell: usize, combination: &Combination) {
    let margin = action.margin.as_ref().expect("a noised cell has a statistic");
    let domain = problem.background.domain();
    let words = format!(
        "noise only on {} would be undone by exact numbers: it is {}",
        margin.name(domain, cell),
        combination.in_names()
    );
    let named: BTreeSet<String> = combination.rows_named().cloned().collect();
    let is_used =
        |&other: &usize| action.statuses[other] == CellStatus::Exact && named.contains(&margin.name(domain, other));
    let sizes = margin.sizes(&problem.background);
    let people = |cell: &usize| sizes.as_ref().map_or(0, |sizes| sizes[*cell]);
    let partner = (0..action.statuses.len()).filter(is_used).filter(|cell| people(cell) > 0).min_by_key(people);
    match partner {
        Some(partner) => {
            action.reasons.push(format!("{words}; so {} has noise as well", margin.name(domain, partner)));
            action.statuses[partner] = CellStatus::Noised;
        }
        None => {
            action.reasons.push(format!("{words}; so nothing of it is published"));
            action.treatment = Treatment::Withheld;
            action.margin = None;
            action.statuses.clear();
        }
    }
}

/// Rows that are known exactly, and cells that are known to be empty: both from public sizes and
/// the plan alone.
fn exact_rows(problem: &ReleaseProblem, actions: &[MarginAction]) -> Result<(Vec<NamedRow>, Vec<bool>), Error> {
    let system = problem.background.system();
    let exact = system.rows().iter().filter(|row| row.lower() == row.upper());
    let mut is_empty: Vec<bool> = system.capacity().iter().map(|&most| most == 0).collect();
    exact.clone().filter(|row| row.upper() == 0).flat_map(|row| row.cells()).for_each(|&c| is_empty[c as usize] = true);
    let mut rows: Vec<(String, Vec<u32>)> = exact.map(|row| (row.name().to_owned(), row.cells().to_vec())).collect();
    for action in actions {
        let Some(margin) = &action.margin else { continue };
        for (_, cell) in cells(0, action, CellStatus::Exact) {
            let own = margin.region(cell).cells(&problem.background.grid)?;
            rows.push((margin.name(problem.background.domain(), cell), own));
        }
    }
    Ok((rows.into_iter().enumerate().map(|(place, (name, cells))| (place, name, cells)).collect(), is_empty))
}

/// Whether any exact number is about responses, beyond the public population table.
fn has_data(problem: &ReleaseProblem, actions: &[MarginAction]) -> bool {
    let grid = &problem.background.grid;
    let of_composition = problem.background.response_axis().map_or(0, |_| grid.classes(problem.background.profile()));
    problem.background.system().rows().len() > of_composition
        || actions.iter().any(|action| action.statuses.contains(&CellStatus::Exact))
}

/// For every kind of person there is, the noised numbers that they are in.
fn persons(
    problem: &ReleaseProblem,
    actions: &[MarginAction],
    noised: &[(usize, usize)],
) -> Result<Vec<Vec<usize>>, Error> {
    let (_, is_empty) = exact_rows(problem, actions)?;
    let mut of_cell = vec![Vec::new(); is_empty.len()];
    for (number, &(place, cell)) in noised.iter().enumerate() {
        let margin = actions[place].margin.as_ref().expect("a noised cell has a statistic");
        margin.region(cell).cells(&problem.background.grid)?.iter().for_each(|&c| of_cell[c as usize].push(number));
    }
    let occupied = of_cell.into_iter().zip(&is_empty).filter(|(numbers, is_empty)| !**is_empty && !numbers.is_empty());
    let kinds: BTreeSet<Vec<usize>> = occupied.map(|(numbers, _)| numbers).collect();
    Ok(kinds.into_iter().collect())
}

/// Whether two occupied cells are in the same exact rows and in different noised ones.
fn has_neighbours(
    problem: &ReleaseProblem,
    actions: &[MarginAction],
    rows: &[NamedRow],
    is_empty: &[bool],
) -> Result<bool, Error> {
    let mut exact: Vec<Vec<usize>> = vec![Vec::new(); is_empty.len()];
    rows.iter().for_each(|(row, _, cells)| cells.iter().for_each(|&c| exact[c as usize].push(*row)));
    let mut all = exact.clone();
    let mut number = rows.len();
    for action in actions {
        let Some(margin) = &action.margin else { continue };
        for (_, cell) in cells(0, action, CellStatus::Noised) {
            let own = margin.region(cell).cells(&problem.background.grid)?;
            own.iter().for_each(|&c| all[c as usize].push(number));
            number += 1;
        }
    }
    Ok(kinds(exact, is_empty) < kinds(all, is_empty))
}

/// How many different sets of rows the occupied cells are in.
fn kinds(rows_of_cell: Vec<Vec<usize>>, is_empty: &[bool]) -> usize {
    let occupied = rows_of_cell.into_iter().zip(is_empty).filter(|(_, is_empty)| !**is_empty);
    occupied.map(|(kind, _)| kind).collect::<BTreeSet<_>>().len()
}
