//! Global recoding of one axis: a partition of its levels into groups that are large enough.
//!
//! `N` public number of people, `kappa` the smallest group.
//!
//! ```text
//! cut(node) = union of cut(child)   if every child has one
//!           = {node}                if not, and N(node) >= kappa
//!           = none                  else
//! ```
//!
//! Leaves are fine when `N = 0` or `N >= kappa`. Groups are an antichain of the tree: publishing
//! a group *and* some of its members would disclose the others by subtraction. With pooling, the
//! members of a node that have no recoding are pooled, and the smallest of the others join them
//! until the pool has `kappa` people.

use privacy_core::Attribute;

use crate::table::hierarchy::{Hierarchy, Node};

/// Levels that are published as one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CategoryGroup {
    /// The levels, in increasing order.
    pub levels: Vec<usize>,
    /// The label of a level or of a group of the hierarchy; labels joined by ` + ` for a pool.
    pub label: String,
}

/// A partition of the levels of an axis into groups, in the order of their first levels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Recoding {
    groups: Vec<CategoryGroup>,
}

/// What may become a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupingRule<'a> {
    /// People of each level; `None` when no size is public and every group will do.
    pub(crate) sizes: Option<&'a [u64]>,
    pub(crate) min_frequency: u64,
    /// Nodes this many steps below the root are not divided further.
    pub(crate) depth: usize,
    pub(crate) merge: bool,
}

impl Recoding {
    /// Every level by itself.
    #[must_use]
    pub fn finest(attribute: &Attribute) -> Self {
        Self {
            groups: attribute
                .labels()
                .iter()
                .enumerate()
                .map(|(level, label)| CategoryGroup { levels: vec![level], label: label.to_owned() })
                .collect(),
        }
    }

    /// The finest antichain of `tree` whose groups have at least `kappa` of the `sizes`, one size
    /// a level; empty leaves may stand alone. `None` when all together have fewer.
    ///
    /// # Panics
    /// If `sizes` are fewer than the levels of the tree.
    #[must_use]
    pub fn of_hierarchy(tree: &Hierarchy, sizes: &[u64], min_frequency: u64) -> Option<Self> {
        Self::by(tree, &GroupingRule { sizes: Some(sizes), min_frequency, depth: usize::MAX, merge: false })
    }

    /// The same, but small siblings are pooled before their parent replaces all of them.
    ///
    /// # Panics
    /// If `sizes` are fewer than the levels of the tree.
    #[must_use]
    pub fn with_pooling(tree: &Hierarchy, sizes: &[u64], min_frequency: u64) -> Option<Self> {
        Self::by(tree, &GroupingRule { sizes: Some(sizes), min_frequency, depth: usize::MAX, merge: true })
    }

    pub(crate) fn by(tree: &Hierarchy, rule: &GroupingRule<'_>) -> Option<Self> {
        let mut groups = recode(tree, rule, 0, 0)?;
        groups.sort();
        Some(Self { groups })
    }

    /// The groups.
    #[must_use]
    pub fn groups(&self) -> &[CategoryGroup] {
        &self.groups
    }

    /// Whether every level stands alone.
    #[must_use]
    pub fn is_finest(&self) -> bool {
        self.groups.iter().all(|group| group.levels.len() == 1)
    }
}

impl GroupingRule<'_> {
    fn size(&self, levels: &[usize]) -> Option<u64> {
        Some(self.sizes?).map(|sizes| levels.iter().fold(0, |sum: u64, &level| sum.saturating_add(sizes[level])))
    }

    fn is_large(&self, levels: &[usize]) -> bool {
        self.size(levels).is_none_or(|size| size >= self.min_frequency)
    }
}

fn recode(tree: &Hierarchy, rule: &GroupingRule<'_>, node: usize, depth: usize) -> Option<Vec<CategoryGroup>> {
    let nodes = tree.nodes();
    let own = &nodes[node];
    if own.children.is_empty() || depth >= rule.depth {
        let is_empty = rule.size(&own.levels) == Some(0);
        return (is_empty || rule.is_large(&own.levels)).then(|| whole_group(own));
    }
    let recodings: Vec<(usize, Option<Vec<CategoryGroup>>)> =
        own.children.iter().map(|&child| (child, recode(tree, rule, child, depth + 1))).collect();
    if recodings.iter().all(|(_, recode)| recode.is_some()) {
        return Some(recodings.into_iter().filter_map(|(_, recode)| recode).flatten().collect());
    }
    let pooled = if rule.merge { pool(tree, rule, recodings) } else { None };
    pooled.or_else(|| rule.is_large(&own.levels).then(|| whole_group(own)))
}

