//! The least sum of variances under bounds: no answer about some marginals may vary more than is
//! said.
//!
//! `v_B`, `p_B`, `c` as in `plan`; `a_mB` what a unit of sigma_B^2 adds to the variance of answer
//! m, over its bound; `y_m` the price of that bound. Weights of a basis are part of `v_B`, and not
//! of `a_mB`: bounds are about the answers as they are.
//!
//! ```text
//! least  sum of v_B x_B   with   sum of p_B / x_B <= c   and   A x <= 1
//! w = v + A^T y,   S = sum of sqrt(p_B w_B),   x_B = sqrt(p_B / w_B) S / c       (the least v x + y (A x - 1))
//! dual = S^2 / c - sum(y)   <=   least sum   <=   v x' ,      x' any variances that keep the budget and the bounds
//! y_m <- y_m (A x)_m^1.8
//! ```
//!
//! `x'` is mixed from `x` and the variances of the least largest `A x`, in precisions `1 / x`:
//! the budget is linear in them, and the variances are convex. If the least largest `A x` is
//! above 1, no plan keeps the bounds at this budget.

use privacy_core::AttrSet;
use rustc_hash::FxHashSet;

use crate::error::Error;
use crate::planning::budget::{all_measured, least_loss, variance};
use crate::planning::norm::Sparse;
use crate::planning::rows::{Priced, Scale};

/// Relative gap at which the iteration stops, and after how many steps it does anyway.
const GAP: f64 = 1e-5;
const MOST_STEPS: usize = 3_000;
/// Steps between two looks at the gap.
const STEPS_A_LOOK: usize = 25;
/// Most rounds of adding queries.
const MOST_ROUNDS: usize = 20;
/// Most guesses at how much of the budget is unspent.
const MOST_FACTORS: usize = 8;
/// Exponent of the prices' step: as in `optimum`.
const OMEGA: f64 = 1.8;
/// Halvings of the interval in which the share of the bounded plan is looked for.
const HALVINGS: usize = 40;

/// Variances that keep the bounds and the budget, with their relative gap to the least sum;
/// `bounds` the largest variance of an answer about each of some marginals.
///
/// `unspent` says by which factor all variances may be made smaller because their true cost is
/// below the sum of the residuals' costs, as when a row is replaced: it is the variances times
/// that factor that keep the bounds.
pub(crate) fn least_sum_within(
    priced: &Priced<'_>,
    bounds: &[(AttrSet, f64)],
    unspent: impl Fn(&[f64]) -> f64,
) -> Result<(Vec<f64>, f64), Error> {
    let least_sum = least_loss(priced.closure, priced.cost, priced.budget);
    let bounded: Vec<(AttrSet, f64)> = bounds.iter().map(|&(set, bound)| (set, 1.0 / bound)).collect();
    let of_bounds = Priced { workload: &bounded, scale: Scale::Answers, ..*priced };
    // The unbounded optimum keeps the bounds: it is the answer, with no gap.
    if of_bounds.largest(&least_sum) * unspent(&least_sum) <= 1.0 {
        return Ok((least_sum, 0.0));
    }
    let overflow = Error::BudgetOutOfRange { pcost: priced.budget };
    let safest = affordable(priced, all_measured(of_bounds.least_maximum(&least_sum).ok_or(overflow)?.variances));
    // If even the plan of least largest bounded variance breaks a bound, none keeps them.
    // Variances fall as 1 / budget.
    let reached = of_bounds.largest(&safest);
    if reached * unspent(&safest) > 1.0 {
        let needed = priced.budget * reached * unspent(&safest);
        return Err(Error::BoundsOutOfReach { pcost: priced.budget, needed });
    }
    // How much is unspent depends on the variances: from the smallest factor up, until it is what
    // was reckoned with.
    let mut factor = f64::min(unspent(&least_sum), unspent(&safest));
    for _ in 0..MOST_FACTORS {
        let scaled: Vec<(AttrSet, f64)> = bounded.iter().map(|&(set, weight)| (set, weight * factor)).collect();
        let of_bounds = Priced { workload: &scaled, scale: Scale::Answers, ..*priced };
        let (found, gap) = BoundedSum::new(priced, of_bounds, safest.clone()).least_sum(&least_sum);
        let own = unspent(&found);
        if own <= factor * (1.0 + 1e-12) {
            return Ok((found, gap));
        }
        factor = own;
        if reached * factor > 1.0 {
            break;
        }
    }
    Ok((safest, f64::INFINITY))
}

/// The same variances, scaled up to the budget: measuring what no bounded answer needs costs a
/// little.
fn affordable(priced: &Priced<'_>, variances: Vec<f64>) -> Vec<f64> {
    let costs = variances.iter().zip(priced.cost).filter(|(variance, _)| **variance > 0.0);
    let excess = costs.map(|(variance, cost)| cost / variance).sum::<f64>() / priced.budget;
    if excess > 1.0 { variances.into_iter().map(|variance| variance * excess).collect() } else { variances }
}

