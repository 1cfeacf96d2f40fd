//! Bounds that travel between cells and their sums: the shuttle algorithm, with the reasons kept.
//!
//! Every super-cell (see [`grid`](crate::table::grid)) has an interval. A super-cell that sums over an axis is the sum of its
//! children along that axis, and a row is the sum of its cells. From `p = sum of q_c`,
//!
//! ```text
//! U(q_c) <= U(p) - sum of L(q_c') over the others      L(q_c) >= L(p) - sum of U(q_c') over the others
//! U(p)   <= sum of U(q_c)                              L(p)   >= sum of L(q_c)
//! ```
//!
//! until nothing moves. Each step adds relations with whole coefficients, so every bound is a sum of rows and boxes:
//! [`Shuttle::trace`] walks the steps back and gives the multipliers.
//!
//! Source: Buzzigoli and Giusti (1999), Dobra and Fienberg (2000), generalised to any number of levels and to rows.

use std::collections::BTreeMap;

use crate::table::knowledge::Knowledge;
use frechet_certificate::Side;

/// Sweeps over all relations; bounds of large tables may creep towards their limit for ever.
const MOST_SWEEPS: usize = 24;

/// Why a node has its bound.
#[derive(Clone, Copy)]
enum Reason {
    /// A row says so.
    Row(usize),
    /// This relation, with the other bounds as they stood before.
    Relation(u32),
}

struct Step {
    reason: Reason,
    node: u32,
    side: Side,
}

/// `whole` is the sum of `parts`.
struct Relation {
    whole: u32,
    parts: Parts,
}

enum Parts {
    /// `count` super-cells from `first` on, `stride` apart.
    Axis { first: u32, stride: u32, count: u32 },
    /// The cells of a row.
    Row(usize),
}

pub(crate) struct Shuttle {
    bounds: [Vec<i128>; 2],
    relations: Vec<Relation>,
    row_parts: BTreeMap<usize, Box<[u32]>>,
    steps: Vec<Step>,
    /// For each node and side, its steps in order.
    history: [Vec<Vec<u32>>; 2],
}

/// Rows whose combination excludes every table.
pub(crate) struct Contradiction(pub(crate) Vec<usize>);

fn index(side: Side) -> usize {
    usize::from(side == Side::Upper)
}

fn opposite(side: Side) -> Side {
    if side == Side::Upper { Side::Lower } else { Side::Upper }
}

impl Shuttle {
    /// Propagates all that is known. About `24 * super-cells * axes` steps at most.
    pub(crate) fn new(knowledge: &Knowledge) -> Result<Self, Contradiction> {
        let mut lattice = Self::boxes(knowledge);
        lattice.relate(knowledge);
        lattice.read_rows(knowledge)?;
        for _ in 0..MOST_SWEEPS {
            let before = lattice.steps.len();
            for relation in 0..lattice.relations.len() {
                lattice.propagate(relation)?;
            }
            for relation in (0..lattice.relations.len()).rev() {
                lattice.propagate(relation)?;
            }
            if lattice.steps.len() == before {
                break;
            }
        }
        Ok(lattice)
    }

    pub(crate) fn bound(&self, node: usize, side: Side) -> i128 {
        self.bounds[index(side)][node]
    }

    /// Capacities of the cells, and their sums.
    fn boxes(knowledge: &Knowledge) -> Self {
        let grid = &knowledge.grid;
        let nodes = grid.super_cells().expect("checked by the caller") + knowledge.system.rows.len();
        let capacity: Vec<i128> = knowledge.system.capacity.iter().map(|&most| i128::from(most)).collect();
        let mut upper = grid.super_sums(&grid.nodes_of_cells(), &capacity);
        upper.resize(nodes, 0);
        Self {
            bounds: [vec![0; nodes], upper],
            relations: Vec::new(),
            row_parts: BTreeMap::new(),
            steps: Vec::new(),
            history: [vec![Vec::new(); nodes], vec![Vec::new(); nodes]],
        }
    }

    /// A relation for each super-cell and axis it sums over.
    fn relate(&mut self, knowledge: &Knowledge) {
        let grid = &knowledge.grid;
        let small = |n: usize| u32::try_from(n).expect("super-cells are limited");
        let strides = grid.super_strides();
        for node in 0..grid.super_cells().expect("checked by the caller") {
            for (axis, &stride) in strides.iter().enumerate() {
                let count = grid.size(axis);
                if node / stride % (count + 1) == count {
                    let first = small(node - count * stride);
                    let parts = Parts::Axis { first, stride: small(stride), count: small(count) };
                    self.relations.push(Relation { whole: small(node), parts });
                }
            }
        }
    }

