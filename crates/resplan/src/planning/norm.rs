//! Least norms of the variances: programs with a dual that certifies how far from the optimum
//! they stopped.
//!
//! `a_mB` what a unit of sigma_B^2 adds to the variance of row m, times its weight. Finite norms
//! have a row for each marginal, its mean variance, counted `n_m` times, once for each answer.
//! The largest variance has a row for each query, of which those that may be largest are made
//! when they are needed (`rows`). `q` from 1 (the mean of the variances over all answers) to
//! infinity (the largest), `q*` with `1/q + 1/q* = 1`. `p_B` cost of residual B, `c` the budget.
//!
//! ```text
//! norm(x) = (sum of n_m x_m^q / sum of n_m)^(1/q)        of the variances x = A sigma^2; for q infinite, max of x_m
//! w = A^T y,   S = sum of sqrt(p_B w_B),   sigma_B^2 = sqrt(p_B / w_B) S / c       (the least y . x)
//! dual = S^2 / c  <=  least norm  <=  primal = norm(x),       for every y of dual norm 1
//! q infinite:  y <- y x / dual                                                    (rows above the mean gain weight)
//! q finite:    y <- y^(1 - h) (n x^(q-1))^h, scaled to dual norm 1,  h = 2 / (q + 1)
//! ```
//!
//! No solver, no matrix factorisation. Derivation in `docs/math/resplan.md`; source of the
//! program with q infinite: Xiao, He, Zhang, Kifer (NeurIPS 2023), section 4.3.

use privacy_core::parallel;
use privacy_core::stop::StopFlag;

use crate::planning::budget::{all_measured, variance};

/// The longest leap of the extrapolation, in steps.
const LONGEST_LEAP: f64 = 256.0;
/// Rows whose sums are one item of parallel work.
const ROWS_AT_ONCE: usize = 4_096;

