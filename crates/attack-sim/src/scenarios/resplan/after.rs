//! After the noise: adjusted and rounded tables keep what they promise, and look at nothing but
//! the measurement.

use std::sync::Arc;

use disclosure::privacy_core::CountSource;
use disclosure::resplan::{NonnegativeSpec, Plan};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use super::draws::adds_up;
use super::refusal::refused;
use super::setting::Setting;
use crate::prelude::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    plan: Setting,
}

/// What is wrong after the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Every table is raised to 0 by itself.
    ClampedAlone,
    /// Every cell is rounded by itself.
    RoundedAlone,
    /// The seed of the noise follows from the data.
    KeyedByData,
}

/// Adjusted tables and their roundings, over every measured set, and the measured total.
#[derive(Clone, Debug, PartialEq)]
struct Tables {
    total: f64,
    adjusted: Vec<Vec<f64>>,
    rounded: Vec<Vec<i64>>,
    beyond: Vec<usize>,
}

#[derive(Clone, Debug)]
struct AfterNoise {
    plan: Arc<Plan>,
    sets: Vec<AttrSet>,
    fault: Option<Fault>,
}

impl AfterNoise {
    fn of(setting: &Setting, fault: Option<Fault>) -> Result<Self, Error> {
        let plan = setting.plan(|_| Ok(()))?;
        let sets = plan.residuals().map(|(set, _)| set).collect();
        Ok(Self { plan: Arc::new(plan), sets, fault })
    }

    fn tables(&self, table: &TableSource, mut rng: ChaCha20Rng) -> Result<Tables, Error> {
        if self.fault == Some(Fault::KeyedByData) {
            let counts = table.marginals(&[self.plan.domain().all()]).map_err(refused)?;
            let mut seed = [0; 32];
            let cells = counts.iter().flat_map(|table| table.cells());
            cells.enumerate().for_each(|(place, &count)| seed[place % 32] ^= count as u8);
            rng = ChaCha20Rng::from_seed(seed);
        }
        let measured = self.plan.duplicate().measure(table, &mut rng).map_err(refused)?;
        let total = measured.cells(AttrSet::EMPTY).map_err(refused)?.sum();
        let after = measured.nonnegative(NonnegativeSpec::default()).map_err(refused)?;
        let mut tables = Tables { total, adjusted: Vec::new(), rounded: Vec::new(), beyond: Vec::new() };
        for &set in &self.sets {
            let adjusted: Vec<f64> = match self.fault {
                Some(Fault::ClampedAlone) => {
                    measured.cells(set).map_err(refused)?.iter().map(|cell| cell.max(0.0)).collect()
                }
                _ => after.cells(set).map_err(refused)?.into_iter().collect(),
            };
            let whole = after.rounded(set).map_err(refused)?;
            tables.rounded.push(match self.fault {
                Some(Fault::RoundedAlone) => adjusted.iter().map(|cell| cell.round() as i64).collect(),
                _ => whole.cells.into_iter().collect(),
            });
            tables.beyond.push(whole.beyond);
            tables.adjusted.push(adjusted);
        }
        Ok(tables)
    }
}

/// What an accountant checks, in the order of [`Accountant`]'s answers.
const CHECKS: [&str; 6] = [
    "no adjusted cell is below 0",
    "adjusted tables add up to each other",
    "the total stays as it was measured",
    "rounded tables of one and two attributes add up to each other",
    "every rounded table has the rounded total",
    "as many cells as it says are beyond floor and ceiling, and those of pairs alone",
];

/// One table, released over and over.
#[derive(Clone, Debug)]
struct Books {
    after: AfterNoise,
    table: TableSource,
}

impl Audit for Books {
    type World = ();
    type View = Tables;
    type Answer = [bool; 6];

    fn world(&self, _: &mut SimRng) -> Result<(), Error> {
        Ok(())
    }

    fn view(&self, (): &(), rng: &mut SimRng) -> Result<Tables, Error> {
        self.after.tables(&self.table, release_rng(rng))
    }

    // Tables must add up for any people.
    fn outsiders(&self, (): &(), _: &mut SimRng) {}

