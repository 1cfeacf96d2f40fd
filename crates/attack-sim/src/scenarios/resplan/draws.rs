//! Many releases of one table: are answers unbiased, and are all variances and covariances those
//! of the plan?
//!
//! `e_i` the error of answer i over its planned standard deviation. Claims: the mean of `e_i` is
//! 0, that of `e_i e_j` is the planned correlation, for all answers of all marginals; and in
//! every release marginals add up to each other.

use disclosure::resplan::Design;
use serde::de::DeserializeOwned;

use super::mechanism::{Fault, Mechanism, Released};
use super::refusal::refused;
use super::setting::Setting;
use crate::prelude::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    plan: Setting,
}

/// Whose table errors are taken from.
#[derive(Clone, Copy, Debug)]
pub(super) enum People {
    /// Those in the data.
    Inside,
    /// As many others.
    Outside,
}

/// What is measured of a release.
pub(super) trait Check: Send + Sync + 'static {
    /// `truth` are the exact answers about the people in question, table after table.
    fn measure(&self, released: &Released, truth: &[f64], measured: &mut [Option<f64>]);
}

/// One table that is released again and again, with the exact answers about its people and about
/// as many others.
#[derive(Clone, Debug)]
pub(super) struct OneTable<C> {
    mechanism: Mechanism,
    table: TableSource,
    inside: Vec<f64>,
    outside: Vec<f64>,
    check: C,
}

impl<C> OneTable<C> {
    /// The others are those of the table read backwards.
    pub(super) fn new(setting: &Setting, mechanism: Mechanism, check: C) -> Result<Self, Error> {
        let table = setting.table()?;
        let mut counts = setting.counts()?;
        counts.reverse();
        let outside = exact_answers(&mechanism, &setting.table_of(counts)?)?.concat();
        let inside = exact_answers(&mechanism, &table)?.concat();
        Ok(Self { mechanism, table, inside, outside, check })
    }
}

/// What is planned of the errors of all answers.
#[derive(Clone, Debug)]
struct Planned {
    deviations: Vec<f64>,
    /// Pairs of answers, each with their correlation.
    correlations: Vec<(usize, usize, f64)>,
    names: Vec<String>,
    shapes: Vec<(AttrSet, Vec<usize>)>,
}

impl<C: Check> Audit for OneTable<C> {
    type World = People;
    type View = Released;
    type Answer = Released;

    fn world(&self, _: &mut SimRng) -> Result<People, Error> {
        Ok(People::Inside)
    }

    fn view(&self, _: &People, rng: &mut SimRng) -> Result<Released, Error> {
        self.mechanism.release(&self.table, &mut release_rng(rng))
    }

    fn outsiders(&self, _: &People, _: &mut SimRng) -> People {
        People::Outside
    }

    fn measure(&self, people: &People, released: &Released, measured: &mut [Option<f64>]) {
        let truth = match people {
            People::Inside => &self.inside,
            People::Outside => &self.outside,
        };
        self.check.measure(released, truth, measured);
    }
}

/// The attacker takes the answers that are released; blind, all are 0.
pub(super) fn scenario<F: DeserializeOwned, C: Check>(
    blueprint: &Blueprint<'_>,
    quantities: Vec<Quantity>,
    audit: impl Fn(Option<F>) -> Result<OneTable<C>, Error>,
) -> Built {
    blueprint.trials(quantities, audit, |released, _| released.clone(), |released, _| zeros_like(released))
}

impl Check for Planned {
    fn measure(&self, released: &Released, truth: &[f64], measured: &mut [Option<f64>]) {
        let answers = released.answers.iter().flatten();
        let errors: Vec<f64> =
            answers.zip(truth).zip(&self.deviations).map(|((answer, truth), sd)| (answer - truth) / sd).collect();
        let products = self.correlations.iter().map(|&(i, j, _)| errors[i] * errors[j]);
        let numbers = std::iter::once(f64::from(adds_up(&self.shapes, &released.cells)))
            .chain(errors.iter().copied())
            .chain(products);
        measured.iter_mut().zip(numbers).for_each(|(place, number)| *place = Some(number));
    }
}

