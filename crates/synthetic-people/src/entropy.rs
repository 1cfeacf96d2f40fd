//! The distribution of largest entropy with given marginals.
//!
//! A clique may be larger than any measured marginal. What was fitted then says more about the
//! clique than the measurements do; of all distributions with the fitted marginals over the
//! measured sets, the one of largest entropy is the least committed. It is found by iterative
//! proportional fitting (Deming and Stephan 1940; Csiszar 1975): the potentials of one set after
//! the other are moved until its marginal is right.

use privacy_core::AttrSet;

use crate::beliefs::calibrate;
use crate::cells::Within;
use crate::tree::JunctionTree;

/// Most sweeps over all sets.
const MOST_SWEEPS: usize = 200;
/// Sweeps end when no marginal is further off than this, as the sum of differences.
const CLOSE: f64 = 1e-9;

/// The probabilities of largest entropy, among the possible, with the marginals of `beliefs` over
/// `sets`. Where every clique is one of the sets, `beliefs` as they are.
pub(crate) fn largest_entropy(
    tree: &JunctionTree,
    beliefs: Vec<Vec<f64>>,
    sets: &[AttrSet],
    possible: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    if tree.cliques.iter().all(|clique| sets.contains(&clique.set)) {
        return beliefs;
    }
    let maximal = sets.iter().filter(|set| !sets.iter().any(|other| other != *set && set.is_subset_of(*other)));
    let targets: Vec<(usize, Within, Vec<f64>)> = maximal
        .filter_map(|&set| {
            let clique = tree.holder(set)?;
            let within = Within::new(&tree.sizes, tree.cliques[clique].set, set);
            let target = within.sums(&beliefs[clique]);
            Some((clique, within, target))
        })
        .collect();
    let mut psi = possible.to_vec();
    let mut current = calibrate(tree, &psi).beliefs;
    for _ in 0..MOST_SWEEPS {
        let mut furthest = 0.0_f64;
        for (clique, within, target) in &targets {
            let sums = within.sums(&current[*clique]);
            let off: f64 = sums.iter().zip(target).map(|(a, b)| (a - b).abs()).sum();
            furthest = furthest.max(off);
            if off <= CLOSE {
                continue;
            }
            // A cell of probability 0 in the target gets potential minus infinity, as it should.
            let change: Vec<f64> = sums
                .iter()
                .zip(target)
                .map(|(sum, target)| if *sum > 0.0 { (target / sum).ln() } else { 0.0 })
                .collect();
            within.combine(&mut psi[*clique], &change, |value, by| *value += by);
            current = calibrate(tree, &psi).beliefs;
        }
        if furthest <= CLOSE {
            break;
        }
    }
    current
}
