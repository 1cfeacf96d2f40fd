//! How near the prediction for an actual table is to what the attackers reach on it.
//!
//! `cargo run --release -p benches --bin screen_tables -- TABLE DOMAIN TARGET SETTINGS SEED` and,
//! where a line stands for several people, the name of that COUNT column. Draws settings (200 to
//! 10,000 rows of the table, two to five known columns, T from 3 to 10, e from 0 to 10), and
//! prints for each what a model of the table says, what state evolution over its groups says, what
//! the quick attackers reach on two releases, and what all attackers reach on another.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

use std::error::Error;
use std::fs::File;
use std::path::Path;

use hetero_screen::{
    CodedColumn, Estimate, Records, ScreenLimits, ScreenSpec, ScreenTargets, Suppression, TableScreen, UniformNoise,
    screen,
};
use label_attack::{AttackLimits, FeatureTable, LabelRelease, LabelSource, LabelTrial, LabelWorld, simulate_labels};
use privacy_core::rng::SimRng;
use privacy_data::{CsvOptions, DomainFile, Microdata, read_csv};
use rand::RngExt;
use rand::seq::SliceRandom;

const ROWS: [usize; 6] = [200, 500, 1_000, 2_000, 5_000, 10_000];
const NOISE: [u32; 7] = [0, 1, 2, 3, 5, 8, 10];
/// Releases that the prediction is taken from.
const QUICK_RELEASES: u64 = 2;

/// What is drawn for a setting.
struct Setting {
    rows: Vec<usize>,
    known: Vec<usize>,
    suppress_below: u64,
    noise: u32,
}

impl Setting {
    fn draw(table: &Microdata, target: usize, rng: &mut SimRng) -> Self {
        // A line that stands for several people is as many rows.
        let people = |row: usize| table.weights().map_or(1, |weights| weights[row]) as usize;
        let all: Vec<usize> = (0..table.rows()).flat_map(|row| std::iter::repeat_n(row, people(row))).collect();
        let size = ROWS[rng.random_range(0..ROWS.len())].min(all.len());
        let rows = rand::seq::index::sample(rng, all.len(), size).into_iter().map(|place| all[place]).collect();
        let few = |&column: &usize| column != target && table.domain().cardinality(column) <= 20;
        let mut known: Vec<usize> = (0..table.domain().len()).filter(few).collect();
        known.shuffle(rng);
        known.truncate(rng.random_range(2..=5));
        Self { rows, known, suppress_below: rng.random_range(3..=10), noise: NOISE[rng.random_range(0..NOISE.len())] }
    }

    fn codes(&self, table: &Microdata, column: usize) -> Vec<u32> {
        let all: Vec<u32> = table.codes(column).collect();
        self.rows.iter().map(|&row| all[row]).collect()
    }
}

/// A table, its release and what state evolution says.
struct World {
    world: LabelWorld,
    model: ScreenSpec,
    /// Of the model, where columns are independent too.
    by_model: f64,
    estimate: Estimate,
}

impl World {
    fn of(table: &Microdata, target: usize, setting: &Setting) -> Result<Self, Box<dyn Error>> {
        let columns: Vec<Vec<u32>> = setting.known.iter().map(|&known| setting.codes(table, known)).collect();
        let labels = setting.codes(table, target);
        let cardinality = |column: usize| table.domain().cardinality(column);
        let coded = columns.iter().zip(&setting.known);
        let coded: Vec<CodedColumn<'_>> =
            coded.map(|(codes, &column)| CodedColumn { codes, cardinality: cardinality(column) }).collect();
        let label = CodedColumn { codes: &labels, cardinality: cardinality(target) };
        let records = Records::new(&coded, label, None)?;
        let suppression = Suppression::ClassCount(setting.suppress_below);
        let model = records.model(suppression, UniformNoise::uniform(setting.noise))?;
        let by_model = screen(&model, &ScreenTargets::default(), &ScreenLimits::default())?.estimate.accuracy;
        let estimate = TableScreen::of(&records, &model, &ScreenLimits::default())?.estimate;
        let world = LabelWorld::of_table(FeatureTable::new(columns)?, labels, model.classes().shares())?;
        Ok(Self { world, model, by_model, estimate })
    }

    fn attacked(&self, limits: &AttackLimits, releases: u64, seed: u64) -> Result<Vec<LabelTrial>, Box<dyn Error>> {
        let release = LabelRelease::of_screen(&self.model)?;
        Ok(simulate_labels(&LabelSource::Table(self.world.clone()), &release, limits, releases, seed)?)
    }
}

fn strongest(trials: &[LabelTrial]) -> f64 {
    trials.iter().map(|trial| trial.strongest().0).sum::<f64>() / trials.len() as f64
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [table, domain, target, settings, seed, count @ ..] = words.as_slice() else {
        return Err("TABLE DOMAIN TARGET SETTINGS SEED [COUNT]".into());
    };
    let options = CsvOptions { count_column: count.first().cloned(), ..CsvOptions::default() };
    let schema = DomainFile::load(Path::new(domain))?.into_schema()?;
    let table = read_csv(File::open(table)?, &schema, &options)?;
    let target = table.domain().index_of(target)?;
    let seed: u64 = seed.parse()?;
    println!("rows columns T e guessing floor ceiling model evolution quick all");
    for setting in 0..settings.parse::<u64>()? {
        let mut rng = SimRng::for_trial(seed, "screen: settings", setting);
        let drawn = Setting::draw(&table, target, &mut rng);
        let world = World::of(&table, target, &drawn)?;
        let quick = world.attacked(&AttackLimits::quick(), QUICK_RELEASES, 1)?;
        let all = world.attacked(&AttackLimits { proofs: 0, ..AttackLimits::default() }, 1, setting + 1_000)?;
        let Estimate { accuracy, floor, ceiling, .. } = world.estimate;
        println!(
            "{} {} {} {} {:.4} {floor:.4} {ceiling:.4} {:.4} {accuracy:.4} {:.4} {:.4}",
            drawn.rows.len(),
            drawn.known.len(),
            drawn.suppress_below,
            drawn.noise,
            world.world.blind_accuracy(),
            world.by_model,
            strongest(&quick).max(floor),
            strongest(&all).max(floor)
        );
    }
    Ok(())
}
