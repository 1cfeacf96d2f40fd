//! Axes to cells: every combination of nodes is a cell, and every group is the sum of its members.

use crate::attack::tableau::check_size;
use crate::error::Error;
use crate::table::additive::Relation;
use crate::table::axis::Axis;

/// Largest number of cells of a table, including totals.
pub const MOST_CELLS: usize = 1 << 20;

/// The cells of a table with all its totals, the last axis fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cube {
    axes: Vec<Axis>,
    cells: usize,
}

impl Cube {
    /// The table over these axes.
    ///
    /// # Errors
    /// [`Error::Axis`] without an axis, [`Error::TooManyCells`].
    pub fn new(axes: Vec<Axis>) -> Result<Self, Error> {
        if axes.is_empty() {
            return Err(Error::Axis { axis: 0 });
        }
        let cells = axes.iter().try_fold(1_usize, |cells, axis| cells.checked_mul(axis.nodes().len()));
        let cells = cells.filter(|&cells| cells <= MOST_CELLS).ok_or(Error::TooManyCells { limit: MOST_CELLS })?;
        Ok(Self { axes, cells })
    }

    /// The axes.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The number of cells, totals among them.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The node of a cell on every axis.
    #[must_use]
    pub fn nodes_of(&self, cell: usize) -> Vec<usize> {
        let mut rest = cell;
        let mut nodes = vec![0; self.axes.len()];
        for (node, axis) in nodes.iter_mut().zip(&self.axes).rev() {
            *node = rest % axis.nodes().len();
            rest /= axis.nodes().len();
        }
        nodes
    }

    /// The cell with these nodes.
    #[must_use]
    pub fn cell_of(&self, nodes: &[usize]) -> usize {
        nodes.iter().zip(&self.axes).fold(0, |cell, (&node, axis)| cell * axis.nodes().len() + node)
    }

    /// The labels of a cell, in the order of the axes.
    #[must_use]
    pub fn labels_of(&self, cell: usize) -> Vec<&str> {
        let nodes = self.nodes_of(cell);
        self.axes.iter().zip(nodes).map(|(axis, node)| axis.nodes()[node].label.as_str()).collect()
    }

    /// All cells that count a record with these leaves: one for every combination of groups above
    /// them.
    ///
    /// # Errors
    /// [`Error::NoSuchCell`] for a leaf that an axis does not have.
    pub(crate) fn cells_above(&self, leaves: &[usize]) -> Result<Vec<usize>, Error> {
        let mut cells = vec![0_usize];
        for (axis, &leaf) in self.axes.iter().zip(leaves) {
            let node = *axis.leaves().get(leaf).ok_or(Error::NoSuchCell { index: leaf })?;
            let path = axis.path(node);
            cells = cells
                .iter()
                .flat_map(|&cell| path.iter().map(move |&up| (cell, up)))
                .map(|(cell, up)| cell * axis.nodes().len() + up)
                .collect();
        }
        Ok(cells)
    }

    /// Refuses a table whose relations make a program that is too large for every attack and plan,
    /// before they are listed.
    pub(crate) fn check_program(&self) -> Result<(), Error> {
        let groups = |axis: &Axis| (0..axis.nodes().len()).filter(|&node| !axis.children(node).is_empty()).count();
        let relations: usize = self.axes.iter().map(|axis| self.cells / axis.nodes().len() * groups(axis)).sum();
        check_size(self.cells, relations)
    }

    /// Every group as the sum of its members, on one axis at a time: `members - group = 0`.
    pub(crate) fn relations(&self) -> Vec<Relation> {
        let mut relations = Vec::new();
        let mut stride = self.cells;
        for axis in &self.axes {
            let size = axis.nodes().len();
            let block = stride;
            stride /= size;
            let groups: Vec<usize> = (0..size).filter(|&node: &usize| !axis.children(node).is_empty()).collect();
            for start in (0..self.cells).step_by(block) {
                for rest in 0..stride {
                    for &group in &groups {
                        let nodes = axis.children(group).iter().map(|&member| (member, false)).chain([(group, true)]);
                        let terms = nodes.map(|(node, is_taken)| (start + node * stride + rest, is_taken));
                        relations.push(Relation { constant: 0, terms: terms.collect() });
                    }
                }
            }
        }
        relations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_is_a_sum_and_every_record_is_in_all_groups_above_it() {
        let tree = |label: &str, parent| crate::AxisNode { label: label.into(), parent };
        let region =
            vec![tree("all", None), tree("north", Some(0)), tree("a", Some(1)), tree("b", Some(1)), tree("c", Some(0))];
        let axes = vec![Axis::new("region", region).unwrap(), Axis::flat("branch", "all", ["x", "y"]).unwrap()];
        let cube = Cube::new(axes).unwrap();
        assert_eq!(cube.cells(), 15);
        // Region a, branch y.
        let cells = cube.cells_above(&[0, 1]).unwrap();
        let labels: Vec<Vec<&str>> = cells.iter().map(|&cell| cube.labels_of(cell)).collect();
        assert_eq!(labels, [["a", "y"], ["a", "all"], ["north", "y"], ["north", "all"], ["all", "y"], ["all", "all"]]);
        assert!(cells.iter().all(|&cell| cube.cell_of(&cube.nodes_of(cell)) == cell));
        // Two groups of regions for each of 3 columns, one group of branches for each of 5 rows.
        assert_eq!(cube.relations().len(), 2 * 3 + 5);
        assert!(matches!(cube.cells_above(&[3, 0]), Err(Error::NoSuchCell { index: 3 })));
    }
}
