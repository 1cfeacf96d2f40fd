//! Tables whose known columns say much about the label: is a prediction below what anybody reads
//! from the released cells?
//!
//! The label is the sum of two known columns modulo the classes, or, for some rows, anything. The
//! attacker gives every row of a released cell its most frequent label, over the set of columns
//! whose counts promise the most.

use disclosure::screen::{CodedColumn, Estimate, Records, ScreenLimits, Suppression, TableScreen, UniformNoise};
use label_attack::{AttackLimits, FeatureTable, LabelGuess, LabelRelease, LabelView, LabelWorld};

use super::players::{blind, limits};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    rows: usize,
    cardinalities: Vec<u32>,
    classes: u32,
    /// The share of rows whose label is drawn independently.
    unrelated: f64,
    suppress_below: u64,
    noise: u32,
    /// How far below the attacker a prediction may be.
    margin: f64,
    within: f64,
}

/// The fault of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Labels are taken for independent of the known columns, with guessing as the floor.
    LabelsIndependent,
}

/// Builds the scenario of a file's entry.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let (margin, within) = (spec.margin, Claim::at_least(spec.within)?);
    let tables = Tables {
        rows: spec.rows,
        cardinalities: spec.cardinalities,
        classes: spec.classes,
        unrelated: spec.unrelated,
        suppression: Suppression::ClassCount(spec.suppress_below),
        noise: UniformNoise::uniform(spec.noise),
    };
    blueprint.trials(
        vec![Quantity::share("tables of which no more is read than predicted", within)?],
        |fault| Ok(PlainAudit { tables: tables.clone(), margin, fault, limits: limits() }),
        |view: &LabelView, _: &mut SimRng| majority_per_cell(view),
        |view: &LabelView, _: &mut SimRng| blind(view),
    )
}

/// The most frequent released label of each cell, for the most promising set of columns.
fn majority_per_cell(view: &LabelView) -> LabelGuess {
    let mut guess = blind(view);
    let (commonest, share) = (guess.labels[0], guess.confidence[0]);
    let rows = guess.labels.len();
    let mut best = (share * rows as f64, guess.labels);
    let mut table = (0.0, vec![commonest; rows]);
    let mut covered = 0;
    for (members, counts) in view.answers() {
        let released = counts.iter().enumerate().filter_map(|(class, count)| Some((*count.as_ref()?, class)));
        match released.max_by_key(|&(count, class)| (count, std::cmp::Reverse(class))) {
            Some((count, class)) => {
                table.0 += count as f64;
                members.iter().for_each(|&row| table.1[row] = class as u32);
            }
            None => table.0 += share * members.len() as f64,
        }
        // The cells of one set of columns have all rows; those of the next set come after.
        covered += members.len();
        if covered == rows {
            if table.0 > best.0 {
                best = table;
            }
            (table, covered) = ((0.0, vec![commonest; rows]), 0);
        }
    }
    guess.labels = best.1;
    guess
}

/// The law of the tables, and what is released of them.
#[derive(Clone, Debug)]
struct Tables {
    rows: usize,
    cardinalities: Vec<u32>,
    classes: u32,
    unrelated: f64,
    suppression: Suppression,
    noise: UniformNoise,
}

impl Tables {
    /// Known columns and labels.
    fn draw(&self, rng: &mut SimRng) -> (Vec<Vec<u32>>, Vec<u32>) {
        let columns: Vec<Vec<u32>> = self
            .cardinalities
            .iter()
            .map(|&values| (0..self.rows).map(|_| rng.random_range(0..values)).collect())
            .collect();
        let labels = (0..self.rows).map(|row| self.label(&columns, row, rng)).collect();
        (columns, labels)
    }

    fn label(&self, columns: &[Vec<u32>], row: usize, rng: &mut SimRng) -> u32 {
        if rng.random_bool(self.unrelated) {
            return rng.random_range(0..self.classes);
        }
        columns.iter().take(2).map(|codes| codes[row]).sum::<u32>() % self.classes
    }
}

#[derive(Clone, Debug)]
struct PlainAudit {
    tables: Tables,
    margin: f64,
    fault: Option<Fault>,
    limits: AttackLimits,
}

/// A table, its release and what is predicted of it.
#[derive(Clone, Debug)]
struct PredictedTable {
    world: LabelWorld,
    release: LabelRelease,
    predicted: f64,
}

impl Audit for PlainAudit {
    type World = PredictedTable;
    type View = LabelView;
    type Answer = LabelGuess;

    fn world(&self, rng: &mut SimRng) -> Result<PredictedTable, Error> {
        let tables = &self.tables;
        let (columns, labels) = tables.draw(rng);
        let coded: Vec<CodedColumn<'_>> = columns
            .iter()
            .zip(&tables.cardinalities)
            .map(|(codes, &cardinality)| CodedColumn { codes, cardinality: cardinality as usize })
            .collect();
        let label = CodedColumn { codes: &labels, cardinality: tables.classes as usize };
        let records = Records::new(&coded, label, None)?;
        let model = records.model(tables.suppression, tables.noise)?;
        let estimate = TableScreen::of(&records, &model, &ScreenLimits::default())?.estimate;
        let shares = model.classes().shares();
        let Estimate { accuracy, unbounded, ceiling, .. } = estimate;
        let predicted = match self.fault {
            None => accuracy,
            Some(Fault::LabelsIndependent) => model.classes().largest_share().max(unbounded.min(ceiling)),
        };
        let world = LabelWorld::of_table(FeatureTable::new(columns)?, labels, shares)?;
        Ok(PredictedTable { world, release: LabelRelease::of_screen(&model)?, predicted })
    }

    fn view(&self, world: &PredictedTable, rng: &mut SimRng) -> Result<LabelView, Error> {
        Ok(LabelView::of(&world.world, &world.release, &self.limits, rng)?)
    }

    fn outsiders(&self, world: &PredictedTable, rng: &mut SimRng) -> PredictedTable {
        PredictedTable { world: world.world.redrawn(rng), ..world.clone() }
    }

    fn measure(&self, world: &PredictedTable, guess: &LabelGuess, measured: &mut [Option<f64>]) {
        let read = world.world.accuracy(&guess.labels);
        measured[0] = Some(f64::from(read <= world.predicted + self.margin));
    }
}
