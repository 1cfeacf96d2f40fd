//! A reader of a rounded table, with all its totals, who knows how it was rounded.
//!
//! `b` the base, `p` a rounded number, `n` its count. The reader knows between which counts the
//! method puts every number, that totals are sums, and that counts are not negative; integer
//! programs and enumeration find what is left of each count. The reader wins if fewer counts are
//! left than controlled rounding promises: `b` where 0 is published, `2 b - 1` elsewhere.

use disclosure::frechet::ControlledRounding;
use disclosure::privacy_core::stop::StopFlag;
use disclosure::privacy_core::{ContingencyTable, Domain};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use super::published_table::{Ranges, View, classes_of, numbers_of, scenario};
use crate::facts::{Facts, Sum};
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Spec {
    /// Shapes of the tables, without their totals.
    shapes: Vec<Vec<usize>>,
    /// Bases of the rounding.
    bases: Vec<u64>,
    /// Counts are up to this.
    largest: u64,
}

/// How tables are rounded in a faulty way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Every cell to the nearest multiple, and totals as they are.
    ExactTotals,
    /// Every cell and every total to the nearest multiple.
    Nearest,
    /// Cells by controlled rounding, and totals as they are.
    ControlledCellsOnly,
    /// Two controlled roundings of one table.
    Twice,
}

/// Tables that were rounded.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { shapes, bases, largest } = blueprint.spec()?;
    let fits =
        shapes.iter().all(|shape| (1..=3).contains(&shape.len()) && shape.iter().all(|size| (2..=5).contains(size)));
    let is_base = bases.iter().all(|base| (2..=20).contains(base));
    if shapes.is_empty() || bases.is_empty() || !fits || !is_base || !(1..=100).contains(&largest) {
        return Err(blueprint.refuse("one to three axes of 2 to 5 levels, bases from 2 to 20, counts up to 1 to 100"));
    }
    scenario(blueprint, "a count known more closely than controlled rounding promises", |fault| {
        Ok(RoundingAudit { shapes: shapes.clone(), bases: bases.clone(), largest, fault })
    })
}

struct World {
    view: View,
    /// Of each class, its count and how many counts must be left for it.
    counts: Vec<(u64, u64)>,
}

struct RoundingAudit {
    shapes: Vec<Vec<usize>>,
    bases: Vec<u64>,
    largest: u64,
    fault: Option<Fault>,
}

/// A number, and between which counts it puts what it stands for.
type PublishedNumber = (u64, [u64; 2]);

impl RoundingAudit {
    /// What is published of every class, by all roundings.
    fn published(
        &self,
        domain: &Domain,
        table: &ContingencyTable,
        base: u64,
        rng: &mut SimRng,
    ) -> Result<Vec<PublishedNumber>, Error> {
        let mut numbers = controlled(domain, table, base, rng)?;
        let (half, exact) = (base / 2, numbers_of(table));
        let cells = table.cells().len();
        // The cells are the last set of axes.
        let first_cell = exact.len() - cells;
        for (class, (published, &count)) in numbers.iter_mut().zip(&exact).enumerate() {
            let nearest = (count + half) / base * base;
            let by_nearest = (nearest, [nearest.saturating_sub(half), nearest + base - 1 - half]);
            match self.fault {
                Some(Fault::ExactTotals) if class < first_cell => *published = (count, [count, count]),
                Some(Fault::ControlledCellsOnly) if class < first_cell => *published = (count, [count, count]),
                Some(Fault::ExactTotals | Fault::Nearest) => *published = by_nearest,
                _ => {}
            }
        }
        if self.fault == Some(Fault::Twice) {
            let again = controlled(domain, table, base, rng)?;
            for (published, other) in numbers.iter_mut().zip(again) {
                published.1 = [published.1[0].max(other.1[0]), published.1[1].min(other.1[1])];
            }
        }
        Ok(numbers)
    }
}

/// How many counts controlled rounding leaves to a number.
fn promised(base: u64, number: u64) -> u64 {
    if number == 0 { base } else { 2 * base - 1 }
}

/// One controlled rounding of every class.
fn controlled(
    domain: &Domain,
    table: &ContingencyTable,
    base: u64,
    rng: &mut SimRng,
) -> Result<Vec<PublishedNumber>, Error> {
    let mut coins = ChaCha20Rng::from_seed(rng.random());
    let rounded = ControlledRounding::new(base)?.round(domain, table, &StopFlag::never(), &mut coins)?;
    let numbers = rounded.margins().flat_map(|(_, margin)| margin.cells().to_vec());
    // What the method says of a number, without asking the mechanism.
    Ok(numbers.map(|number| (number, [number.saturating_sub(base - 1), number + base - 1])).collect())
}

impl Audit for RoundingAudit {
    type World = World;
    type View = View;
    type Answer = Ranges;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let shape = &self.shapes[rng.random_range(0..self.shapes.len())];
        let base = self.bases[rng.random_range(0..self.bases.len())];
        let domain = Domain::of_cardinalities(shape).expect("a shape of a few levels");
        let cells: Vec<u64> = (0..shape.iter().product()).map(|_: usize| rng.random_range(0..=self.largest)).collect();
        let table = ContingencyTable::from_cells(&domain, domain.all(), cells).expect("small counts");
        let published = self.published(&domain, &table, base, rng)?;
        let (exact, classes) = (numbers_of(&table), classes_of(shape, &table));
        let most = i64::try_from(self.largest + 2 * base).unwrap_or(i64::MAX);
        let mut facts = Facts::new(vec![most; table.cells().len()]);
        for (class, (_, [least, largest])) in classes.iter().zip(&published) {
            let terms = class.iter().map(|&cell| (cell, false)).collect();
            facts.sums.push(Sum { terms, least: *least as i64, largest: *largest as i64 });
        }
        let counts = exact.into_iter().zip(&published).map(|(count, own)| (count, promised(base, own.0))).collect();
        Ok(World { view: View { facts, classes }, counts })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<View, Error> {
        Ok(world.view.clone())
    }

    /// Tables that are far larger, about which the rounded one says nothing.
    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        let larger = world.counts.iter().map(|&(count, promised)| (count + rng.random_range(10_000..20_000), promised));
        World { view: world.view.clone(), counts: larger.collect() }
    }

    fn measure(&self, world: &World, answer: &Self::Answer, measured: &mut [Option<f64>]) {
        let is_won = world.counts.iter().zip(answer).any(|(&(count, promised), range)| {
            range.is_some_and(|[low, high]| {
                let (count, promised) = (count as i64, promised as i64);
                (low..=high).contains(&count) && high - low + 1 < promised
            })
        });
        measured[0] = Some(f64::from(is_won));
    }
}
