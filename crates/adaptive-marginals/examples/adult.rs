//! The error of all three-way marginals of coded rows, after an adaptive release: CPU time is
//! that of the process (`time`).
//!
//! `cargo run --release -p adaptive-marginals --example adult CODES.csv EPSILON [SEED] [CELLS]
//! [STEPS]`: delta is 1e-9, CELLS those of the model, STEPS those of a fit after a round.
//! `benches/aim_mbi.py` is the same with mbi.
//! The file has a line of names and then one integer code a column, from 0.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

#[path = "../../synthetic-people/examples/support/codes.rs"]
mod codes;

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use adaptive_marginals::{AdaptivePlan, AdaptiveRelease, AdaptiveSpec, BoundBasis, JointConfidence, PlanLimits};
use privacy_core::accounting::{Neighbours, zcdp};
use privacy_core::param::{Delta, Epsilon};
use privacy_core::rng::SimRng;
use privacy_core::table::{CountError, CountSource};
use privacy_core::{AttrSet, ContingencyTable, Domain};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use synthetic_people::FitSpec;

/// Codes by column.
struct Coded {
    domain: Domain,
    columns: Vec<Vec<u32>>,
}

impl Coded {
    fn read(path: &str) -> Result<Self, Box<dyn Error>> {
        let columns = codes::columns(path)?;
        Ok(Self { domain: Domain::of_cardinalities(&codes::sizes(&columns))?, columns })
    }

    fn cells(&self, set: AttrSet) -> Vec<u64> {
        let mut codes = vec![0_usize; self.columns[0].len()];
        for attribute in set.iter() {
            let size = self.domain.cardinality(attribute);
            codes
                .iter_mut()
                .zip(&self.columns[attribute])
                .for_each(|(code, &value)| *code = *code * size + value as usize);
        }
        let mut cells = vec![0; self.domain.shape(set).iter().product()];
        codes.into_iter().for_each(|code| cells[code] += 1);
        cells
    }
}

impl CountSource for Coded {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError> {
        sets.iter().map(|&set| ContingencyTable::from_cells(&self.domain, set, self.cells(set))).collect()
    }
}

const USAGE: &str = "CODES.csv EPSILON [SEED] [CELLS] [STEPS]";

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [path, epsilon, rest @ ..] = &words[..] else { return Err(USAGE.into()) };
    let seed: u8 = rest.first().map_or(Ok(1), |seed| seed.parse())?;
    let people = Coded::read(path)?;
    let rho = zcdp::rho(Epsilon::new(epsilon.parse()?)?, Delta::new(1e-9)?)?;
    let workload = people.domain.all().subsets_of_size(3).map(|set| (set, 1)).collect();
    let spec = AdaptiveSpec::new(rho, Neighbours::AddRemove, workload);
    let model_cells = rest.get(1).map_or(Ok(spec.model_cells), |cells| cells.parse())?;
    let most_steps = rest.get(2).map_or(Ok(spec.fit.most_steps), |steps| steps.parse())?;
    let spec = AdaptiveSpec { model_cells, fit: FitSpec { most_steps, ..spec.fit }, ..spec };
    let start = Instant::now();
    let plan = AdaptivePlan::new(people.domain.clone(), spec, &PlanLimits::default())?;
    // A simulation: the seed is known.
    let release = plan.release(&people, &mut ChaCha20Rng::from_seed([seed; 32]))?;
    let model = release.model();
    println!(
        "rho {:.9}, rounds {}, released after {:.1} s",
        rho.get(),
        release.rounds().len(),
        start.elapsed().as_secs_f64()
    );
    let report = model.report();
    println!("loss {:.0}, gap {:.0}, {} steps", report.loss, report.gap, report.steps);
    let sizes: Vec<usize> = people.domain.attributes().iter().map(|attribute| attribute.cardinality()).collect();
    let rows = model.rows(people.columns[0].len(), &mut SimRng::for_trial(u64::from(seed), "rows", 0));
    let total = rows.len() as f64;
    let (mut sum, mut tables) = (0.0, 0);
    for set in people.domain.all().subsets_of_size(3) {
        let (exact, have) = (people.cells(set), rows.counts(&sizes, set));
        sum += exact.iter().zip(have).map(|(&a, b)| (a as f64 - b).abs()).sum::<f64>() / total;
        tables += 1;
    }
    println!("mean error of {tables} tables: {:.4}", sum / f64::from(tables));
    print_bounds(&people, &release)
}

/// How large the bounds on the errors of the model are beside the errors, as shares of the people:
/// means over the three-way marginals that the same kind of bound is about, and the largest share
/// of a bound that an error of any candidate has.
fn print_bounds(people: &Coded, release: &AdaptiveRelease) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let bounds = release.error_bounds(JointConfidence::new(0.95)?);
    let total = people.columns[0].len() as f64;
    // Number of tables, sum of errors, sum of bounds.
    let mut kinds: BTreeMap<&str, (f64, f64, f64)> = BTreeMap::new();
    let (mut largest, mut beyond) = (0.0_f64, 0);
    for set in (1..=3).flat_map(|size| people.domain.all().subsets_of_size(size)) {
        let bound = bounds.of_model(set)?;
        let model = release.model().marginal(set, f64::INFINITY)?;
        let error: f64 = people.cells(set).iter().zip(model).map(|(&a, b)| (a as f64 - b).abs()).sum();
        largest = largest.max(error / bound.l1);
        beyond += u32::from(error > bound.l1);
        let kind = match bound.basis {
            BoundBasis::Measured => "measured",
            BoundBasis::Choice { .. } => "took part in a choice",
            _ => "people",
        };
        if set.len() == 3 {
            let (tables, errors, sum) = kinds.entry(kind).or_default();
            (*tables, *errors, *sum) = (*tables + 1.0, *errors + error / total, *sum + bound.l1 / total);
        }
    }
    for (kind, (tables, errors, sum)) in kinds {
        println!("bound by {kind}: {tables} tables, mean error {:.4}, mean bound {:.4}", errors / tables, sum / tables);
    }
    let (least, most) = bounds.people();
    println!(
        "largest share of a bound {largest:.3}, {beyond} errors beyond their bounds; people {least:.0} to {most:.0}"
    );
    println!("bounds after {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}