/// Members without a recoding as one group, with as many of the smallest others as that takes;
/// `None` when it takes all.
fn pool(
    tree: &Hierarchy,
    rule: &GroupingRule<'_>,
    recodings: Vec<(usize, Option<Vec<CategoryGroup>>)>,
) -> Option<Vec<CategoryGroup>> {
    let nodes = tree.nodes();
    let (mut fine, small): (Vec<_>, Vec<_>) = recodings.into_iter().partition(|(_, recode)| recode.is_some());
    let mut members: Vec<usize> = small.into_iter().map(|(node, _)| node).collect();
    // The smallest last, so that it is taken first.
    fine.sort_by_key(|(node, _)| std::cmp::Reverse((rule.size(&nodes[*node].levels), *node)));
    while !rule.is_large(&levels_below(nodes, &members)) {
        members.push(fine.pop()?.0);
    }
    if fine.is_empty() {
        return None;
    }
    members.sort_unstable();
    let names: Vec<&str> = members.iter().map(|&node| nodes[node].label.as_str()).collect();
    let pooled = CategoryGroup { levels: levels_below(nodes, &members), label: names.join(" + ") };
    Some(fine.into_iter().filter_map(|(_, recode)| recode).flatten().chain([pooled]).collect())
}

/// A node as one group.
fn whole_group(node: &Node) -> Vec<CategoryGroup> {
    vec![CategoryGroup { levels: node.levels.clone(), label: label(node.parent, &node.label) }]
}

/// The levels below some nodes, in increasing order.
fn levels_below(nodes: &[Node], members: &[usize]) -> Vec<usize> {
    let mut levels: Vec<usize> = members.iter().flat_map(|&node| nodes[node].levels.iter().copied()).collect();
    levels.sort_unstable();
    levels
}

fn label(parent: Option<usize>, own: &str) -> String {
    if parent.is_none() { "all".to_owned() } else { own.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Hierarchy {
        let attribute = Attribute::new("place", ["a", "b", "c", "d", "e"]).unwrap();
        Hierarchy::from_hrc("north\n@a\n@b\nsouth\n@c\n@d\n@e\n", &attribute).unwrap()
    }

    fn groups(recode: Option<Recoding>) -> Option<Vec<Vec<usize>>> {
        Some(recode?.groups.into_iter().map(|group| group.levels).collect())
    }

    #[test]
    fn a_small_member_replaces_its_whole_family() {
        let got = |sizes: [u64; 5], min_frequency| groups(Recoding::of_hierarchy(&tree(), &sizes, min_frequency));
        assert_eq!(got([9, 9, 9, 9, 9], 9), Some(vec![vec![0], vec![1], vec![2], vec![3], vec![4]]));
        assert_eq!(got([9, 9, 9, 9, 8], 9), Some(vec![vec![0], vec![1], vec![2, 3, 4]]));
        assert_eq!(got([4, 4, 9, 9, 9], 9), Some(vec![vec![0, 1, 2, 3, 4]]), "north is too small, and so the root");
        assert_eq!(got([1, 1, 1, 1, 1], 9), None);
        assert_eq!(got([9, 0, 9, 9, 9], 9).unwrap().len(), 5, "nobody is exposed by an empty level");
    }

    #[test]
    fn merging_keeps_the_siblings_that_are_large_enough() {
        let got = |sizes: [u64; 5], min_frequency| groups(Recoding::with_pooling(&tree(), &sizes, min_frequency));
        assert_eq!(got([9, 9, 20, 5, 4], 9), Some(vec![vec![0], vec![1], vec![2], vec![3, 4]]));
        assert_eq!(got([9, 9, 20, 10, 4], 9), Some(vec![vec![0], vec![1], vec![2], vec![3, 4]]), "4 takes 10, not 20");
        assert_eq!(got([4, 4, 9, 9, 9], 9), Some(vec![vec![0, 1, 2, 3, 4]]), "two families, one of them small: all");
    }
}
