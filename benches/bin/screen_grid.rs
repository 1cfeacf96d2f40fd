//! How near the prediction for an actual table is to what the attackers reach on it: a grid.
//!
//! `cargo run --release -p benches --bin screen_grid -- SEED FIRST..LAST[xRELEASES] [ADULT.csv
//! DOMAIN.json]`, with that many releases of each setting instead of one to three. Of every 20
//! settings, ten are of Adult (left out without the file), six of ANES 1996 and four of the
//! Titanic. A setting is drawn from the seed and its number: 200 to 10,000 rows, a set of known
//! columns, T from 3 to 10, e from 0 to 10. Each is a line of what `screen table` predicts and
//! what the portfolio of `screen simulate` reaches on other releases, for attackers on released
//! counts alone and for those who use withheld counts too. Even numbers are for tuning; the last
//! lines summarise both halves.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

use std::error::Error;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hetero_screen::{
    CodedColumn, Estimate, Records, ScreenLimits, ScreenSpec, ScreenTargets, Suppression, TableScreen, UniformNoise,
    screen,
};
use label_attack::{
    AttackLimits, Evidence, FeatureTable, LabelRelease, LabelSource, LabelTrial, LabelWorld, predict_labels,
    simulate_labels,
};
use privacy_core::rng::SimRng;
use privacy_data::{CsvOptions, DomainFile, Microdata, read_csv};
use rand::RngExt;
use rand::seq::SliceRandom;

const ROWS: [usize; 8] = [200, 300, 500, 750, 1_000, 2_000, 5_000, 10_000];
const NOISE: [u32; 7] = [0, 1, 2, 3, 5, 8, 10];
/// The largest column that an attacker is taken to know.
const MOST_VALUES: usize = 25;
const EVIDENCE: [(&str, Evidence); 2] = [("released", Evidence::Released), ("suppressed", Evidence::WithSuppressed)];

/// A table with the columns that are attacked, the first two times of three.
struct Source {
    name: &'static str,
    table: Microdata,
    targets: [usize; 2],
}

impl Source {
    fn read(
        name: &'static str,
        data: &Path,
        domain: &Path,
        targets: [&str; 2],
        count: Option<&str>,
    ) -> Result<Self, Box<dyn Error>> {
        let options = CsvOptions { count_column: count.map(str::to_owned), ..CsvOptions::default() };
        let table = read_csv(File::open(data)?, &DomainFile::load(domain)?.into_schema()?, &options)?;
        let targets = [table.domain().index_of(targets[0])?, table.domain().index_of(targets[1])?];
        Ok(Self { name, table, targets })
    }
}

/// The tables; Adult where its files are named.
fn sources(adult: &[String]) -> Result<[Option<Source>; 3], Box<dyn Error>> {
    let fixtures = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/data"));
    let of = |name: &str| (fixtures.join(format!("{name}.csv")), fixtures.join(format!("{name}.domain.toml")));
    let ((titanic, titanic_domain), (anes, anes_domain)) = (of("titanic"), of("anes96"));
    let adult = match adult {
        [data, domain] => {
            let targets = ["income>50K", "relationship"];
            Some(Source::read("adult", Path::new(data), Path::new(domain), targets, None)?)
        }
        _ => None,
    };
    Ok([
        adult,
        Some(Source::read("anes", &anes, &anes_domain, ["vote", "PID"], None)?),
        Some(Source::read("titanic", &titanic, &titanic_domain, ["Survived", "Class"], Some("n"))?),
    ])
}

/// What is drawn for a setting.
struct Setting {
    rows: Vec<usize>,
    target: usize,
    known: Vec<usize>,
    suppress_below: u64,
    noise: u32,
}

