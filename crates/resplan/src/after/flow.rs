//! Whole numbers beside the cells of a two-way table, with given sums of rows and columns.
//!
//! `x` the cells, `y` the whole numbers, `R_i`, `C_j` the sums asked for. Rows and columns are
//! the nodes of a flow network, cells its edges. y starts as floor(x), plus one where a row needs
//! it and its columns lag behind most; then units are moved along shortest paths that alternate
//! between adding one and taking one away, until every sum is right. Bounds:
//!
//! ```text
//! tight    floor(x) <= y <= ceil(x)     near   |y - x| <= 1     free   any y;      y >= 0 where x >= 0 in all three
//! ```
//!
//! The next bounds are used only when no table is within those before: a flow is at its maximum
//! when there is no path left (Ford and Fulkerson 1956). Sums that were rounded beforehand need
//! that: `0.5 0 / 0 0.5` with row sums 1, 0 and column sums 0, 1 has the only solution
//! `0 1 / 0 0`. Cells that must add up to sums of their own choice always have a tight rounding
//! (Cox 1987).

use std::collections::VecDeque;

/// How far a whole number may be from its cell.
#[derive(Clone, Copy)]
enum Bounds {
    Tight,
    Near,
    Free,
}

impl Bounds {
    /// The lowest and the highest whole number allowed for this cell.
    fn of(self, cell: f64) -> (i64, i64) {
        let (low, high) = match self {
            Self::Tight => (cell.floor() as i64, cell.ceil() as i64),
            Self::Near => (cell.ceil() as i64 - 1, cell.floor() as i64 + 1),
            Self::Free => (i64::MIN, i64::MAX),
        };
        if cell >= 0.0 { (low.max(0), high) } else { (low, high) }
    }
}

/// Whole numbers with these sums, which have one total. `O(cells)` for each unit that the start
/// has in a wrong column.
pub(crate) fn with_sums(cells: &[f64], rows: &[i64], columns: &[i64]) -> Vec<i64> {
    let mut flow = Flow::start(cells, rows, columns);
    for bounds in [Bounds::Tight, Bounds::Near, Bounds::Free] {
        while flow.move_one(bounds) {}
        if flow.is_right() {
            break;
        }
    }
    flow.whole
}

/// The network and its flow so far.
struct Flow<'a> {
    cells: &'a [f64],
    whole: Vec<i64>,
    /// What is missing in each row and in each column; below 0 where there is too much.
    rows: Vec<i64>,
    columns: Vec<i64>,
}

/// Where a path came from.
#[derive(Clone, Copy, PartialEq)]
enum From {
    Nowhere,
    Start,
    Node(usize),
}

impl<'a> Flow<'a> {
    fn start(cells: &'a [f64], rows: &[i64], columns: &[i64]) -> Self {
        let width = columns.len();
        let mut whole: Vec<i64> = cells.iter().map(|cell| cell.floor() as i64).collect();
        let (mut missing, mut lag) = (rows.to_vec(), vec![0.0; width]);
        for ((cells, whole), missing) in cells.chunks(width).zip(whole.chunks_mut(width)).zip(&mut missing) {
            *missing -= whole.iter().sum::<i64>();
            lag.iter_mut().zip(cells).for_each(|(lag, cell)| *lag += cell - cell.floor());
            let mut fractional: Vec<usize> = (0..width).filter(|&j| cells[j].fract() != 0.0).collect();
            // Columns that were rounded down most so far are rounded up first: few units are left
            // to move.
            fractional.sort_unstable_by(|&a, &b| lag[b].total_cmp(&lag[a]).then(a.cmp(&b)));
            for j in fractional.into_iter().take(usize::try_from(*missing).unwrap_or(0)) {
                whole[j] += 1;
                lag[j] -= 1.0;
                *missing -= 1;
            }
        }
        let mut columns = columns.to_vec();
        for row in whole.chunks(width) {
            columns.iter_mut().zip(row).for_each(|(missing, y)| *missing -= y);
        }
        Self { cells, whole, rows: missing, columns }
    }

    fn is_right(&self) -> bool {
        self.rows.iter().chain(&self.columns).all(|&missing| missing == 0)
    }

    /// Moves one unit from a row that misses one, or a column that has one too many, to one of
    /// the opposite kind, and tells whether there was a way.
    fn move_one(&mut self, bounds: Bounds) -> bool {
        let Some((mut node, came)) = self.path(bounds) else { return false };
        let height = self.rows.len();
        self.change(node, 1);
        // Back along the path. Breadth first search made it a shortest one, so no cell is on it
        // twice.
        while let From::Node(before) = came[node] {
            let (row, column, unit) =
                if node >= height { (before, node - height, 1) } else { (node, before - height, -1) };
            self.whole[row * self.columns.len() + column] += unit;
            node = before;
        }
        self.change(node, -1);
        true
    }

    /// The end of a path: one unit more in a column or one less in a row, times `unit`; at its
    /// start the other way round.
    fn change(&mut self, node: usize, unit: i64) {
        match node.checked_sub(self.rows.len()) {
            Some(column) => self.columns[column] -= unit,
            None => self.rows[node] += unit,
        }
    }

    /// The shortest way to a column that misses a unit or a row that has one too many, breadth
    /// first. TreeNodes are rows, then columns.
    fn path(&self, bounds: Bounds) -> Option<(usize, Vec<From>)> {
        let (height, width) = (self.rows.len(), self.columns.len());
        let mut came = vec![From::Nowhere; height + width];
        // Sources: rows that miss a unit, and columns that have one too many.
        let short = (0..height).filter(|&row| self.rows[row] > 0);
        let over = (0..width).filter(|&column| self.columns[column] < 0).map(|column| height + column);
        let mut queue: VecDeque<usize> = short.chain(over).collect();
        queue.iter().for_each(|&node| came[node] = From::Start);
        while let Some(node) = queue.pop_front() {
            let others = if node < height { height..height + width } else { 0..height };
            for other in others.filter(|&other| came[other] == From::Nowhere).collect::<Vec<_>>() {
                let (row, column) = if node < height { (node, other - height) } else { (other, node - height) };
                let place = row * width + column;
                let (low, high) = bounds.of(self.cells[place]);
                // From a row to a column a cell gains a unit, from a column to a row it loses
                // one.
                let adds = node < height;
                if if adds { self.whole[place] < high } else { self.whole[place] > low } {
                    came[other] = From::Node(node);
                    if if adds { self.columns[column] > 0 } else { self.rows[row] < 0 } {
                        return Some((other, came));
                    }
                    queue.push_back(other);
                }
            }
        }
        None
    }
}
