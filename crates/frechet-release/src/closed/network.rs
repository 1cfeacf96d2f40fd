//! Two-way tables with row sums, column sums and capacities: bounds by maximal flow.
//!
//! `r_i`, `c_j` sums, `u_ij` capacities, `T` a table of the fiber. In the residual graph an arc
//! from row `i` to column `j` means that `T_ij` can grow, an arc back that it can shrink. `T_ij`
//! grows along paths from `j` back to `i` that do not use the cell itself. Without such a path,
//! the rows `S` and columns `Q` that can be reached prove it:
//!
//! ```text
//! (4)  max T_ij = c(Q) - r(S) + u(S, not Q),        min T_ij = r(S) - c(Q) - u(S, not Q; without ij) .
//! ```
//!
//! Three axes with all their two-way margins, one axis of two levels, are the same problem:
//! `x_ij2 = n_ij - x_ij1`.

use std::collections::{BTreeMap, VecDeque};

use privacy_core::AttrSet;
use privacy_core::stop::StopFlag;

use crate::closed::flow;
use crate::closed::residual;
use crate::table::class::Class;
use crate::table::interval::{CountInterval, Method};
use crate::table::knowledge::Knowledge;
use frechet_certificate::{Bound, Multipliers, Proof, Ratio, Side, SparseTable, Witness};

/// The flow problem of one table.
pub(crate) struct Network {
    rows: usize,
    columns: usize,
    capacity: Vec<i64>,
    table: Vec<i64>,
    fold: Option<Fold>,
    ids: RowIds,
    is_consistent: bool,
    stop: StopFlag,
}

/// The axis of two levels, and the other two.
#[derive(Clone, Copy)]
struct Fold {
    binary: usize,
    one: usize,
    other: usize,
}

/// Rows of the system: those of the rows, of the columns, and of the capacities when they are
/// published sums.
struct RowIds {
    rows: Vec<Vec<usize>>,
    columns: Vec<Vec<usize>>,
    cells: Vec<Vec<usize>>,
}

/// Row and column of a cell, and whether it grows along the path.
type Arc = (usize, usize, bool);

/// What can be reached in the residual graph.
struct Reached {
    rows: Vec<bool>,
    columns: Vec<bool>,
    /// Bottleneck and arcs of the path, if the goal was reached.
    path: Option<(i64, Vec<Arc>)>,
}

impl Network {
    pub(crate) fn of(knowledge: &Knowledge, stop: &StopFlag) -> Option<Self> {
        let grid = &knowledge.grid;
        let in_margins: usize = knowledge.margins.iter().map(|margin| grid.classes(margin.axes)).sum();
        if in_margins != knowledge.system.rows.len() || knowledge.is_published(grid.all()) {
            return None;
        }
        match grid.axes() {
            // A third axis of two levels folds away: its second level is what the sum over it
            // leaves of the first.
            2 => Self::two_way(knowledge, stop),
            3 => (0..3).find_map(|binary| Self::folded(knowledge, binary, stop)),
            _ => None,
        }
    }

    fn two_way(knowledge: &Knowledge, stop: &StopFlag) -> Option<Self> {
        let (rows, columns) = (axis_rows(knowledge, 0)?, axis_rows(knowledge, 1)?);
        let ids = RowIds { rows, columns, cells: Vec::new() };
        Some(Self::start(knowledge, ids, knowledge.system.capacity.clone(), None, stop))
    }

    /// Rows and columns at the first level of the binary axis; the sums over it are the
    /// capacities.
    fn folded(knowledge: &Knowledge, binary: usize, stop: &StopFlag) -> Option<Self> {
        let grid = &knowledge.grid;
        let has_capacity = knowledge.system.capacity.iter().any(|&most| most < crate::table::system::NO_CAPACITY);
        if grid.size(binary) != 2 || has_capacity {
            return None;
        }
        let mut others = (0..3).filter(|&axis| axis != binary);
        let (one, other) = (others.next()?, others.next()?);
        let pair = AttrSet::single(one).with(other);
        let cell_rows = (0..grid.classes(pair))
            .map(|index| knowledge.rows_of(&Class::new(pair, grid.levels_of_class(index, pair))))
            .collect::<Option<Vec<_>>>()?;
        let capacity = cell_rows.iter().map(|rows| published_sum(knowledge, rows)).collect();
        let ids = RowIds {
            rows: rows_along(knowledge, one, binary)?,
            columns: rows_along(knowledge, other, binary)?,
            cells: cell_rows,
        };
        Some(Self::start(knowledge, ids, capacity, Some(Fold { binary, one, other }), stop))
    }

