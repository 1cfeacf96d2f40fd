//! Shuttle, then linear programs, then cases: sharp bounds for any rows.
//!
//! A solve is skipped when a table of the pool already attains what propagation allows. Otherwise the linear program's
//! vertex joins the pool, and cases are needed only where its bound, rounded to whole numbers, is not attained.

use privacy_core::AttrSet;
use privacy_core::rng::SimRng;

use crate::branch::Search;
use crate::certificate::{Bound, Dual, Proof, Ratio, Side, Witness};
use crate::class::Class;
use crate::conflict;
use crate::dual;
use crate::error::Error;
use crate::interval::{Interval, Method};
use crate::knowledge::Knowledge;
use crate::lattice::{Contradiction, Lattice};
use crate::moves::Moves;
use crate::pool::Pool;
use crate::program::{Limits, Program, Solved};
use crate::system::NO_CAPACITY;
use crate::witness::SparseTable;

pub(crate) struct Engine {
    knowledge: Knowledge,
    limits: Limits,
    lattice: Lattice,
    program: Program,
    pool: Pool,
    moves: Option<Moves>,
}

impl Engine {
    pub(crate) fn new(knowledge: Knowledge, limits: Limits) -> Result<Self, Error> {
        let super_cells = knowledge.grid.super_cells().unwrap_or(usize::MAX);
        if super_cells > limits.super_cells {
            return Err(Error::TooManySuperCells { got: super_cells, limit: limits.super_cells });
        }
        let system = &knowledge.system;
        let lattice =
            Lattice::new(&knowledge).map_err(|Contradiction(rows)| conflict::explain(system, rows, &limits))?;
        let program = Program::new(system.clone(), independent_rows(&knowledge).into_iter(), &limits)?;
        let pool = Pool::new(&knowledge.grid);
        let moves = Moves::of(&knowledge);
        let mut engine = Self { knowledge, limits, lattice, program, pool, moves };
        engine.find_first()?;
        Ok(engine)
    }

