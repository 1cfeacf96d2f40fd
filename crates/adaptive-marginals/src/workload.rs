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

/// Most candidates: every choice looks at all of them.
pub(crate) const MOST_CANDIDATES: usize = 1 << 19;

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
        close_under_subsets(&mut closure, set)?;
    }
    if closure.is_empty() {
        return Err(Error::EmptyWorkload);
    }
    let shares = shares(attributes, workload);
    let mut candidates: Vec<Candidate> =
        closure.into_iter().map(|set| Candidate { set, weight: weight(set, &shares) }).collect();
    candidates.sort_by_key(|candidate| (candidate.set.len(), candidate.set));
    Ok(candidates)
}

/// Adds a set with its subsets that have an attribute. What is there has all of its own already.
fn close_under_subsets(closure: &mut BTreeSet<AttrSet>, set: AttrSet) -> Result<(), Error> {
    let mut open = vec![set];
    while let Some(set) = open.pop() {
        if set.is_empty() || !closure.insert(set) {
            continue;
        }
        if closure.len() > MOST_CANDIDATES {
            return Err(Error::TooManyCandidates);
        }
        open.extend(set.iter().map(|attribute| set.minus(AttrSet::single(attribute))));
    }
    Ok(())
}

/// Units of a weight.
const WEIGHT_UNITS: f64 = 1024.0;

/// `sum over s of c_s [a in s]` of each attribute a.
fn shares(attributes: usize, workload: &[(AttrSet, u32)]) -> Vec<u64> {
    let mut shares = vec![0; attributes];
    for &(set, weight) in workload {
        set.iter().for_each(|attribute| shares[attribute] += u64::from(weight));
    }
    shares
}

/// `w_r`, rounded to units: the sensitivity of the scores follows from the rounded weights. What r
/// shares with each s is a sum over its attributes.
fn weight(set: AttrSet, shares: &[u64]) -> u64 {
    let shared: u64 = set.iter().map(|attribute| shares[attribute]).sum();
    (WEIGHT_UNITS * shared as f64 / (set.len() as f64).sqrt()).round() as u64
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
        let first = |attributes| candidates(attributes, &[(AttrSet::first(attributes), 1)]);
        assert_eq!(first(17).unwrap().len(), (1 << 17) - 1);
        assert!([20, 128].iter().all(|&attributes| matches!(first(attributes), Err(Error::TooManyCandidates))));
        assert!(matches!(candidates(2, &[]), Err(Error::EmptyWorkload)));
        assert!(matches!(candidates(2, &[(AttrSet::EMPTY, 1)]), Err(Error::EmptyWorkload)));
        assert!(matches!(candidates(2, &[(single(2), 1)]), Err(Error::UnknownAttribute { .. })));
        assert!(matches!(candidates(2, &[(single(0), 0)]), Err(Error::Weight { got: 0, .. })));
    }
}