struct BoundedSum<'a> {
    priced: &'a Priced<'a>,
    of_bounds: Priced<'a>,
    /// Variances that keep every bound.
    safest: Vec<f64>,
    rows: Sparse,
    known: FxHashSet<(AttrSet, Vec<u16>)>,
    prices: Vec<f64>,
}

impl<'a> BoundedSum<'a> {
    fn new(priced: &'a Priced<'a>, of_bounds: Priced<'a>, safest: Vec<f64>) -> Self {
        let (rows, known) = (Sparse::new(), FxHashSet::default());
        Self { priced, of_bounds, safest, rows, known, prices: Vec::new() }
    }

    /// The least sum within the bounds, from what it would be without them, and its gap.
    fn least_sum(mut self, free: &[f64]) -> (Vec<f64>, f64) {
        let (mut best, mut variances) = (self.feasible(free), free.to_vec());
        let mut gap = f64::INFINITY;
        for _ in 0..MOST_ROUNDS {
            if self.priced.stop.is_set() || !self.add_rows(&variances) || gap <= GAP {
                break;
            }
            let (found, dual) = self.solve();
            let candidate = self.feasible(&found);
            if self.sum(&candidate) < self.sum(&best) {
                best = candidate;
            }
            gap = (self.sum(&best) / dual - 1.0).max(0.0);
            variances = found;
        }
        (best, gap)
    }

    fn sum(&self, variances: &[f64]) -> f64 {
        self.priced.closure.loss().iter().zip(variances).map(|(v, x)| v * x).sum()
    }

    /// Adds the worst query of every marginal that breaks its bound; whether there was a new one.
    fn add_rows(&mut self, variances: &[f64]) -> bool {
        let before = self.rows.len();
        for &(set, weight) in self.of_bounds.workload {
            let (value, query) = self.of_bounds.worst_query(set, weight, variances);
            if value > 1.0 + GAP / 4.0 && self.known.insert((set, query.clone())) {
                self.rows.push(self.of_bounds.row(set, weight, &query));
            }
        }
        // Prices are in units of the loss.
        let price = 1e-3 * self.sum(variances) / self.rows.len().max(1) as f64;
        self.prices.resize(self.rows.len(), price);
        self.rows.len() > before
    }

    /// Variances for the best prices of the rows that are known, and a lower bound of the least
    /// sum.
    fn solve(&mut self) -> (Vec<f64>, f64) {
        let (cost, budget) = (self.priced.cost, self.priced.budget);
        let by_column = self.rows.transposed(cost.len());
        let (mut best_dual, mut variances) = (0.0_f64, self.safest.clone());
        for step in 0..MOST_STEPS {
            if self.priced.stop.is_set() {
                break;
            }
            let priced = by_column.times(&self.prices);
            // For fixed prices the best variances are in closed form (Cauchy-Schwarz), with the
            // value of the dual.
            let w = self.priced.closure.loss().iter().zip(&priced).map(|(v, y)| v + y);
            let root: f64 = w.clone().zip(cost).map(|(w, p)| (w * p).sqrt()).sum();
            let dual = root * root / budget - self.prices.iter().sum::<f64>();
            variances = all_measured(w.zip(cost).map(|(w, &p)| variance(p, w) * root / budget).collect());
            best_dual = best_dual.max(dual);
            // Mixing to feasibility costs as much as many steps: only now and then.
            if step % STEPS_A_LOOK == 0 && self.sum(&self.feasible(&variances)) <= best_dual * (1.0 + GAP / 2.0) {
                break;
            }
            // A bound that is broken becomes dearer, one that is kept with room to spare cheaper.
            let of_rows = self.rows.times(&variances);
            self.prices.iter_mut().zip(of_rows).for_each(|(price, x)| *price *= x.powf(OMEGA));
        }
        (variances, best_dual)
    }

    /// The variances with the smallest share of the safest plan that makes every bound hold.
    fn feasible(&self, variances: &[f64]) -> Vec<f64> {
        if self.keeps_bounds(variances) {
            return variances.to_vec();
        }
        // Each bounded variance is convex in the share and at most 1 at share 1, so the shares
        // that keep all bounds are an interval that ends at 1: halving finds where it begins.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.keeps_bounds(&self.mixed(variances, middle)) { high = middle } else { low = middle }
        }
        self.mixed(variances, high)
    }

    fn keeps_bounds(&self, variances: &[f64]) -> bool {
        self.of_bounds.largest(variances) <= 1.0
    }

    /// Variances whose precisions are a mean of these and of the safest, which have this share.
    fn mixed(&self, variances: &[f64], share: f64) -> Vec<f64> {
        let precisions = variances.iter().zip(&self.safest).map(|(x, safe)| match *x > 0.0 {
            true => 1.0 / ((1.0 - share) / x + share / safe),
            false => 0.0,
        });
        precisions.collect()
    }
}