    fn measure(&self, (): &(), answer: &[bool; 6], measured: &mut [Option<f64>]) {
        measured.iter_mut().zip(answer).for_each(|(place, &check)| *place = Some(f64::from(check)));
    }
}

/// Adds up what was published.
#[derive(Clone, Debug)]
struct Accountant {
    shapes: Vec<(AttrSet, Vec<usize>)>,
}

/// Of sums of floats, in people.
const ROUNDING: f64 = 1e-6;

impl Accountant {
    fn check(&self, view: &Tables) -> [bool; 6] {
        let small = self.shapes.iter().zip(&view.rounded).filter(|((set, _), _)| set.len() <= 2);
        let (shapes, whole): (Vec<_>, Vec<Vec<f64>>) =
            small.map(|(shape, cells)| (shape.clone(), cells.iter().map(|&cell| cell as f64).collect())).unzip();
        let total = view.total.max(0.0);
        [
            view.adjusted.iter().flatten().all(|&cell| cell >= 0.0),
            adds_up(&self.shapes, &view.adjusted),
            view.adjusted.iter().all(|cells: &Vec<f64>| (cells.iter().sum::<f64>() - total).abs() <= ROUNDING),
            adds_up(&shapes, &whole),
            view.rounded.iter().all(|cells: &Vec<i64>| cells.iter().sum::<i64>() == total.round_ties_even() as i64),
            (0..self.shapes.len()).all(|place: usize| {
                let cells = view.rounded[place].iter().zip(&view.adjusted[place]);
                let beyond = cells.filter(|&(&whole, cell)| whole < cell.floor() as i64 || whole > cell.ceil() as i64);
                let counted = beyond.count();
                counted == view.beyond[place] && (counted == 0 || self.shapes[place].0.len() == 2)
            }),
        ]
    }
}

pub(super) fn accountant(blueprint: &Blueprint<'_>) -> Built {
    let Spec { plan } = blueprint.spec()?;
    let (table, domain) = (plan.table()?, plan.domain()?);
    let sets = AfterNoise::of(&plan, None)?.sets;
    let accountant = Accountant { shapes: sets.iter().map(|&set| (set, domain.shape(set))).collect() };
    blueprint.trials(
        Quantity::shares_of(1.0, &CHECKS)?,
        |fault| Ok(Books { after: AfterNoise::of(&plan, fault)?, table: table.clone() }),
        move |tables, _| accountant.check(tables),
        |_, _| [false; 6],
    )
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TwinSpec {
    plan: Setting,
    /// The full table of the twin, with the same released marginals.
    twin: Vec<u64>,
}

/// Two tables that agree on everything that is measured. One of them is released beside the
/// first, with the same random numbers.
#[derive(Clone, Debug)]
struct TwinTables {
    after: AfterNoise,
    tables: [TableSource; 2],
}

impl BitAudit for TwinTables {
    type View = [Tables; 2];
    type Answer = bool;

    fn view(&self, bit: bool, rng: &mut SimRng) -> Result<[Tables; 2], Error> {
        let generator = release_rng(rng);
        let known = self.after.tables(&self.tables[0], generator.clone())?;
        Ok([known, self.after.tables(&self.tables[usize::from(bit)], generator)?])
    }

    fn measure(&self, bit: bool, answer: &bool, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(bit == *answer));
    }
}

pub(super) fn twin_tables(blueprint: &Blueprint<'_>) -> Built {
    let TwinSpec { plan, twin } = blueprint.spec()?;
    let tables = [plan.table()?, plan.table_of(twin)?];
    let sets = AfterNoise::of(&plan, None)?.sets;
    let [one, other] = tables.each_ref().map(|table| table.marginals(&sets).map_err(refused));
    if one? != other? {
        return Err(blueprint.refuse("the two tables differ in a marginal that is released"));
    }
    blueprint.bit_trials(
        vec![Quantity::share("right guesses", Claim::at_most(0.5)?)?],
        |fault| Ok(TwinTables { after: AfterNoise::of(&plan, fault)?, tables: tables.clone() }),
        // Tables differ where anything that was published does.
        |[known, other], _| known != other,
        coin_toss,
    )
}
