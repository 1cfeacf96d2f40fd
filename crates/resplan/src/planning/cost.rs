//! The privacy cost of a plan: what its noise spends, never read low.
//!
//! `w_B = 1 / sigma_B^2`. Residual B measures the marginal through `(x) B_i`; two columns of B_i
//! have an inner product from `c_i` to `p_i`, a column with itself at most `p_i` (identity:
//! `p_i = (k_i - 1) / k_i`, `c_i = -1 / k_i`). `p_B` the product of `p_i` over B. For two columns
//! that differ in the attributes D, their inner product is the product of `p_i` over B \ D, times
//! that of `c_i` over B and D, at the worst. `m` rows a person.
//!
//! ```text
//! single = sum of w_B p_B                                              a row is added or removed
//! pair   = max over D of 2 sum of w_B (p_B - inner product)            a row is replaced
//!
//! add-remove        pcost = m^2 single
//! replace, m = 1    pcost = pair,                 the total is public: its residual needs no noise
//! replace, m > 1    pcost = m^2 max(pair, single)
//! ```
//!
//! Both are exact where all columns of each B_i have one length, as with identity, and nearly so
//! for prefix sums and ranges; else safe bounds, which custom queries may stay well below. In the
//! last case a person of a rows makes way for one of b rows: min(a, b) pairs and |a - b| single
//! rows, at most m in all, and lengths add up. A plan of cost `c` is `c/2`-zCDP, with continuous
//! noise also `sqrt(c)`-GDP. Derivation in `docs/math/resplan.md`.

use privacy_core::AttrSet;
use privacy_core::accounting::Neighbours;
use privacy_core::round::{add_up, div_up, mul_up};
use privacy_core::subsets::pairs;

use crate::planning::adjacency::Adjacency;
use crate::strategy::axes::Axes;

/// Up to this many attributes the maximum over D is exact; above, each residual takes its own
/// worst D.
pub(crate) const EXACT_REPLACE_ATTRIBUTES: usize = 20;

/// What a unit of precision (1 / variance) of residual B costs at most, at one row a person.
/// Rounded up.
pub(crate) fn worst_cost(axes: &Axes, residual: AttrSet, adjacency: Adjacency) -> f64 {
    // One rounding each in the columns' numbers.
    let p = axes.measured(residual).fold(1.0, |p, axis| mul_up(p, axis.columns().0.next_up()));
    match adjacency.neighbours {
        Neighbours::AddRemove => p,
        Neighbours::Replace if residual.is_empty() => f64::from(u8::from(!adjacency.total_is_public())),
        // Every pair of cells differs in its own way: the exact maximum over all of them.
        Neighbours::Replace if is_joint(axes, residual) => {
            axes.measured(residual).map(|axis| axis.largest_difference().next_up()).fold(0.0, f64::max)
        }
        Neighbours::Replace => {
            // The least product of inner products from [c, p]: lowest when the factor of least c
            // / p alone is at c, or when all factors are, none of them being negative.
            let ratios = axes.of(residual).map(|axis| {
                let (p, c) = axis.columns();
                div_up(-c, p)
            });
            let negative = ratios.fold(f64::NEG_INFINITY, f64::max);
            let least = match negative > 0.0 {
                true => mul_up(p, negative.next_up()),
                false => {
                    -axes.of(residual).fold(1.0, |c, axis| (c * axis.columns().1.next_down()).next_down()).max(0.0)
                }
            };
            mul_up(2.0, add_up(p, least).max(0.0))
        }
    }
}

/// Whether one strategy measures all attributes of this residual together.
fn is_joint(axes: &Axes, residual: AttrSet) -> bool {
    axes.joint().is_some_and(|joint| joint.block == residual)
}

