//! The reader of noisy numbers beside exact ones: lists the tables consistent with the exact
//! numbers, weighs each by the law of the noise, and guesses the cell of which it is the surest.
//!
//! A trial draws a table, each count equally likely, publishes the sums of both axes, and counts of
//! all cells with exact discrete Gaussian noise. The release goes out when the library finds that
//! no count of a withheld cell has a posterior above the limit. Claimed: the guess is right with at
//! most that probability.

use disclosure::frechet::{Limits, LinkageAttack, NoisyNumbers, Region};
use disclosure::privacy_core::noise::{DiscreteGaussian, Rational};

use super::electorate::{Composition, Electorate, signed};
use crate::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    shape: [usize; 2],
    /// The largest count of a cell, which everybody knows.
    most: u64,
    /// Variance of the noise of a cell, in counts squared.
    variance: u64,
    max_posterior: f64,
}

/// What the release does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Noisy numbers are not read by the attacker of the release: they are left to their budget.
    NoiseNotRead,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let claim = Claim::at_most(spec.max_posterior)?;
    blueprint.trials(
        vec![Quantity::share("the guess at a withheld cell is right", claim)?],
        |fault: Option<Fault>| Ok(BesideNoiseAudit { spec, is_read: fault.is_none() }),
        |view, _| view.surest(),
        |_, _| None,
    )
}

struct BesideNoiseAudit {
    spec: Spec,
    is_read: bool,
}

struct World {
    electorate: Electorate,
    noisy: Vec<i64>,
    goes_out: bool,
}

/// Sums of both axes, and noisy counts of all cells; nothing where the release is refused.
struct View {
    spec: Spec,
    sums: [Vec<i64>; 2],
    noisy: Vec<i64>,
    goes_out: bool,
}

impl View {
    /// The cell and the count with the largest posterior.
    fn surest(&self) -> Option<(usize, i64)> {
        if !self.goes_out {
            return None;
        }
        let (cells, counts) = (self.noisy.len(), usize::try_from(self.spec.most).expect("a few") + 1);
        let mut mass = vec![vec![0.0; counts]; cells];
        self.extend(&mut vec![0; cells], 0, 0.0, &mut mass);
        let of_cell = |(cell, mass): (usize, &Vec<f64>)| {
            let total: f64 = mass.iter().sum();
            let best = (0..).zip(mass).max_by(|one: &(i64, &f64), other| one.1.total_cmp(other.1));
            best.map(|(count, mass)| (cell, count, mass / total))
        };
        let surest = mass.iter().enumerate().filter_map(of_cell).max_by(|one, other| one.2.total_cmp(&other.2));
        surest.map(|(cell, count, _)| (cell, count))
    }

    /// Adds the weights of all tables that begin like `table`.
    fn extend(&self, table: &mut Vec<i64>, cell: usize, log: f64, mass: &mut [Vec<f64>]) {
        let [rows, columns] = self.spec.shape;
        if cell == table.len() {
            let weight = log.exp();
            for (mass, &count) in mass.iter_mut().zip(&*table) {
                mass[usize::try_from(count).expect("counts of people")] += weight;
            }
            return;
        }
        let (row, column) = (cell / columns, cell % columns);
        let in_row: i64 = table[row * columns..cell].iter().sum();
        let in_column: i64 = (0..row).map(|above| table[above * columns + column]).sum();
        let (row_left, column_left) = (self.sums[0][row] - in_row, self.sums[1][column] - in_column);
        for count in 0..=signed(self.spec.most).min(row_left).min(column_left) {
            let ends_row = column + 1 == columns && count != row_left;
            let ends_column = row + 1 == rows && count != column_left;
            if !(ends_row || ends_column) {
                table[cell] = count;
                let misfit = (self.noisy[cell] - count) as f64;
                self.extend(table, cell + 1, log - misfit * misfit / (2.0 * self.spec.variance as f64), mass);
                table[cell] = 0;
            }
        }
    }
}

