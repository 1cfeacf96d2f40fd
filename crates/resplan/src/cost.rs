//! The privacy cost of a plan: what its noise spends, never read low.
//!
//! `w_B = 1 / sigma_B^2`. Residual B measures the marginal through `(x) (I - 11^T / k_i)`, whose columns have squared
//! length `p_B = product of (k_i - 1) / k_i`; two columns that differ in the attributes D have inner product
//! `product of (k_i - 1) / k_i over B \ D, times product of (-1 / k_i) over B and D`.
//!
//! ```text
//! add or remove a row:  pcost = sum of w_B p_B
//! replace a row:        pcost = max over D of 2 sum of w_B (p_B - inner product)
//! ```
//!
//! A plan of cost `c` is `c/2`-zCDP, with continuous noise also `sqrt(c)`-GDP. Derivation in `docs/math/resplan.md`.

use privacy_core::accounting::Neighbours;
use privacy_core::round::{add_up, div_up, mul_up};
use privacy_core::subsets::pairs;
use privacy_core::{AttrSet, Domain};

use crate::closure::cost_coefficient;

/// Up to this many attributes the maximum over D is exact; above, each residual takes its own worst D.
const EXACT_REPLACE_ATTRIBUTES: usize = 20;

/// What a unit of precision (1 / variance) of residual B costs at most. Rounded up.
pub(crate) fn worst_cost(domain: &Domain, residual: AttrSet, neighbours: Neighbours) -> f64 {
    let sizes = residual.iter().map(|a| domain.cardinality(a) as f64);
    let p = sizes.clone().fold(1.0, |p, size| mul_up(p, div_up(size - 1.0, size)));
    match neighbours {
        Neighbours::AddRemove => p,
        // The total does not change when a row is replaced.
        Neighbours::Replace if residual.is_empty() => 0.0,
        // The inner product is lowest when only the attribute with the fewest categories differs: -p / (k - 1).
        Neighbours::Replace => {
            let fewest = sizes.fold(f64::INFINITY, f64::min);
            mul_up(mul_up(2.0, p), add_up(1.0, div_up(1.0, fewest - 1.0)))
        }
    }
}

/// The cost of measuring `residuals` with these variances (0: exactly, allowed only where it costs nothing).
/// Rounded up.
pub(crate) fn total_cost(domain: &Domain, residuals: &[(AttrSet, f64)], neighbours: Neighbours) -> f64 {
    let bound = residuals.iter().fold(0.0, |sum, &(set, variance)| {
        let worst = worst_cost(domain, set, neighbours);
        if worst == 0.0 { sum } else { add_up(sum, div_up(worst, variance)) }
    });
    match neighbours {
        Neighbours::AddRemove => bound,
        Neighbours::Replace => exact_replace_cost(domain, residuals).map_or(bound, |exact| exact.min(bound)),
    }
}

