//! The exact variance of a row's own coverage.
//!
//! `D_true = sum_S W_S`, `W_S` whether one's own count is released: `N_S >= m`, `m = T - 1`. For
//! two subsets, `N_S = k + a` and `N_S' = k + b` with `(k, a, b)` trinomial `(n; u, q1, q2)`: the
//! rows that match both match their union, so `u = pi_r p_(S with S')`, `q1 = pi_r p_S - u`,
//! `q2 = pi_r p_S' - u`. With `F` the probability of less than `m`,
//!
//! ```text
//! Cov_r(S, S') = F2 - F(S) F(S'),  F2 = P(k + a < m, k + b < m)  (6)
//! Var(D_true)  = sum_r pi_r (sum over pairs of Cov_r) + sum_r pi_r (d_r - d_true)^2  (7)
//! ```
//!
//! With frequencies of values both are given the values of the row, and
//! `E[E[W_S | values] E[W_S' | values]] - d_r^2` comes on top. Pairs are grouped as subsets are:
//! of each kind of column, how many are in S only, in S' only, in both.

use privacy_core::stop::StopFlag;

use crate::coverage::Coverage;
use crate::laws::Match;
use crate::limits::ScreenLimits;
use crate::released::Rule;
use crate::spec::ScreenSpec;
use crate::subsets::{ColumnKind, column_kinds, compositions};
use crate::tails::two_tails;

/// Largest threshold whose pairs are summed term by term.
const MOST_NEEDED: u64 = 48;

/// Exact variance of a row's own coverage, (7), in counts squared; `None` when there are more
/// pairs than `limits` allow, or when their flag is set.
///
/// Kind: **proxy**, the model's. For a row drawn at random: the spread between classes is part of
/// it.
///
/// # Numerics
/// Relative error below 1e-10 on the golden cases.
///
/// # Cost
/// `C(M + 3, 3)` pairs for a kind of `M` equal columns, multiplied over the kinds, each about
/// `T^3 / 6` terms.
#[must_use]
pub fn own_variance(spec: &ScreenSpec, coverage: &Coverage, limits: &ScreenLimits) -> Option<f64> {
    let rule = Rule::of(spec);
    let m = rule.needed();
    if m == 0 {
        return Some(0.0);
    }
    let kinds = column_kinds(spec);
    let pairs: f64 = kinds.iter().map(|kind| compositions(kind.columns, 3 * kind.kernel.len())).product();
    let terms = (m as f64).powi(3) / 6.0 + 10.0;
    let laws = if rule.by_size { 1.0 } else { rule.kinds.len() as f64 };
    if m > MOST_NEEDED || pairs * terms * laws > limits.variance_terms {
        return None;
    }
    let by_values = spec.columns().iter().any(|column| !column.is_uniform());
    let mut walk = Walk { spec, kinds: &kinds, rule: &rule, by_values, stop: &limits.stop, sum: 0.0 };
    walk.kind(0, Pair::START);
    // A sum that was cut short is not a variance.
    if limits.stop.is_set() {
        return None;
    }
    let mean = coverage.own_class.value;
    let between = coverage.by_class.iter().zip(spec.classes().shares());
    // With frequencies the walk sums second moments, so the squares of the means come off here.
    let squares = f64::from(u8::from(by_values));
    let between: f64 = between.map(|(d, share)| share * ((d - mean) * (d - mean) - squares * d * d)).sum();
    Some((walk.sum + between).max(0.0))
}

/// A group of pairs of subsets.
#[derive(Clone, Copy)]
struct Pair {
    weight: f64,
    one: f64,
    two: f64,
    union: f64,
    orders: [usize; 2],
}

impl Pair {
    const START: Self = Self { weight: 1.0, one: 1.0, two: 1.0, union: 1.0, orders: [0, 0] };
}

struct Walk<'a> {
    spec: &'a ScreenSpec,
    kinds: &'a [ColumnKind],
    rule: &'a Rule,
    /// Whether coverage depends on the values of the row: then the covariance given the values is
    /// not all, and the second moment is summed instead.
    by_values: bool,
    stop: &'a StopFlag,
    sum: f64,
}

impl Walk<'_> {
    fn kind(&mut self, kind: usize, pair: Pair) {
        if let Some(of) = self.kinds.get(kind) {
            self.states(kind, 0, of.columns, pair);
        } else if !self.stop.is_set() && pair.orders.iter().all(|&order| self.spec.answers_order(order)) {
            self.sum += pair.weight * self.covariance(&pair);
        }
    }

    /// Puts 0, 1, ... of the `left` columns into this state (in S, in S', in both, for each
    /// frequency), then goes on.
    fn states(&mut self, kind: usize, state: usize, left: usize, mut pair: Pair) {
        let Some(&Match { share, frequency }) = self.kinds[kind].kernel.get(state / 3) else {
            return self.kind(kind + 1, pair);
        };
        let is_in = [[true, false], [false, true], [true, true]][state % 3];
        for used in 0..=left {
            if pair.orders.iter().any(|&order| order > self.spec.max_order()) {
                break;
            }
            self.states(kind, state + 1, left - used, pair);
            pair.weight *= (left - used) as f64 / (used + 1) as f64 * share;
            pair.union *= frequency;
            if is_in[0] {
                pair.one *= frequency;
                pair.orders[0] += 1;
            }
            if is_in[1] {
                pair.two *= frequency;
                pair.orders[1] += 1;
            }
        }
    }

    /// (6), averaged over the classes; the second moment where values matter.
    fn covariance(&self, pair: &Pair) -> f64 {
        if self.rule.by_size {
            return self.thinned_covariance(pair, 1.0);
        }
        let kinds = self.rule.kinds.iter();
        kinds.map(|kind| kind.classes * kind.share * self.thinned_covariance(pair, kind.thinning)).sum()
    }

    /// The same where a row that matches counts with this probability: it is of the class.
    fn thinned_covariance(&self, pair: &Pair, thinning: f64) -> f64 {
        let (n, m) = (self.rule.others, self.rule.needed());
        let [one, two] = [pair.one, pair.two].map(|p| two_tails(n, thinning * p, m)[0].no);
        let matches = [thinning * pair.one, thinning * pair.two, thinning * pair.union];
        let covariance = both_below(n, m, matches, one, two) - one * two;
        covariance + if self.by_values { (1.0 - one) * (1.0 - two) } else { 0.0 }
    }
}

/// `F2`, given the match probabilities of one subset, the other and their union, and `F` of
/// either.
fn both_below(n: u64, m: u64, [one, two, union]: [f64; 3], below_one: f64, below_two: f64) -> f64 {
    let n = n as f64;
    let (q1, q2) = (one - union, two - union);
    // One matches whenever the other does: the larger count decides.
    if q1 <= 0.0 || q2 <= 0.0 {
        return below_one.min(below_two);
    }
    let any = union + q1 + q2;
    let (union, q1, q2) = (union / (1.0 - any), q1 / (1.0 - any), q2 / (1.0 - any));
    let mut sum = 0.0;
    let mut of_k = libm::exp(n * libm::log1p(-any));
    for k in 0..m {
        let mut of_a = of_k;
        for a in 0..m - k {
            let mut of_b = of_a;
            for b in 0..m - k {
                sum += of_b;
                of_b *= (n - (k + a + b) as f64).max(0.0) / (b + 1) as f64 * q2;
            }
            of_a *= (n - (k + a) as f64).max(0.0) / (a + 1) as f64 * q1;
        }
        of_k *= (n - k as f64).max(0.0) / (k + 1) as f64 * union;
    }
    sum
}
