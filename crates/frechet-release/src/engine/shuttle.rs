//! Bounds propagate between cells and their sums: the generalised shuttle algorithm, with the
//! reasons kept.
//!
//! Every super-cell (see [`grid`](crate::table::grid)) has an interval. A super-cell that sums
//! over an axis is the sum of its children along that axis, and a row is the sum of its cells.
//! From `p = sum of q_c`,
//!
//! ```text
//! U(q_c) <= U(p) - sum of L(q_c') over the others      L(q_c) >= L(p) - sum of U(q_c') over the others
//! U(p)   <= sum of U(q_c)                              L(p)   >= sum of L(q_c)
//! ```
//!
//! until nothing moves. Each step adds relations with whole coefficients, so every bound is a sum
//! of rows and boxes: [`Shuttle::trace`] goes back through the steps and gives the multipliers.
//!
//! Source: Buzzigoli and Giusti (1999), Dobra and Fienberg (2000), generalised to any number of
//! levels and to rows.

use std::collections::BTreeMap;

use privacy_core::stop::StopFlag;

use crate::engine::class_rows::class_rows;
use crate::engine::linear_program::MOST_SMALL;
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
    pub(crate) fn new(knowledge: &Knowledge, stop: &StopFlag) -> Result<Self, Contradiction> {
        let mut lattice = Self::boxes(knowledge);
        lattice.relate(knowledge);
        lattice.read_rows(knowledge)?;
        'sweeps: for _ in 0..MOST_SWEEPS {
            let before = lattice.steps.len();
            // There and back: bounds that travel against the order of the relations need one
            // sweep instead of many.
            for relation in (0..lattice.relations.len()).chain((0..lattice.relations.len()).rev()) {
                // Bounds are valid wherever the sweeps end, so a stopped call leaves nothing
                // wrong behind.
                if stop.is_set() {
                    break 'sweeps;
                }
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
        if grid.cells() > MOST_SMALL {
            // The classes of a margin that is published in part are super-cells as well, and what
            // is known of them meets what is known of others there.
            for (row, class) in class_rows(knowledge) {
                class.into_iter().for_each(|class| node_of_row[row] = grid.super_cell(class.axes, &class.levels));
            }
        }
        let node_of_cell = grid.nodes_of_cells();
        for (position, (row, &node)) in knowledge.system.rows.iter().zip(&node_of_row).enumerate() {
            if node >= cells {
                let parts: Vec<u32> = row.cells().iter().map(|&cell| node_of_cell[cell as usize]).collect();
                self.row_parts.insert(position, parts.into());
                self.bounds[1][node] = i128::MAX / 4;
                let whole = small(node);
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
            // The bound of a sum from those of its parts, on the same side.
            let sum: i128 = parts.iter().map(|&part| self.bound(part, side)).sum();
            self.tighten(whole, side, sum, reason)?;
            let other = opposite(side);
            let all: i128 = parts.iter().map(|&part| self.bound(part, other)).sum();
            // A part holds at most what the whole allows once the others hold their least, and at
            // least what is left when they hold their most: the other side's bounds of the other
            // parts.
            for &part in &parts {
                let rest = all - self.bound(part, other);
                self.tighten(part, side, self.bound(whole, side) - rest, reason)?;
            }
        }
        Ok(())
    }

    fn tighten(&mut self, node: usize, side: Side, value: i128, reason: Reason) -> Result<(), Contradiction> {
        // Only a strictly tighter bound is a step: steps are finite between boxes, and the
        // history stays short.
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
        // Latest step first: each step depends on bounds as they stood before it, so once a step
        // is taken no later one adds to it, and every step is expanded once, with the sum of all
        // multiples that are owed.
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
        // A bound that was never tightened before that step is the box of the cells, which needs
        // no row.
        let earlier = history.partition_point(|&step| step < before);
        match earlier.checked_sub(1) {
            Some(last) => add(pending.entry(history[last]).or_insert(0), times),
            None => Some(()),
        }
    }
}

/// Super-cells and rows are numbered in 32 bits.
fn small(n: usize) -> u32 {
    u32::try_from(n).expect("super-cells are limited")
}

fn add(slot: &mut i64, more: i64) -> Option<()> {
    *slot = slot.checked_add(more)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use privacy_core::Domain;
    use privacy_core::rng::{SimRng, below};

    use super::*;
    use crate::engine::tests::of_margins;
    use crate::table::class::Region;

    #[test]
    fn a_class_published_alone_is_a_super_cell_in_a_large_table() {
        for (columns, rows_apart) in [(MOST_SMALL / 2, 1), (MOST_SMALL / 2 + 1, 0)] {
            let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[2, columns]).unwrap()).unwrap();
            knowledge.publish_count("first row", &Region::everything().with(0, [0]), 5).unwrap();
            let Ok(lattice) = Shuttle::new(&knowledge, &StopFlag::never()) else { panic!("there is a table") };
            assert_eq!(lattice.row_parts.len(), rows_apart, "{columns}");
        }
    }

    #[test]
    fn propagation_goes_on_until_nothing_moves() {
        for number in 0..20 {
            let mut rng = SimRng::for_trial(0, "propagation", number);
            let counts = (0..27).map(|_| below(3, &mut rng) as u64).collect();
            let (knowledge, _) = of_margins(&[3, 3, 3], &[&[0, 1], &[0, 2], &[1, 2]], counts);
            let Ok(mut lattice) = Shuttle::new(&knowledge, &StopFlag::never()) else { panic!("there is a table") };
            let steps = lattice.steps.len();
            for relation in 0..lattice.relations.len() {
                assert!(lattice.propagate(relation).is_ok());
            }
            assert_eq!(lattice.steps.len(), steps, "{number}");
        }
    }
}
