//! The posterior of withheld numbers, from exact and noisy numbers together.
//!
//! The attacker holds every table consistent with the exact numbers for equally likely, or every
//! assignment of people; multiplies by how likely each makes the noisy numbers; and names for each
//! withheld number the count with the largest posterior. Where the tables can be listed, this is
//! the exact posterior of both priors. Elsewhere tables are drawn by two chains for each prior,
//! and a frequency has its standard error over batches of draws.
//!
//! The true table is where chains start and is used nowhere else, so that what comes out follows
//! from what is published alone, up to the error that is said.

use std::collections::BTreeMap;

use privacy_core::ContingencyTable;
use privacy_core::parallel;
use privacy_core::rng::SimRng;
use privacy_core::special::ln_gamma;
use privacy_core::stop::StopFlag;

use crate::attacker::enumeration::{EnumerationLimits, visit_tables};
use crate::attacker::fiber_sampler::{FiberSampler, Prior};
use crate::attacker::noised::evidence::{Evidence, NumbersByCell};
use crate::attacker::noised::numbers::NoisyNumbers;
use crate::engine::linear_program::Limits;
use crate::solver::Solver;
use crate::table::class::Region;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;
use crate::table::system::NO_CAPACITY;

const PRIORS: [Prior; 2] = [Prior::Tables, Prior::People];
/// Seeds the chains: the same numbers give the same result.
const SEED: u64 = 0;
/// Cells of a table that is attacked.
const MOST_CELLS: usize = 2048;
/// Counts of listed tables that are held, and the most tables.
const LISTED_COUNTS: u64 = 1 << 18;
const LISTED_TABLES: u64 = 10_000;
/// Multiplications for one set of noisy numbers, and what a step takes besides those.
const WORK: u64 = 1 << 29;
const STEP: u64 = 400;
/// Fewest and most draws of a chain, and the batches into which they are split.
const DRAWS: (u64, u64) = (100, 1_000);
const BATCHES: u64 = 10;

/// How often a withheld number had each count in each batch of the draws of a chain.
type Seen = BTreeMap<i64, [u64; BATCHES as usize]>;

/// Posterior of one withheld number for an attacker who also reads noisy numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CountPosterior {
    /// The most likely count.
    pub guess: i64,
    /// Its posterior.
    pub probability: f64,
    /// Standard error of that; 0 where all tables were listed.
    pub standard_error: f64,
}

impl CountPosterior {
    /// The posterior with twice its standard error, at most 1: what a target is held against.
    #[must_use]
    pub fn at_most(&self) -> f64 {
        (self.probability + 2.0 * self.standard_error).min(1.0)
    }
}

/// An attack that is ready for noisy numbers.
///
/// Kind: calibration where [`is_whole`](Self::is_whole), measured elsewhere. Against: a reader to
/// whom all consistent tables, or all consistent assignments of people, are equally likely before
/// the noisy numbers are read.
pub struct PosteriorAttack {
    fiber: Fiber,
    withheld: Vec<Vec<u32>>,
    cells: usize,
    stop: StopFlag,
}

enum Fiber {
    /// Every table, its weight under each prior, and the count of each withheld number in it.
    Whole { tables: Vec<Vec<i64>>, log_priors: [Vec<f64>; 2], counts: Vec<Vec<i64>> },
    /// Two chains for each prior.
    Sampled(Vec<[FiberSampler; 2]>),
}

impl PosteriorAttack {
    /// Lists the tables consistent with what is known, or prepares to draw them. `truth` is one of
    /// them.
    pub(crate) fn new(
        knowledge: &Knowledge,
        truth: &ContingencyTable,
        withheld: &[Region],
        limits: Limits,
    ) -> Result<Self, Error> {
        let cells = knowledge.grid.cells();
        if cells > MOST_CELLS {
            return Err(Error::PosteriorTooLarge { cells: cells as f64, limit: MOST_CELLS as f64 });
        }
        let regions = withheld.iter().map(|region| region.cells(&knowledge.grid)).collect::<Result<Vec<_>, _>>()?;
        let knowledge = knowledge.clone().bounded()?;
        let stop = limits.stop.clone();
        let fiber = match all_tables(&knowledge, &stop)? {
            Some(tables) => Fiber::listed(&knowledge, tables, &regions),
            None => Fiber::sampled(knowledge, truth, limits)?,
        };
        Ok(Self { fiber, withheld: regions, cells, stop })
    }

