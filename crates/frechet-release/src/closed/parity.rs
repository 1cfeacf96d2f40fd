//! Closed form for `2^k` tables of which everything but the table itself is published.
//!
//! Two cells that differ on one axis add up to a published number, so one cell determines all:
//! with `p_e = +1` or `-1` by the parity of the cell's levels, every table of the fiber is
//!
//! ```text
//! x_e = c_e + p_e t,      t from max over p = +1 of -c_e, and p = -1 of c_e - u_e,
//!                           to min over p = -1 of  c_e, and p = +1 of u_e - c_e .
//! ```
//!
//! All cells have the same width, and the fiber has `width + 1` tables.

use privacy_core::AttrSet;

use crate::table::class::Class;
use crate::table::interval::{CountInterval, Method};
use crate::table::knowledge::Knowledge;
use frechet_certificate::{Bound, Multipliers, Proof, Ratio, Side, SparseTable, Witness};

pub(crate) struct Parity {
    constants: Vec<i64>,
    /// Ends of `t`, and the cells that set them.
    ends: [(i64, usize); 2],
    is_consistent: bool,
}

fn sign(cell: usize) -> i64 {
    if cell.count_ones().is_multiple_of(2) { 1 } else { -1 }
}

impl Parity {
    pub(crate) fn of(knowledge: &Knowledge) -> Option<Self> {
        let grid = &knowledge.grid;
        let is_binary = grid.axes() >= 2 && (0..grid.axes()).all(|axis| grid.size(axis) == 2);
        let faces = (0..grid.axes()).all(|axis| knowledge.is_published(grid.all().minus(AttrSet::single(axis))));
        let in_margins: usize = knowledge.margins.iter().map(|margin| grid.classes(margin.axes)).sum();
        if !is_binary || !faces || in_margins != knowledge.system.rows.len() || knowledge.is_published(grid.all()) {
            return None;
        }
        // Cells are binary numbers: the cell with its lowest bit cleared comes before it.
        let mut constants = vec![0; grid.cells()];
        for cell in 1..grid.cells() {
            let before = cell & (cell - 1);
            constants[cell] = knowledge.published(&edge(knowledge, cell, before))? - constants[before];
        }
        let capacity = &knowledge.system.capacity;
        let range = |cell: usize| match sign(cell) {
            1 => (-constants[cell], capacity[cell] - constants[cell]),
            _ => (constants[cell] - capacity[cell], constants[cell]),
        };
        let least = (0..grid.cells()).map(|cell| (range(cell).0, cell)).max_by_key(|&(t, _)| t)?;
        let most = (0..grid.cells()).map(|cell| (range(cell).1, cell)).min_by_key(|&(t, _)| t)?;
        let mut parity = Self { constants, ends: [least, most], is_consistent: false };
        parity.is_consistent = least.0 <= most.0 && knowledge.system.admits(&parity.table(least.0));
        Some(parity)
    }

    pub(crate) fn is_consistent(&self) -> bool {
        self.is_consistent
    }

    pub(crate) fn interval(&self, knowledge: &Knowledge, class: &Class) -> Option<CountInterval> {
        let table = || SparseTable::from_dense(&self.table(self.ends[0].0));
        if class.axes != knowledge.grid.all() {
            return CountInterval::published(knowledge, class, &table());
        }
        let cell = knowledge.grid.class_index(class.axes, &class.levels);
        let [lower, upper] = [Side::Lower, Side::Upper].map(|side| self.end(knowledge, cell, side));
        Some(CountInterval { lower: lower?, upper: upper?, method: Method::Parity })
    }

    fn end(&self, knowledge: &Knowledge, cell: usize, side: Side) -> Option<Bound> {
        // A cell of even parity is largest where `t` is, one of odd parity where `t` is least.
        let (t, limiting) = self.ends[usize::from(side.sign() * sign(cell) > 0)];
        let table = self.table(t);
        let mut multipliers = Vec::new();
        // x_e = m_1 - x_1, x_1 = m_2 - x_2, ... to the cell that is at an end of its box.
        let (mut at, mut multiplier) = (cell, side.sign());
        while at != limiting {
            // One axis at a time: the two cells add up to a published number, whose row gets the
            // multiplier.
            let differing = at ^ limiting;
            let next = at ^ (differing & differing.wrapping_neg());
            multipliers.extend(knowledge.rows_of(&edge(knowledge, at, next))?.into_iter().map(|row| (row, multiplier)));
            (at, multiplier) = (next, -multiplier);
        }
        let value = table[cell];
        Some(Bound {
            value,
            relaxed: Ratio::whole(value),
            proof: Proof::by_rows(Multipliers::integral(multipliers)),
            witness: Witness { value, table: SparseTable::from_dense(&table) },
        })
    }

    fn table(&self, t: i64) -> Vec<i64> {
        self.constants.iter().enumerate().map(|(cell, &constant)| constant + sign(cell) * t).collect()
    }
}

/// The class of the two cells, which differ on one axis.
fn edge(knowledge: &Knowledge, one: usize, other: usize) -> Class {
    let grid = &knowledge.grid;
    let axes: AttrSet = (0..grid.axes()).filter(|&axis| grid.level(one, axis) == grid.level(other, axis)).collect();
    Class { axes, levels: grid.levels(one, axes) }
}
