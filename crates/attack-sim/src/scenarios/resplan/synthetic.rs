//! Synthetic people: rows that follow from a noisy measurement tell of one person what the
//! measurement does, and no more.
//!
//! The attacker sees the rows alone, and knows everybody else's. Two statistics: the likelihood
//! ratio of the measurement, with tables of the rows in the place of noised ones ([`linear`]), and
//! whether anybody among the rows is like the person ([`lookalike`]). Both controls take real rows
//! and change them, as masking by swaps or by resampling does.

use std::sync::Arc;

use disclosure::resplan::{Design, ExactNoise, Measured, Plan};
use rand_chacha::ChaCha20Rng;
use synthetic_people::{Along, FitSpec, Measurement, Model, ModelSpec, WeightedPeople};

use super::mechanism::Mechanism;
use super::refusal::refused;
use super::setting::Setting;
use super::statistic::{Distinguisher, Statistic};
use crate::prelude::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    plan: Setting,
    loss: LossName,
    /// Categories of the person.
    person: Vec<usize>,
    /// Where "with" begins: a part of the way between the two tables, or a number of rows.
    threshold: f64,
    /// How many people of a model of single attributes are weighted, instead of a model of all
    /// that was measured.
    weighted: Option<usize>,
}

/// What is promised.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LossName {
    Mu,
    Rho,
}

/// Rows that are made of real rows instead of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Every row is a real one, of which one attribute is drawn anew in one of ten.
    RealRowsWithChanges,
    /// As many rows as there are, each a real one drawn with replacement.
    RealRowsResampled,
}

/// Share of rows that [`Fault::RealRowsWithChanges`] changes.
const CHANGED: f64 = 0.1;
/// Steps of weights, as the command takes.
const STEPS: usize = 100;

/// The tables of the rows over every measured set, the whole of them last.
type Tables = Vec<Vec<f64>>;

#[derive(Clone, Debug)]
struct SyntheticRows {
    plan: Arc<Plan>,
    sizes: Vec<usize>,
    without: TableSource,
    with: TableSource,
    /// The counts of the same tables.
    counts: [Vec<u64>; 2],
    weighted: Option<usize>,
    fault: Option<Fault>,
}

impl NeighbouringInputs for SyntheticRows {
    type View = Tables;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<Tables, Error> {
        let (table, counts) = match side {
            Side::Without => (&self.without, &self.counts[0]),
            Side::With => (&self.with, &self.counts[1]),
        };
        let cells = match self.fault {
            None => self.measured_rows(table, &mut release_rng(rng))?,
            Some(fault) => self.changed_rows(counts, fault, rng),
        };
        Ok(self.tables(&cells))
    }
}

impl SyntheticRows {
    /// How many rows there are of every combination: what the crates do.
    fn measured_rows(&self, table: &TableSource, rng: &mut ChaCha20Rng) -> Result<Vec<f64>, Error> {
        let measured = self.plan.duplicate().measure(table, rng).map_err(refused)?;
        let total = measured.cells(AttrSet::EMPTY).map_err(refused)?.sum().max(1.0);
        let residuals = residuals(&measured, &self.sizes)?;
        let (spec, many) = (ModelSpec::new(self.sizes.clone(), total), total.round() as usize);
        let rows = match self.weighted {
            None => Model::fit(&spec, &residuals).map_err(refused)?.rows(many, rng),
            Some(people) => weighted(&spec, &residuals, people, rng)?.rows(many, rng),
        };
        Ok(rows.counts(&self.sizes, AttrSet::first(self.sizes.len())))
    }

    /// The same of real rows with small changes.
    fn changed_rows(&self, counts: &[u64], fault: Fault, rng: &mut SimRng) -> Vec<f64> {
        let rows: Vec<usize> =
            counts.iter().enumerate().flat_map(|(cell, &count)| (0..count).map(move |_| cell)).collect();
        let mut cells = vec![0.0; counts.len()];
        for &row in &rows {
            let row = match fault {
                Fault::RealRowsResampled => rows[rng.random_range(0..rows.len())],
                Fault::RealRowsWithChanges if rng.random::<f64>() < CHANGED => self.changed(row, rng),
                Fault::RealRowsWithChanges => row,
            };
            cells[row] += 1.0;
        }
        cells
    }

    /// The cell of a row, one of whose attributes is drawn anew.
    fn changed(&self, cell: usize, rng: &mut SimRng) -> usize {
        let attribute = rng.random_range(0..self.sizes.len());
        let stride: usize = self.sizes[attribute + 1..].iter().product();
        let now = cell / stride % self.sizes[attribute];
        cell - now * stride + rng.random_range(0..self.sizes[attribute]) * stride
    }

