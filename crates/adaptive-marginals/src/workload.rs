//! The candidates: the workload's marginals and all their subsets, each with its weight.
//!
//! `c_s` weight of marginal s of the workload; `w_r = sum over s of c_s |r and s| / sqrt(|r|)`:
//! what r says of the attributes that the workload asks about. Without the root this is the weight
//! of McKenna et al. (2022), section 4.1, which counts a pair twice as much as each of its
//! attributes though fewer marginals of the workload have both. Weights are in units of 1 / 1024.

use std::collections::BTreeSet;

use privacy_core::AttrSet;

use crate::error::Error;

/// Largest weight of a marginal: sums of them stay far below 64 bits.
const MOST_WEIGHT: u32 = 1_000_000;

/// A marginal that may be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) set: AttrSet,
    /// `w_r`.
    pub(crate) weight: u64,
}

/// All candidates, smaller sets first.
pub(crate) fn candidates(attributes: usize, workload: &[(AttrSet, u32)]) -> Result<Vec<Candidate>, Error> {
    let all = AttrSet::first(attributes);
    let mut closure = BTreeSet::new();
    for &(set, weight) in workload {
        if !set.is_subset_of(all) {
            return Err(Error::UnknownAttribute { set, attributes });
        }
        if !(1..=MOST_WEIGHT).contains(&weight) {
            return Err(Error::Weight { set, got: weight });
        }
        for size in 1..=set.len() {
            closure.extend(set.subsets_of_size(size));
        }
    }
    if closure.is_empty() {
        return Err(Error::EmptyWorkload);
    }
    let mut candidates: Vec<Candidate> =
        closure.into_iter().map(|set| Candidate { set, weight: weight(set, workload) }).collect();
    candidates.sort_by_key(|candidate| (candidate.set.len(), candidate.set));
    Ok(candidates)
}

/// Units of a weight.
const WEIGHT_UNITS: f64 = 1024.0;

/// `w_r`, rounded to units: the sensitivity of the scores follows from the rounded weights.
fn weight(set: AttrSet, workload: &[(AttrSet, u32)]) -> u64 {
    let shared = workload.iter().map(|&(other, weight)| u64::from(weight) * set.intersection(other).len() as u64);
    (WEIGHT_UNITS * shared.sum::<u64>() as f64 / (set.len() as f64).sqrt()).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_all_subsets_weighted_by_what_they_share_with_the_workload() {
        let pair = |a: usize, b: usize| AttrSet::single(a).with(b);
        let got = candidates(4, &[(pair(0, 1), 2), (pair(1, 2), 3)]).unwrap();
        let weights: Vec<(AttrSet, u64)> = got.iter().map(|candidate| (candidate.set, candidate.weight)).collect();
        let single = AttrSet::single;
        assert_eq!(weights.len(), 5);
        // 1024 times 2, 5, 3, and 7 and 8 over the root of 2.
        for expected in
            [(single(0), 2048), (single(1), 5120), (single(2), 3072), (pair(0, 1), 5069), (pair(1, 2), 5793)]
        {
            assert!(weights.contains(&expected), "{expected:?}");
        }
        assert!(matches!(candidates(2, &[]), Err(Error::EmptyWorkload)));
        assert!(matches!(candidates(2, &[(AttrSet::EMPTY, 1)]), Err(Error::EmptyWorkload)));
        assert!(matches!(candidates(2, &[(single(2), 1)]), Err(Error::UnknownAttribute { .. })));
        assert!(matches!(candidates(2, &[(single(0), 0)]), Err(Error::Weight { got: 0, .. })));
    }
}
