//! All pairs of coded rows, measured with noise: a model of the strongest ones, and people of that
//! model who are weighted until every pair fits. Errors are sums of differences of shares.
//!
//! `cargo run --release -p synthetic-people --example all_pairs CODES.csv RHO [SEED] [CELLS]
//! [PEOPLE]`: CELLS those of a table of the model, PEOPLE for each measured person.
//! `benches/all_pairs_mbi.py` is the same with mbi. The noise is normal: a simulation.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

#[path = "support/codes.rs"]
mod codes;

use std::error::Error;
use std::time::Instant;

use privacy_core::normal;
use privacy_core::param::Probability;
use privacy_core::rng::SimRng;
use rand_core::Rng;
use synthetic_people::{AttrSet, FitSpec, Measurement, Model, ModelSpec, WeightedPeople, strongest};

/// Codes by column.
struct Coded {
    sizes: Vec<usize>,
    columns: Vec<Vec<u32>>,
}

impl Coded {
    fn read(path: &str) -> Result<Self, Box<dyn Error>> {
        let columns = codes::columns(path)?;
        Ok(Self { sizes: codes::sizes(&columns), columns })
    }

    fn people(&self) -> f64 {
        self.columns[0].len() as f64
    }

    fn counts(&self, set: AttrSet) -> Vec<f64> {
        let mut counts = vec![0.0; set.iter().map(|attribute| self.sizes[attribute]).product()];
        for row in 0..self.columns[0].len() {
            let code = set.iter().fold(0, |code, a| code * self.sizes[a] + self.columns[a][row] as usize);
            counts[code] += 1.0;
        }
        counts
    }

    /// The mean error of some tables, with those of another distribution.
    fn error(&self, sets: &[AttrSet], other: impl Fn(AttrSet) -> Vec<f64>) -> f64 {
        let errors = sets.iter().map(|&set| {
            let (exact, other) = (self.counts(set), other(set));
            let total: f64 = other.iter().sum();
            exact.iter().zip(other).map(|(a, b)| (a / self.people() - b / total).abs()).sum::<f64>()
        });
        errors.sum::<f64>() / sets.len() as f64
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [path, rho, rest @ ..] = &words[..] else { return Err("CODES.csv RHO [SEED] [CELLS] [PEOPLE]".into()) };
    let number = |index: usize, default: f64| rest.get(index).map_or(Ok(default), |word| word.parse());
    let (rho, seed): (f64, u64) = (rho.parse()?, number(0, 1.0)? as u64);
    let (cells, people_each) = (number(1, 1e5)?, number(2, 4.0)?);
    let people = Coded::read(path)?;
    let all = AttrSet::first(people.sizes.len());
    let pairs: Vec<AttrSet> = all.subsets_of_size(2).collect();
    let triples: Vec<AttrSet> = all.subsets_of_size(3).collect();
    let variance = pairs.len() as f64 / (2.0 * rho);
    let mut rng = SimRng::for_trial(seed, "all pairs", 0);
    let measured: Vec<Measurement> = pairs
        .iter()
        .map(|&pair| {
            let noisy =
                people.counts(pair).into_iter().map(|count| count + variance.sqrt() * standard_normal(&mut rng));
            Measurement::cells(pair, noisy.collect(), variance)
        })
        .collect();

    let start = Instant::now();
    let scored: Vec<(AttrSet, f64)> =
        measured.iter().map(|measured| (measured.set, strength(&people.sizes, measured))).collect();
    let kept = strongest(&people.sizes, &scored, cells);
    let held: Vec<Measurement> =
        measured.iter().filter(|measured| kept.iter().any(|set| measured.set.is_subset_of(*set))).cloned().collect();
    let spec = ModelSpec { most_cells: cells, ..ModelSpec::new(people.sizes.clone(), people.people()) };
    let model = Model::fit(&spec, &held)?;
    println!("{} of {} pairs in the model: {:?}, {:.1} s", held.len(), pairs.len(), model.report(), elapsed(start));
    let show = |what: &str, of: &dyn Fn(AttrSet) -> Vec<f64>| {
        println!("{what:<30} pairs {:.4}  triples {:.4}", people.error(&pairs, of), people.error(&triples, of));
    };
    let raw = people.error(&pairs, |set| {
        let found = measured.iter().find(|measured| measured.set == set);
        found.map(|measured| measured.values.clone()).unwrap_or_default()
    });
    println!("{:<30} pairs {raw:.4}", "measured, as they are");
    show("model", &|set| model.marginal(set, 1e9).unwrap_or_default());
    let rows = model.rows(people.columns[0].len(), &mut rng);
    show("rows of the model", &|set| rows.counts(&people.sizes, set));

    let start = Instant::now();
    let many = (people_each * people.people()) as usize;
    let weighted = WeightedPeople::fit(
        &model,
        many,
        &measured,
        FitSpec { gap: 1e-3, most_steps: number(3, 1000.0)? as usize },
        &mut rng,
    )?;
    println!("{many} people weighted: {:?}, {:.1} s", weighted.report(), elapsed(start));
    show("weights", &|set| weighted.marginal(set, 1e9).unwrap_or_default());
    let start = Instant::now();
    let rows = weighted.rows(people.columns[0].len(), &mut rng);
    println!("rows: {:.1} s", elapsed(start));
    show("rows of the weights", &|set| rows.counts(&people.sizes, set));
    Ok(())
}

fn elapsed(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}

/// How far a noisy pair is from independence, beyond what noise makes of it.
fn strength(sizes: &[usize], measured: &Measurement) -> f64 {
    let cells: Vec<f64> = measured.values.iter().map(|value| value.max(0.0)).collect();
    let (rows, columns) =
        (sizes[measured.set.iter().next().unwrap_or(0)], sizes[measured.set.iter().last().unwrap_or(0)]);
    let row: Vec<f64> = cells.chunks_exact(columns).map(|row| row.iter().sum()).collect();
    let column: Vec<f64> = (0..columns).map(|c| cells.iter().skip(c).step_by(columns).sum()).collect();
    let total: f64 = row.iter().sum();
    let apart =
        (0..rows * columns).map(|cell| (cells[cell] - row[cell / columns] * column[cell % columns] / total).abs());
    apart.sum::<f64>() - cells.len() as f64 * (measured.variance * std::f64::consts::FRAC_2_PI).sqrt()
}

/// A draw of the standard normal law, by the inverse of its distribution.
fn standard_normal(rng: &mut SimRng) -> f64 {
    let uniform = ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    Probability::new(uniform).map_or(0.0, normal::quantile)
}
