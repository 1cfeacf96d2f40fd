//! Which marginals a model of bounded size keeps, when all of them together are too wide.

use privacy_core::AttrSet;

use crate::cells::count;
use crate::tree::cliques;

/// The sets of largest score whose junction tree has no table above `most_cells`: one after the
/// other from the best, each kept if the tree still fits. Sets of a score of at most 0 are left
/// out; the result is in the order of the scores.
///
/// Scores may be anything that is public or a function of what was measured, such as how much more
/// a noised table says than its smaller ones. A greedy rule, as in Chow and Liu (1968) for pairs.
#[must_use]
pub fn strongest(sizes: &[usize], candidates: &[(AttrSet, f64)], most_cells: f64) -> Vec<AttrSet> {
    let mut ordered: Vec<(AttrSet, f64)> = candidates.iter().copied().filter(|(_, score)| *score > 0.0).collect();
    ordered.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut kept: Vec<AttrSet> = Vec::new();
    for (set, _) in ordered {
        if kept.iter().any(|other| set.is_subset_of(*other)) {
            continue;
        }
        kept.push(set);
        let fits = count(sizes, set) <= most_cells
            && cliques(sizes, &kept).iter().all(|clique| count(sizes, *clique) <= most_cells);
        if !fits {
            kept.pop();
        }
    }
    kept
}

/// The cells of all tables of a model that holds `sets`, over attributes with `sizes` categories.
#[must_use]
pub fn model_cells(sizes: &[usize], sets: &[AttrSet]) -> f64 {
    cliques(sizes, sets).iter().map(|clique| count(sizes, *clique)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_three_is_one_table_and_a_chain_is_two() {
        let pair = |a: usize, b: usize| AttrSet::single(a).with(b);
        assert_eq!(model_cells(&[2, 3, 4], &[pair(0, 1), pair(1, 2)]), 18.0);
        assert_eq!(model_cells(&[2, 3, 4], &[pair(0, 1), pair(1, 2), pair(0, 2)]), 24.0);
        assert_eq!(model_cells(&[2, 3, 4], &[]), 9.0);
    }

    #[test]
    fn pairs_within_pairs_make_the_tree_of_largest_score() {
        let pair = |a: usize, b: usize| AttrSet::single(a).with(b);
        let scored = [(pair(0, 1), 5.0), (pair(1, 2), 4.0), (pair(0, 2), 3.0), (pair(2, 3), 2.0), (pair(0, 3), -1.0)];
        assert_eq!(strongest(&[4; 4], &scored, 16.0), [pair(0, 1), pair(1, 2), pair(2, 3)]);
        assert_eq!(strongest(&[4; 4], &scored, 64.0), [pair(0, 1), pair(1, 2), pair(0, 2), pair(2, 3)]);
        assert!(strongest(&[4; 4], &scored, 15.0).is_empty());
    }
}