    /// Tables met so far; at least one.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    pub(crate) fn add(&mut self, table: &[i64]) {
        self.pool.add(table);
    }

    /// A table, or the reason why there is none.
    fn find_first(&mut self) -> Result<(), Error> {
        let mut search = Search::for_any(&mut self.program, &self.limits);
        let proof = search.run();
        match search.found.first() {
            Some(table) => {
                self.pool.add(table);
                Ok(())
            }
            // A contradiction, or a point that breaks a row that should follow from the others: that is one as well.
            None if proof.is_some() || self.has_broken_row() => {
                let all = (0..self.knowledge.system.rows.len()).collect();
                Err(conflict::explain(&self.knowledge.system, all, &self.limits))
            }
            None => Err(Error::Undecided),
        }
    }

    /// Whether the solver's point breaks a row that was left out because it follows from the others.
    fn has_broken_row(&mut self) -> bool {
        let Solved::Point(point) = self.program.maximise(&[], 1) else { return false };
        self.knowledge.system.rows.iter().any(|row| {
            let sum: f64 = row.cells().iter().map(|&cell| point[cell as usize]).sum();
            sum < row.lower() as f64 - 0.5 || sum > row.upper() as f64 + 0.5
        })
    }

    pub(crate) fn interval(&mut self, class: &Class) -> Interval {
        let (lower, first) = self.end(class, Side::Lower);
        let (upper, second) = self.end(class, Side::Upper);
        Interval { lower, upper, method: first.max(second) }
    }

    pub(crate) fn end(&mut self, class: &Class, side: Side) -> (Bound, Method) {
        let node = self.knowledge.grid.super_cell(class.axes, &class.levels);
        let travelled = self.lattice.bound(node, side);
        let cells = self.knowledge.grid.cells_of(class);
        self.climb(node, &cells, side, travelled);
        let witness = self.witness(node, side);
        if travelled == i128::from(witness.value)
            && let Some(multipliers) = self.lattice.trace(node, side)
        {
            let (value, proof) = (witness.value, Proof::Dual(Dual::integral(multipliers)));
            return (Bound { value, relaxed: Ratio::whole(value), proof, witness }, Method::Shuttle);
        }
        if let Solved::Point(point) = self.program.maximise(&cells, side.sign()) {
            if let Some(table) = self.program.table(&point) {
                self.pool.add(&table);
            }
            if let Some(root) = self.program.prove(&cells, side.sign()) {
                return self.whole(node, &cells, side, root);
            }
        }
        (self.fallback(node, &cells, side), Method::Lp)
    }

    /// The least and largest sum over any cells: linear programs and cases, without what is known of super-cells.
    pub(crate) fn over(&mut self, cells: &[u32]) -> Interval {
        let [lower, upper] = [Side::Lower, Side::Upper].map(|side| self.end_over(cells, side));
        Interval { lower, upper, method: Method::Ilp }
    }

    fn end_over(&mut self, cells: &[u32], side: Side) -> Bound {
        let sum = |table: &SparseTable| -> i64 {
            let of_cell = |&(cell, count): &(u32, i64)| cells.binary_search(&cell).map_or(0, |_| count);
            table.counts().iter().map(of_cell).sum()
        };
        let better = |best: Witness, table: SparseTable| {
            let value = sum(&table);
            if side.sign() * value > side.sign() * best.value { Witness { value, table } } else { best }
        };
        let mut pool = self.pool.tables().iter().cloned();
        let first = pool.next().expect("a table was found when the engine was made");
        let mut witness = pool.fold(Witness { value: sum(&first), table: first }, better);
        let covered = self.covering(cells, side);
        let Solved::Point(point) = self.program.maximise(cells, side.sign()) else {
            return self.proved(Dual::integral(covered), cells, side, witness);
        };
        if let Some(table) = self.program.table(&point) {
            witness = better(witness, SparseTable::of_dense(&table));
            self.pool.add(&table);
        }
        let Some((dual, relaxed)) = self.program.prove(cells, side.sign()) else {
            return self.proved(Dual::integral(covered), cells, side, witness);
        };
        let value = if side == Side::Upper { relaxed.floor() } else { relaxed.ceil() };
        if value == witness.value || self.limits.nodes == 0 {
            return Bound { value, relaxed, proof: Proof::Dual(dual), witness };
        }
        let (best, nodes_left, found) = (Some(witness.value), self.limits.nodes, Vec::new());
        let (program, sign) = (&mut self.program, side.sign());
        let mut search = Search { program, cells, sign, best, found, nodes_left, enough: value };
        let tree = search.run();
        let witness = search.found.iter().map(|table| SparseTable::of_dense(table)).fold(witness, better);
        match tree {
            Some(tree) => Bound { value: witness.value, relaxed, proof: Proof::Tree(tree), witness },
            None => Bound { value, relaxed, proof: Proof::Dual(dual), witness },
        }
    }

    /// What multipliers prove, where the linear program gave nothing.
    fn proved(&self, dual: Dual, cells: &[u32], side: Side, witness: Witness) -> Bound {
        let system = &self.knowledge.system;
        let boxes: Vec<(i64, i64)> = system.capacity.iter().map(|&most| (0, most)).collect();
        let relaxed = dual::bound(system, &boxes, cells, side.sign(), &dual).unwrap_or(Ratio::whole(i64::MAX));
        Bound { value: relaxed.floor(), relaxed, proof: Proof::Dual(dual), witness }
    }

    /// For an upper bound, a row for each cell that has no capacity.
    fn covering(&self, cells: &[u32], side: Side) -> Vec<(usize, i64)> {
        let system = &self.knowledge.system;
        let holds = |cell: &u32| system.rows.iter().position(|row| row.cells().binary_search(cell).is_ok());
        let open = cells.iter().filter(|&&cell| side == Side::Upper && system.capacity[cell as usize] == NO_CAPACITY);
        let rows: std::collections::BTreeSet<usize> = open.filter_map(holds).collect();
        rows.into_iter().map(|row| (row, 1)).collect()
    }

    /// Looks for a table at a bound, from the nearest one known, by moves within the fiber.
    fn climb(&mut self, node: usize, cells: &[u32], side: Side, bound: i128) {
        let (Some(moves), Ok(goal)) = (&self.moves, i64::try_from(bound)) else { return };
        let witness = self.witness(node, side);
        if witness.value == goal || cells.is_empty() {
            return;
        }
        let mut table = witness.table.to_dense();
        let mut rng = SimRng::for_trial(u64::from(side == Side::Upper), "climb towards a bound", node as u64);
        let value = moves.climb(&mut table, cells, side.sign(), goal, &mut rng);
        if value != witness.value && self.knowledge.system.admits(&table) {
            self.pool.add(&table);
        }
    }

    /// From the bound of the linear program to one for whole numbers.
    fn whole(&mut self, node: usize, cells: &[u32], side: Side, root: (Dual, Ratio)) -> (Bound, Method) {
        let (dual, relaxed) = root;
        let value = if side == Side::Upper { relaxed.floor() } else { relaxed.ceil() };
        let witness = self.witness(node, side);
        if value == witness.value || self.limits.nodes == 0 {
            return (Bound { value, relaxed, proof: Proof::Dual(dual), witness }, Method::Lp);
        }
        self.climb(node, cells, side, i128::from(value));
        let witness = self.witness(node, side);
        let (best, nodes_left, found) = (Some(witness.value), self.limits.nodes, Vec::new());
        let (program, sign) = (&mut self.program, side.sign());
        let mut search = Search { program, cells, sign, best, found, nodes_left, enough: value };
        let tree = search.run();
        search.found.iter().for_each(|table| self.pool.add(table));
        let witness = self.witness(node, side);
        let bound = match tree {
            Some(tree) => Bound { value: witness.value, relaxed, proof: Proof::Tree(tree), witness },
            // The bound is attained, or the search ran out.
            None => Bound { value, relaxed, proof: Proof::Dual(dual), witness },
        };
        (bound, Method::Ilp)
    }

    /// What propagation proves, or a row for each cell: the linear program gave nothing.
    fn fallback(&self, node: usize, cells: &[u32], side: Side) -> Bound {
        let dual = self.lattice.trace(node, side).unwrap_or_else(|| self.covering(cells, side));
        self.proved(Dual::integral(dual), cells, side, self.witness(node, side))
    }

    fn witness(&self, node: usize, side: Side) -> Witness {
        self.pool.witness(node, side).expect("a table was found when the engine was made")
    }
}

