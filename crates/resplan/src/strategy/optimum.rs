//! The least total variance of one attribute's queries, by a fixed point that certifies how far
//! it is from the optimum.
//!
//! `G` Gram matrix of the queries, `K` precision matrix of the measurement, `lam` one multiplier
//! a category, `L = diag(lam)`.
//!
//! ```text
//! least value = min of tr(G K^+) over K with diag K <= 1 = max over lam >= 0 of 2 tr((L^1/2 G L^1/2)^1/2) - sum(lam)
//!
//! M = L^1/2 G L^1/2,    K = L^-1/2 M^1/2 L^-1/2,    d = diag(M^1/2),    diag K = d / lam
//! primal = tr(M^1/2) max(d / lam)   >=   least value   >=   tr(M^1/2)^2 / sum(lam) = dual
//! lam <- lam (d / lam)^omega, extrapolated from the last steps (Anderson 1965)
//! ```
//!
//! Null spaces take care of themselves: `G x = 0` gives `K (L^1/2 x) = 0`. Derivation in
//! `docs/math/resplan.md`.

use std::ops::Range;

use ndarray::{Array1, Array2, Axis};
use privacy_core::linalg::{LinalgError, symmetric_eigen};
use privacy_core::stop::StopFlag;

/// Over-relaxation: halves the number of steps.
const OMEGA: f64 = 1.8;
/// Steps that the extrapolation looks back at: halves it again, or better.
const MEMORY: usize = 5;
/// How far a logarithm moves in one step.
const LONGEST_LEAP: f64 = 4.0;
/// Logarithm of the largest ratio of two multipliers.
const LARGEST_RATIO: f64 = 32.0;
/// Most steps; each is one eigen-decomposition. Some dozen suffice.
const MOST_STEPS: usize = 400;
/// Problems above this size begin with the solution of one of half the size.
const LARGE: usize = 64;
/// Gap at which a problem of half the size is left.
const COARSE_GAP: f64 = 1e-4;

/// A precision matrix with `diag K <= 1`, and its certificate.
#[derive(Clone, Debug)]
pub(crate) struct Optimum {
    /// K.
    pub(crate) precision: Array2<f64>,
    /// The multipliers: where to begin for a similar problem.
    pub(crate) multipliers: Vec<f64>,
    /// Primal over dual, less 1: at most so far from the least value, relative.
    pub(crate) gap: f64,
}

/// The precision matrix of least `tr(G K^+)`, to this relative gap. One eigen-decomposition a
/// step, `O(k^3)`.
///
/// A set flag ends it between two steps, with the best matrix so far or
/// [`LinalgError::NotConverged`].
pub(crate) fn optimum(
    gram: &Array2<f64>,
    gap: f64,
    start: Option<&[f64]>,
    stop: &StopFlag,
) -> Result<Optimum, LinalgError> {
    let size = gram.nrows();
    if gram.diag().sum() <= 0.0 {
        // G is positive semidefinite: a trace of 0 means that nothing is asked.
        return Ok(Optimum { precision: Array2::zeros((size, size)), multipliers: vec![1.0; size], gap: 0.0 });
    }
    let mut lam = match start {
        Some(start) => start.to_vec(),
        None if size > LARGE => {
            let half = halved(gram);
            refined(&optimum(&half, COARSE_GAP.max(gap), None, stop)?.multipliers, size)
        }
        None => vec![gram.diag().sum() / size as f64; size],
    };
    // The gap of a single step may grow, since an extrapolated step is no descent step: the best
    // one is kept, and its certificate holds whatever came after.
    let (mut memory, mut best) = (Memory::default(), None::<(Vec<f64>, Iterate)>);
    for _ in 0..MOST_STEPS {
        if stop.is_set() {
            break;
        }
        let step = Iterate::of(gram, &lam)?;
        let (reached, fell_behind) =
            best.as_ref().map_or((f64::INFINITY, false), |(_, b)| (b.gap, step.gap > 2.0 * b.gap));
        if fell_behind {
            // The differences that led here do not describe the neighbourhood any more: back to
            // the plain iteration.
            memory = Memory::default();
        }
        let next = memory.next(&lam, &step)?;
        if step.gap < reached {
            best = Some((lam, step));
        }
        lam = next;
        if best.as_ref().is_some_and(|(_, step)| step.gap <= gap) {
            break;
        }
    }
    let (multipliers, step) = best.ok_or(LinalgError::NotConverged)?;
    Ok(Optimum { precision: step.precision(&multipliers), gap: step.gap.max(0.0), multipliers })
}