    /// Whether every consistent table was listed, so that the posterior is exact.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        matches!(self.fiber, Fiber::Whole { .. })
    }

    /// The belief about each withheld number of anyone who reads these noisy numbers too, under
    /// the prior that makes it the surest.
    ///
    /// # Errors
    /// [`Error::NoisyShape`] for numbers about another table; [`Error::Stopped`].
    pub fn posterior(&self, numbers: &NoisyNumbers) -> Result<Vec<CountPosterior>, Error> {
        if numbers.cells() != self.cells {
            return Err(Error::NoisyShape);
        }
        let by_cell = NumbersByCell::of(numbers);
        let of_priors: Vec<Vec<CountPosterior>> = match &self.fiber {
            Fiber::Whole { tables, log_priors, counts } => {
                let mut likelihoods = Vec::with_capacity(tables.len());
                for table in tables {
                    if self.stop.is_set() {
                        return Err(Error::Stopped);
                    }
                    likelihoods.push(Evidence::at(&by_cell, table).log_likelihood());
                }
                log_priors.iter().map(|priors| exact(priors, &likelihoods, counts)).collect()
            }
            Fiber::Sampled(walks) => self.drawn(walks, numbers, &by_cell)?,
        };
        let numbers = 0..self.withheld.len();
        let best = numbers.map(|number| of_priors.iter().map(|of_prior| of_prior[number]).reduce(surest));
        Ok(best.flatten().collect())
    }

    /// The frequencies of two chains for each prior.
    fn drawn(
        &self,
        walks: &[[FiberSampler; 2]],
        numbers: &NoisyNumbers,
        by_cell: &NumbersByCell<'_>,
    ) -> Result<Vec<Vec<CountPosterior>>, Error> {
        let width = numbers.blocks.iter().map(|block| block.values.len() as u64).sum::<u64>();
        let steps = (self.cells as u64).max(16);
        // Two chains for each of two priors.
        let draws = (WORK / ((4 * width + STEP) * 4 * steps)).clamp(DRAWS.0, DRAWS.1);
        let chains = walks.iter().flat_map(|walks| (0..).zip(walks)).collect();
        let seen = parallel::map_into(chains, |(chain, walk)| self.seen(chain, walk, by_cell, [draws, steps]));
        let seen = seen.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(seen.chunks(2).map(|pair| frequencies(pair, draws)).collect())
    }

    /// How often each withheld number had each count in each batch of the draws of a chain, with
    /// some steps for each draw.
    fn seen(
        &self,
        chain: u64,
        walk: &FiberSampler,
        by_cell: &NumbersByCell<'_>,
        [draws, steps]: [u64; 2],
    ) -> Result<Vec<Seen>, Error> {
        let mut seen = vec![Seen::new(); self.withheld.len()];
        let (mut walk, mut rng) = (walk.clone(), SimRng::for_trial(SEED, "tables beside noisy numbers", chain));
        // A fifth of the draws is not counted: the chain starts where it was put.
        for draw in 0..draws + draws / 5 {
            // Made anew at each draw, so that rounding does not add up.
            let mut evidence = Evidence::at(by_cell, walk.table());
            for _ in 0..steps {
                walk.step_beside(&mut evidence, &mut rng);
            }
            if self.stop.is_set() {
                return Err(Error::Stopped);
            }
            let Some(counted) = draw.checked_sub(draws / 5) else { continue };
            let batch = usize::try_from(counted * BATCHES / draws).expect("some batches");
            for (seen, cells) in seen.iter_mut().zip(&self.withheld) {
                seen.entry(sum_over(cells, walk.table())).or_default()[batch] += 1;
            }
        }
        Ok(seen)
    }
}

impl Fiber {
    fn listed(knowledge: &Knowledge, tables: Vec<Vec<i64>>, regions: &[Vec<u32>]) -> Self {
        let capacity = &knowledge.system.capacity;
        let log_priors = PRIORS.map(|prior| tables.iter().map(|table| log_weight(table, capacity, prior)).collect());
        let counts = regions.iter().map(|cells| tables.iter().map(|table| sum_over(cells, table)).collect());
        let counts = counts.collect();
        Self::Whole { tables, log_priors, counts }
    }

    fn sampled(knowledge: Knowledge, truth: &ContingencyTable, limits: Limits) -> Result<Self, Error> {
        let truth: Vec<i64> = truth.cells().iter().map(|&count| count.cast_signed()).collect();
        let mut solver = Solver::with_table(knowledge, limits, &truth)?;
        let walks = PRIORS.map(|prior| FiberSampler::apart(&mut solver, prior));
        Ok(Self::Sampled(walks.into_iter().collect::<Result<_, _>>()?))
    }
}

fn surest(one: CountPosterior, other: CountPosterior) -> CountPosterior {
    if other.probability > one.probability { other } else { one }
}

fn sum_over(cells: &[u32], table: &[i64]) -> i64 {
    cells.iter().map(|&cell| table[cell as usize]).sum()
}

