//! Closed form when no cell is in two rows: one published margin with capacities, for instance.
//!
//! Row `c` with ends `lo_c`, `hi_c` meets the class in cells that hold at most `a_c` and has
//! others that hold at most `b_c`. Rows do not touch each other, so
//!
//! ```text
//! L = sum_c max(0, lo_c - b_c)          U = sum_c min(a_c, hi_c) + capacities of the class in no row
//! ```

use crate::table::class::Class;
use crate::table::interval::{CountInterval, Method};
use crate::table::knowledge::Knowledge;
use frechet_certificate::{Bound, Multipliers, Proof, Ratio, Row, Side, SparseTable, Witness};

/// The row of each cell.
pub(crate) struct Disjoint {
    row_of_cell: Vec<Option<u32>>,
}

impl Disjoint {
    pub(crate) fn of(knowledge: &Knowledge) -> Option<Self> {
        let mut row_of_cell = vec![None; knowledge.grid.cells()];
        for (number, row) in knowledge.system.rows.iter().enumerate() {
            for &cell in row.cells() {
                if row_of_cell[cell as usize].replace(u32::try_from(number).ok()?).is_some() {
                    return None;
                }
            }
        }
        // Rows that ask for more than fits are left to the general engine, which names them.
        knowledge
            .system
            .rows
            .iter()
            .all(|row: &Row| {
                let most: i128 =
                    row.cells().iter().map(|&cell| i128::from(knowledge.system.capacity[cell as usize])).sum();
                i128::from(row.lower()) <= most
            })
            .then_some(Self { row_of_cell })
    }

    pub(crate) fn interval(&self, knowledge: &Knowledge, class: &Class) -> Option<CountInterval> {
        let mut in_class = vec![false; knowledge.grid.cells()];
        knowledge.grid.cells_of(class).into_iter().for_each(|cell| in_class[cell as usize] = true);
        let [lower, upper] = [Side::Lower, Side::Upper].map(|side| self.end(knowledge, &in_class, side));
        let method = if knowledge.is_published(class.axes) { Method::Published } else { Method::OneWay };
        Some(CountInterval { lower: lower?, upper: upper?, method })
    }

    fn end(&self, knowledge: &Knowledge, in_class: &[bool], side: Side) -> Option<Bound> {
        let (system, mut table) = (&knowledge.system, vec![0_i64; in_class.len()]);
        let mut multipliers = Vec::new();
        for (number, row) in system.rows.iter().enumerate() {
            fill(row, in_class, &system.capacity, side, &mut table);
            let binds = match side {
                Side::Upper => i128::from(row.upper()) < room(row, in_class, &system.capacity, true),
                Side::Lower => i128::from(row.lower()) > room(row, in_class, &system.capacity, false),
            };
            if binds {
                multipliers.push((number, side.sign()));
            }
        }
        if side == Side::Upper {
            let alone = (0..in_class.len()).filter(|&cell| in_class[cell] && self.row_of_cell[cell].is_none());
            alone.for_each(|cell| table[cell] = system.capacity[cell]);
        }
        let value = table.iter().zip(in_class).map(|(&count, &is): (&i64, &bool)| if is { count } else { 0 }).sum();
        Some(Bound {
            value,
            relaxed: Ratio::whole(value),
            proof: Proof::by_rows(Multipliers::integral(multipliers)),
            witness: Witness { value, table: SparseTable::from_dense(&table) },
        })
    }
}

/// What the cells of a row in the class, or those outside of it, can hold.
fn room(row: &Row, in_class: &[bool], capacity: &[i64], of_class: bool) -> i128 {
    let cells = row.cells().iter().filter(|&&cell| in_class[cell as usize] == of_class);
    cells.map(|&cell| i128::from(capacity[cell as usize])).sum()
}

/// Fills a row: up to its upper end with the class, or up to its lower end with the others first.
fn fill(row: &Row, in_class: &[bool], capacity: &[i64], side: Side, table: &mut [i64]) {
    let mut held = 0;
    for of_class in [side == Side::Upper, side == Side::Lower] {
        let most = if of_class && side == Side::Upper { row.upper() } else { row.lower() };
        for &cell in row.cells().iter().filter(|&&cell| in_class[cell as usize] == of_class) {
            let more = capacity[cell as usize].min(most - held).max(0);
            table[cell as usize] = more;
            held += more;
        }
    }
}
