//! The known tables of the fiber, and the extreme values of each super-cell over them.
//!
//! Some tables differ from the first one in few cells, and only these are kept, so that thousands
//! of them take little time and room.

use std::collections::BTreeMap;

use crate::table::grid::Grid;
use frechet_certificate::{Side, SparseTable, Witness};

/// Cells of a table that differ from those of another, with what is added to them; a cell may come
/// more than once.
pub(crate) type Difference = Vec<(u32, i64)>;

#[derive(Clone)]
enum Known {
    /// By its number among the whole tables.
    Whole(usize),
    /// The first whole table and a difference.
    Moved(Difference),
}

#[derive(Clone)]
pub(crate) struct KnownTables {
    tables: Vec<SparseTable>,
    known: Vec<Known>,
    /// The super-cells of the first table.
    first: Vec<i64>,
    /// For each super-cell, the value and the table that goes furthest down, and up.
    furthest: [Vec<(i64, u32)>; 2],
    node_of_cell: Vec<u32>,
    grid: Grid,
}

impl KnownTables {
    pub(crate) fn new(grid: &Grid) -> Self {
        let nodes = grid.super_cells().expect("checked by the caller");
        Self {
            tables: Vec::new(),
            known: Vec::new(),
            first: Vec::new(),
            furthest: [vec![(i64::MAX, 0); nodes], vec![(i64::MIN, 0); nodes]],
            node_of_cell: grid.nodes_of_cells(),
            grid: grid.clone(),
        }
    }

    /// The tables that are kept whole; the first is the one that was known first.
    pub(crate) fn tables(&self) -> &[SparseTable] {
        &self.tables
    }

    /// Adds a table of the fiber, if it goes further than the others somewhere. One pass over the
    /// super-cells an axis.
    pub(crate) fn add(&mut self, table: &[i64]) {
        let sums = self.grid.super_sums(&self.node_of_cell, table);
        let mut helps = false;
        for (node, &sum) in sums.iter().enumerate() {
            helps |= self.extend(node, sum);
        }
        if helps {
            self.known.push(Known::Whole(self.tables.len()));
            self.tables.push(SparseTable::from_dense(table));
        }
        if self.first.is_empty() {
            self.first = sums;
        }
    }

    /// Adds the table that differs from the first one by this much, if it goes further somewhere.
    /// It costs what the super-cells of the cells that differ cost.
    pub(crate) fn add_moved(&mut self, difference: Difference) {
        let mut helps = false;
        for (node, more) in self.changes(&difference) {
            helps |= self.extend(node, self.first[node] + more);
        }
        if helps {
            self.known.push(Known::Moved(difference));
        }
    }

    /// By how much a difference changes the super-cells.
    fn changes(&self, difference: &Difference) -> BTreeMap<usize, i64> {
        let strides = self.grid.super_strides();
        let mut changes = BTreeMap::new();
        for &(cell, more) in difference {
            let own = self.node_of_cell[cell as usize] as usize;
            // Axis by axis: as it is, or summed over.
            let mut nodes = vec![own];
            for (axis, &stride) in strides.iter().enumerate() {
                let up = (self.grid.size(axis) - self.grid.level(cell as usize, axis)) * stride;
                for place in 0..nodes.len() {
                    let node: usize = nodes[place];
                    nodes.push(node + up);
                }
            }
            nodes.into_iter().for_each(|node| *changes.entry(node).or_insert(0) += more);
        }
        changes
    }

    /// Notes a value of a super-cell in the table that comes next; whether it is further than all
    /// before.
    fn extend(&mut self, node: usize, sum: i64) -> bool {
        let next = u32::try_from(self.known.len()).expect("tables are found one by one");
        let [least, most] = &mut self.furthest;
        let (is_less, is_more) = (sum < least[node].0, sum > most[node].0);
        if is_less {
            least[node] = (sum, next);
        }
        if is_more {
            most[node] = (sum, next);
        }
        is_less || is_more
    }

    /// The least and the largest value of a super-cell; there are some as soon as any table was
    /// added.
    pub(crate) fn reach(&self, node: usize) -> (i64, i64) {
        let [least, most] = &self.furthest;
        (least[node].0, most[node].0)
    }

    /// The table that goes furthest; there is one as soon as any was added.
    pub(crate) fn witness(&self, node: usize, side: Side) -> Option<Witness> {
        let (value, number) = self.furthest[usize::from(side == Side::Upper)][node];
        let table = match self.known.get(number as usize)? {
            Known::Whole(number) => self.tables[*number].clone(),
            Known::Moved(difference) => moved(&self.tables[0], difference),
        };
        Some(Witness { value, table })
    }
}

/// A table with a difference.
fn moved(table: &SparseTable, difference: &Difference) -> SparseTable {
    let mut more = BTreeMap::new();
    difference.iter().for_each(|&(cell, own)| *more.entry(cell).or_insert(0) += own);
    let mut counts: Vec<(u32, i64)> = table.counts().to_vec();
    counts.iter_mut().for_each(|(cell, count)| *count += more.remove(cell).unwrap_or(0));
    counts.extend(more);
    SparseTable::new(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_table_is_known_as_a_whole_one_is() {
        let grid = Grid::new(&[2, 3]).unwrap();
        let (first, second) = ([3, 0, 1, 0, 2, 4], [1, 1, 2, 2, 1, 3]);
        let difference: Difference =
            (0..6).map(|cell: u32| (cell, second[cell as usize] - first[cell as usize])).collect();
        let (mut whole, mut differing) = (KnownTables::new(&grid), KnownTables::new(&grid));
        [&mut whole, &mut differing].into_iter().for_each(|known| known.add(&first));
        whole.add(&second);
        differing.add_moved(difference);
        for node in 0..12 {
            assert_eq!(whole.reach(node), differing.reach(node), "{node}");
            for side in [Side::Lower, Side::Upper] {
                let [a, b] = [&whole, &differing].map(|known| known.witness(node, side).unwrap());
                assert_eq!((a.value, a.table.counts()), (b.value, b.table.counts()));
            }
        }
        assert_eq!((whole.tables().len(), differing.tables().len()), (2, 1));
        // A table that goes no further than those before is not kept.
        whole.add(&second);
        assert_eq!(whole.tables().len(), 2);
    }
}