/// Every table, or `None` where there are too many.
fn all_tables(knowledge: &Knowledge, stop: &StopFlag) -> Result<Option<Vec<Vec<i64>>>, Error> {
    let tables = (LISTED_COUNTS / knowledge.grid.cells() as u64).clamp(1, LISTED_TABLES);
    let limits = EnumerationLimits { tables, stop: stop.clone() };
    let mut all = Vec::new();
    match visit_tables(knowledge, &limits, |table| all.push(table.to_vec())) {
        Ok(()) => Ok(Some(all)),
        Err(Error::FiberTooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The logarithm of a table's weight before the noisy numbers, up to a constant.
fn log_weight(table: &[i64], capacity: &[i64], prior: Prior) -> f64 {
    let of_cell = |(&count, &most): (&i64, &i64)| {
        let others = if most == NO_CAPACITY { 0.0 } else { ln_gamma((most - count) as f64 + 1.0) };
        -ln_gamma(count as f64 + 1.0) - others
    };
    match prior {
        Prior::Tables => 0.0,
        Prior::People => table.iter().zip(capacity).map(of_cell).sum(),
    }
}

/// The posterior over listed tables: the most likely count of each number.
fn exact(log_priors: &[f64], likelihoods: &[f64], counts: &[Vec<i64>]) -> Vec<CountPosterior> {
    let logs: Vec<f64> = log_priors.iter().zip(likelihoods).map(|(prior, likelihood)| prior + likelihood).collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    let of_number = |counts: &Vec<i64>| {
        let mut mass: BTreeMap<i64, f64> = BTreeMap::new();
        counts.iter().zip(&weights).for_each(|(&count, weight)| *mass.entry(count).or_insert(0.0) += weight);
        let best = mass.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
        let (guess, weight) = best.expect("the true table is consistent with what is published");
        CountPosterior { guess, probability: (weight / total).min(1.0), standard_error: 0.0 }
    };
    counts.iter().map(of_number).collect()
}

/// The most frequent count of each number in some chains, and the standard error of its frequency
/// over their batches.
fn frequencies(chains: &[Vec<Seen>], draws: u64) -> Vec<CountPosterior> {
    let of_number = |number: usize| {
        let mut all: BTreeMap<i64, u64> = BTreeMap::new();
        for (&count, batches) in chains.iter().flat_map(|chain| &chain[number]) {
            *all.entry(count).or_default() += batches.iter().sum::<u64>();
        }
        let (guess, _) = all.into_iter().max_by_key(|&(_, times)| times).expect("a chain has draws");
        let batches = chains.iter().flat_map(|chain| chain[number].get(&guess).copied().unwrap_or_default());
        frequency(guess, &batches.collect::<Vec<u64>>(), draws)
    };
    (0..chains[0].len()).map(of_number).collect()
}

/// The share of the draws that a count has, from its number in each batch.
fn frequency(guess: i64, batches: &[u64], draws: u64) -> CountPosterior {
    let (number, size) = (batches.len() as f64, draws as f64 / BATCHES as f64);
    let shares: Vec<f64> = batches.iter().map(|&count| count as f64 / size).collect();
    let mean = shares.iter().sum::<f64>() / number;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (number - 1.0);
    CountPosterior { guess, probability: mean.min(1.0), standard_error: (variance / number).sqrt() }
}

/// Debug output shows no table: one of them is the true one.
impl std::fmt::Debug for PosteriorAttack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PosteriorAttack").field("is_whole", &self.is_whole()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::{AttrSet, Domain};

    use super::*;

    #[test]
    fn drawn_tables_believe_what_listed_tables_do() {
        let domain = Domain::of_cardinalities(&[3, 3]).unwrap();
        let truth = ContingencyTable::from_cells(&domain, domain.all(), vec![3, 5, 2, 4, 1, 6, 2, 2, 3]).unwrap();
        let mut knowledge = Knowledge::of_counts(domain.clone()).unwrap();
        for axis in 0..2 {
            knowledge.publish_margin(&truth.marginal(AttrSet::single(axis)).unwrap()).unwrap();
        }
        let knowledge = knowledge.bounded().unwrap();
        let mut numbers = NoisyNumbers::new(&domain).unwrap();
        let identity = |size| (0..size).map(|row| (0..size).map(|l| f64::from(row == l)).collect()).collect();
        let seen = [4.1, 4.2, 1.0, 3.5, 2.5, 6.0, 1.0, 3.0, 3.3];
        numbers.add_gaussian(&[(0, identity(3)), (1, identity(3))], 1.5, &seen).unwrap();
        numbers.add_laplace(&Region::everything().with(0, [1]).with(1, [1, 2]), 2.0, 9).unwrap();
        let regions: Vec<Vec<u32>> = vec![vec![0], vec![4], vec![5, 8]];
        let never = StopFlag::never();
        let tables = all_tables(&knowledge, &never).unwrap().unwrap();
        let listed = Fiber::listed(&knowledge, tables, &regions);
        let sampled = Fiber::sampled(knowledge, &truth, Limits::default()).unwrap();
        let attack = |fiber| PosteriorAttack { fiber, withheld: regions.clone(), cells: 9, stop: never.clone() };
        let (exact, drawn) = (attack(listed), attack(sampled));
        assert!(exact.is_whole() && !drawn.is_whole());
        let (exact, drawn) = (exact.posterior(&numbers).unwrap(), drawn.posterior(&numbers).unwrap());
        for (exact, drawn) in exact.iter().zip(&drawn) {
            let error = (exact.probability - drawn.probability).abs();
            assert!(drawn.standard_error > 0.0 && drawn.standard_error < 0.05, "{drawn:?}");
            assert!(error < 4.0 * drawn.standard_error + 1e-3, "{exact:?} {drawn:?}");
        }
    }
}