    /// Rows of margins are super-cells; other rows become nodes of their own.
    fn read_rows(&mut self, knowledge: &Knowledge) -> Result<(), Contradiction> {
        let grid = &knowledge.grid;
        let cells = grid.super_cells().expect("checked by the caller");
        let mut node_of_row: Vec<usize> = (cells..cells + knowledge.system.rows.len()).collect();
        for margin in &knowledge.margins {
            for class in 0..grid.classes(margin.axes) {
                let levels = grid.levels_of_class(class, margin.axes);
                node_of_row[margin.first_row + class] = grid.super_cell(margin.axes, &levels);
            }
        }
        for (row, &node) in knowledge.system.rows.iter().zip(&node_of_row).enumerate().map(|(i, (r, n))| ((i, r), n)) {
            let (position, row) = row;
            if node >= cells {
                let cell_node = |&cell: &u32| grid.super_cell(grid.all(), &grid.levels(cell as usize, grid.all()));
                let parts: Vec<u32> =
                    row.cells().iter().map(|cell| u32::try_from(cell_node(cell)).expect("limited")).collect();
                self.row_parts.insert(position, parts.into());
                self.bounds[1][node] = i128::MAX / 4;
                let whole = u32::try_from(node).expect("super-cells are limited");
                self.relations.push(Relation { whole, parts: Parts::Row(position) });
            }
            self.tighten(node, Side::Lower, i128::from(row.lower()), Reason::Row(position))?;
            self.tighten(node, Side::Upper, i128::from(row.upper()), Reason::Row(position))?;
        }
        Ok(())
    }

    fn parts(&self, relation: usize) -> Vec<usize> {
        match &self.relations[relation].parts {
            Parts::Axis { first, stride, count } => (0..*count).map(|i| (first + i * stride) as usize).collect(),
            Parts::Row(row) => self.row_parts[row].iter().map(|&node| node as usize).collect(),
        }
    }

    fn propagate(&mut self, relation: usize) -> Result<(), Contradiction> {
        let whole = self.relations[relation].whole as usize;
        let parts = self.parts(relation);
        let reason = Reason::Relation(u32::try_from(relation).expect("super-cells are limited"));
        for side in [Side::Lower, Side::Upper] {
            let sum: i128 = parts.iter().map(|&part| self.bound(part, side)).sum();
            self.tighten(whole, side, sum, reason)?;
            // The other bounds of the parts move while we go, so the sum is kept up to date.
            let other = opposite(side);
            let mut rest: i128 = parts.iter().map(|&part| self.bound(part, other)).sum();
            for &part in &parts {
                let own = self.bound(part, other);
                self.tighten(part, side, self.bound(whole, side) - (rest - own), reason)?;
                rest += self.bound(part, other) - own;
            }
        }
        Ok(())
    }

    fn tighten(&mut self, node: usize, side: Side, value: i128, reason: Reason) -> Result<(), Contradiction> {
        let sign = i128::from(side.sign());
        if sign * value >= sign * self.bound(node, side) {
            return Ok(());
        }
        let number = u32::try_from(self.steps.len()).expect("sweeps are limited");
        let small = u32::try_from(node).expect("super-cells are limited");
        self.steps.push(Step { reason, node: small, side });
        self.history[index(side)][node].push(number);
        self.bounds[index(side)][node] = value;
        if self.bound(node, Side::Lower) <= self.bound(node, Side::Upper) {
            return Ok(());
        }
        let both = [Side::Lower, Side::Upper].into_iter().filter_map(|side| self.trace(node, side));
        let mut rows: Vec<usize> = both.flatten().map(|(row, _)| row).collect();
        rows.sort_unstable();
        rows.dedup();
        Err(Contradiction(rows))
    }

    /// Multipliers of rows that prove a bound (denominator 1), or `None` when they leave 63 bits.
    pub(crate) fn trace(&self, node: usize, side: Side) -> Option<Vec<(usize, i64)>> {
        let mut pending: BTreeMap<u32, i64> = BTreeMap::new();
        let mut rows: BTreeMap<usize, i64> = BTreeMap::new();
        self.owe(&mut pending, node, side, u32::MAX, 1)?;
        while let Some((number, times)) = pending.pop_last() {
            let step = &self.steps[number as usize];
            match step.reason {
                Reason::Row(row) => add(rows.entry(row).or_insert(0), times.checked_mul(step.side.sign())?)?,
                Reason::Relation(relation) => {
                    let whole = self.relations[relation as usize].whole as usize;
                    let parts = self.parts(relation as usize);
                    if step.node as usize == whole {
                        for part in parts {
                            self.owe(&mut pending, part, step.side, number, times)?;
                        }
                    } else {
                        self.owe(&mut pending, whole, step.side, number, times)?;
                        for part in parts.into_iter().filter(|&part| part != step.node as usize) {
                            self.owe(&mut pending, part, opposite(step.side), number, times)?;
                        }
                    }
                }
            }
        }
        Some(rows.into_iter().filter(|&(_, y)| y != 0).collect())
    }

    /// Adds `times` the bound of a node as it stood before a step; a box needs no row.
    fn owe(&self, pending: &mut BTreeMap<u32, i64>, node: usize, side: Side, before: u32, times: i64) -> Option<()> {
        let history = &self.history[index(side)][node];
        let earlier = history.partition_point(|&step| step < before);
        match earlier.checked_sub(1) {
            Some(last) => add(pending.entry(history[last]).or_insert(0), times),
            None => Some(()),
        }
    }
}

fn add(slot: &mut i64, more: i64) -> Option<()> {
    *slot = slot.checked_add(more)?;
    Some(())
}
