//! One table, real or skewed on purpose: is the accuracy that is predicted for it the accuracy
//! that attackers measure?
//!
//! Only the noise is drawn anew. A trial agrees when the measured accuracy is within a margin of
//! the prediction.

use std::fs::File;

use disclosure::screen::{
    Classes, CodedColumn, Column, Records, ScreenLimits, ScreenSpec, Suppression, TableScreen, UniformNoise,
};
use label_attack::{
    AttackLimits, FeatureTable, LabelGuess, LabelRelease, LabelView, LabelWorld, Population, predict_labels,
};
use privacy_data::{CsvOptions, DomainFile, Microdata, read_csv};

use super::players::{PortfolioAttacker, blind, limits};
use super::predictor::{Fault, Predictor};
use crate::audit::Attacker;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    /// Below `fixtures`.
    table: String,
    domain: String,
    target: String,
    known: Vec<String>,
    suppress_below: u64,
    noise: u32,
    margin: f64,
    within: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Skewed {
    rows: u64,
    classes: usize,
    /// How frequent the values of each column are.
    frequencies: Vec<Vec<f64>>,
    suppress_below: u64,
    noise: u32,
    margin: f64,
    within: f64,
}

/// The fault of a prediction for a table whose label depends on the known columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DependentFault {
    /// Labels are taken for independent of the known columns, beyond the floor.
    LabelsIndependent,
}

/// The seed of the releases that quick attackers are asked about, as in a screening.
const SEED: u64 = 1;

/// Builds the scenario of a real table whose label depends on the known columns.
pub(super) fn build_dependent(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let table = Table::read(blueprint, &spec)?;
    let release = LabelRelease::of_screen(&table.model)?;
    let quick = predict_labels(table.world.clone(), &release, &AttackLimits::quick(), SEED)?;
    let quick = quick.map_or_else(Vec::new, |found| found.trials);
    let quick = quick.iter().map(|trial| trial.strongest().0).sum::<f64>() / quick.len() as f64;
    let attacker = PortfolioAttacker::with_suppressed(limits());
    let within = Claim::at_least(spec.within)?;
    blueprint.trials(
        vec![Quantity::share("releases within the margin", within)?],
        |fault| {
            let predicted = match fault {
                None => quick,
                Some(DependentFault::LabelsIndependent) => table.estimate,
            };
            let (world, release) = (table.world.clone(), release.clone());
            Ok(TableAudit { world, release, predicted, margin: spec.margin, limits: limits() })
        },
        move |view, rng| attacker.answer(view, rng),
        |view, _| blind(view),
    )
}

/// Builds the scenario of a real table.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    judged(blueprint, &Table::read(blueprint, &spec)?, spec.margin, spec.within)
}

/// Builds the scenario of a table that is made up once, from values that are not equally
/// frequent.
pub(super) fn build_skewed(blueprint: &Blueprint<'_>) -> Built {
    let spec: Skewed = blueprint.spec()?;
    judged(blueprint, &Table::skewed(blueprint, &spec)?, spec.margin, spec.within)
}

fn judged(blueprint: &Blueprint<'_>, table: &Table, margin: f64, within: f64) -> Built {
    let attacker = PortfolioAttacker::new(limits());
    blueprint.trials(
        vec![Quantity::share("releases within the margin", Claim::at_least(within)?)?],
        |fault| {
            let (world, release) = (table.world.clone(), LabelRelease::of_screen(&table.model)?);
            Ok(TableAudit { world, release, predicted: table.predicted(fault)?, margin, limits: limits() })
        },
        move |view, rng| attacker.answer(view, rng),
        |view, _| blind(view),
    )
}

/// A table, the model of one like it, and what is predicted of the table itself.
struct Table {
    world: LabelWorld,
    model: ScreenSpec,
    estimate: f64,
}