impl BesideNoiseAudit {
    /// Whether the library lets the release out.
    fn goes_out(&self, electorate: &Electorate, noisy: &[i64]) -> Result<bool, Error> {
        if !self.is_read {
            return Ok(true);
        }
        let (domain, table) = (electorate.domain(), electorate.table());
        let mut attack = LinkageAttack::new(domain.clone())?;
        for axis in 0..2 {
            let sums = table.marginal(AttrSet::single(axis)).expect("an axis of the table");
            for (level, &sum) in sums.cells().iter().enumerate() {
                attack.add(&Region::everything().with(axis, [level]), sum, sum)?;
            }
        }
        let columns = self.spec.shape[1];
        let cells: Vec<Region> = (0..noisy.len())
            .map(|cell| Region::everything().with(0, [cell / columns]).with(1, [cell % columns]))
            .collect();
        cells.iter().try_for_each(|cell| attack.assume(cell, 0, self.spec.most))?;
        let mut numbers = NoisyNumbers::new(&domain)?;
        let queries = self.spec.shape.map(identity);
        let queries: Vec<_> = queries.into_iter().enumerate().collect();
        let seen: Vec<f64> = noisy.iter().map(|&count| count as f64).collect();
        numbers.add_gaussian(&queries, self.spec.variance as f64, &seen)?;
        let found = attack.beside_noise(&table, &cells, Limits::default())?.posterior(&numbers)?;
        Ok(found.iter().all(|found| found.at_most() <= self.spec.max_posterior))
    }

    fn draw(&self, rng: &mut SimRng) -> Electorate {
        let cells = self.spec.shape.iter().product::<usize>();
        let counts = (0..cells).map(|_| rng.random_range(0..=self.spec.most)).collect();
        let margins = vec![AttrSet::single(0), AttrSet::single(1)];
        Electorate { shape: self.spec.shape.to_vec(), composition: Composition::Unknown, counts, margins }
    }
}

/// Queries about each level by itself.
fn identity(size: usize) -> Vec<Vec<f64>> {
    (0..size).map(|row| (0..size).map(|level| f64::from(u8::from(row == level))).collect()).collect()
}

impl Audit for BesideNoiseAudit {
    type World = World;
    type View = View;
    type Answer = Option<(usize, i64)>;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let electorate = self.draw(rng);
        let variance = Rational::new(u128::from(self.spec.variance), 1).expect("a whole variance above 0");
        let law = DiscreteGaussian::new(variance).expect("a whole variance above 0");
        let mut coins = release_rng(rng);
        let noisy = electorate.counts.iter().map(|&count| signed(count) + law.sample(&mut coins)).collect::<Vec<i64>>();
        let goes_out = self.goes_out(&electorate, &noisy)?;
        Ok(World { electorate, noisy, goes_out })
    }

    fn view(&self, world: &World, _: &mut SimRng) -> Result<View, Error> {
        let [rows, columns] = self.spec.shape;
        let at = |row: usize, column: usize| signed(world.electorate.counts[row * columns + column]);
        let of_rows = (0..rows).map(|row| (0..columns).map(|column| at(row, column)).sum());
        let of_columns = (0..columns).map(|column| (0..rows).map(|row| at(row, column)).sum());
        let sums = [of_rows.collect(), of_columns.collect()];
        Ok(View { spec: self.spec, sums, noisy: world.noisy.clone(), goes_out: world.goes_out })
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        World { electorate: self.draw(rng), noisy: world.noisy.clone(), goes_out: world.goes_out }
    }

    fn measure(&self, world: &World, answer: &Self::Answer, measured: &mut [Option<f64>]) {
        if world.goes_out {
            let is_right = answer.is_some_and(|(cell, count)| signed(world.electorate.counts[cell]) == count);
            measured[0] = Some(f64::from(u8::from(is_right)));
        }
    }
}
