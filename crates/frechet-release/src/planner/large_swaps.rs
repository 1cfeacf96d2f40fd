//! Changes of a table that widen what an attacker thinks possible, and the numbers that they
//! change.
//!
//! With `e` and `p` two cells that have the level of an axis `i` in common, `q` and `r` the same
//! cells at another level of `i`, a swap adds 1 to `e` and `r` and takes 1 from `p` and `q`.
//! Numbers that do not count `i`, or on whose axes `e` and `p` agree, stay as they are. Once the
//! others are withheld, the table after the swap is as possible as the one before. A transfer
//! moves one person from one cell to another: it changes more numbers, and there is one wherever
//! anybody is.

use std::collections::BTreeSet;

use crate::planner::large::{LargeMargin, Number};
use crate::table::grid::Grid;
use frechet_certificate::SparseTable;

/// Cells of a class from which swaps are looked for.
const MOST_CELLS: usize = 24;
/// Swaps made one after the other for one class.
const MOST_SWAPS: usize = 16;

/// The margins as swaps change them.
pub(super) struct Swaps<'a> {
    pub(super) grid: &'a Grid,
    pub(super) margins: &'a [LargeMargin],
}

/// Numbers to withhold, and tables that are possible then.
pub(super) type Widening = (BTreeSet<Number>, Vec<SparseTable>);

/// Cells and what is added to them.
type Change = Vec<(usize, i64)>;

/// A change, how often it is made, and what withholding the numbers costs that it changes.
struct Swap {
    cells: Change,
    times: i64,
    cost: f64,
}

impl Swap {
    /// What each person gained costs.
    fn price(&self) -> f64 {
        self.cost / self.times as f64
    }
}

impl Swaps<'_> {
    /// Numbers to withhold for the count of a class, which has these cells, to differ by `wanted`
    /// between two tables; `None` where no swaps lead there.
    pub(super) fn widening(&self, own: &[i64], cells: &[u32], wanted: i64) -> Option<Widening> {
        let (mut withheld, mut tables) = (BTreeSet::new(), Vec::new());
        let mut gained = 0;
        for sign in [1, -1] {
            // Up from the owner's table, then down from it.
            let mut table = own.to_vec();
            for _ in 0..MOST_SWAPS {
                if gained >= wanted {
                    break;
                }
                let Some(swap) = self.cheapest(&table, cells, sign, wanted - gained, &withheld) else { break };
                swap.cells.iter().for_each(|&(cell, more)| table[cell] += more * swap.times);
                gained += swap.times;
                withheld.extend(self.changed(&swap.cells).filter(|number| !self.is_withheld(*number)));
            }
            tables.push(SparseTable::from_dense(&table));
        }
        (gained >= wanted).then_some((withheld, tables))
    }

    /// The swap that costs least for what it gains.
    fn cheapest(
        &self,
        table: &[i64],
        cells: &[u32],
        sign: i64,
        wanted: i64,
        withheld: &BTreeSet<Number>,
    ) -> Option<Swap> {
        let mut best: Option<Swap> = None;
        let apart = cells.len().div_ceil(MOST_CELLS);
        for &cell in cells.iter().step_by(apart) {
            let e = cell as usize;
            let swaps = (0..self.grid.axes()).flat_map(|axis| self.swaps(table, e, axis, sign));
            for change in swaps.chain(self.transfers(table, e, sign)) {
                let own = change.iter().filter(|(cell, _)| cells.binary_search(&number_of(*cell)).is_ok());
                if own.map(|(_, more)| more).sum::<i64>() != sign {
                    continue;
                }
                let times = change.iter().filter(|own| own.1 < 0).map(|own| table[own.0]).min().unwrap_or(0);
                let new = self.changed(&change).filter(|own| !self.is_withheld(*own) && !withheld.contains(own));
                let cost = new.map(|own| self.margins[own.margin].weight(own.cell)).sum();
                let swap = Swap { cells: change, times: times.min(wanted), cost };
                if swap.times > 0 && best.as_ref().is_none_or(|best| swap.price() < best.price()) {
                    best = Some(swap);
                }
            }
        }
        best
    }

    /// The swaps at `e` over an axis that the counts allow.
    fn swaps(&self, table: &[i64], e: usize, axis: usize, sign: i64) -> Vec<Change> {
        let (grid, stride, level) = (self.grid, self.grid.stride(axis), self.grid.level(e, axis));
        let others = (0..grid.size(axis)).filter(move |&other| other != level);
        let at = move |cell: usize, other: usize| cell - level * stride + other * stride;
        // Up, the partners must have somebody; down, `e` and the cell across must.
        let others: Vec<usize> =
            others.filter(|&other| if sign > 0 { table[at(e, other)] > 0 } else { table[e] > 0 }).collect();
        let partners = (0..grid.cells()).filter(move |&p| p != e && grid.level(p, axis) == level);
        let mut found = Vec::new();
        for p in partners {
            for &other in &others {
                let is_possible = if sign > 0 { table[p] > 0 } else { table[at(p, other)] > 0 };
                if is_possible {
                    found.push(vec![(e, sign), (p, -sign), (at(e, other), -sign), (at(p, other), sign)]);
                }
            }
        }
        found
    }

    /// The transfers between `e` and all other cells that the counts allow.
    fn transfers(&self, table: &[i64], e: usize, sign: i64) -> impl Iterator<Item = Change> {
        let others = (0..table.len()).filter(move |&p| p != e && if sign > 0 { table[p] > 0 } else { table[e] > 0 });
        others.map(move |p| vec![(e, sign), (p, -sign)])
    }

    /// The numbers that a change changes.
    fn changed(&self, change: &Change) -> impl Iterator<Item = Number> {
        let cells: Vec<usize> = change.iter().map(|own| own.0).collect();
        self.margins.iter().enumerate().flat_map(move |(margin, own)| {
            let class = |place: usize| own.class_of_cell[cells[place]] as usize;
            // In a swap, what one pair of neighbours adds to a class, the other may take from it.
            let is_changed = class(0) != class(1) && (cells.len() == 2 || class(0) != class(2));
            let classes: Vec<usize> = if is_changed { (0..cells.len()).map(class).collect() } else { Vec::new() };
            classes.into_iter().map(move |cell| Number { margin, cell })
        })
    }

    fn is_withheld(&self, number: Number) -> bool {
        self.margins[number.margin].is_withheld[number.cell]
    }
}

/// A cell as classes number it.
fn number_of(cell: usize) -> u32 {
    u32::try_from(cell).expect("a cell is numbered in 32 bits")
}
