//! An axis of a table: a tree whose root is the total and whose leaves are the categories.

use crate::error::Error;

/// A category, or a group of categories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisNode {
    /// What outputs call it.
    pub label: String,
    /// The group that it belongs to; `None` for the root alone.
    pub parent: Option<usize>,
}

/// A tree of groups and categories. Node 0 is the root; every other node comes after its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    name: String,
    nodes: Vec<AxisNode>,
    children: Vec<Vec<usize>>,
    leaves: Vec<usize>,
}

impl Axis {
    /// Categories below one total.
    ///
    /// # Errors
    /// [`Error::Axis`] without a category.
    pub fn flat<L: Into<String>>(
        name: impl Into<String>,
        total: impl Into<String>,
        labels: impl IntoIterator<Item = L>,
    ) -> Result<Self, Error> {
        let root = AxisNode { label: total.into(), parent: None };
        let leaves = labels.into_iter().map(|label| AxisNode { label: label.into(), parent: Some(0) });
        Self::new(name, std::iter::once(root).chain(leaves).collect())
    }

    /// A tree. Leaves are the nodes without children, in their order.
    ///
    /// # Errors
    /// [`Error::Axis`] unless node 0 is the only one without a parent, every parent comes before
    /// its children, and there is a leaf besides the root.
    pub fn new(name: impl Into<String>, nodes: Vec<AxisNode>) -> Result<Self, Error> {
        let mut children = vec![Vec::new(); nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            match node.parent {
                Some(parent) if parent < index => children[parent].push(index),
                None if index == 0 => {}
                _ => return Err(Error::Axis { axis: 0 }),
            }
        }
        let leaves: Vec<usize> = (0..nodes.len()).filter(|&node: &usize| children[node].is_empty()).collect();
        if nodes.len() < 2 {
            return Err(Error::Axis { axis: 0 });
        }
        Ok(Self { name: name.into(), nodes, children, leaves })
    }

    /// The name of the axis.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The nodes, each after its parent.
    #[must_use]
    pub fn nodes(&self) -> &[AxisNode] {
        &self.nodes
    }

    /// Nodes of the categories, in the order in which records name them.
    #[must_use]
    pub fn leaves(&self) -> &[usize] {
        &self.leaves
    }

    pub(crate) fn children(&self, node: usize) -> &[usize] {
        &self.children[node]
    }

    /// The node and all groups above it.
    pub(crate) fn path(&self, node: usize) -> Vec<usize> {
        std::iter::successors(Some(node), |&node| self.nodes[node].parent).collect()
    }
}
