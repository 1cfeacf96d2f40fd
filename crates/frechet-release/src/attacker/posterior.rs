//! The posterior of an attacker with a uniform prior over the assignments of people that satisfy
//! the published numbers.
//!
//! Two chains over the fiber start as far apart as tables are known to be. Each takes as many
//! steps between two draws as the table has cells, after a tenth of the draws that are not
//! counted. Where both agree about a class, neither is still near its start; that they have seen
//! the whole fiber is another question, and is answered by [`Connectivity`].

use privacy_core::rng::SimRng;

use crate::attacker::convergence::has_converged;
use crate::attacker::fiber_sampler::{Connectivity, FiberSampler, Prior};
use crate::solver::Solver;
use crate::table::class::Class;
use crate::table::error::Error;

/// Seeds the chains: the same classes and the same number of draws give the same result.
const SEED: u64 = 0;
/// Draws of all classes together that are held, 8 bytes each.
const MOST_COUNTS: u64 = 1 << 26;
/// Steps of both chains together.
const MOST_STEPS: u64 = 1 << 32;

/// Counts of classes over draws from the fiber. Kind: proxy.
///
/// ```
/// use frechet_release::{Class, FiberSample, Knowledge, Limits, Solver};
/// use privacy_core::{AttrSet, ContingencyTable, Domain};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let domain = Domain::of_cardinalities(&[2, 2])?;
/// let counts = ContingencyTable::from_cells(&domain, domain.all(), vec![2, 3, 3, 2])?;
/// let mut knowledge = Knowledge::of_counts(domain)?;
/// for axis in 0..2 {
///     knowledge.publish_margin(&counts.marginal(AttrSet::single(axis))?)?;
/// }
/// let mut solver = Solver::new(knowledge, Limits::default())?;
/// let sample = FiberSample::draw(&mut solver, &[Class::cell([0, 0])], &[false], 2_000)?;
/// assert!(sample.has_converged && (sample.counts[0].mean - 2.5).abs() < 0.2); // hypergeometric
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FiberSample {
    /// Draws of both chains together.
    pub draws: u64,
    /// Steps between two draws.
    pub thin: u64,
    /// Whether the chains are known to reach every table.
    pub connectivity: Connectivity,
    /// Whether the two chains agree about every class.
    pub has_converged: bool,
    /// The classes, in the order in which they were given.
    pub counts: Vec<SampledCount>,
}

/// The count of one class over the draws.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SampledCount {
    /// The mean.
    pub mean: f64,
    /// At most 5 % of the draws are below.
    pub p05: i64,
    /// At most 5 % of the draws are above.
    pub p95: i64,
    /// Whether the two chains agree about this class, and no class that is free to move stands
    /// still.
    pub has_converged: bool,
    /// Whether more than one count was drawn.
    moved: bool,
}

impl FiberSample {
    /// Draws tables from the fiber, every assignment of people equally likely, and looks at the
    /// count of each class. `is_pinned` says for each class whether one count is proved to be the
    /// only one.
    ///
    /// # Errors
    /// [`Error::TooManyDraws`], before the first; as [`FiberSampler::apart`].
    ///
    /// # Panics
    /// If `is_pinned` has another length than `classes`.
    pub fn draw(solver: &mut Solver, classes: &[Class], is_pinned: &[bool], draws: u64) -> Result<Self, Error> {
        assert_eq!(classes.len(), is_pinned.len(), "one entry for each class");
        let grid = solver.knowledge().grid.clone();
        classes.iter().try_for_each(|class| class.checked(&grid))?;
        let thin = grid.cells() as u64;
        check_work(classes.len() as u64, thin, draws)?;
        let cells: Vec<Vec<u32>> = classes.iter().map(|class| grid.cells_of(class)).collect();
        let walks = FiberSampler::apart(solver, Prior::People)?;
        let connectivity = walks[0].connectivity();
        let [one, other] = walks;
        let unseen = draws / 10 * thin;
        let one = counts_along(one, &cells, (0, draws / 2), unseen)?;
        let other = counts_along(other, &cells, (1, draws - draws / 2), unseen)?;
        let mut counts: Vec<SampledCount> =
            one.into_iter().zip(other).map(|(one, other)| SampledCount::of(one, &other)).collect();
        doubt_where_stuck(&mut counts, is_pinned);
        let has_converged = counts.iter().all(|count| count.has_converged);
        Ok(Self { draws, thin, connectivity, has_converged, counts })
    }
}

/// By estimates, before anything is held.
fn check_work(classes: u64, thin: u64, draws: u64) -> Result<(), Error> {
    // Both chains also take a tenth of the draws that are not counted.
    let fits = classes.saturating_mul(draws) <= MOST_COUNTS && thin.saturating_mul(draws + draws / 5) <= MOST_STEPS;
    let most = (MOST_COUNTS / classes.max(1)).min(MOST_STEPS / 6 * 5 / thin.max(1));
    if fits { Ok(()) } else { Err(Error::TooManyDraws { draws, classes, cells: thin, most }) }
}

