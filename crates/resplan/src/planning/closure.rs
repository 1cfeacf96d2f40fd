//! The closure of a workload, and the coefficients of its loss.
//!
//! `A` a marginal of the workload, `w_A` its weight, `B` a residual: a subset of some A; `v_i`,
//! `s_j` as in `axis`.
//!
//! ```text
//! v_B = sum over A containing B of w_A (product of v_i over B) (product of s_j over A \ B)   loss = sum of v_B sigma_B^2
//! ```
//!
//! An attribute with one category has no residual of its own and is left out of every B. Source:
//! Xiao, He, Zhang, Kifer, "An Optimal and Scalable Matrix Mechanism for Noisy Marginals under
//! Convex Loss Functions" (NeurIPS 2023), section 4.

use privacy_core::AttrSet;
use privacy_core::stop::StopFlag;
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::strategy::axes::Axes;

/// The residuals of a workload, in the order of [`AttrSet`], and where to find each.
#[derive(Clone, Debug)]
pub(crate) struct Closure {
    sets: Vec<AttrSet>,
    loss: Vec<f64>,
    position: FxHashMap<AttrSet, u32>,
}

impl Closure {
    /// All subsets of the workload's sets, without attributes of one category. One hash look-up
    /// for each pair of a marginal and one of its subsets.
    pub(crate) fn new(axes: &Axes, workload: &[(AttrSet, f64)], stop: &StopFlag) -> Result<Self, Error> {
        let mut loss: FxHashMap<AttrSet, f64> = FxHashMap::default();
        let mut terms = Vec::new();
        for &(set, weight) in workload {
            if stop.is_set() {
                return Err(Error::Stopped);
            }
            axes.products(set, weight, |attribute| axes.get(attribute).loss(), &mut terms);
            for &(subset, term) in &terms {
                *loss.entry(subset).or_insert(0.0) += term;
            }
        }
        let mut sets: Vec<AttrSet> = loss.keys().copied().collect();
        sets.sort_unstable();
        let loss = sets.iter().map(|set| loss[set]).collect();
        Ok(Self::of(sets, loss))
    }

    /// These residuals, in the order of [`AttrSet`], with the loss of each.
    pub(crate) fn of(sets: Vec<AttrSet>, loss: Vec<f64>) -> Self {
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

    /// The number of a residual among `numbers` in the order of the closure; 0 when it is not in
    /// the closure.
    pub(crate) fn number(&self, residual: AttrSet, numbers: &[f64]) -> f64 {
        self.position(residual).map_or(0.0, |i| numbers[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privacy_core::Domain;

    #[test]
    fn attributes_of_one_category_have_no_residual() {
        let domain = Domain::of_cardinalities(&[2, 1, 3]).unwrap();
        let closure = Closure::new(&Axes::identity(&domain), &[(domain.all(), 1.0)], &StopFlag::never()).unwrap();
        let without: Vec<AttrSet> =
            [vec![], vec![0], vec![2], vec![0, 2]].into_iter().map(AttrSet::from_iter).collect();
        assert_eq!(closure.sets(), without);
        assert!(closure.loss().iter().all(|v| v.is_finite() && *v > 0.0));
        assert_eq!(closure.position(domain.all()), None);
    }
}