/// The cost of measuring `residuals` with these variances, at `m` rows a person. Rounded up.
/// Infinite when a residual that costs something has variance 0.
pub(crate) fn total_cost(axes: &Axes, residuals: &[(AttrSet, f64)], adjacency: Adjacency) -> f64 {
    let m = f64::from(adjacency.rows_per_person);
    let row = match adjacency.neighbours {
        Neighbours::AddRemove => bound(axes, residuals, adjacency),
        Neighbours::Replace => {
            let worst = bound(axes, residuals, adjacency);
            let pair = exact_replace_cost(axes, residuals).map_or(worst, |exact| exact.min(worst));
            let add_remove = Adjacency { neighbours: Neighbours::AddRemove, ..adjacency };
            if adjacency.total_is_public() { pair } else { pair.max(bound(axes, residuals, add_remove)) }
        }
    };
    mul_up(row, mul_up(m, m))
}

/// The sum of every residual's own worst cost, at one row a person.
fn bound(axes: &Axes, residuals: &[(AttrSet, f64)], adjacency: Adjacency) -> f64 {
    residuals.iter().fold(0.0, |sum, &(set, variance)| {
        let worst = worst_cost(axes, set, adjacency);
        if worst == 0.0 { sum } else { add_up(sum, div_up(worst, variance)) }
    })
}

/// The maximum over D by one transform over the subsets of the attributes; `None` when there are
/// too many.
fn exact_replace_cost(axes: &Axes, residuals: &[(AttrSet, f64)]) -> Option<f64> {
    let used = residuals.iter().fold(AttrSet::EMPTY, |all, (set, _)| all.union(*set));
    let attributes: Vec<usize> = used.iter().collect();
    if attributes.len() > EXACT_REPLACE_ATTRIBUTES || axes.joint().is_some() {
        return None;
    }
    let measured = residuals.iter().filter(|(set, _)| !set.is_empty());
    let (mut lengths, mut precisions) = (0.0, 0.0);
    for &(set, variance) in measured.clone() {
        let precision = 1.0 / variance;
        lengths += precision * axes.cost(set);
        precisions += precision * axes.of(set).map(|axis| axis.columns().0.max(1.0)).product::<f64>();
    }
    let inner = inner_products(axes, used, measured.map(|&(set, variance)| (set, 1.0 / variance)));
    let least = inner.iter().copied().fold(f64::INFINITY, f64::min);
    // Every sum above is made of at most 2^d terms whose sizes add up to at most `precisions`
    // (|c| <= p), each with a relative error of at most 4 d + 4 roundings, and each addition
    // rounds once: 8 d + 8 covers both.
    let slack = precisions * (8 * attributes.len() + 8 + residuals.len()) as f64 * f64::EPSILON;
    Some(add_up(2.0 * (lengths - least).max(0.0), 4.0 * slack))
}

/// For every set D of the attributes `used`, as a mask over their places: the sum over residuals of
/// precision times the inner product of two columns that differ in D.
pub(crate) fn inner_products(axes: &Axes, used: AttrSet, precisions: impl Iterator<Item = (AttrSet, f64)>) -> Vec<f64> {
    let attributes: Vec<usize> = used.iter().collect();
    let mut inner = vec![0.0; 1 << attributes.len()];
    for (set, precision) in precisions {
        let mask: usize = set.iter().filter_map(|attribute| used.axis_of(attribute)).map(|place| 1 << place).sum();
        inner[mask] += precision;
    }
    // From the sum over residuals to the sum of inner products over D, one attribute after the
    // other: `pairs` visits attribute 0, 1, ... and hands over f(without) and f(with).
    let half = inner.len() / 2;
    let mut visited = 0;
    pairs(&mut inner, |without, with| {
        let (p, c) = axes.get(attributes[visited / half]).columns();
        (*without, *with) = (*without + *with * p, *without + *with * c);
        visited += 1;
    });
    inner
}

#[cfg(test)]
mod tests {
    use super::*;
    use privacy_core::Domain;

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

    const ADD_REMOVE: Adjacency = Adjacency { neighbours: Neighbours::AddRemove, rows_per_person: 1 };
    const REPLACE: Adjacency = Adjacency { neighbours: Neighbours::Replace, rows_per_person: 1 };

    fn residuals(sizes: &[usize]) -> Vec<(AttrSet, f64)> {
        let sets = AttrSet::first(sizes.len()).subsets();
        sets.zip(1..).map(|(set, i)| (set, 0.5 + f64::from(i * 7 % 5))).collect()
    }