impl Table {
    fn read(blueprint: &Blueprint<'_>, spec: &Spec) -> Result<Self, Error> {
        let rows = read_rows(blueprint, &spec.table, &spec.domain)?;
        let known = spec.known.iter().map(|name| column(blueprint, &rows, name)).collect::<Result<Vec<_>, _>>()?;
        let (labels, classes) = column(blueprint, &rows, &spec.target)?;
        let coded = known.iter().map(|(codes, cardinality)| CodedColumn { codes, cardinality: *cardinality });
        let columns: Vec<CodedColumn<'_>> = coded.collect();
        let records = Records::new(&columns, CodedColumn { codes: &labels, cardinality: classes }, None)?;
        let model = records.model(Suppression::ClassCount(spec.suppress_below), UniformNoise::uniform(spec.noise))?;
        let estimate = TableScreen::of(&records, &model, &ScreenLimits::default())?.estimate.accuracy;
        let features = FeatureTable::new(known.into_iter().map(|(codes, _)| codes).collect())?;
        let world = LabelWorld::of_table(features, labels, model.classes().shares())?;
        Ok(Self { world, model, estimate })
    }

    fn skewed(blueprint: &Blueprint<'_>, spec: &Skewed) -> Result<Self, Error> {
        let columns = spec.frequencies.iter().map(|frequencies| Column::with_frequencies(frequencies));
        let suppression = Suppression::ClassCount(spec.suppress_below);
        let classes = Classes::equal(spec.classes)?;
        let columns = columns.collect::<Result<_, _>>()?;
        let model = ScreenSpec::new(spec.rows, columns, classes, suppression, UniformNoise::uniform(spec.noise))?;
        let mut rng = SimRng::for_trial(blueprint.entry.seed, "screen: skewed table", 0);
        let world = LabelWorld::draw(&Population::of_screen(&model)?, &mut rng);
        let estimate = Predictor::Estimate.predict(&model, None)?;
        Ok(Self { world, model, estimate })
    }

    fn predicted(&self, fault: Option<Fault>) -> Result<f64, Error> {
        fault.map_or(Ok(self.estimate), |fault| Predictor::Estimate.predict(&self.model, Some(fault)))
    }
}

/// The values of an attribute in every row, and how many there may be.
fn column(blueprint: &Blueprint<'_>, rows: &Microdata, name: &str) -> Result<(Vec<u32>, usize), Error> {
    let place = rows.domain().index_of(name).map_err(|error| blueprint.refuse(error))?;
    Ok((rows.codes(place).collect(), rows.domain().cardinality(place)))
}

/// The rows of a table below `fixtures`; each is one person.
fn read_rows(blueprint: &Blueprint<'_>, table: &str, domain: &str) -> Result<Microdata, Error> {
    let schema = DomainFile::load(&blueprint.root.join(domain))
        .and_then(DomainFile::into_schema)
        .map_err(|error| blueprint.refuse(format!("{domain}: {error}")))?;
    let file = File::open(blueprint.root.join(table)).map_err(|error| blueprint.refuse(format!("{table}: {error}")))?;
    read_csv(file, &schema, &CsvOptions::default()).map_err(|error| blueprint.refuse(format!("{table}: {error}")))
}

/// Trials on one table.
#[derive(Clone, Debug)]
struct TableAudit {
    world: LabelWorld,
    release: LabelRelease,
    predicted: f64,
    margin: f64,
    limits: AttackLimits,
}

impl Audit for TableAudit {
    type World = LabelWorld;
    type View = LabelView;
    type Answer = LabelGuess;

    fn world(&self, _: &mut SimRng) -> Result<LabelWorld, Error> {
        Ok(self.world.clone())
    }

    fn view(&self, world: &LabelWorld, rng: &mut SimRng) -> Result<LabelView, Error> {
        Ok(LabelView::of(world, &self.release, &self.limits, rng)?)
    }

    fn outsiders(&self, world: &LabelWorld, rng: &mut SimRng) -> LabelWorld {
        world.redrawn(rng)
    }

    fn measure(&self, world: &LabelWorld, guess: &LabelGuess, measured: &mut [Option<f64>]) {
        let is_near = (world.accuracy(&guess.labels) - self.predicted).abs() <= self.margin;
        measured[0] = Some(f64::from(is_near));
    }
}
