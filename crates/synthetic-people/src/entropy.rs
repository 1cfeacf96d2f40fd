//! The distribution of largest entropy with given marginals.
//!
//! A clique may be larger than any measured marginal. What was fitted then says more about the
//! clique than the measurements do; of all distributions with the fitted marginals over the
//! measured sets, the one of largest entropy is the least committed. It is found by iterative
//! proportional fitting (Deming and Stephan 1940; Csiszar 1975): one set after the other gets the
//! marginal that it should have.
//!
//! The probabilities stay in the tables of the cliques. A sweep walks along the edges of the tree,
//! from the root to every clique and back, and brings the sums over what two cliques share along:
//! whatever was changed before is on the way, so the clique where the walk is has the marginal of
//! the whole distribution. A sweep then costs a few passes over each table, however many sets there
//! are, and no exponential. Source: Jirousek and Preucil, *On the effective implementation of the
//! iterative proportional fitting procedure* (1995).

use privacy_core::AttrSet;

use crate::beliefs::calibrate;
use crate::cells::Within;
use crate::tree::{JunctionTree, Parent};

/// Most sweeps over all sets.
const MOST_SWEEPS: usize = 200;
/// Sweeps end when no marginal is further off than this, as the sum of differences.
const CLOSE: f64 = 1e-9;

/// A marginal that a clique must have.
struct Target {
    within: Within,
    values: Vec<f64>,
}

/// A step of a sweep.
enum Step {
    /// Gives a clique the marginals that it holds.
    Fit(usize),
    /// Brings what a clique shares with its parent to the clique.
    Down(usize),
    /// Brings it back to the parent.
    Up(usize),
}

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
    let targets = targets(tree, &beliefs, sets);
    let mut current = calibrate(tree, possible).beliefs;
    let walk = walk(tree);
    for _ in 0..MOST_SWEEPS {
        let mut furthest = 0.0_f64;
        for step in &walk {
            match *step {
                Step::Fit(clique) => furthest = furthest.max(fit(&mut current[clique], &targets[clique])),
                Step::Down(clique) => share(tree, &mut current, clique, true),
                Step::Up(clique) => share(tree, &mut current, clique, false),
            }
        }
        if furthest <= CLOSE {
            break;
        }
    }
    // The walk ended at the root, which the others have not heard of.
    (0..tree.cliques.len()).for_each(|clique| share(tree, &mut current, clique, true));
    current
}

/// The marginals over the largest of the sets, by the clique that holds them.
fn targets(tree: &JunctionTree, beliefs: &[Vec<f64>], sets: &[AttrSet]) -> Vec<Vec<Target>> {
    let mut targets: Vec<Vec<Target>> = tree.cliques.iter().map(|_| Vec::new()).collect();
    let maximal = sets.iter().filter(|set| !sets.iter().any(|other| other != *set && set.is_subset_of(*other)));
    for &set in maximal {
        if let Some(clique) = tree.holder(set) {
            let within = Within::new(&tree.sizes, tree.cliques[clique].set, set);
            targets[clique].push(Target { values: within.sums(&beliefs[clique]), within });
        }
    }
    targets
}

/// From the root to every clique and back, along the edges.
fn walk(tree: &JunctionTree) -> Vec<Step> {
    // Each subtree as its own walk, which that of its parent takes in.
    let mut walks: Vec<Vec<Step>> = (0..tree.cliques.len()).map(|clique| vec![Step::Fit(clique)]).collect();
    for clique in (1..tree.cliques.len()).rev() {
        let below = std::mem::take(&mut walks[clique]);
        if let Some(parent) = &tree.cliques[clique].parent {
            let onto = &mut walks[parent.clique];
            onto.push(Step::Down(clique));
            onto.extend(below);
            onto.push(Step::Up(clique));
        }
    }
    walks.into_iter().next().unwrap_or_default()
}

/// Gives a table these marginals one after the other, and returns how far off it was.
fn fit(table: &mut [f64], targets: &[Target]) -> f64 {
    let mut furthest = 0.0_f64;
    for Target { within, values } in targets {
        let sums = within.sums(table);
        let off: f64 = sums.iter().zip(values).map(|(a, b)| (a - b).abs()).sum();
        furthest = furthest.max(off);
        if off > CLOSE {
            within.combine(table, &ratios(values, &sums), |value, by| *value *= by);
        }
    }
    furthest
}

/// Brings the sums over what a clique shares with its parent to the clique, or to its parent.
fn share(tree: &JunctionTree, tables: &mut [Vec<f64>], clique: usize, is_down: bool) {
    let Some(Parent { clique: parent, here, there, .. }) = &tree.cliques[clique].parent else { return };
    let (ours, theirs) = (here.sums(&tables[clique]), there.sums(&tables[*parent]));
    match is_down {
        true => here.combine(&mut tables[clique], &ratios(&theirs, &ours), |value, by| *value *= by),
        false => there.combine(&mut tables[*parent], &ratios(&ours, &theirs), |value, by| *value *= by),
    }
}

/// What takes numbers to others. Where a number is 0 nothing can be taken anywhere.
fn ratios(wanted: &[f64], have: &[f64]) -> Vec<f64> {
    wanted.iter().zip(have).map(|(wanted, have)| if *have > 0.0 { wanted / have } else { 1.0 }).collect()
}
