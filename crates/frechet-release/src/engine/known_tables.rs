//! The known tables of the fiber, and the extreme values of each super-cell over them.

use crate::table::grid::Grid;
use frechet_certificate::{Side, SparseTable, Witness};

#[derive(Clone)]
pub(crate) struct KnownTables {
    tables: Vec<SparseTable>,
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
            furthest: [vec![(i64::MAX, 0); nodes], vec![(i64::MIN, 0); nodes]],
            node_of_cell: grid.nodes_of_cells(),
            grid: grid.clone(),
        }
    }

    pub(crate) fn tables(&self) -> &[SparseTable] {
        &self.tables
    }

    /// Adds a table of the fiber, if it goes further than the others somewhere. One pass over the
    /// super-cells an axis.
    pub(crate) fn add(&mut self, table: &[i64]) {
        let sums = self.grid.super_sums(&self.node_of_cell, table);
        let number = u32::try_from(self.tables.len()).expect("tables are found one by one");
        let mut helps = false;
        let [least, most] = &mut self.furthest;
        for ((&sum, least), most) in sums.iter().zip(least).zip(most) {
            if sum < least.0 {
                (*least, helps) = ((sum, number), true);
            }
            if sum > most.0 {
                (*most, helps) = ((sum, number), true);
            }
        }
        if helps {
            self.tables.push(SparseTable::from_dense(table));
        }
    }

    /// The table that goes furthest; there is one as soon as any was added.
    pub(crate) fn witness(&self, node: usize, side: Side) -> Option<Witness> {
        let (value, number) = self.furthest[usize::from(side == Side::Upper)][node];
        let table = self.tables.get(number as usize)?.clone();
        Some(Witness { value, table })
    }
}
