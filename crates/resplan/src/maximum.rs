//! The least maximum of the variances: a program with a dual that certifies how far from the optimum it stopped.
//!
//! One row for each marginal m: `a_mB` what a unit of sigma_B^2 adds to the variance of its cells, times its weight.
//! `y` weights of the rows, adding up to 1; `p_B` cost of residual B, `c` the budget.
//!
//! ```text
//! w = A^T y,   S = sum of sqrt(p_B w_B),   sigma_B^2 = sqrt(p_B / w_B) S / c        (the least sum for weights y)
//! variances = A sigma^2,    dual = S^2 / c  <=  least maximum  <=  primal = max of the variances
//! y <- y variances / dual                                                           (rows above the mean gain weight)
//! ```
//!
//! The weights still add up to 1 after a step, since `y . variances = S^2 / c`. No solver, no matrix factorisation.
//! Derivation in `docs/math/resplan.md`; source of the program: Xiao, He, Zhang, Kifer (NeurIPS 2023), section 4.3.

use privacy_core::{AttrSet, Domain};

use crate::closure::{Closure, variance_terms};
use crate::parallel;

/// Relative gap between primal and dual at which the iteration stops.
const GAP: f64 = 1e-7;
/// Most steps; some hundred suffice where marginals are many.
const MOST_STEPS: usize = 5_000;
/// Rows whose sums are one item of parallel work.
const ROWS_AT_ONCE: usize = 4_096;

/// The variances of least maximum, and the relative gap that is left to the optimum.
pub(crate) struct LeastMaximum {
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

/// The variances of least (weighted) maximum at this budget. Each step costs one look at every pair of a marginal and
/// one of its subsets, twice.
pub(crate) fn least_maximum(
    domain: &Domain,
    workload: &[(AttrSet, f64)],
    closure: &Closure,
    cost: &[f64],
    budget: f64,
) -> LeastMaximum {
    let rows = rows(domain, workload, closure, cost);
    let mut y = vec![1.0 / workload.len() as f64; workload.len()];
    let mut best = LeastMaximum { variances: Vec::new(), gap: f64::INFINITY };
    for _ in 0..MOST_STEPS {
        let w = rows.by_column.times(&y);
        let sum: f64 = w.iter().zip(cost).map(|(w, p)| (w * p).sqrt()).sum();
        let variance = |(w, p): (&f64, &f64)| if *p > 0.0 { (p / w).sqrt() * sum / budget } else { 0.0 };
        let variances: Vec<f64> = w.iter().zip(cost).map(variance).collect();
        let of_rows = rows.by_row.times(&variances);
        let (primal, dual) = (of_rows.iter().copied().fold(0.0, f64::max), sum * sum / budget);
        let gap = if dual > 0.0 { primal / dual - 1.0 } else { 0.0 };
        if gap < best.gap {
            best = LeastMaximum { variances, gap: gap.max(0.0) };
        }
        if gap <= GAP {
            break;
        }
        y.iter_mut().zip(&of_rows).for_each(|(y, variance)| *y *= variance / dual);
        let total: f64 = y.iter().sum();
        y.iter_mut().for_each(|y| *y /= total);
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
