//! The closure of a workload, and the coefficients of its cost and its loss.
//!
//! `A` a marginal of the workload, `w_A` its weight, `B` a residual: a subset of some A. `k_i` the cardinality of
//! attribute i; for the identity basis `p_i = (k_i - 1) / k_i`, `v_i = k_i - 1`, `s_i = 1 / k_i`.
//!
//! ```text
//! p_B = product of p_i over B                                                  cost  = sum of p_B / sigma_B^2
//! v_B = sum over A containing B of w_A (product of v_i over B) (product of s_j over A \ B)   loss = sum of v_B sigma_B^2
//! ```
//!
//! An attribute with one category has no residual of its own (p = v = 0, s = 1) and is left out of every B.
//! Source: Xiao, He, Zhang, Kifer, "An Optimal and Scalable Matrix Mechanism for Noisy Marginals under Convex Loss
//! Functions" (NeurIPS 2023), section 4.

use privacy_core::{AttrSet, Domain};
use rustc_hash::FxHashMap;

/// The residuals of a workload, in the order of [`AttrSet`], and where to find each.
#[derive(Clone, Debug)]
pub(crate) struct Closure {
    sets: Vec<AttrSet>,
    loss: Vec<f64>,
    position: FxHashMap<AttrSet, u32>,
}

impl Closure {
    /// All subsets of the workload's sets, without attributes of one category. One hash look-up for each pair of a
    /// marginal and one of its subsets.
    pub(crate) fn of(domain: &Domain, workload: &[(AttrSet, f64)]) -> Self {
        let mut loss: FxHashMap<AttrSet, f64> = FxHashMap::default();
        let mut terms = Vec::new();
        for &(set, weight) in workload {
            let factors = |attribute| {
                let size = domain.cardinality(attribute) as f64;
                (size - 1.0, 1.0 / size)
            };
            subset_products(varying(domain, set), weight, factors, &mut terms);
            for &(subset, term) in &terms {
                *loss.entry(subset).or_insert(0.0) += term;
            }
        }
        let mut sets: Vec<AttrSet> = loss.keys().copied().collect();
        sets.sort_unstable();
        let loss = sets.iter().map(|set| loss[set]).collect();
        let position = sets.iter().zip(0..).map(|(&set, i)| (set, i)).collect();
        Self { sets, loss, position }
    }

    /// The residuals.
    pub(crate) fn sets(&self) -> &[AttrSet] {
        &self.sets
    }

    /// `v_B` of each residual.
    pub(crate) fn loss(&self) -> &[f64] {
        &self.loss
    }

    /// The position of a residual; `None` when it is not in the closure.
    pub(crate) fn position(&self, set: AttrSet) -> Option<usize> {
        self.position.get(&set).map(|&i| i as usize)
    }
}

/// The attributes of `set` with at least two categories.
pub(crate) fn varying(domain: &Domain, set: AttrSet) -> AttrSet {
    set.iter().filter(|&a| domain.cardinality(a) > 1).collect()
}

/// Every subset of `set` with `start` times the product over the set of one factor of each attribute: the first of
/// `factors` when the subset has it, the second when not. By doubling, into `terms`.
pub(crate) fn subset_products(
    set: AttrSet,
    start: f64,
    factors: impl Fn(usize) -> (f64, f64),
    terms: &mut Vec<(AttrSet, f64)>,
) {
    terms.clear();
    terms.push((AttrSet::EMPTY, start));
    for attribute in set.iter() {
        let (with, without) = factors(attribute);
        for i in 0..terms.len() {
            let (subset, term) = terms[i];
            terms.push((subset.with(attribute), term * with));
            terms[i].1 = term * without;
        }
    }
}

/// Every residual B of `set` with `scale` times what a unit of `sigma_B^2` adds to the variance of each of its cells:
/// the product of `(k_i - 1) / k_i` over B and of `1 / k_j^2` over the other attributes.
pub(crate) fn variance_terms(domain: &Domain, set: AttrSet, scale: f64, terms: &mut Vec<(AttrSet, f64)>) {
    let factors = |attribute| {
        let size = domain.cardinality(attribute) as f64;
        ((size - 1.0) / size, 1.0 / (size * size))
    };
    subset_products(varying(domain, set), scale, factors, terms);
}

/// `p_B`: the cost of residual B at noise 1, within `2 |B|` roundings.
pub(crate) fn cost_coefficient(domain: &Domain, residual: AttrSet) -> f64 {
    let p = |size: usize| (size - 1) as f64 / size as f64;
    residual.iter().map(|a| p(domain.cardinality(a))).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_one_category_have_no_residual() {
        let domain = Domain::of_cardinalities(&[2, 1, 3]).unwrap();
        let closure = Closure::of(&domain, &[(domain.all(), 1.0)]);
        let without: Vec<AttrSet> =
            [vec![], vec![0], vec![2], vec![0, 2]].into_iter().map(AttrSet::from_iter).collect();
        assert_eq!(closure.sets(), without);
        assert!(closure.loss().iter().all(|v| v.is_finite() && *v > 0.0));
        assert_eq!(closure.position(domain.all()), None);
    }
}