    fn start(knowledge: &Knowledge, ids: RowIds, capacity: Vec<i64>, fold: Option<Fold>, stop: &StopFlag) -> Self {
        let [row_sums, column_sums]: [Vec<i64>; 2] =
            [&ids.rows, &ids.columns].map(|lists| lists.iter().map(|rows| published_sum(knowledge, rows)).collect());
        let columns = column_sums.len();
        let first = flow::first_table(&row_sums, &column_sums, &capacity, stop);
        let has_table = first.is_some();
        let table = first.unwrap_or_else(|| vec![0; capacity.len()]);
        let rows = row_sums.len();
        let mut network = Self { rows, columns, capacity, table, fold, ids, is_consistent: false, stop: stop.clone() };
        network.is_consistent =
            has_table && knowledge.system.admits(&network.full(knowledge).to_dense(knowledge.grid.cells()));
        network
    }

    pub(crate) fn is_consistent(&self) -> bool {
        self.is_consistent
    }

    pub(crate) fn interval(&mut self, knowledge: &Knowledge, class: &Class) -> Option<CountInterval> {
        if class.axes != knowledge.grid.all() {
            return CountInterval::published(knowledge, class, &self.full(knowledge));
        }
        let (row, column, is_second) = match self.fold {
            None => (class.levels[0], class.levels[1], false),
            Some(fold) => (class.levels[fold.one], class.levels[fold.other], class.levels[fold.binary] == 1),
        };
        let [lower, upper] = [Side::Lower, Side::Upper].map(|side| self.end(knowledge, (row, column), side, is_second));
        Some(CountInterval { lower, upper, method: Method::Network })
    }

    /// One end for a cell, or for its complement `n_ij - x_ij` when `is_second`.
    fn end(&mut self, knowledge: &Knowledge, (row, column): (usize, usize), side: Side, is_second: bool) -> Bound {
        let grows = (side == Side::Upper) != is_second;
        let multipliers = self.extreme(row, column, grows);
        let cell = row * self.columns + column;
        let mut all: BTreeMap<usize, i64> = BTreeMap::new();
        multipliers.into_iter().for_each(|(id, y)| *all.entry(id).or_insert(0) += y);
        let mut value = self.table[cell];
        if is_second {
            value = self.capacity[cell] - value;
            self.ids.cells[cell].iter().for_each(|&id| *all.entry(id).or_insert(0) += side.sign());
        }
        Bound {
            value,
            relaxed: Ratio::whole(value),
            proof: Proof::by_rows(Multipliers::integral(all.into_iter().filter(|&(_, y)| y != 0).collect())),
            witness: Witness { value, table: self.full(knowledge) },
        }
    }

    /// Moves a cell as far as it goes, and returns the multipliers of (4) for `+x_ij` or `-x_ij`.
    fn extreme(&mut self, row: usize, column: usize, grows: bool) -> Vec<(usize, i64)> {
        let cell = row * self.columns + column;
        let (start, goal) =
            if grows { (Vertex::Column(column), Vertex::Row(row)) } else { (Vertex::Row(row), Vertex::Column(column)) };
        // Each round increases the flow, which is a whole number below the capacity, so the
        // rounds end.
        loop {
            let room = if grows { self.capacity[cell] - self.table[cell] } else { self.table[cell] };
            if room == 0 {
                // An end of the cell's own box: 0, or its capacity, which is a row when the table
                // is folded.
                let own = if grows { self.ids.cells.get(cell) } else { None };
                return own.into_iter().flatten().map(|&id| (id, 1)).collect();
            }
            if self.stop.is_set() {
                // The caller looks at the flag and drops the answer.
                return Vec::new();
            }
            let reached = self.search(start, goal, (row, column));
            match reached.path {
                Some((bottleneck, path)) => {
                    // Along the path the sums of rows and columns stay; the cell itself closes
                    // the cycle.
                    let amount = bottleneck.min(room);
                    self.push(&path, amount);
                    self.table[cell] += if grows { amount } else { -amount };
                }
                // Minimum cut: no residual arc leaves what was reached, which is equality in (4).
                None => return self.cut(&reached, (row, column)),
            }
        }
    }

    /// `-1` for reached rows, `+1` for reached columns, and `+1` for capacities in between that
    /// are rows themselves.
    fn cut(&self, reached: &Reached, own: (usize, usize)) -> Vec<(usize, i64)> {
        let mut multipliers = Vec::new();
        for (row, _) in reached.rows.iter().enumerate().filter(|&(_, &is)| is) {
            multipliers.extend(self.ids.rows[row].iter().map(|&id| (id, -1)));
            for (column, _) in reached.columns.iter().enumerate().filter(|&(_, &is)| !is) {
                let capacity = self.ids.cells.get(row * self.columns + column);
                if (row, column) != own {
                    multipliers.extend(capacity.into_iter().flatten().map(|&id| (id, 1)));
                }
            }
        }
        for (column, _) in reached.columns.iter().enumerate().filter(|&(_, &is)| is) {
            multipliers.extend(self.ids.columns[column].iter().map(|&id| (id, 1)));
        }
        multipliers
    }

    fn push(&mut self, path: &[Arc], amount: i64) {
        for &(row, column, grows) in path {
            self.table[row * self.columns + column] += if grows { amount } else { -amount };
        }
    }