/// The problem with pairs of neighbours as one category, so that nothing that is asked is left out.
fn halved(gram: &Array2<f64>) -> Array2<f64> {
    let size = gram.nrows();
    let pairs: Vec<Range<usize>> = (0..size).step_by(2).map(|first| first..(first + 2).min(size)).collect();
    Array2::from_shape_fn((pairs.len(), pairs.len()), |(i, j)| {
        pairs[i].clone().flat_map(|a| pairs[j].clone().map(move |b| gram[[a, b]])).sum()
    })
}

/// The last steps, for Anderson's extrapolation of the fixed point in the logarithms `x` of the
/// multipliers, with `f = ln(d / lam)`: the next `x + omega f`, less what the differences of the
/// last steps explain of f.
#[derive(Default)]
struct Memory {
    last: Option<(Vec<f64>, Vec<f64>)>,
    /// Differences of x and of f, one step to the next.
    differences: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Memory {
    fn next(&mut self, lam: &[f64], step: &Iterate) -> Result<Vec<f64>, LinalgError> {
        let x: Vec<f64> = lam.iter().map(|lam| lam.ln()).collect();
        let f: Vec<f64> = step.d.iter().zip(lam).map(|(d, lam)| (d / lam).max(f64::MIN_POSITIVE).ln()).collect();
        if let Some((last_x, last_f)) = self.last.take() {
            self.differences.push((differences(&x, &last_x), differences(&f, &last_f)));
            if self.differences.len() > MEMORY {
                self.differences.remove(0);
            }
        }
        let mut next: Vec<f64> = x.iter().zip(&f).map(|(x, f)| x + OMEGA * f).collect();
        // x_next = x + omega f - sum of share (dx + omega df): the same combination of steps
        // whose f it cancels best.
        for ((dx, df), share) in self.differences.iter().zip(self.explained(&f)?) {
            next.iter_mut().zip(dx.iter().zip(df)).for_each(|(next, (dx, df))| *next -= share * (dx + OMEGA * df));
        }
        self.last = Some((x.clone(), f));
        // No leap is longer than LONGEST_LEAP, and a multiplier whose constraint is not active,
        // which tends to 0, stops where it no longer counts.
        next.iter_mut().zip(x).for_each(|(next, x)| *next = next.clamp(x - LONGEST_LEAP, x + LONGEST_LEAP));
        let largest = next.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(next.into_iter().map(|x| x.max(largest - LARGEST_RATIO).exp()).collect())
    }

    /// The least-squares combination of the differences of f that is nearest to f.
    fn explained(&self, f: &[f64]) -> Result<Vec<f64>, LinalgError> {
        let size = self.differences.len();
        if size == 0 {
            return Ok(Vec::new());
        }
        let of_f: Vec<&[f64]> = self.differences.iter().map(|(_, df)| df.as_slice()).collect();
        let normal = Array2::from_shape_fn((size, size), |(i, j)| dot(of_f[i], of_f[j]));
        let right: Array1<f64> = of_f.iter().map(|df| dot(df, f)).collect();
        // By the pseudo-inverse, since differences of late steps are nearly parallel.
        Ok(symmetric_eigen(normal.view())?.pseudo_inverse()?.dot(&right).to_vec())
    }
}

fn differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// One look at the multipliers.
struct Iterate {
    /// Roots of the eigenvalues of M, and its eigenvectors.
    roots: Vec<f64>,
    vectors: Array2<f64>,
    /// diag(M^1/2).
    d: Vec<f64>,
    gap: f64,
}

impl Iterate {
    fn of(gram: &Array2<f64>, lam: &[f64]) -> Result<Self, LinalgError> {
        let root: Vec<f64> = lam.iter().map(|lam| lam.sqrt()).collect();
        let m = Array2::from_shape_fn(gram.dim(), |(i, j)| root[i] * gram[[i, j]] * root[j]);
        let eigen = symmetric_eigen(m.view())?;
        // M is positive semidefinite: what is below 0 is rounding.
        let roots: Vec<f64> = eigen.values.iter().map(|w| w.max(0.0).sqrt()).collect();
        let rows = eigen.vectors.axis_iter(Axis(0));
        let d: Vec<f64> = rows.map(|row| row.iter().zip(&roots).map(|(u, r)| u * u * r).sum()).collect();
        let trace: f64 = roots.iter().sum();
        let largest = d.iter().zip(lam).map(|(d, lam)| d / lam).fold(0.0, f64::max);
        // primal / dual: the trace cancels.
        let gap = largest * lam.iter().sum::<f64>() / trace - 1.0;
        Ok(Self { roots, vectors: eigen.vectors, d, gap })
    }