/// Whether there is a table at all; `None` when the search reached a limit.
pub(crate) fn has_table(knowledge: &Knowledge, limits: &Limits) -> Result<Option<bool>, Error> {
    if Lattice::new(knowledge).is_err() {
        return Ok(Some(false));
    }
    let mut program = Program::new(knowledge.system.clone(), independent_rows(knowledge).into_iter(), limits)?;
    let mut search = Search::for_any(&mut program, limits);
    let is_refuted = search.run().is_some();
    Ok(if search.found.is_empty() { is_refuted.then_some(false) } else { Some(true) })
}

/// Rows from which all margins follow: a row of a margin is kept if no earlier margin holds all the axes on which its
/// level is not the first. In the basis of indicators of non-first levels, such a row is its own indicator plus
/// indicators on more axes of its margin, all new as well: a triangular system.
fn independent_rows(knowledge: &Knowledge) -> Vec<usize> {
    let mut in_margin = vec![false; knowledge.system.rows.len()];
    let mut kept = Vec::new();
    for (place, margin) in knowledge.margins.iter().enumerate() {
        for class in 0..knowledge.grid.classes(margin.axes) {
            let levels = knowledge.grid.levels_of_class(class, margin.axes);
            let face = margin.axes.iter().zip(levels).filter(|&(_, level)| level > 0).map(|(axis, _)| axis).collect();
            let follows = knowledge.margins[..place].iter().any(|earlier| AttrSet::is_subset_of(face, earlier.axes));
            in_margin[margin.first_row + class] = true;
            if !follows {
                kept.push(margin.first_row + class);
            }
        }
    }
    kept.extend((0..in_margin.len()).filter(|&row| !in_margin[row]));
    kept
}
