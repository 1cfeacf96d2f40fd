//! The nodes of a tree over categories.

use std::collections::{BTreeMap, BTreeSet};

use privacy_core::labels::Labels;

use crate::error::Error;
use crate::queries::basis::range_label;

/// The nodes of a tree over categories; each is a set of categories and is answered by their sum.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNodes {
    categories: Vec<Vec<usize>>,
    names: Vec<String>,
}

impl TreeNodes {
    /// TreeNodes with a name and the categories (from 0) that each holds. Any sets will do: no
    /// node need hold another.
    ///
    /// # Errors
    /// [`Error::BadBasis`] when there is no node, a node is empty, or it names a category twice.
    pub fn new(nodes: impl IntoIterator<Item = (String, Vec<usize>)>) -> Result<Self, Error> {
        let (names, categories): (_, Vec<Vec<usize>>) = nodes.into_iter().unzip();
        match !categories.is_empty() && categories.iter().all(|node| holds_each_once(node)) {
            true => Ok(Self { categories, names }),
            false => Err(Error::BadBasis { what: "every node of a tree holds categories, each once" }),
        }
    }

    /// All nodes of a tree over neighbouring categories: the root first, then level by level. A
    /// level cuts each node of the one above into at most `branching` parts whose sizes differ by
    /// at most one; a node of one category is not cut.
    ///
    /// # Errors
    /// [`Error::BadBasis`] for a branching below 2 or no category.
    pub fn balanced<S: AsRef<str>>(labels: impl IntoIterator<Item = S>, branching: usize) -> Result<Self, Error> {
        let labels: Labels = labels.into_iter().collect();
        if branching < 2 || labels.is_empty() {
            return Err(Error::BadBasis { what: "a tree has a branching of at least 2 and one category" });
        }
        let (mut nodes, mut level) = (Vec::new(), vec![(0, labels.len())]);
        while !level.is_empty() {
            nodes.extend(level.iter().copied());
            let larger = level.into_iter().filter(|(first, end)| end - first > 1);
            level = larger.flat_map(|(first, end)| cut(first, end, branching)).collect();
        }
        let names =
            nodes.into_iter().map(|(first, end)| (range_label(&labels, (first, end - 1)), (first..end).collect()));
        Self::new(names)
    }

    /// The nodes of a tree that is given by the path of each category from itself to the root
    /// (the root itself may be left out): every category and every ancestor once, in the order in
    /// which the paths first name them from the top. Two nodes that hold the same categories are
    /// one, under the upper name.
    ///
    /// # Errors
    /// [`Error::BadBasis`] when a path is empty.
    pub fn from_paths(paths: &[Vec<String>]) -> Result<Self, Error> {
        if paths.iter().any(Vec::is_empty) {
            return Err(Error::BadBasis { what: "every category of a hierarchy has a path that begins with itself" });
        }
        let depth = paths.iter().map(Vec::len).max().unwrap_or(0);
        let (mut nodes, mut known) = (Vec::<(String, Vec<usize>)>::new(), BTreeSet::new());
        // From the top. A node is known by its path to the root, so that equal names under two
        // parents stay two.
        for length in 1..=depth {
            let mut at: BTreeMap<&[String], usize> = BTreeMap::new();
            let mut here: Vec<(String, Vec<usize>)> = Vec::new();
            for (category, path) in paths.iter().enumerate().filter(|(_, path)| path.len() >= length) {
                let above = &path[path.len() - length..];
                let position = *at.entry(above).or_insert_with(|| {
                    here.push((above[0].clone(), Vec::new()));
                    here.len() - 1
                });
                here[position].1.push(category);
            }
            nodes.extend(here.into_iter().filter(|(_, node)| known.insert(node.clone())));
        }
        Self::new(nodes)
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.categories.len()
    }

    /// Never: a tree has a node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.categories.is_empty()
    }

    /// The categories of one node.
    ///
    /// # Panics
    /// If there is no such node.
    #[must_use]
    pub fn get(&self, node: usize) -> &[usize] {
        &self.categories[node]
    }

    /// The categories of every node.
    pub fn categories(&self) -> impl Iterator<Item = &[usize]> {
        self.categories.iter().map(Vec::as_slice)
    }

    /// The name of every node.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Whether every category is below `k`.
    pub(crate) fn fits(&self, k: usize) -> bool {
        self.categories().flatten().all(|&category| category < k)
    }
}

/// Whether a node has a category, and none twice.
fn holds_each_once(node: &[usize]) -> bool {
    let mut sorted = node.to_vec();
    sorted.sort_unstable();
    !sorted.is_empty() && sorted.windows(2).all(|pair| pair[0] != pair[1])
}

/// The categories from `first` to before `end` in at most `branching` parts, the sizes of which
/// differ by at most one.
fn cut(first: usize, end: usize, branching: usize) -> impl Iterator<Item = (usize, usize)> {
    let (size, parts) = (end - first, branching.min(end - first));
    (0..parts).map(move |part| (first + size * part / parts, first + size * (part + 1) / parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_balanced_tree_cuts_every_node_into_neighbours() {
        let tree = TreeNodes::balanced(words(&["a", "b", "c", "d", "e"]), 2).unwrap();
        let names: Vec<&str> = tree.names().collect();
        assert_eq!(names, ["a .. e", "a .. b", "c .. e", "a", "b", "c", "d .. e", "d", "e"]);
        assert_eq!(tree.get(2), [2, 3, 4]);
        assert!(TreeNodes::balanced(words(&["a"]), 1).is_err());
        assert_eq!(TreeNodes::balanced(words(&["a"]), 2).unwrap().len(), 1);
    }

    #[test]
    fn paths_become_the_nodes_of_their_tree_each_once() {
        let path = |line: &str| line.split(';').map(str::to_owned).collect::<Vec<_>>();
        // "west" under two parents is two nodes, but one with its parent; "lone" and its only
        // child are one; paths are of unequal length.
        let paths = ["n1;west;north", "n2;west;north", "s1;west;south", "s2;south", "x;lone"].map(path);
        let tree = TreeNodes::from_paths(&paths).unwrap();
        let nodes: Vec<(&str, &[usize])> = tree.names().zip(tree.categories()).collect();
        let want: [(&str, &[usize]); 7] = [
            ("north", &[0, 1]),
            ("south", &[2, 3]),
            ("lone", &[4]),
            ("west", &[2]),
            ("s2", &[3]),
            ("n1", &[0]),
            ("n2", &[1]),
        ];
        assert_eq!(nodes, want);
        assert!(TreeNodes::from_paths(&[vec![]]).is_err());
    }

    #[test]
    fn nodes_that_make_no_sense_are_refused() {
        assert!(TreeNodes::new([]).is_err());
        assert!(TreeNodes::new([("a".to_owned(), vec![])]).is_err());
        assert!(TreeNodes::new([("a".to_owned(), vec![1, 0, 1])]).is_err());
    }
}
