//! Least norms of the variances: programs with a dual that certifies how far from the optimum they stopped.
//!
//! One row for each marginal m: `a_mB` what a unit of sigma_B^2 adds to the variance of its cells, times its weight.
//! `n_m` its cells. `q` from 1 (the mean of the variances over all cells) to infinity (the largest), `q*` with
//! `1/q + 1/q* = 1`. `p_B` cost of residual B, `c` the budget.
//!
//! ```text
//! norm(x) = (sum of n_m x_m^q / sum of n_m)^(1/q)        of the variances x = A sigma^2; for q infinite, max of x_m
//! w = A^T y,   S = sum of sqrt(p_B w_B),   sigma_B^2 = sqrt(p_B / w_B) S / c       (the least y . x)
//! dual = S^2 / c  <=  least norm  <=  primal = norm(x),       for every y of dual norm 1
//! q infinite:  y <- y x / dual                                                    (rows above the mean gain weight)
//! q finite:    y <- y^(1 - h) (n x^(q-1))^h, scaled to dual norm 1,  h = 2 / (q + 1)
//! ```
//!
//! No solver, no matrix factorisation. Derivation in `docs/math/resplan.md`; source of the program with q infinite: Xiao,
//! He, Zhang, Kifer (NeurIPS 2023), section 4.3.

use privacy_core::{AttrSet, Domain};

use crate::closure::{Closure, variance_terms};
use crate::parallel;

/// Relative gap between primal and dual at which the iteration stops.
const GAP: f64 = 1e-7;
/// Most steps; some hundred suffice where marginals are many.
const MOST_STEPS: usize = 5_000;
/// Rows whose sums are one item of parallel work.
const ROWS_AT_ONCE: usize = 4_096;

/// The variances of least norm, and the relative gap that is left to the optimum.
pub(crate) struct LeastNorm {
    pub(crate) variances: Vec<f64>,
    pub(crate) gap: f64,
}

/// The matrix A by rows, and by columns as well: each product walks over what it adds up.
struct Rows {
    by_row: Sparse,
    by_column: Sparse,
}

/// Lists of (index, coefficient), one after the other.
struct Sparse {
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl Sparse {
    /// The product with a vector: one number a list.
    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let lists: Vec<usize> = (0..self.starts.len() - 1).step_by(ROWS_AT_ONCE).collect();
        let sum = |list: usize| -> f64 {
            let entries = &self.entries[self.starts[list]..self.starts[list + 1]];
            entries.iter().map(|&(index, coefficient)| coefficient * vector[index as usize]).sum()
        };
        let some = |&first: &usize| -> Vec<f64> {
            (first..(first + ROWS_AT_ONCE).min(self.starts.len() - 1)).map(sum).collect()
        };
        parallel::map(&lists, some).concat()
    }

    /// The same matrix by its other index.
    fn transposed(&self, columns: usize) -> Self {
        let mut starts = vec![0; columns + 1];
        self.entries.iter().for_each(|&(index, _)| starts[index as usize + 1] += 1);
        (0..columns).for_each(|column| starts[column + 1] += starts[column]);
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); self.entries.len()];
        for row in 0..self.starts.len() - 1 {
            for &(index, coefficient) in &self.entries[self.starts[row]..self.starts[row + 1]] {
                entries[next[index as usize]] = (row as u32, coefficient);
                next[index as usize] += 1;
            }
        }
        Self { starts, entries }
    }
}

/// The rows of a workload; residuals that cost nothing have variance 0 and are left out.
fn rows(domain: &Domain, workload: &[(AttrSet, f64)], closure: &Closure, cost: &[f64]) -> Rows {
    let mut by_row = Sparse { starts: vec![0], entries: Vec::new() };
    let mut terms = Vec::new();
    for &(set, weight) in workload {
        variance_terms(domain, set, weight, &mut terms);
        let priced = terms.iter().filter_map(|&(subset, term)| Some((closure.position(subset)?, term)));
        by_row.entries.extend(priced.filter(|(i, _)| cost[*i] > 0.0).map(|(i, term)| (i as u32, term)));
        by_row.starts.push(by_row.entries.len());
    }
    let by_column = by_row.transposed(closure.sets().len());
    Rows { by_row, by_column }
}