impl Setting {
    fn draw(source: &Source, number: u64, rng: &mut SimRng) -> Self {
        let (table, target) = (&source.table, source.targets[usize::from(number % 3 == 2)]);
        // A line that stands for several people is as many rows.
        let people = |row: usize| table.weights().map_or(1, |weights| weights[row]) as usize;
        let all: Vec<usize> = (0..table.rows()).flat_map(|row| std::iter::repeat_n(row, people(row))).collect();
        let size = ROWS[rng.random_range(0..ROWS.len())].min(all.len());
        let rows = rand::seq::index::sample(rng, all.len(), size).into_iter().map(|place| all[place]).collect();
        let few = |&column: &usize| column != target && table.domain().cardinality(column) <= MOST_VALUES;
        let mut known: Vec<usize> = (0..table.domain().len()).filter(few).collect();
        known.shuffle(rng);
        known.truncate(if number % 16 == 7 { 8 } else { rng.random_range(2..=6) });
        let (suppress_below, noise) = (rng.random_range(3..=10), NOISE[rng.random_range(0..NOISE.len())]);
        Self { rows, target, known, suppress_below, noise }
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
    fn of(table: &Microdata, setting: &Setting) -> Result<Self, Box<dyn Error>> {
        let columns: Vec<Vec<u32>> = setting.known.iter().map(|&known| setting.codes(table, known)).collect();
        let labels = setting.codes(table, setting.target);
        let cardinality = |column: usize| table.domain().cardinality(column);
        let coded = columns.iter().zip(&setting.known);
        let coded: Vec<CodedColumn<'_>> =
            coded.map(|(codes, &column)| CodedColumn { codes, cardinality: cardinality(column) }).collect();
        let label = CodedColumn { codes: &labels, cardinality: cardinality(setting.target) };
        let records = Records::new(&coded, label, None)?;
        let suppression = Suppression::ClassCount(setting.suppress_below);
        let model = records.model(suppression, UniformNoise::uniform(setting.noise))?;
        let by_model = screen(&model, &ScreenTargets::default(), &ScreenLimits::default())?.estimate.accuracy;
        let estimate = TableScreen::of(&records, &model, &ScreenLimits::default())?.estimate;
        let world = LabelWorld::of_table(FeatureTable::new(columns)?, labels, model.classes().shares())?;
        Ok(Self { world, model, by_model, estimate })
    }

    /// What `screen table` predicts for each kind of evidence, and its method in brief.
    fn predicted(&self) -> Result<([f64; 2], String), Box<dyn Error>> {
        let release = LabelRelease::of_screen(&self.model)?;
        Ok(match predict_labels(self.world.clone(), &release, &AttackLimits::quick(), 1)? {
            Some(found) => {
                let accuracy = strongest(&found.trials).map(|accuracy| accuracy.max(self.estimate.floor));
                (accuracy, format!("{}/{}x{}", found.tables, found.all_tables, found.trials.len()))
            }
            None => ([self.estimate.accuracy; 2], "evolution".to_owned()),
        })
    }

    /// What the portfolio reaches on releases of their own.
    fn reached(&self, number: u64, releases: Option<u64>) -> Result<[f64; 2], Box<dyn Error>> {
        let release = LabelRelease::of_screen(&self.model)?;
        let releases = releases.unwrap_or(match self.world.labels().len() {
            ..=1_000 => 3,
            1_001..=2_000 => 2,
            _ => 1,
        });
        let limits = AttackLimits { proofs: 0, ..AttackLimits::default() };
        let source = LabelSource::Table(self.world.clone());
        Ok(strongest(&simulate_labels(&source, &release, &limits, releases, number + 1_000)?))
    }
}

/// The best of all attackers and of guessing on each release, on average, for each kind of
/// evidence.
fn strongest(trials: &[LabelTrial]) -> [f64; 2] {
    EVIDENCE.map(|(_, evidence)| {
        trials.iter().map(|trial| trial.strongest_with(evidence).0).sum::<f64>() / trials.len() as f64
    })
}

/// Predicted less reached, of one setting and kind of evidence.
struct Difference {
    table: &'static str,
    is_held_out: bool,
    evidence: usize,
    by: [f64; 3],
}

/// Mean absolute error, worst shortfall and settings that read low by more than 0.03, of the
/// three predictions, for each table, half and kind of evidence.
fn summarise(all: &[Difference]) {
    println!("table half evidence settings; of the model, of evolution, predicted: error worst low");
    for table in ["adult", "anes", "titanic", "all"] {
        for is_held_out in [false, true] {
            for (evidence, (name, _)) in EVIDENCE.iter().enumerate() {
                let of_table = |found: &&Difference| table == "all" || found.table == table;
                let of_half = |found: &&Difference| (found.is_held_out, found.evidence) == (is_held_out, evidence);
                let found: Vec<&Difference> = all.iter().filter(of_table).filter(of_half).collect();
                let summary: Vec<String> = (0..3).map(|prediction| summary(&found, prediction)).collect();
                let half = if is_held_out { "held-out" } else { "tuning" };
                println!("{table} {half} {name} {}; {}", found.len(), summary.join(", "));
            }
        }
    }
}

fn summary(found: &[&Difference], prediction: usize) -> String {
    let by = || found.iter().map(|found| found.by[prediction]);
    let error = by().map(f64::abs).sum::<f64>() / found.len() as f64;
    let (worst, low) = (by().fold(0.0, f64::min), by().filter(|&by| by < -0.03).count());
    format!("{error:.4} {worst:.4} {low}")
}

fn run(source: &Source, number: u64, seed: u64, releases: Option<u64>) -> Result<Vec<Difference>, Box<dyn Error>> {
    let mut rng = SimRng::for_trial(seed, "screen: settings", number);
    let drawn = Setting::draw(source, number, &mut rng);
    let world = World::of(&source.table, &drawn)?;
    let (predicted, how) = world.predicted()?;
    let reached = world.reached(number, releases)?;
    let Estimate { accuracy, floor, ceiling, .. } = world.estimate;
    println!(
        "{number} {} {} {} {} {} {} {:.4} {floor:.4} {ceiling:.4} {:.4} {accuracy:.4} {how} {:.4} {:.4} {:.4} {:.4}",
        source.name,
        drawn.target,
        drawn.rows.len(),
        drawn.known.len(),
        drawn.suppress_below,
        drawn.noise,
        world.world.blind_accuracy(),
        world.by_model,
        predicted[0],
        reached[0],
        predicted[1],
        reached[1],
    );
    let error = |evidence: usize| Difference {
        table: source.name,
        is_held_out: number % 2 == 1,
        evidence,
        by: [world.by_model, accuracy, predicted[evidence]].map(|predicted| predicted - reached[evidence]),
    };
    Ok(vec![error(0), error(1)])
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [seed, settings, adult @ ..] = words.as_slice() else {
        return Err("SEED FIRST..LAST[xRELEASES] [ADULT.csv ADULT-domain.json]".into());
    };
    let (settings, releases) = match settings.split_once('x') {
        Some((settings, releases)) => (settings, Some(releases.parse()?)),
        None => (settings.as_str(), None),
    };
    let (first, last) = settings.split_once("..").ok_or("settings are FIRST..LAST")?;
    let settings: Range<u64> = first.parse()?..last.parse()?;
    let (seed, sources): (u64, _) = (seed.parse()?, sources(adult)?);
    println!(
        "number table label rows columns T e guessing floor ceiling model evolution how predicted reached \
         predicted_suppressed reached_suppressed"
    );
    let mut errors = Vec::new();
    for number in settings {
        let source = match number % 20 {
            0..10 => &sources[0],
            10..16 => &sources[1],
            _ => &sources[2],
        };
        if let Some(source) = source {
            errors.extend(run(source, number, seed, releases)?);
        }
    }
    summarise(&errors);
    Ok(())
}