/// The maximum over D by one transform over the subsets of the attributes; `None` when there are too many.
fn exact_replace_cost(domain: &Domain, residuals: &[(AttrSet, f64)]) -> Option<f64> {
    let used = residuals.iter().fold(AttrSet::EMPTY, |all, (set, _)| all.union(*set));
    let attributes: Vec<usize> = used.iter().collect();
    if attributes.len() > EXACT_REPLACE_ATTRIBUTES {
        return None;
    }
    let mask =
        |set: AttrSet| attributes.iter().enumerate().filter(|(_, a)| set.contains(**a)).map(|(i, _)| 1 << i).sum();
    let (mut inner, mut lengths, mut precisions) = (vec![0.0; 1 << attributes.len()], 0.0, 0.0);
    for &(set, variance) in residuals.iter().filter(|(set, _)| !set.is_empty()) {
        let (at, precision): (usize, f64) = (mask(set), 1.0 / variance);
        inner[at] += precision;
        lengths += precision * cost_coefficient(domain, set);
        precisions += precision;
    }
    // From the sum over residuals to the sum of inner products over D, one attribute after the other: `pairs` visits
    // attribute 0, 1, ... and hands over f(without) and f(with).
    let half = inner.len() / 2;
    let mut visited = 0;
    pairs(&mut inner, |without, with| {
        let size = domain.cardinality(attributes[visited / half]) as f64;
        (*without, *with) = (*without + *with * (size - 1.0) / size, *without - *with / size);
        visited += 1;
    });
    let least = inner.iter().copied().fold(f64::INFINITY, f64::min);
    // Every sum above is made of at most 2^d terms whose sizes add up to `precisions`, each with a relative error of
    // at most 4 d + 4 roundings, and each addition rounds once: 8 d + 8 covers both.
    let slack = precisions * (8 * attributes.len() + 8 + residuals.len()) as f64 * f64::EPSILON;
    Some(add_up(2.0 * (lengths - least).max(0.0), 4.0 * slack))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of rows of a tiny domain, column by column: the definition.
    fn brute_force(sizes: &[usize], residuals: &[(AttrSet, f64)]) -> f64 {
        let rows: usize = sizes.iter().product();
        let digits = |row: usize| -> Vec<usize> {
            sizes
                .iter()
                .scan(row, |rest, &k| {
                    let digit = *rest % k;
                    *rest /= k;
                    Some(digit)
                })
                .collect()
        };
        let inner = |a: &[usize], b: &[usize], set: AttrSet| -> f64 {
            set.iter().map(|i| if a[i] == b[i] { 1.0 } else { 0.0 } - 1.0 / sizes[i] as f64).product()
        };
        let pair = |a: Vec<usize>, b: Vec<usize>| -> f64 {
            let term = |&(set, variance): &(AttrSet, f64)| {
                (inner(&a, &a, set) - 2.0 * inner(&a, &b, set) + inner(&b, &b, set)) / variance
            };
            residuals.iter().filter(|(set, _)| !set.is_empty()).map(term).sum()
        };
        let pairs = (0..rows).flat_map(|a| (0..rows).map(move |b| (a, b)));
        pairs.map(|(a, b)| pair(digits(a), digits(b))).fold(0.0, f64::max)
    }

    fn residuals(sizes: &[usize]) -> Vec<(AttrSet, f64)> {
        let sets = AttrSet::first(sizes.len()).subsets();
        sets.zip(1..).map(|(set, i)| (set, 0.5 + f64::from(i * 7 % 5))).collect()
    }

    #[test]
    fn replacing_a_row_costs_the_worst_pair() {
        for sizes in [vec![2], vec![5], vec![2, 3], vec![3, 2, 4], vec![2, 2, 2, 3]] {
            let domain = Domain::of_cardinalities(&sizes).unwrap();
            let residuals = residuals(&sizes);
            let (got, want) = (total_cost(&domain, &residuals, Neighbours::Replace), brute_force(&sizes, &residuals));
            assert!(got >= want && got <= want * (1.0 + 1e-12), "{sizes:?}: {got} for {want}");
        }
    }

    #[test]
    fn the_bound_for_many_attributes_is_above_the_exact_cost() {
        for sizes in [vec![2, 3], vec![3, 5, 4], vec![2, 2, 2]] {
            let domain = Domain::of_cardinalities(&sizes).unwrap();
            let residuals = residuals(&sizes);
            let bound: f64 = residuals.iter().map(|&(s, v)| worst_cost(&domain, s, Neighbours::Replace) / v).sum();
            assert!(bound >= brute_force(&sizes, &residuals));
        }
    }

    #[test]
    fn adding_a_row_costs_its_columns() {
        let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
        let residuals = residuals(&[2, 3]);
        let want: f64 = residuals.iter().zip([1.0, 1.0 / 2.0, 2.0 / 3.0, 1.0 / 3.0]).map(|(r, p)| p / r.1).sum();
        let got = total_cost(&domain, &residuals, Neighbours::AddRemove);
        assert!(got >= want && got <= want * (1.0 + 1e-14));
    }
}
