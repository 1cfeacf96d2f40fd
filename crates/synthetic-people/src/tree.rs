//! The junction tree of some sets of attributes.
//!
//! Attributes are joined where a set has both. Eliminating one attribute after the other joins all
//! its neighbours and leaves a clique behind; the maximal ones of these, joined by a maximum
//! spanning tree over the sizes of what they share, are a junction tree: the cliques with an
//! attribute are connected. Source: Koller and Friedman, *Probabilistic Graphical Models* (2009),
//! chapters 9 and 10. The order of elimination is greedy, by the cells of the clique or by the
//! edges that it adds, whichever of the two has fewer cells in the end.

use privacy_core::AttrSet;

use crate::cells::{Within, check_set, count};
use crate::error::Error;

/// A junction tree, from its root down.
#[derive(Clone, Debug)]
pub(crate) struct JunctionTree {
    pub(crate) sizes: Vec<usize>,
    /// A parent comes before its children.
    pub(crate) cliques: Vec<Clique>,
}

/// A clique, and what it shares with its parent.
#[derive(Clone, Debug)]
pub(crate) struct Clique {
    pub(crate) set: AttrSet,
    pub(crate) cells: usize,
    /// The parent, and where the separator is in both; `None` for the root.
    pub(crate) parent: Option<Parent>,
}

#[derive(Clone, Debug)]
pub(crate) struct Parent {
    pub(crate) clique: usize,
    pub(crate) separator: AttrSet,
    pub(crate) here: Within,
    pub(crate) there: Within,
}

impl JunctionTree {
    /// The tree for `sets` over all attributes, whether in a set or not.
    ///
    /// # Errors
    /// [`Error::TooWide`] with the largest clique, when one has more than `limit` cells;
    /// [`Error::NoCategory`], [`Error::UnknownAttribute`].
    pub(crate) fn new(sizes: &[usize], sets: &[AttrSet], limit: f64) -> Result<Self, Error> {
        if let Some(attribute) = sizes.iter().position(|size| *size == 0) {
            return Err(Error::NoCategory { attribute });
        }
        sets.iter().try_for_each(|set| check_set(sizes, *set))?;
        let cliques = cliques(sizes, sets);
        let widest = cliques.iter().copied().max_by(|a, b| count(sizes, *a).total_cmp(&count(sizes, *b)));
        let clique = widest.unwrap_or(AttrSet::EMPTY);
        let cells = count(sizes, clique);
        // Places in a table are 32 bits wide.
        if cells > limit.min(f64::from(u32::MAX)) {
            return Err(Error::TooWide { clique, cells, limit });
        }
        Ok(Self { sizes: sizes.to_vec(), cliques: joined(sizes, cliques) })
    }

    /// The smallest clique that has all of `set`.
    pub(crate) fn holder(&self, set: AttrSet) -> Option<usize> {
        let holders = (0..self.cliques.len()).filter(|&clique| set.is_subset_of(self.cliques[clique].set));
        holders.min_by_key(|&clique| self.cliques[clique].cells)
    }

    pub(crate) fn zeros(&self) -> Vec<Vec<f64>> {
        self.cliques.iter().map(|clique| vec![0.0; clique.cells]).collect()
    }
}

/// The maximal cliques of the better of two orders of elimination.
pub(crate) fn cliques(sizes: &[usize], sets: &[AttrSet]) -> Vec<AttrSet> {
    let by_cells = eliminated(sizes, sets, |_, _, clique| count(sizes, clique));
    let by_fill = eliminated(sizes, sets, |joined, neighbours, _| fill(joined, neighbours));
    if all_cells(sizes, &by_fill) < all_cells(sizes, &by_cells) { by_fill } else { by_cells }
}

fn all_cells(sizes: &[usize], cliques: &[AttrSet]) -> f64 {
    cliques.iter().map(|&clique| count(sizes, clique)).sum()
}

/// How many pairs of `neighbours` are not joined.
fn fill(joined: &[AttrSet], neighbours: AttrSet) -> f64 {
    let missing = neighbours
        .iter()
        .map(|attribute| neighbours.minus(joined[attribute]).minus(AttrSet::single(attribute)).len() as f64);
    missing.sum::<f64>() / 2.0
}