    /// The table of every measured set, and the whole table last.
    fn tables(&self, cells: &[f64]) -> Tables {
        let sets = self.plan.residuals().map(|(set, _)| set);
        let mut tables: Tables = sets.map(|set| sums(&self.sizes, set, cells)).collect();
        tables.push(cells.to_vec());
        tables
    }
}

/// People of a model of single attributes, weighted until everything that was measured fits.
fn weighted(
    spec: &ModelSpec,
    residuals: &[Measurement],
    people: usize,
    rng: &mut ChaCha20Rng,
) -> Result<WeightedPeople, Error> {
    let singles: Vec<Measurement> = residuals.iter().filter(|residual| residual.set.len() == 1).cloned().collect();
    let model = Model::fit(spec, &singles).map_err(refused)?;
    let fit = FitSpec { most_steps: STEPS, ..spec.fit };
    WeightedPeople::fit(&model, people, residuals, fit, rng).map_err(refused)
}

/// What was measured, as the model takes it.
fn residuals(measured: &Measured<ExactNoise>, sizes: &[usize]) -> Result<Vec<Measurement>, Error> {
    let design: &Design = measured.design();
    let sets = design.residuals().filter(|(set, sigma2)| !set.is_empty() && !sigma2.is_zero());
    let measurements = sets.map(|(set, sigma2)| {
        let table = measured.residual(set).map_err(refused)?.into_iter().collect();
        let along = vec![Along::Centred; set.len()];
        Measurement::of_table(sizes, set, along, table, sigma2.to_f64()).map_err(refused)
    });
    measurements.collect()
}

/// The sums of a whole table over a set.
fn sums(sizes: &[usize], set: AttrSet, cells: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; set.iter().map(|attribute| sizes[attribute]).product()];
    for (cell, value) in cells.iter().enumerate() {
        let (mut rest, mut place, mut stride) = (cell, 0, 1);
        for attribute in (0..sizes.len()).rev() {
            if set.contains(attribute) {
                place += rest % sizes[attribute] * stride;
                stride *= sizes[attribute];
            }
            rest /= sizes[attribute];
        }
        sums[place] += value;
    }
    sums
}

/// The two inputs of a scenario.
struct Inputs {
    spec: Spec,
    without: TableSource,
    with: TableSource,
    counts: [Vec<u64>; 2],
}

impl Inputs {
    fn read(blueprint: &Blueprint<'_>) -> Result<Self, Error> {
        let spec: Spec = blueprint.spec()?;
        let rows = spec.plan.rows_per_person;
        let (without, with) = (spec.plan.table()?, spec.plan.table_with(&spec.person, rows)?);
        let counts = [spec.plan.counts()?, spec.plan.counts_with(&spec.person, rows)?];
        Ok(Self { spec, without, with, counts })
    }

    fn loss(&self) -> PrivacyLoss {
        match self.spec.loss {
            LossName::Mu => PrivacyLoss::Mu(self.spec.plan.pcost.sqrt()),
            LossName::Rho => PrivacyLoss::Rho(0.5 * self.spec.plan.pcost),
        }
    }

    fn rows(&self, fault: Option<Fault>, has_person: bool) -> Result<SyntheticRows, Error> {
        let [nobody, person] = self.counts.clone();
        Ok(SyntheticRows {
            plan: Arc::new(self.spec.plan.plan(|_| Ok(()))?),
            sizes: self.spec.plan.sizes.clone(),
            without: self.without.clone(),
            with: if has_person { &self.with } else { &self.without }.clone(),
            counts: [nobody.clone(), if has_person { person } else { nobody }],
            weighted: self.spec.weighted,
            fault,
        })
    }
}

pub(super) fn linear(blueprint: &Blueprint<'_>) -> Built {
    let inputs = Inputs::read(blueprint)?;
    let mechanism = Mechanism::new(&inputs.spec.plan, None)?;
    let statistic = Statistic::between(&mechanism, &inputs.without, &inputs.with)?;
    let distinguisher = Distinguisher { threshold: inputs.spec.threshold * statistic.mu, statistic };
    blueprint.privacy_loss(
        inputs.loss(),
        |fault: Option<Fault>, has_person| inputs.rows(fault, has_person),
        // The whole table, which comes last, was not measured.
        move |tables, _| distinguisher.says_with(&[tables[..tables.len() - 1].to_vec()]),
    )
}

pub(super) fn lookalike(blueprint: &Blueprint<'_>) -> Built {
    let inputs = Inputs::read(blueprint)?;
    let (place, least) = (inputs.spec.plan.place(&inputs.spec.person)?, inputs.spec.threshold);
    blueprint.privacy_loss(
        inputs.loss(),
        |fault: Option<Fault>, has_person| inputs.rows(fault, has_person),
        move |tables, _| tables.last().is_some_and(|whole| whole[place] >= least),
    )
}