/// Lists of (index, coefficient), one after the other.
#[derive(Clone)]
pub(crate) struct Sparse {
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl Sparse {
    /// No list.
    pub(crate) fn new() -> Self {
        Self { starts: vec![0], entries: Vec::new() }
    }

    /// One more list.
    pub(crate) fn push(&mut self, entries: impl IntoIterator<Item = (u32, f64)>) {
        self.entries.extend(entries);
        self.starts.push(self.entries.len());
    }

    /// How many lists there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The product with a vector: one number a list.
    pub(crate) fn times(&self, vector: &[f64]) -> Vec<f64> {
        let lists: Vec<usize> = (0..self.starts.len() - 1).step_by(ROWS_AT_ONCE).collect();
        let sums = parallel::map(&lists, |&first| -> Vec<f64> {
            let some = first..(first + ROWS_AT_ONCE).min(self.starts.len() - 1);
            some.map(|list| self.list_times(list, vector)).collect()
        });
        sums.concat()
    }

    fn list_times(&self, list: usize, vector: &[f64]) -> f64 {
        let entries = &self.entries[self.starts[list]..self.starts[list + 1]];
        // From 0: the sum of nothing would be -0, and a quotient by it negative.
        entries.iter().fold(0.0, |sum, &(index, coefficient)| sum + coefficient * vector[index as usize])
    }

    /// The same matrix by its other index.
    pub(crate) fn transposed(&self, columns: usize) -> Self {
        let mut starts = vec![0; columns + 1];
        self.entries.iter().for_each(|&(index, _)| starts[index as usize + 1] += 1);
        (0..columns).for_each(|column| starts[column + 1] += starts[column]);
        // Counting sort: within a column, rows keep their order, so that sums are added in the
        // same order every time.
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

/// Which norm, over rows of how many answers.
struct Norm {
    /// q; infinite for the maximum.
    order: f64,
    /// The share of all answers that a row has.
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

/// A program: rows over residuals, what each residual costs, and what may be spent.
pub(crate) struct Program<'a> {
    pub(crate) rows: &'a Sparse,
    /// How often each row counts, for finite orders.
    pub(crate) counts: &'a [f64],
    pub(crate) cost: &'a [f64],
    pub(crate) budget: f64,
    /// q; infinite for the maximum.
    pub(crate) order: f64,
    /// Relative gap at which the iteration stops, and after how many steps it does anyway.
    pub(crate) gap: f64,
    pub(crate) most_steps: usize,
    pub(crate) stop: &'a StopFlag,
}

/// Variances, how far their norm is from the least, and the weights of the rows that show it.
pub(crate) struct LeastNorm {
    pub(crate) variances: Vec<f64>,
    pub(crate) gap: f64,
    /// A lower bound of the least norm.
    pub(crate) dual: f64,
    pub(crate) weights: Vec<f64>,
}

impl LeastNorm {
    /// The variances, and how far their norm may be from the least.
    pub(crate) fn certified(self) -> (Vec<f64>, f64) {
        (self.variances, self.gap)
    }
}

impl Program<'_> {
    /// The variances of least norm; `start` weights of the rows, if there are better ones than
    /// equal shares. Each step costs one look at every coefficient, twice. `None` when weights
    /// and budget are so far apart that numbers overflow.
    pub(crate) fn solve(&self, start: Option<Vec<f64>>) -> Option<LeastNorm> {
        let by_column = self.rows.transposed(self.cost.len());
        let all: f64 = self.counts.iter().sum();
        let norm = Norm { order: self.order, share: self.counts.iter().map(|count| count / all).collect() };
        let mut y = start.unwrap_or_else(|| norm.share.clone());
        norm.scale(&mut y);
        let mut best: Option<LeastNorm> = None;
        let mut cycle = Cycle::default();
        for _ in 0..self.most_steps {
            if self.stop.is_set() {
                break;
            }
            // Every y of dual norm 1 certifies its own lower bound, so steps may be as bold as
            // they like.
            let look = self.look(&by_column, &norm, &y);
            // Written so that a NaN is never the best.
            if look.gap < best.as_ref().map_or(f64::INFINITY, |best| best.gap) {
                let variances = look.variances.clone();
                best = Some(LeastNorm { variances, gap: look.gap.max(0.0), dual: look.dual, weights: y.clone() });
            }
            if look.gap <= self.gap {
                break;
            }
            let before = y.clone();
            norm.step(&mut y, &look.of_rows, look.dual);
            // For the maximum alone: its plain iteration is slow where rows are nearly alike. For
            // finite orders, steps are damped by h instead.
            if self.order == f64::INFINITY {
                cycle.extrapolate(before, &mut y, look.dual);
                norm.scale(&mut y);
            }
        }
        best
    }

    /// What these weights of the rows, of dual norm 1, say.
    fn look(&self, by_column: &Sparse, norm: &Norm, y: &[f64]) -> Look {
        let w = by_column.times(y);
        let sum: f64 = w.iter().zip(self.cost).map(|(w, p)| (w * p).sqrt()).sum();
        // What no row of positive weight needs would get no precision at all.
        let best = w.iter().zip(self.cost).map(|(&w, &p)| variance(p, w) * sum / self.budget);
        let variances = all_measured(best.collect());
        let of_rows = self.rows.times(&variances);
        let (primal, dual) = (norm.of(&of_rows), sum * sum / self.budget);
        Look { gap: if dual == 0.0 { 0.0 } else { primal / dual - 1.0 }, variances, of_rows, dual }
    }
}

/// The variances that are best for some weights of the rows, those of the rows, and how far from
/// the optimum they are.
struct Look {
    variances: Vec<f64>,
    of_rows: Vec<f64>,
    dual: f64,
    gap: f64,
}

/// Extrapolation of the multiplicative iteration (SQUAREM: Varadhan and Roland 2008) in the
/// logarithms of the weights: of two steps `r` and `r + v`, the third goes to `y - 2 a r + a^2 v`
/// with `a = -|r| / |v|`. The norms count each row as much as its weight. A third step that
/// lowers the dual is taken back.
#[derive(Default)]
struct Cycle {
    /// The weights at the begin of the cycle, and those after its first step.
    steps: Vec<Vec<f64>>,
    /// Where the last cycle would have been without its leap, and the dual before the leap.
    plain: Option<(Vec<f64>, f64)>,
}

impl Cycle {
    /// Takes the weights before a step with their dual, and after it; moves the latter every
    /// second step.
    fn extrapolate(&mut self, before: Vec<f64>, y: &mut Vec<f64>, dual: f64) {
        if let Some((plain, dual_before)) = self.plain.take()
            && (dual < dual_before || dual.is_nan())
        {
            *y = plain;
            self.steps.clear();
            return;
        }
        self.steps.push(before);
        let [zero, one] = self.steps.as_slice() else { return };
        let r = log_ratios(one, zero);
        let v: Vec<f64> = log_ratios(y, one).iter().zip(&r).map(|(second, first)| second - first).collect();
        // A weighted norm: logarithms of weights near 0 move far without changing anything.
        let a = (weighted_length(&r, zero) / weighted_length(&v, zero)).clamp(1.0, LONGEST_LEAP);
        // Both lengths 0 at a fixed point give NaN: nothing to leap to. a = 1 would be the two
        // plain steps.
        if a.is_finite() {
            let leapt = zero
                .iter()
                .zip(r.iter().zip(&v))
                .map(|(y, (r, v))| y * (2.0 * a * r + a * a * v).clamp(-30.0, 30.0).exp());
            let leapt: Vec<f64> = leapt.collect();
            self.plain = Some((std::mem::replace(y, leapt), dual));
        }
        self.steps.clear();
    }
}

/// The logarithms of `a / b`; 0 for a weight that has fallen to 0, which stays there.
fn log_ratios(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| if *a > 0.0 && *b > 0.0 { (a / b).ln() } else { 0.0 }).collect()
}

fn weighted_length(x: &[f64], weights: &[f64]) -> f64 {
    x.iter().zip(weights).map(|(x, weight)| weight * x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests;
