//! From potentials to probabilities: belief propagation on a junction tree, exactly.
//!
//! `psi_C` potentials of clique C, `S` what it shares with its parent, `b` probabilities.
//!
//! ```text
//! p(x) proportional to exp(sum of psi_C(x_C))
//! upwards     phi_C = psi_C + messages of the children,    message m_C(s) = ln sum over C \ S of exp(phi_C)
//! conditional p(C \ S | s) = exp(phi_C - m_C(s))
//! downwards   b_C = b_S p(C \ S | s),     b_S the sums of the parent's b
//! ```
//!
//! A potential of minus infinity is a structural zero. One exponential for each cell.

use privacy_core::AttrSet;

use crate::cells::Within;
use crate::tree::JunctionTree;

/// Probabilities over every clique, which agree about what cliques share.
pub(crate) struct Calibrated {
    pub(crate) beliefs: Vec<Vec<f64>>,
    /// The logarithm of the sum over all combinations; minus infinity where none is possible.
    pub(crate) log_sum: f64,
}

/// The probabilities for these potentials.
pub(crate) fn calibrate(tree: &JunctionTree, potentials: &[Vec<f64>]) -> Calibrated {
    let mut tables: Vec<Vec<f64>> = potentials.to_vec();
    let mut log_sum = 0.0;
    for clique in (0..tree.cliques.len()).rev() {
        let mut table = std::mem::take(&mut tables[clique]);
        match &tree.cliques[clique].parent {
            Some(parent) => {
                let message = normalise(&mut table, &parent.here);
                parent.there.combine(&mut tables[parent.clique], &message, |value, by| *value += by);
            }
            None => {
                let nothing = Within::new(&tree.sizes, tree.cliques[clique].set, AttrSet::EMPTY);
                log_sum = normalise(&mut table, &nothing)[0];
            }
        }
        tables[clique] = table;
    }
    for clique in 0..tree.cliques.len() {
        let Some(parent) = &tree.cliques[clique].parent else { continue };
        let above = parent.there.sums(&tables[parent.clique]);
        parent.here.combine(&mut tables[clique], &above, |value, by| *value *= by);
    }
    Calibrated { beliefs: tables, log_sum }
}

/// Turns potentials into conditional probabilities given the separator, and returns the logarithms
/// of what they were divided by.
fn normalise(table: &mut [f64], separator: &Within) -> Vec<f64> {
    // Relative to the largest, so that nothing overflows and every sum is at least 1.
    let largest = separator.maxima(table);
    separator.combine(table, &largest, |value, most| {
        // What is impossible whatever the others are stays 0.
        *value = if most == f64::NEG_INFINITY { 0.0 } else { (*value - most).exp() };
    });
    let sums = separator.sums(table);
    let inverse: Vec<f64> = sums.iter().map(|sum| if *sum > 0.0 { 1.0 / sum } else { 0.0 }).collect();
    separator.combine(table, &inverse, |value, by| *value *= by);
    largest.iter().zip(&sums).map(|(most, sum)| if *sum > 0.0 { most + sum.ln() } else { f64::NEG_INFINITY }).collect()
}

/// The largest sum of these potentials over all combinations.
pub(crate) fn largest_sum(tree: &JunctionTree, potentials: &[Vec<f64>]) -> f64 {
    let mut tables: Vec<Vec<f64>> = potentials.to_vec();
    for clique in (0..tree.cliques.len()).rev() {
        let Some(parent) = &tree.cliques[clique].parent else { continue };
        let message = parent.here.maxima(&tables[clique]);
        parent.there.combine(&mut tables[parent.clique], &message, |value, by| *value += by);
    }
    tables[0].iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The potentials of calibrated probabilities: each clique's table over that of its separator.
pub(crate) fn potentials_of(tree: &JunctionTree, beliefs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let tables = tree.cliques.iter().zip(beliefs).map(|(clique, belief)| {
        let mut table: Vec<f64> = belief.iter().map(|p| p.ln()).collect();
        if let Some(parent) = &clique.parent {
            let shared: Vec<f64> = parent.here.sums(belief).iter().map(|p| p.ln()).collect();
            parent.here.combine(&mut table, &shared, |value, by| {
                *value = if *value == f64::NEG_INFINITY { *value } else { *value - by };
            });
        }
        table
    });
    tables.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All combinations of a small domain, from the definition.
    fn brute(tree: &JunctionTree, potentials: &[Vec<f64>]) -> Vec<f64> {
        let all = AttrSet::first(tree.sizes.len());
        let mut joint = vec![0.0; tree.sizes.iter().product()];
        for (clique, table) in tree.cliques.iter().zip(potentials) {
            Within::new(&tree.sizes, all, clique.set).combine(&mut joint, table, |value, by| *value += by);
        }
        joint
    }

    #[test]
    fn propagation_gives_the_marginals_of_the_joint_distribution() {
        let sizes = [2, 3, 4, 2, 3];
        let sets: Vec<AttrSet> =
            [[0, 1], [1, 2], [2, 3], [0, 3]].into_iter().map(|set| set.into_iter().collect()).collect();
        let tree = JunctionTree::new(&sizes, &sets, 1e6).unwrap();
        for zero in [false, true] {
            let mut potentials = tree.zeros();
            let numbers = potentials.iter_mut().flatten().zip(1_u32..);
            numbers.for_each(|(value, i)| *value = f64::from(i * i * 7 % 31) / 4.0 - 3.0);
            if zero {
                potentials[0][0] = f64::NEG_INFINITY;
                potentials[1].iter_mut().step_by(2).for_each(|value| *value = f64::NEG_INFINITY);
            }
            let joint = brute(&tree, &potentials);
            let weights: Vec<f64> = joint.iter().map(|value| value.exp()).collect();
            let sum: f64 = weights.iter().sum();
            let got = calibrate(&tree, &potentials);
            assert!((got.log_sum - sum.ln()).abs() < 1e-12);
            for (clique, belief) in tree.cliques.iter().zip(&got.beliefs) {
                let want = Within::new(&sizes, AttrSet::first(5), clique.set).sums(&weights);
                for (got, want) in belief.iter().zip(want) {
                    assert!((got - want / sum).abs() < 1e-13, "{got} {}", want / sum);
                }
            }
            let most = joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert!((largest_sum(&tree, &potentials) - most).abs() < 1e-12);
            let again = calibrate(&tree, &potentials_of(&tree, &got.beliefs));
            assert!(again.log_sum.abs() < 1e-12);
            let pairs = again.beliefs.iter().flatten().zip(got.beliefs.iter().flatten());
            assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-13));
        }
    }
}
