//! What is published about noise and cost: the scales of noised cells, and what one budget is
//! charged for them and has left. Do these numbers alone tell whether a row is there?
//!
//! Both plans decide on the rows: on how many people there are of each kind, or on the counts.
//! The attacker knows all rows but one, computes what would be published without it and with it,
//! and compares. Which cells are noised is not part of the promise, so only scales of margins
//! that are noised either way are compared. A **guarantee**, of no loss at all: nothing here is
//! drawn.

use disclosure::frechet::{DisclosureRule, NoisedCell, ReleasePlan, ReleaseProblem, Scope, plan};
use disclosure::privacy_core::accounting::{BudgetAccountant, Neighbours, PureNoise, zcdp};
use disclosure::privacy_core::param::Rho;

use super::electorate::{Composition, Electorate};
use super::releases::noise_budget;
use crate::prelude::*;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    shape: Vec<usize>,
    /// People by cell, without the row.
    people: Vec<u64>,
    /// How many of them are counted; a row that comes is.
    counted: Vec<u64>,
    margins: Vec<Vec<usize>>,
    /// Smallest number of people that is published exactly.
    kappa: u64,
    /// Whether the plan decides on the counts; otherwise on the numbers of people.
    #[serde(default)]
    decides_on_counts: bool,
    epsilon: f64,
    rho: f64,
    /// The cell of the row.
    person: usize,
    /// The cell of the row that it replaces; a row is added or removed without it.
    replaces: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The budget is divided among the noised cells, as far as people who are there share them,
    /// and what the dearest of them cost is charged.
    DividedAmongThePeopleThere,
    /// Noise is charged where it is drawn.
    ChargedWhereDrawn,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    if spec.person >= spec.people.len() || spec.people.len() != spec.shape.iter().product::<usize>() {
        return Err(blueprint.refuse("the row is in no cell, or a cell has no number of people"));
    }
    let computed = [None, Some(Fault::DividedAmongThePeopleThere), Some(Fault::ChargedWhereDrawn)]
        .map(|fault| (fault, [false, true].map(|has_row| published(&spec, has_row, fault).ok())));
    blueprint.privacy_loss(
        PrivacyLoss::Epsilon { epsilon: 0.0, delta: 0.0 },
        |fault: Option<Fault>, has_row| {
            Ok(Published { views: [published(&spec, false, fault)?, published(&spec, has_row, fault)?], fault })
        },
        move |view, _| {
            let of_program = computed.iter().find(|(fault, _)| *fault == view.fault);
            let Some((_, [Some(without), Some(with)])) = of_program else { return false };
            !with.agrees(without) && with.agrees(view)
        },
    )
}

struct Published {
    views: [View; 2],
    fault: Option<Fault>,
}

/// What is published about noise and cost.
#[derive(Clone)]
struct View {
    /// The scale of the noise of each margin, where any of its cells has noise.
    scales: Vec<Option<f64>>,
    /// What is charged for it and what is left; `None` where the charge is refused.
    charged: Option<[f64; 2]>,
    /// How the release was made: the attacker knows the program.
    fault: Option<Fault>,
}

impl View {
    fn agrees(&self, other: &Self) -> bool {
        let mut scales = self.scales.iter().zip(&other.scales);
        self.charged == other.charged && scales.all(|(a, b)| a.is_none() || b.is_none() || a == b)
    }
}

impl NeighbouringInputs for Published {
    type View = View;

    fn view(&self, side: Side, _: &mut SimRng) -> Result<View, Error> {
        Ok(View { fault: self.fault, ..self.views[usize::from(side == Side::With)].clone() })
    }
}

fn published(spec: &Spec, has_row: bool, fault: Option<Fault>) -> Result<View, Error> {
    let divides_among_people = fault == Some(Fault::DividedAmongThePeopleThere);
    let problem = problem(spec, has_row, divides_among_people)?;
    let planned = plan(&problem)?;
    let row_epsilon = match fault {
        None => problem.requested_noise()?.map_or(0.0, |noise| noise.row_epsilon),
        Some(_) => dearest(&planned),
    };
    let charged = charged(spec, row_epsilon);
    let scales = (0..spec.margins.len()).map(|margin| noised(&planned, margin).map(|cell| cell.scale).next());
    Ok(View { scales: scales.collect(), charged, fault })
}

fn problem(spec: &Spec, has_row: bool, divides_among_people: bool) -> Result<ReleaseProblem, Error> {
    let (mut people, mut counted) = (spec.people.clone(), spec.counted.clone());
    if has_row {
        people[spec.person] += 1;
        counted[spec.person] += 1;
        if let Some(replaced) = spec.replaces {
            people[replaced] -= 1;
            counted[replaced] -= 1;
        }
    }
    let margins = spec.margins.iter().map(|axes| axes.iter().copied().collect()).collect();
    let electorate = Electorate {
        shape: spec.shape.clone(),
        composition: Composition::Capacities(people),
        counts: counted,
        margins,
    };
    let rule = DisclosureRule::new(0, 0.01, spec.kappa, Scope::All)?;
    let problem = electorate.problem(rule)?.allow_noise(noise_budget(spec.epsilon)?);
    if spec.decides_on_counts {
        return Ok(problem.decide_on_counts(&electorate.table())?);
    }
    Ok(if divides_among_people { problem } else { problem.divide_over_all_cells() })
}

/// The noised cells of a margin.
fn noised(planned: &ReleasePlan, margin: usize) -> impl Iterator<Item = &NoisedCell> {
    planned.schedule().into_iter().flat_map(|schedule| &schedule.cells).filter(move |cell| cell.action == margin)
}

/// The sum over the margins of the largest epsilon of a noised cell.
fn dearest(planned: &ReleasePlan) -> f64 {
    let margins = 0..planned.actions().len();
    margins.map(|margin| noised(planned, margin).map(|cell| cell.epsilon).fold(0.0, f64::max)).sum()
}

/// What one budget is charged for the noise, and what it has left for other parts.
fn charged(spec: &Spec, row_epsilon: f64) -> Option<[f64; 2]> {
    let mut budget = BudgetAccountant::new(Rho::new(spec.rho).ok()?);
    let neighbours = if spec.replaces.is_some() { Neighbours::Replace } else { Neighbours::AddRemove };
    let noise = PureNoise { row_epsilon };
    let rho = match noise.epsilon_per_person(neighbours, 1) {
        Ok(epsilon) => zcdp::from_pure(epsilon).ok()?.get(),
        // Nothing is noised.
        Err(_) => 0.0,
    };
    budget.charge("exact", rho).ok()?;
    Some([budget.spent(), budget.remaining()])
}