/// Which norm, over rows of how many cells.
struct Norm {
    /// q; infinite for the maximum.
    order: f64,
    /// The share of all cells that a row has.
    share: Vec<f64>,
}

impl Norm {
    fn of(&self, variances: &[f64]) -> f64 {
        let largest = variances.iter().copied().fold(0.0, f64::max);
        if self.order == f64::INFINITY || largest == 0.0 {
            return largest;
        }
        // Relative to the largest, so that powers do not overflow.
        let sum: f64 = self.share.iter().zip(variances).map(|(share, x)| share * (x / largest).powf(self.order)).sum();
        largest * sum.powf(1.0 / self.order)
    }

    /// Scales row weights to dual norm 1: `y = share z`, and `sum of share z^q* = 1`.
    fn scale(&self, y: &mut [f64]) {
        let norm: f64 = if self.order == f64::INFINITY {
            y.iter().sum()
        } else if self.order == 1.0 {
            y.iter().zip(&self.share).map(|(y, share)| y / share).fold(0.0, f64::max)
        } else {
            let dual = self.order / (self.order - 1.0);
            let sum: f64 = y.iter().zip(&self.share).map(|(y, share)| share * (y / share).powf(dual)).sum();
            sum.powf(1.0 / dual)
        };
        y.iter_mut().for_each(|y| *y /= norm);
    }

    /// The next row weights.
    fn step(&self, y: &mut [f64], variances: &[f64], dual: f64) {
        let h = 2.0 / (self.order + 1.0);
        let rows = y.iter_mut().zip(variances).zip(&self.share);
        if self.order == f64::INFINITY {
            rows.for_each(|((y, x), _)| *y *= x / dual);
        } else {
            rows.for_each(|((y, x), share)| *y = y.powf(1.0 - h) * (share * (x / dual).powf(self.order - 1.0)).powf(h));
        }
        self.scale(y);
    }
}

/// The variances of least (weighted) norm of this order at this budget. Each step costs one look at every pair of a
/// marginal and one of its subsets, twice. `None` when weights and budget are so far apart that numbers overflow.
pub(crate) fn least_norm(
    domain: &Domain,
    workload: &[(AttrSet, f64)],
    closure: &Closure,
    cost: &[f64],
    budget: f64,
    order: f64,
) -> Option<LeastNorm> {
    let rows = rows(domain, workload, closure, cost);
    let cells = |set| domain.cells(set).map_or(f64::MAX, |cells| cells as f64);
    let all: f64 = workload.iter().map(|&(set, _)| cells(set)).sum();
    let norm = Norm { order, share: workload.iter().map(|&(set, _)| cells(set) / all).collect() };
    let mut y = norm.share.clone();
    norm.scale(&mut y);
    let mut best: Option<LeastNorm> = None;
    for _ in 0..MOST_STEPS {
        let w = rows.by_column.times(&y);
        let sum: f64 = w.iter().zip(cost).map(|(w, p)| (w * p).sqrt()).sum();
        let variance = |(w, p): (&f64, &f64)| if *p > 0.0 { (p / w).sqrt() * sum / budget } else { 0.0 };
        let variances: Vec<f64> = w.iter().zip(cost).map(variance).collect();
        let of_rows = rows.by_row.times(&variances);
        let (primal, dual) = (norm.of(&of_rows), sum * sum / budget);
        let gap = if dual > 0.0 { primal / dual - 1.0 } else { 0.0 };
        // Written so that a NaN is never the best.
        if gap < best.as_ref().map_or(f64::INFINITY, |best| best.gap) {
            best = Some(LeastNorm { variances, gap: gap.max(0.0) });
        }
        if gap <= GAP {
            break;
        }
        norm.step(&mut y, &of_rows, dual);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_by_rows_and_by_columns_are_those_of_the_matrix() {
        // [[1, 0, 2], [0, 3, 0]]
        let by_row = Sparse { starts: vec![0, 2, 3], entries: vec![(0, 1.0), (2, 2.0), (1, 3.0)] };
        assert_eq!(by_row.times(&[1.0, 10.0, 100.0]), [201.0, 30.0]);
        assert_eq!(by_row.transposed(3).times(&[1.0, 10.0]), [1.0, 30.0, 2.0]);
    }
}