impl Planned {
    fn of(mechanism: &Mechanism) -> Result<Self, Error> {
        let plan = mechanism.promised();
        let (mut deviations, mut names, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        for &set in mechanism.sets() {
            let covariance = plan.covariance_matrix(set, set).map_err(refused)?;
            deviations.extend(covariance.diag().iter().map(|variance| variance.sqrt()));
            names.extend((0..covariance.nrows()).map(|answer| format!("{set:?} {answer}")));
            shapes.push((set, plan.domain().shape(set)));
        }
        // What is published exactly has errors of 0, in counts.
        deviations.iter_mut().filter(|sd| **sd == 0.0).for_each(|sd| *sd = 1.0);
        let correlations = correlations(plan, mechanism.sets(), &deviations)?;
        Ok(Self { deviations, correlations, names, shapes })
    }

    fn quantities(&self) -> Result<Vec<Quantity>, Error> {
        let adds_up = Quantity::exactly("marginals add up to each other", 1.0);
        let bias = self.names.iter().map(|name| {
            let claim = Claim::exactly(0.0)?;
            Ok::<_, Error>(Quantity::mean(format!("bias of {name}"), claim))
        });
        let product = self.correlations.iter().map(|&(i, j, correlation)| {
            let name = format!("covariance of {} and {}", self.names[i], self.names[j]);
            Ok(Quantity::mean(name, Claim::exactly(correlation)?))
        });
        std::iter::once(adds_up).chain(bias).chain(product).collect()
    }
}

/// The planned correlation of every pair of answers, an answer with itself included.
fn correlations(plan: &Design, sets: &[AttrSet], deviations: &[f64]) -> Result<Vec<(usize, usize, f64)>, Error> {
    let mut all = Vec::new();
    let mut row = 0;
    for &one in sets {
        let (mut column, mut rows) = (0, 0);
        for &other in sets {
            let covariance = plan.covariance_matrix(one, other).map_err(refused)?;
            let entries = covariance.indexed_iter().map(|((i, j), covariance)| (row + i, column + j, *covariance));
            all.extend(entries.filter(|(i, j, _)| i <= j).map(|(i, j, c)| (i, j, c / deviations[i] / deviations[j])));
            column += covariance.ncols();
            rows = covariance.nrows();
        }
        row += rows;
    }
    Ok(all)
}

/// Rounding of sums, of counts of some thousands.
const ROUNDING: f64 = 1e-6;

/// Whether the counts over every set, summed over one attribute, are those over the others; where
/// all attributes are measured together, whether they add up to the total.
pub(super) fn adds_up(shapes: &[(AttrSet, Vec<usize>)], tables: &[Vec<f64>]) -> bool {
    shapes.iter().zip(tables).all(|((set, shape), cells)| {
        set.iter().enumerate().all(|(place, attribute)| {
            let inner: usize = shape[place + 1..].iter().product();
            let others = set.minus(AttrSet::single(attribute));
            let smaller = shapes.iter().position(|(other, _)| *other == others);
            let Some(smaller) = smaller else { return shapes.len() == 2 && adds_up_to_the_total(cells, &tables[0]) };
            tables[smaller].iter().enumerate().all(|(at, sum)| {
                let first = at / inner * inner * shape[place] + at % inner;
                let total: f64 = (0..shape[place]).map(|category| cells[first + category * inner]).sum();
                (total - sum).abs() <= ROUNDING
            })
        })
    })
}

fn adds_up_to_the_total(cells: &[f64], total: &[f64]) -> bool {
    total.len() == 1 && (cells.iter().sum::<f64>() - total[0]).abs() <= ROUNDING
}

/// The exact answers about every measured set.
fn exact_answers(mechanism: &Mechanism, table: &TableSource) -> Result<Vec<Vec<f64>>, Error> {
    let truth = mechanism.truth(table)?;
    Ok(mechanism.sets().iter().zip(&truth).map(|(&set, cells)| mechanism.answers(set, cells)).collect())
}

/// A release of the same shape that answers 0 everywhere.
fn zeros_like(released: &Released) -> Released {
    let mut zeros = released.clone();
    zeros.cells.iter_mut().chain(&mut zeros.answers).for_each(|table| table.fill(0.0));
    zeros
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { plan } = blueprint.spec()?;
    let planned = Planned::of(&Mechanism::new(&plan, None)?)?;
    scenario(blueprint, planned.quantities()?, |fault: Option<Fault>| {
        OneTable::new(&plan, Mechanism::new(&plan, fault)?, planned.clone())
    })
}
