//! What proves a bound: multipliers of rows, and distinctions of cases where whole numbers need
//! them.
//!
//! With `s = +1` for an upper bound and `-1` for a lower one, `c` the indicator of the cells of
//! the claim, `A` the rows and `y / D` the multipliers, every table within the boxes
//! `l <= x <= u` that satisfies the rows has
//!
//! ```text
//! (1)  D s c x = (D s c - y A) x + y (A x)
//!             <= sum_j max((D s c - y A)_j x_j over l_j..=u_j) + sum_i max(y_i r over lower_i..=upper_i) .
//! ```
//!
//! So any multipliers prove some bound, and good ones a sharp one. Where whole numbers are
//! needed, a tree of cases `x_j <= v` or `x_j >= v + 1` is closed leaf by leaf with (1), or with
//! (1) for `c = 0` and a negative right side: no table is there.

use std::collections::BTreeSet;

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(any(), derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Side {
    /// The least value.
    Lower,
    /// The largest value.
    Upper,
}

impl Side {
    /// `-1` for the lower end, `+1` for the upper one.
    #[must_use]
    pub const fn sign(self) -> i64 {
        match self {
            Self::Lower => -1,
            Self::Upper => 1,
        }
    }
}

/// Multipliers `y / D` of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(any(), derive(serde::Serialize))]
pub struct Multipliers {
    /// The common denominator `D`, at least 1.
    pub denominator: i64,
    /// Row, from 0, and numerator `y_i`. Rows that are not listed have 0.
    pub numerators: Vec<(usize, i64)>,
}

impl Multipliers {
    /// Whole multipliers: the denominator is 1.
    #[must_use]
    pub fn integral(numerators: Vec<(usize, i64)>) -> Self {
        Self { denominator: 1, numerators }
    }
}

/// A distinction of two cases: the cell holds at most `at_most`, or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(any(), derive(serde::Serialize))]
pub struct Split {
    /// The cell, from 0.
    pub cell: usize,
    /// The largest count of the first case.
    pub at_most: i64,
    /// Index of the node that proves the case of at most `at_most`.
    pub below: usize,
    /// Index of the node that proves the case of at least `at_most + 1`.
    pub above: usize,
}

/// A node of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(any(), derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Node {
    /// (1) gives the bound here.
    Bound(Multipliers),
    /// (1) with `c = 0` has a negative right side: no table is here.
    Empty(Multipliers),
    /// Two cases, each proved by another node.
    Split(Split),
}

/// Why nothing lies beyond a bound: a tree of nodes. The first is the root, and no node is
/// reached twice.
///
/// The tree is a list, so neither reading nor checking it takes a stack as deep as the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(any(), derive(serde::Serialize), serde(transparent))]
pub struct Proof {
    /// The nodes. Splits refer to them by their index.
    pub nodes: Vec<Node>,
}

impl Proof {
    /// A proof by the rows alone, without cases.
    #[must_use]
    pub fn by_rows(multipliers: Multipliers) -> Self {
        Self { nodes: vec![Node::Bound(multipliers)] }
    }

    /// The multipliers of a proof without cases.
    #[must_use]
    pub fn as_rows(&self) -> Option<&Multipliers> {
        match self.nodes.as_slice() {
            [Node::Bound(multipliers)] => Some(multipliers),
            _ => None,
        }
    }

    /// The rows that the proof uses: anyone who knows these rows knows the bound.
    #[must_use]
    pub fn rows(&self) -> BTreeSet<usize> {
        let multipliers = self.nodes.iter().filter_map(|node| match node {
            Node::Bound(multipliers) | Node::Empty(multipliers) => Some(multipliers),
            Node::Split(_) => None,
        });
        multipliers.flat_map(|multipliers| &multipliers.numerators).map(|&(row, _)| row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_names_the_rows_of_all_its_leaves() {
        let leaf = |row| Multipliers::integral(vec![(row, 1)]);
        assert_eq!(Proof::by_rows(leaf(4)).as_rows(), Some(&leaf(4)));
        let split = Split { cell: 0, at_most: 0, below: 1, above: 2 };
        let proof = Proof { nodes: vec![Node::Split(split), Node::Bound(leaf(3)), Node::Empty(leaf(1))] };
        assert_eq!(proof.rows().into_iter().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(proof.as_rows(), None);
    }
}