    /// K, scaled so that the largest entry of its diagonal is 1.
    fn precision(&self, lam: &[f64]) -> Array2<f64> {
        let largest = self.d.iter().zip(lam).map(|(d, lam)| d / lam).fold(0.0, f64::max);
        // K = H H^T with H = L^-1/2 U diag(w)^1/4: positive semidefinite by construction.
        let mut halves = self.vectors.clone();
        for (mut row, lam) in halves.axis_iter_mut(Axis(0)).zip(lam) {
            row.iter_mut().zip(&self.roots).for_each(|(u, r)| *u *= (r / (lam * largest)).sqrt());
        }
        halves.dot(&halves.t())
    }
}

/// Multipliers of a problem of `size` categories from those of every second: stretched, and
/// linear in between.
fn refined(coarse: &[f64], size: usize) -> Vec<f64> {
    let last = coarse.len() - 1;
    let between = (0..size).map(|i| {
        let place = i as f64 * last as f64 / (size - 1) as f64;
        let left = (place as usize).min(last - 1);
        coarse[left] + (place - left as f64) * (coarse[left + 1] - coarse[left])
    });
    between.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queries::basis::QueryBasis;

    /// tr(G K^+) of a positive definite K.
    fn value(gram: &Array2<f64>, precision: &Array2<f64>) -> f64 {
        let inverse = symmetric_eigen(precision.view()).unwrap().pseudo_inverse().unwrap();
        (gram * &inverse).sum()
    }

    #[test]
    fn two_categories_have_the_value_that_a_hand_can_compute() {
        // K = [[1, c], [c, 1]]: the prefix sums cost (3 - 2 c) / (1 - c^2), least at c = (3 -
        // sqrt 5) / 2.
        let gram = QueryBasis::Prefix.gram(2);
        let found = optimum(&gram, 1e-10, None, &StopFlag::never()).unwrap();
        let c = (3.0 - 5_f64.sqrt()) / 2.0;
        assert!((found.precision[[0, 1]] - c).abs() < 1e-4, "{}", found.precision);
        assert!((value(&gram, &found.precision) - (3.0 - 2.0 * c) / (1.0 - c * c)).abs() < 1e-9);
        assert!(found.gap <= 1e-10);
    }

    #[test]
    fn the_gap_is_kept_at_every_size_and_from_any_start() {
        for (basis, k) in
            [(QueryBasis::Prefix, 3), (QueryBasis::Range, 10), (QueryBasis::Prefix, 100), (QueryBasis::Range, 131)]
        {
            let gram = basis.gram(k);
            let cold = optimum(&gram, 1e-6, None, &StopFlag::never()).unwrap();
            let start: Vec<f64> = (0..k).map(|i| 1.0 + (i % 7) as f64).collect();
            let warm = optimum(&gram, 1e-6, Some(&start), &StopFlag::never()).unwrap();
            let (a, b) = (value(&gram, &cold.precision), value(&gram, &warm.precision));
            assert!(cold.gap <= 1e-6 && warm.gap <= 1e-6 && (a / b - 1.0).abs() < 2e-6, "{basis:?} {k}");
            assert!(cold.precision.diag().iter().all(|&entry| entry <= 1.0 + 1e-12));
        }
    }

    #[test]
    fn what_no_query_sees_is_not_measured() {
        // Only the difference of the first two of four categories.
        let gram = ndarray::array![[1., -1., 0., 0.], [-1., 1., 0., 0.], [0., 0., 0., 0.], [0., 0., 0., 0.]];
        let found = optimum(&gram, 1e-9, None, &StopFlag::never()).unwrap();
        assert!((value(&gram, &found.precision) - 1.0).abs() < 1e-6, "{}", found.precision);
        assert!(found.precision[[2, 2]].abs() < 1e-6);
    }
}