/// The counts of each class at the draws of one chain.
fn counts_along(
    mut walk: FiberSampler,
    cells: &[Vec<u32>],
    (number, draws): (u64, u64),
    unseen: u64,
) -> Result<Vec<Vec<i64>>, Error> {
    let mut rng = SimRng::for_trial(SEED, "walk over the tables that fit", number);
    walk.advance(unseen, &mut rng)?;
    let mut counts = vec![Vec::new(); cells.len()];
    for _ in 0..draws {
        walk.advance(walk.table().len() as u64, &mut rng)?;
        for (counts, cells) in counts.iter_mut().zip(cells) {
            counts.push(cells.iter().map(|&cell| walk.table()[cell as usize]).sum());
        }
    }
    Ok(counts)
}

/// A class that stands still at one count although others are proved possible has no move that
/// fits: the other classes were then seen for that count alone.
fn doubt_where_stuck(counts: &mut [SampledCount], is_pinned: &[bool]) {
    if counts.iter().zip(is_pinned).any(|(count, &is_pinned): (&SampledCount, &bool)| !is_pinned && !count.moved) {
        counts.iter_mut().zip(is_pinned).for_each(|(count, &is_pinned)| count.has_converged &= is_pinned);
    }
}

impl SampledCount {
    /// From two chains, with at least one draw.
    fn of(mut counts: Vec<i64>, other: &[i64]) -> Self {
        let has_converged = has_converged(&[&counts, other]);
        counts.extend_from_slice(other);
        counts.sort_unstable();
        let (draws, tail) = (counts.len(), counts.len() / 20);
        let mean = counts.iter().map(|&count| count as f64).sum::<f64>() / draws as f64;
        let moved = counts.first() < counts.last();
        Self { mean, p05: counts[tail], p95: counts[draws - 1 - tail], has_converged, moved }
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::{AttrSet, ContingencyTable, Domain};

    use super::*;
    use crate::engine::linear_program::Limits;
    use crate::table::knowledge::Knowledge;

    #[test]
    fn a_twentieth_of_the_draws_is_left_out_at_each_end() {
        let counts: Vec<i64> = (0..100).map(|draw| 1 + draw * 37 % 100).collect();
        let count = SampledCount::of(counts[..50].to_vec(), &counts[50..]);
        assert_eq!((count.mean, count.p05, count.p95, count.has_converged), (50.5, 6, 95, true));
        let one = SampledCount::of(vec![7], &[]);
        assert_eq!((one.mean, one.p05, one.p95), (7.0, 7, 7));
    }

    #[test]
    fn walks_that_stay_in_two_corners_have_not_converged() {
        assert!(!SampledCount::of(vec![1, 2, 1, 2, 1, 2], &[8, 9, 8, 9, 8, 9]).has_converged);
    }

    #[test]
    fn a_class_that_stands_still_though_it_could_move_puts_the_others_in_doubt() {
        let fixed = SampledCount::of(vec![4; 6], &[4; 6]);
        let moving = SampledCount::of(vec![1, 2, 1, 2, 1, 2], &[1, 2, 1, 2, 1, 2]);
        let converged = |is_pinned: [bool; 2]| {
            let mut both = [fixed, moving];
            doubt_where_stuck(&mut both, &is_pinned);
            both.map(|count| count.has_converged)
        };
        assert_eq!(converged([true, false]), [true, true]);
        assert_eq!(converged([false, false]), [false, false]);
    }

    #[test]
    fn more_draws_than_fit_are_refused_before_they_are_made() {
        assert!(check_work(300, 5_600, 10_000).is_ok());
        let refused = check_work(5_600, 5_600, 1_000_000).unwrap_err();
        assert!(matches!(refused, Error::TooManyDraws { most: 11_983, .. }), "{refused:?}");
        assert!(check_work(3, 1 << 24, 1_000).is_err());
    }

    /// Of a 2 x 2 table with margins 5, 5 and 5, 5, the cell is hypergeometric: mean 2.5, and 0
    /// or 5 once in 252 draws each.
    #[test]
    fn draws_follow_the_hypergeometric_law() {
        let domain = Domain::of_cardinalities(&[2, 2]).unwrap();
        let table = ContingencyTable::from_cells(&domain, domain.all(), vec![2, 3, 3, 2]).unwrap();
        let mut knowledge = Knowledge::of_counts(domain).unwrap();
        for axis in 0..2 {
            knowledge.publish_margin(&table.marginal(AttrSet::single(axis)).unwrap()).unwrap();
        }
        let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
        let sample = FiberSample::draw(&mut solver, &[Class::cell([0, 0])], &[false], 4_000).unwrap();
        let count = sample.counts[0];
        assert!(sample.has_converged && sample.connectivity == Connectivity::Proved);
        // The standard error of the mean of independent draws is 0.013.
        assert!((count.mean - 2.5).abs() < 0.1 && (count.p05, count.p95) == (1, 4), "{count:?}");
    }
}
