//! A reader of a table under the cell-key method, with all its totals, who knows the method and
//! the design and not the secret.
//!
//! `D` the largest deviation, `s` the smallest number, `m` a number, `n` its count. The reader
//! knows that `n` is between 0 and `D` where 0 is published, and between `max(1, m - D)` and `m +
//! D` elsewhere; that totals are sums of counts; and that a class and a part of it with different
//! numbers are not the same people. Integer programs and enumeration find what is left of each
//! count. The reader wins if a count is known to within the width for which the table was judged.

use disclosure::frechet::{
    DisclosureRule, DisclosureTarget, KeyedCounts, Knowledge, Limits, PerturbationTable, Scope, Solver, audit,
};
use disclosure::privacy_core::prf::Secret;
use disclosure::privacy_core::{ContingencyTable, Domain};

use super::published_table::{Ranges, View, classes_of, numbers_of, scenario};
use crate::facts::{Facts, Sum};
use crate::prelude::*;

/// Secrets that are tried for a table that is refused under the first.
const SECRETS: usize = 20;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Spec {
    /// Shapes of the tables, without their totals.
    shapes: Vec<Vec<usize>>,
    /// The largest deviation, the variance and the smallest number.
    max_deviation: u32,
    variance: f64,
    smallest_published: u32,
    /// Counts may not be known to within this.
    width: u64,
    /// Counts are up to this.
    largest: u64,
}

/// How tables are perturbed in a faulty way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Totals as they are.
    ExactTotals,
    /// Published without being judged.
    Unjudged,
    /// The same table under two secrets, each judged by itself.
    TwoSecrets,
}

/// Tables that were perturbed.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { shapes, max_deviation, variance, smallest_published, width, largest } = blueprint.spec()?;
    let fits =
        shapes.iter().all(|shape| (1..=3).contains(&shape.len()) && shape.iter().all(|size| (2..=4).contains(size)));
    let design = PerturbationTable::new(max_deviation, variance, smallest_published)?;
    if shapes.is_empty() || !fits || width >= u64::from(max_deviation) || !(1..=100).contains(&largest) {
        let words = "one to three axes of 2 to 4 levels, a width below the largest deviation, counts up to 1 to 100";
        return Err(blueprint.refuse(words));
    }
    scenario(blueprint, "a count known to within the width for which the table was judged", |fault| {
        Ok(CellKeyAudit { shapes: shapes.clone(), design: design.clone(), width, largest, fault })
    })
}

struct World {
    view: View,
    counts: Vec<u64>,
}

struct CellKeyAudit {
    shapes: Vec<Vec<usize>>,
    design: PerturbationTable,
    width: u64,
    largest: u64,
    fault: Option<Fault>,
}

impl CellKeyAudit {
    /// The numbers of every class under a new secret, judged; `None` where twenty secrets are
    /// refused.
    fn published(
        &self,
        domain: &Domain,
        table: &ContingencyTable,
        rng: &mut SimRng,
    ) -> Result<Option<Vec<u64>>, Error> {
        for _ in 0..SECRETS {
            let secret = Secret::new(&rng.random::<[u8; 32]>()).expect("32 bytes");
            let mut people = KeyedCounts::new(domain.clone(), &secret)?;
            let shape = domain.shape(domain.all());
            for (cell, &count) in table.cells().iter().enumerate() {
                people.add(&levels_of(cell, &shape), &cell.to_le_bytes(), count)?;
            }
            let perturbed = self.design.perturb(&people.finish()?, domain.all(), &secret)?;
            let mut knowledge = Knowledge::of_counts(domain.clone())?;
            knowledge.publish_perturbed(&perturbed)?;
            let rule = DisclosureRule::new(self.width, 0.5, 1, Scope::All)?;
            let mut solver = Solver::new(knowledge, Limits::default())?;
            if self.fault == Some(Fault::Unjudged) || audit(&mut solver, &rule)?.meets(DisclosureTarget::Undisclosed) {
                return Ok(Some(perturbed.margins().flat_map(|(_, margin)| margin.cells().to_vec()).collect()));
            }
        }
        Ok(None)
    }

    /// What the reader takes from the numbers of all classes.
    fn read(&self, numbers: &[u64], classes: &[Vec<usize>], facts: &mut Facts) {
        let most = i64::from(self.design.max_deviation());
        for (class, &number) in classes.iter().zip(numbers) {
            let number = number as i64;
            let least = if number == 0 { 0 } else { (number - most).max(1) };
            let terms = class.iter().map(|&cell| (cell, false)).collect();
            facts.sums.push(Sum { terms, least, largest: number + most });
        }
        for (whole, &of_whole) in classes.iter().zip(numbers) {
            for (part, &of_part) in classes.iter().zip(numbers) {
                let is_part = part.len() < whole.len() && part.iter().all(|cell| whole.contains(cell));
                if is_part && of_part != of_whole {
                    let rest = whole.iter().filter(|cell| !part.contains(cell)).map(|&cell| (cell, false));
                    facts.sums.push(Sum { terms: rest.collect(), least: 1, largest: of_whole as i64 + most });
                }
            }
        }
    }
}

fn levels_of(mut cell: usize, shape: &[usize]) -> Vec<usize> {
    let mut levels = vec![0; shape.len()];
    for (level, &size) in levels.iter_mut().zip(shape).rev() {
        (*level, cell) = (cell % size, cell / size);
    }
    levels
}

impl Audit for CellKeyAudit {
    type World = World;
    type View = View;
    type Answer = Ranges;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let shape = &self.shapes[rng.random_range(0..self.shapes.len())];
        let domain = Domain::of_cardinalities(shape).expect("a shape of a few levels");
        let cells: Vec<u64> = (0..shape.iter().product()).map(|_: usize| rng.random_range(0..=self.largest)).collect();
        let table = ContingencyTable::from_cells(&domain, domain.all(), cells).expect("small counts");
        let (counts, classes) = (numbers_of(&table), classes_of(shape, &table));
        let most = i64::try_from(self.largest).unwrap_or(i64::MAX) + 2 * i64::from(self.design.max_deviation());
        let mut facts = Facts::new(vec![most; table.cells().len()]);
        let releases = if self.fault == Some(Fault::TwoSecrets) { 2 } else { 1 };
        for _ in 0..releases {
            if let Some(numbers) = self.published(&domain, &table, rng)? {
                self.read(&numbers, &classes, &mut facts);
            }
        }
        if self.fault == Some(Fault::ExactTotals) {
            let totals = classes.iter().zip(&counts).filter(|(class, _)| class.len() > 1);
            totals.for_each(|(class, &count)| facts.add_count(class, count as i64));
        }
        Ok(World { view: View { facts, classes }, counts })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<View, Error> {
        Ok(world.view.clone())
    }

    /// Tables that are far larger, about which this one says nothing.
    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        let larger = world.counts.iter().map(|&count| count + rng.random_range(10_000..20_000));
        World { view: world.view.clone(), counts: larger.collect() }
    }

    fn measure(&self, world: &World, answer: &Self::Answer, measured: &mut [Option<f64>]) {
        let is_won = world.counts.iter().zip(answer).any(|(&count, range)| {
            range.is_some_and(|[low, high]| (low..=high).contains(&(count as i64)) && high - low <= self.width as i64)
        });
        measured[0] = Some(f64::from(is_won));
    }
}