    #[test]
    fn replacing_a_row_costs_the_worst_pair() {
        for sizes in [vec![2], vec![5], vec![2, 3], vec![3, 2, 4], vec![2, 2, 2, 3]] {
            let domain = Domain::of_cardinalities(&sizes).unwrap();
            let residuals = residuals(&sizes);
            let (got, want) =
                (total_cost(&Axes::identity(&domain), &residuals, REPLACE), brute_force(&sizes, &residuals));
            assert!(got >= want && got <= want * (1.0 + 1e-12), "{sizes:?}: {got} for {want}");
        }
    }

    #[test]
    fn the_bound_for_many_attributes_is_above_the_exact_cost() {
        for sizes in [vec![2, 3], vec![3, 5, 4], vec![2, 2, 2]] {
            let domain = Domain::of_cardinalities(&sizes).unwrap();
            let residuals = residuals(&sizes);
            let bound: f64 = residuals.iter().map(|&(s, v)| worst_cost(&Axes::identity(&domain), s, REPLACE) / v).sum();
            assert!(bound >= brute_force(&sizes, &residuals));
        }
    }

    #[test]
    fn adding_a_row_costs_its_columns() {
        let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
        let residuals = residuals(&[2, 3]);
        let want: f64 = residuals.iter().zip([1.0, 1.0 / 2.0, 2.0 / 3.0, 1.0 / 3.0]).map(|(r, p)| p / r.1).sum();
        let got = total_cost(&Axes::identity(&domain), &residuals, ADD_REMOVE);
        assert!(got >= want && got <= want * (1.0 + 1e-14));
    }

    #[test]
    fn each_residual_takes_its_own_worst_pair() {
        let sizes = [4, 2, 3];
        let domain = Domain::of_cardinalities(&sizes).unwrap();
        for set in AttrSet::first(3).subsets().skip(1) {
            let (bound, want) =
                (worst_cost(&Axes::identity(&domain), set, REPLACE), brute_force(&sizes, &[(set, 1.0)]));
            assert!(bound >= want * (1.0 - 1e-14) && bound <= want * (1.0 + 1e-14), "{set:?}: {bound} for {want}");
        }
    }

    /// Every pair of people with at most two rows each: the lengths of all differences that one
    /// person can make.
    #[test]
    fn several_rows_a_person_cost_the_worst_person() {
        let sizes = [2, 3];
        let domain = Domain::of_cardinalities(&sizes).unwrap();
        let residuals = residuals(&sizes);
        let two = (0..6_usize).flat_map(|a| (a..6).map(move |b| vec![a, b]));
        let people: Vec<Vec<usize>> = two.chain((0..6).map(|a| vec![a])).chain([vec![]]).collect();
        let digits = |row: usize| [row / 3, row % 3];
        let column = |row: usize, cell: usize, set: AttrSet| -> f64 {
            let same = |i: usize| f64::from(u8::from(digits(row)[i] == digits(cell)[i]));
            set.iter().map(|i| same(i) - 1.0 / sizes[i] as f64).product()
        };
        let length = |plus: &[usize], minus: &[usize]| -> f64 {
            let of = |&(set, variance): &(AttrSet, f64)| {
                let sum = |rows: &[usize], cell| rows.iter().map(|&row| column(row, cell, set)).sum::<f64>();
                // All 6 cells stand for the cells of the residual, each as often.
                let squares: f64 = (0..6).map(|cell| (sum(plus, cell) - sum(minus, cell)).powi(2)).sum();
                squares * domain.cells(set).unwrap() as f64 / 6.0 / variance
            };
            residuals.iter().map(of).sum()
        };
        for (adjacency, others) in [
            (Adjacency { rows_per_person: 2, ..ADD_REMOVE }, vec![vec![]]),
            (Adjacency { rows_per_person: 2, ..REPLACE }, people.clone()),
        ] {
            let lengths = people.iter().flat_map(|one| others.iter().map(|other| length(one, other)));
            let want = lengths.fold(0.0, f64::max);
            let got = total_cost(&Axes::identity(&domain), &residuals, adjacency);
            assert!(got >= want * (1.0 - 1e-12) && got <= want * 1.000_001, "{adjacency:?}: {got} for {want}");
        }
    }
}
