//! `--draws`: what an attacker believes who takes every assignment of people that fits for equally likely.

use disclosure::core::rng::SimRng;
use disclosure::frechet::{Class, Connectivity, FiberSampler, Finding, Prior, Solver, has_converged};
use serde::Serialize;

use super::certificates::cells_of;
use crate::error::Failure;

/// Names the walks: the same job and the same draws give the same numbers.
const SEED: u64 = 0;
/// Draws of all classes together that are held, 8 bytes each.
const MOST_COUNTS: u64 = 1 << 26;
/// Steps of both walks.
const MOST_STEPS: u64 = 1 << 32;

/// How the draws were made, and whether they can be anywhere.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Sampling {
    kind: &'static str,
    prior: &'static str,
    draws: u64,
    /// Steps between two draws.
    thin: u64,
    /// Whether the walks are known to reach every table.
    pub(super) connectivity: Connectivity,
    /// Whether two walks from far apart agree about every class: another question than whether they reach everything.
    pub(super) settled: bool,
}

/// The count of a class over the draws.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Sampled {
    pub(super) mean: f64,
    /// 5 % of the draws are below it, at most.
    pub(super) p05: i64,
    /// 5 % of the draws are above it, at most.
    pub(super) p95: i64,
    /// Whether the two walks agree about this class, and no class that is free to move stands still.
    pub(super) settled: bool,
    /// Whether it had two counts.
    #[serde(skip)]
    moved: bool,
}

/// Two walks over the tables that fit, from tables far apart. Each looks at every class half of `draws` times, after a tenth of
/// `draws` unseen. `findings` are those of the classes.
pub(super) fn sample(
    solver: &mut Solver,
    classes: &[Class],
    findings: &[Finding],
    draws: u64,
) -> Result<(Sampling, Vec<Sampled>), Failure> {
    let domain = solver.knowledge().domain();
    let shape = domain.shape(domain.all());
    let thin = shape.iter().product::<usize>() as u64;
    check_work(classes.len() as u64, thin, draws)?;
    let cells: Vec<Vec<u32>> = classes.iter().map(|class| cells_of(&shape, class)).collect();
    let walks = FiberSampler::apart(solver, Prior::People)?;
    let connectivity = walks[0].connectivity();
    let [first, second] = [(0, draws / 2), (1, draws - draws / 2)];
    let [one, other] = walks;
    let seen = [looks(one, &cells, first, draws / 10 * thin), looks(other, &cells, second, draws / 10 * thin)];
    let [one, other] = seen;
    let mut sampled: Vec<Sampled> = one.into_iter().zip(other).map(|(one, other)| Sampled::of(one, &other)).collect();
    let is_pinned: Vec<bool> = findings.iter().map(|finding| finding.is_exactly_disclosed).collect();
    doubt_where_stuck(&mut sampled, &is_pinned);
    let prior = "every assignment of people that fits is equally likely";
    let settled = sampled.iter().all(|sampled| sampled.settled);
    Ok((Sampling { kind: "proxy", prior, draws, thin, connectivity, settled }, sampled))
}

/// A class that stands still at one count although others are proved possible has no move that fits: what the walks say of
/// the others is then for that count alone.
fn doubt_where_stuck(sampled: &mut [Sampled], is_pinned: &[bool]) {
    let is_stuck = |(sampled, &is_pinned): (&Sampled, &bool)| !is_pinned && !sampled.moved;
    if sampled.iter().zip(is_pinned).any(is_stuck) {
        sampled.iter_mut().zip(is_pinned).for_each(|(sampled, &is_pinned)| sampled.settled &= is_pinned);
    }
}

/// By estimates, before anything is held.
fn check_work(classes: u64, thin: u64, draws: u64) -> Result<(), Failure> {
    let fits = classes.saturating_mul(draws) <= MOST_COUNTS && thin.saturating_mul(draws + draws / 5) <= MOST_STEPS;
    let most = (MOST_COUNTS / classes.max(1)).min(MOST_STEPS / 6 * 5 / thin.max(1));
    let next =
        if most >= 100 { format!("at most --draws {most} here") } else { "draw from a coarser table".to_owned() };
    let message = || format!("{draws} draws of {classes} classes over {thin} cells are more than are made");
    if fits { Ok(()) } else { Err(Failure::new("E0621", message()).next(next)) }
}

/// What a walk sees of each class, once every so many steps as there are cells.
fn looks(mut walk: FiberSampler, cells: &[Vec<u32>], (number, looks): (u64, u64), unseen: u64) -> Vec<Vec<i64>> {
    let mut rng = SimRng::for_trial(SEED, "walk over the tables that fit", number);
    (0..unseen).for_each(|_| walk.step(&mut rng));
    let mut counts = vec![Vec::new(); cells.len()];
    for _ in 0..looks {
        (0..walk.table().len()).for_each(|_| walk.step(&mut rng));
        for (counts, cells) in counts.iter_mut().zip(cells) {
            counts.push(cells.iter().map(|&cell| walk.table()[cell as usize]).sum());
        }
    }
    counts
}

impl Sampled {
    /// Of two walks with one draw at least.
    fn of(mut counts: Vec<i64>, other: &[i64]) -> Self {
        let settled = has_converged(&[&counts, other]);
        counts.extend_from_slice(other);
        counts.sort_unstable();
        let (draws, tail) = (counts.len(), counts.len() / 20);
        let mean = counts.iter().map(|&count| count as f64).sum::<f64>() / draws as f64;
        let moved = counts.first() < counts.last();
        Self { mean, p05: counts[tail], p95: counts[draws - 1 - tail], settled, moved }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twentieth_of_the_draws_is_left_out_at_each_end() {
        let counts: Vec<i64> = (0..100).map(|look| 1 + look * 37 % 100).collect();
        let of = Sampled::of(counts[..50].to_vec(), &counts[50..]);
        assert_eq!((of.mean, of.p05, of.p95, of.settled), (50.5, 6, 95, true));
        let one = Sampled::of(vec![7], &[]);
        assert_eq!((one.mean, one.p05, one.p95), (7.0, 7, 7));
    }

    #[test]
    fn walks_that_stay_in_two_corners_are_said_not_to_have_settled() {
        assert!(!Sampled::of(vec![1, 2, 1, 2, 1, 2], &[8, 9, 8, 9, 8, 9]).settled);
    }

    #[test]
    fn a_class_that_stands_still_though_it_could_move_puts_the_others_in_doubt() {
        let fixed = Sampled::of(vec![4; 6], &[4; 6]);
        let moving = Sampled::of(vec![1, 2, 1, 2, 1, 2], &[1, 2, 1, 2, 1, 2]);
        let settled = |is_pinned: [bool; 2]| {
            let mut both = [fixed, moving];
            doubt_where_stuck(&mut both, &is_pinned);
            both.map(|sampled| sampled.settled)
        };
        assert_eq!(settled([true, false]), [true, true]);
        assert_eq!(settled([false, false]), [false, false]);
    }

    #[test]
    fn more_draws_than_fit_are_refused_before_they_are_made() {
        assert!(check_work(300, 5_600, 10_000).is_ok());
        assert!(check_work(5_600, 5_600, 1_000_000).is_err());
        assert!(check_work(3, 1 << 24, 1_000).is_err());
    }
}
