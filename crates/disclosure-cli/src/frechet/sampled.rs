//! `--draws`: what an attacker believes who takes every assignment of people that fits for equally likely.

use disclosure::core::rng::SimRng;
use disclosure::frechet::{Class, Connectivity, Prior, Solver, Walk};
use serde::Serialize;

use super::certificates::cells_of;
use crate::error::Failure;

/// Names the walk: the same job and the same draws give the same numbers.
const SEED: u64 = 0;

/// How the draws were made, and whether they can be anywhere.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Sampling {
    kind: &'static str,
    prior: &'static str,
    draws: u64,
    /// Steps between two draws.
    thin: u64,
    pub(super) connectivity: Connectivity,
}

/// The count of a class over the draws.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Sampled {
    pub(super) mean: f64,
    /// 5 % of the draws are below it, at most.
    pub(super) p05: i64,
    /// 5 % of the draws are above it, at most.
    pub(super) p95: i64,
}

/// Walks over the tables that fit, and looks at every class `draws` times, after a tenth of that unseen.
pub(super) fn sample(solver: &mut Solver, classes: &[Class], draws: u64) -> Result<(Sampling, Vec<Sampled>), Failure> {
    let domain = solver.knowledge().domain();
    let shape = domain.shape(domain.all());
    let cells: Vec<Vec<u32>> = classes.iter().map(|class| cells_of(&shape, class)).collect();
    let mut walk = Walk::new(solver, Prior::People)?;
    let thin = walk.table().len() as u64;
    let mut rng = SimRng::for_trial(SEED, "walk over the tables that fit", 0);
    for _ in 0..(draws / 10).saturating_mul(thin) {
        walk.step(&mut rng);
    }
    let mut counts = vec![Vec::new(); classes.len()];
    for _ in 0..draws {
        (0..thin).for_each(|_| walk.step(&mut rng));
        for (counts, cells) in counts.iter_mut().zip(&cells) {
            counts.push(cells.iter().map(|&cell| walk.table()[cell as usize]).sum());
        }
    }
    let connectivity = walk.connectivity();
    let prior = "every assignment of people that fits is equally likely";
    let sampling = Sampling { kind: "proxy", prior, draws, thin, connectivity };
    Ok((sampling, counts.into_iter().map(Sampled::of).collect()))
}

impl Sampled {
    /// Of one draw at least.
    fn of(mut counts: Vec<i64>) -> Self {
        counts.sort_unstable();
        let (draws, tail) = (counts.len(), counts.len() / 20);
        let mean = counts.iter().map(|&count| count as f64).sum::<f64>() / draws as f64;
        Self { mean, p05: counts[tail], p95: counts[draws - 1 - tail] }
    }
}

#[cfg(test)]
mod tests {
    use super::Sampled;

    #[test]
    fn a_twentieth_of_the_draws_is_left_out_at_each_end() {
        let of = Sampled::of((1..=100).rev().collect());
        assert_eq!((of.mean, of.p05, of.p95), (50.5, 6, 95));
        let one = Sampled::of(vec![7]);
        assert_eq!((one.mean, one.p05, one.p95), (7.0, 7, 7));
    }
}