/// The cliques that are left behind when the attribute of least price goes next.
fn eliminated(sizes: &[usize], sets: &[AttrSet], price: impl Fn(&[AttrSet], AttrSet, AttrSet) -> f64) -> Vec<AttrSet> {
    let mut joined = vec![AttrSet::EMPTY; sizes.len()];
    for set in sets {
        set.iter().for_each(|attribute| joined[attribute] = joined[attribute].union(*set));
    }
    (0..sizes.len()).for_each(|attribute| joined[attribute] = joined[attribute].minus(AttrSet::single(attribute)));
    let mut left: Vec<usize> = (0..sizes.len()).collect();
    let mut found: Vec<AttrSet> = Vec::new();
    while !left.is_empty() {
        let prices = left.iter().map(|&a| price(&joined, joined[a], joined[a].with(a)));
        let next = prices.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).expect("something is left").0;
        let attribute = left.remove(next);
        let neighbours = joined[attribute];
        let clique = neighbours.with(attribute);
        if !found.iter().any(|other| clique.is_subset_of(*other)) {
            found.push(clique);
        }
        for other in neighbours.iter() {
            let all = joined[other].union(neighbours);
            joined[other] = all.minus(AttrSet::single(attribute)).minus(AttrSet::single(other));
        }
    }
    found
}

/// A maximum spanning tree over the sizes of the separators (Prim), the largest clique its root.
fn joined(sizes: &[usize], cliques: Vec<AttrSet>) -> Vec<Clique> {
    let root = (0..cliques.len()).max_by(|&a, &b| count(sizes, cliques[a]).total_cmp(&count(sizes, cliques[b])));
    let Some(root) = root else {
        return vec![Clique { set: AttrSet::EMPTY, cells: 1, parent: None }];
    };
    let mut left = cliques;
    let first = left.swap_remove(root);
    let mut tree = vec![Clique { set: first, cells: count(sizes, first) as usize, parent: None }];
    while !left.is_empty() {
        let edges = (0..left.len()).flat_map(|child| (0..tree.len()).map(move |parent| (child, parent)));
        let shared = |&(child, parent): &(usize, usize)| left[child].intersection(tree[parent].set).len();
        let (child, clique) = edges.max_by_key(shared).expect("a clique is left");
        let set = left.swap_remove(child);
        let separator = set.intersection(tree[clique].set);
        let (here, there) = (Within::new(sizes, set, separator), Within::new(sizes, tree[clique].set, separator));
        let parent = Some(Parent { clique, separator, here, there });
        tree.push(Clique { set, cells: count(sizes, set) as usize, parent });
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(sets: &[&[usize]]) -> Vec<AttrSet> {
        sets.iter().map(|set| set.iter().copied().collect()).collect()
    }

    /// The cliques that hold an attribute are connected, and every set has a clique.
    fn check(sizes: &[usize], given: &[AttrSet]) -> JunctionTree {
        let tree = JunctionTree::new(sizes, given, 1e9).unwrap();
        for &set in given {
            assert!(tree.holder(set).is_some(), "{set:?}");
        }
        for attribute in 0..sizes.len() {
            // All but one clique with the attribute have it in their separator.
            let with = tree.cliques.iter().filter(|clique| clique.set.contains(attribute));
            let tops = with.filter(|clique| !clique.parent.as_ref().is_some_and(|p| p.separator.contains(attribute)));
            assert_eq!(tops.count(), 1, "attribute {attribute}");
        }
        tree
    }

    #[test]
    fn trees_cycles_and_islands_have_junction_trees() {
        let widest = |tree: &JunctionTree| tree.cliques.iter().map(|clique| clique.set.len()).max().unwrap();
        let chain = check(&[2, 3, 4, 5], &sets(&[&[0, 1], &[1, 2], &[2, 3]]));
        assert_eq!((chain.cliques.len(), widest(&chain)), (3, 2));
        let cycle = check(&[2, 3, 4, 5], &sets(&[&[0, 1], &[1, 2], &[2, 3], &[0, 3]]));
        assert_eq!((cycle.cliques.len(), widest(&cycle)), (2, 3));
        let islands = check(&[2, 3, 4, 5], &sets(&[&[0, 1], &[3]]));
        assert_eq!(islands.cliques.len(), 3);
        check(&[2; 9], &sets(&[&[0, 1, 2], &[2, 3, 4], &[4, 5, 0], &[6, 7], &[7, 8], &[6, 8], &[1, 6]]));
        assert_eq!(check(&[], &[]).cliques.len(), 1);
    }

    #[test]
    fn a_clique_that_is_too_wide_is_named() {
        let all = AttrSet::first(4);
        let pairs: Vec<AttrSet> = all.subsets_of_size(2).collect();
        let refused = JunctionTree::new(&[10; 4], &pairs, 9_999.0);
        assert_eq!(refused.unwrap_err(), Error::TooWide { clique: all, cells: 1e4, limit: 9_999.0 });
        assert!(JunctionTree::new(&[10; 4], &pairs, 1e4).is_ok());
    }
}