    /// Breadth-first search in the residual graph; the banned cell is not used.
    fn search(&self, start: Vertex, goal: Vertex, banned: (usize, usize)) -> Reached {
        let rows = self.rows;
        // Breadth first: shortest paths, so the rounds are at most vertices times cells, whatever
        // the counts (Edmonds and Karp 1972).
        let mut before: Vec<Option<Vertex>> = vec![None; rows + self.columns];
        before[start.index(rows)] = Some(start);
        let mut queue = VecDeque::from([start]);
        let mut found = false;
        'search: while let Some(at) = queue.pop_front() {
            let width = if let Vertex::Row(_) = at { self.columns } else { rows };
            for next in 0..width {
                let (row, column, next) = match at {
                    Vertex::Row(row) => (row, next, Vertex::Column(next)),
                    Vertex::Column(column) => (next, column, Vertex::Row(next)),
                };
                if before[next.index(rows)].is_none() && self.room(row, column, at) > 0 && banned != (row, column) {
                    before[next.index(rows)] = Some(at);
                    if next == goal {
                        found = true;
                        break 'search;
                    }
                    queue.push_back(next);
                }
            }
        }
        let path = found.then(|| self.path(goal, |end| before[end.index(rows)]));
        let mut reached = before.iter().map(Option::is_some);
        Reached { rows: reached.by_ref().take(rows).collect(), columns: reached.collect(), path }
    }

    fn path(&self, goal: Vertex, before: impl Fn(Vertex) -> Option<Vertex>) -> (i64, Vec<Arc>) {
        let (mut at, mut arcs, mut bottleneck) = (goal, Vec::new(), i64::MAX);
        while let Some(from) = before(at).filter(|&from| from != at) {
            let (row, column) = match (from, at) {
                (Vertex::Row(row), Vertex::Column(column)) | (Vertex::Column(column), Vertex::Row(row)) => {
                    (row, column)
                }
                _ => unreachable!("arcs join a row and a column"),
            };
            bottleneck = bottleneck.min(self.room(row, column, from));
            arcs.push((row, column, matches!(from, Vertex::Row(_))));
            at = from;
        }
        arcs.reverse();
        (bottleneck, arcs)
    }

    /// How much an arc out of `from` can carry.
    fn room(&self, row: usize, column: usize, from: Vertex) -> i64 {
        let cell = row * self.columns + column;
        if let Vertex::Row(_) = from { self.capacity[cell] - self.table[cell] } else { self.table[cell] }
    }

    /// The cells on which all tables agree, in increasing order.
    pub(crate) fn pinned(&self, knowledge: &Knowledge) -> Vec<u32> {
        let pinned = residual::pinned(self.columns, &self.capacity, &self.table);
        let grid = &knowledge.grid;
        let cells = (0..grid.cells()).filter(|&cell| match self.fold {
            None => pinned[cell],
            Some(fold) => pinned[grid.level(cell, fold.one) * self.columns + grid.level(cell, fold.other)],
        });
        cells.map(|cell| u32::try_from(cell).expect("at most 2^24 cells")).collect()
    }

    /// The table at hand, unfolded.
    fn full(&self, knowledge: &Knowledge) -> SparseTable {
        let Some(fold) = self.fold else { return SparseTable::from_dense(&self.table) };
        let grid = &knowledge.grid;
        let mut full = vec![0; grid.cells()];
        for (cell, slot) in full.iter_mut().enumerate() {
            let own = grid.level(cell, fold.one) * self.columns + grid.level(cell, fold.other);
            let first = self.table[own];
            *slot = if grid.level(cell, fold.binary) == 0 { first } else { self.capacity[own] - first };
        }
        SparseTable::from_dense(&full)
    }
}

/// A vertex of the residual graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vertex {
    Row(usize),
    Column(usize),
}

impl Vertex {
    /// Rows are numbered first, then columns.
    fn index(self, rows: usize) -> usize {
        match self {
            Self::Row(row) => row,
            Self::Column(column) => rows + column,
        }
    }
}

fn published_sum(knowledge: &Knowledge, rows: &[usize]) -> i64 {
    rows.iter().map(|&row| knowledge.system.rows[row].lower()).sum()
}

/// The rows of each level of an axis.
fn axis_rows(knowledge: &Knowledge, axis: usize) -> Option<Vec<Vec<usize>>> {
    let axes = AttrSet::single(axis);
    (0..knowledge.grid.size(axis)).map(|level| knowledge.rows_of(&Class::new(axes, [level]))).collect()
}

/// The rows of each level of an axis at the first level of the binary one.
fn rows_along(knowledge: &Knowledge, axis: usize, binary: usize) -> Option<Vec<Vec<usize>>> {
    let axes = AttrSet::single(axis).with(binary);
    let levels = (0..knowledge.grid.size(axis)).map(|level| if axis < binary { [level, 0] } else { [0, level] });
    levels.map(|levels| knowledge.rows_of(&Class::new(axes, levels))).collect()
}

#[cfg(test)]
mod tests;
