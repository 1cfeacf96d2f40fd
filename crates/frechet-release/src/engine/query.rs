//! One query at a time: propagation, then a linear program, then cases.
//!
//! A solve is skipped when a known table already attains what propagation allows. Otherwise the
//! linear program's vertex becomes known if it is a table, and cases are needed only where its
//! bound, rounded to whole numbers, is not attained.

use std::collections::BTreeSet;

use crate::engine::branch_and_bound::{BranchAndBound, Branching};
use crate::engine::dual;
use crate::engine::known_tables::KnownTables;
use crate::engine::linear_program::{Limits, LinearProgram, LpOutcome, MOST_SMALL};
use crate::engine::markov_moves::BlockMoves;
use crate::engine::shuttle::Shuttle;
use crate::engine::sought::{FEW_STEPS, MOST_STEPS};
use crate::table::class::Class;
use crate::table::interval::{CountInterval, Method};
use crate::table::knowledge::Knowledge;
use crate::table::system::NO_CAPACITY;
use frechet_certificate::{Bound, Multipliers, Proof, Ratio, Side, SparseTable, Witness};

/// Rows of a linear program up to which it is solved before moves are tried.
const MOST_BEFORE_MOVES: usize = 500;

/// Linear programs of the search for a table at the bound of the first one.
const MOST_DIVES: u32 = 400;

/// People from the bound of propagation up to which a table at it is sought before a linear program
/// is solved.
const NEAR: i128 = 16;

/// What all queries share.
pub(crate) struct QueryContext {
    pub(crate) knowledge: Knowledge,
    pub(crate) limits: Limits,
    pub(crate) lattice: Shuttle,
    pub(crate) moves: Option<BlockMoves>,
}

impl QueryContext {
    pub(crate) fn is_large(&self) -> bool {
        self.knowledge.grid.cells() > MOST_SMALL
    }
}

/// What a caller needs of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Both ends, sharp.
    Ends,
    /// Whether it is wider than this. Ends of one that is are proved, and may not be attained.
    WiderThan(i64),
    /// The same, without linear programs for an interval that known tables show to be.
    OnlyWiderThan(i64),
    /// The same, without cases: what is not shown by then stays open.
    LinearlyWiderThan(i64),
}

/// How far a question goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effort {
    /// Propagation and known tables.
    Known,
    /// A linear program as well.
    Relaxed,
    /// Cases as well.
    Cases,
}

/// Answers queries about one fiber, with a solver that goes on from its last basis and with known
/// tables.
pub(crate) struct QueryRunner<'a> {
    pub(super) context: &'a QueryContext,
    program: &'a mut LinearProgram,
    known: &'a KnownTables,
    /// Tables met on the way, to be known by others.
    pub(crate) met: Vec<Vec<i64>>,
}

/// One end of the sum over some cells.
pub(super) struct Query<'q> {
    pub(super) cells: &'q [u32],
    pub(super) side: Side,
    /// The super-cell that the cells make up, if they do.
    pub(super) node: Option<usize>,
    /// A sum beyond which nothing has to be found.
    enough: Option<i64>,
}

impl Query<'_> {
    fn sum(&self, table: &[i64]) -> i64 {
        self.cells.iter().map(|&cell| table[cell as usize]).sum()
    }

    fn sum_of_sparse(&self, table: &SparseTable) -> i64 {
        table
            .counts()
            .iter()
            .map(|&(cell, count): &(u32, i64)| self.cells.binary_search(&cell).map_or(0, |_| count))
            .sum()
    }

    pub(super) fn is_further(&self, value: i64, than: i64) -> bool {
        self.side.sign() * value > self.side.sign() * than
    }
}

impl<'a> QueryRunner<'a> {
    pub(crate) fn new(context: &'a QueryContext, program: &'a mut LinearProgram, known: &'a KnownTables) -> Self {
        Self { context, program, known, met: Vec::new() }
    }

    pub(crate) fn interval(&mut self, class: &Class, need: Need) -> CountInterval {
        let enough = match need {
            Need::Ends => return self.with_effort(class, Effort::Cases),
            Need::WiderThan(width) | Need::OnlyWiderThan(width) | Need::LinearlyWiderThan(width) => width,
        };
        // Each effort is tried where the one before does not show that the interval is wide enough.
        // Its linear programs start from the answers of the one before.
        let first = if matches!(need, Need::WiderThan(_)) { Effort::Relaxed } else { Effort::Known };
        let is_enough =
            |own: &CountInterval| own.is_sharp() || own.upper.witness.value - own.lower.witness.value > enough;
        for effort in [Effort::Known, Effort::Relaxed].into_iter().filter(|&effort| effort >= first) {
            let interval = self.with_effort(class, effort);
            if is_enough(&interval) {
                return interval;
            }
            let is_linear = matches!(need, Need::LinearlyWiderThan(_));
            if self.context.is_large() && (effort == Effort::Relaxed || is_linear || interval.width() == 0) {
                // Ends that are this near decide, however far whole numbers reach.
                if interval.width() <= enough || effort == Effort::Relaxed && is_linear {
                    return interval;
                }
                if effort == Effort::Relaxed {
                    return self.wide_enough(class, interval, enough);
                }
            }
        }
        self.with_effort(class, Effort::Cases)
    }

    /// Cases on one side and then on the other, as far as it takes to show a width.
    fn wide_enough(&mut self, class: &Class, mut interval: CountInterval, width: i64) -> CountInterval {
        let goal = interval.lower.witness.value + width + 1;
        let (upper, first) = self.end_within(class, Side::Upper, Effort::Cases, Some(goal));
        (interval.upper, interval.method) = (upper, interval.method.max(first));
        let goal = interval.upper.witness.value - width - 1;
        if interval.lower.witness.value > goal {
            let (lower, second) = self.end_within(class, Side::Lower, Effort::Cases, Some(goal));
            (interval.lower, interval.method) = (lower, interval.method.max(second));
        }
        interval
    }

    fn with_effort(&mut self, class: &Class, effort: Effort) -> CountInterval {
        let (lower, first) = self.end_with(class, Side::Lower, effort);
        let (upper, second) = self.end_with(class, Side::Upper, effort);
        CountInterval { lower, upper, method: first.max(second) }
    }

    pub(crate) fn end(&mut self, class: &Class, side: Side) -> (Bound, Method) {
        self.end_with(class, side, Effort::Cases)
    }

    fn end_with(&mut self, class: &Class, side: Side, effort: Effort) -> (Bound, Method) {
        self.end_within(class, side, effort, None)
    }

    fn end_within(&mut self, class: &Class, side: Side, effort: Effort, enough: Option<i64>) -> (Bound, Method) {
        let grid = &self.context.knowledge.grid;
        let (cells, node) = (grid.cells_of(class), grid.super_cell(class.axes, &class.levels));
        self.ask(&Query { cells: &cells, side, node: Some(node), enough }, effort)
    }

    /// The least and largest sum over any cells: what propagation knows of super-cells does not
    /// help.
    pub(crate) fn over(&mut self, cells: &[u32]) -> CountInterval {
        let [(lower, first), (upper, second)] = [Side::Lower, Side::Upper]
            .map(|side| self.ask(&Query { cells, side, node: None, enough: None }, Effort::Cases));
        CountInterval { lower, upper, method: first.max(second) }
    }

    fn ask(&mut self, query: &Query<'_>, effort: Effort) -> (Bound, Method) {
        // A table that attains a proved bound ends the query, so the cheapest source of both
        // comes first: known tables and propagation, then moves, then one linear program, then
        // cases.
        let mut best = self.best(query);
        let travelled = query.node.map(|node| self.context.lattice.bound(node, query.side));
        if let Some(found) = self.by_propagation(query, &best) {
            return found;
        }
        if effort == Effort::Known {
            return (self.fallback(query, best), Method::Shuttle);
        }
        if travelled.is_some_and(|travelled| (travelled - i128::from(best.value)).abs() <= NEAR)
            && let Some(goal) = travelled.and_then(|travelled| i64::try_from(travelled).ok())
            && self.seek(query, &mut best, goal, FEW_STEPS)
            && let Some(found) = self.by_propagation(query, &best)
        {
            return found;
        }
        // In a large table moves from cell to cell look for long, and where the inverse of a basis is
        // small, a linear program costs less.
        let is_first = self.context.is_large() && self.program.rank() <= MOST_BEFORE_MOVES;
        if !is_first && let Some(travelled) = travelled {
            self.climb(query, &mut best, travelled);
            if let Some(found) = self.by_propagation(query, &best) {
                return found;
            }
        }
        if let LpOutcome::Point(point) = self.program.maximise(query.cells, query.side.sign()) {
            if let Some(table) = self.program.table(&point) {
                self.take(query, &mut best, table);
            }
            if let Some(root) = self.program.prove(query.cells, query.side.sign()) {
                return self.whole(query, best, root, effort);
            }
        }
        (self.fallback(query, best), Method::Lp)
    }

    /// The bound of propagation, where a table attains it.
    fn by_propagation(&self, query: &Query<'_>, best: &Witness) -> Option<(Bound, Method)> {
        let (node, value) = (query.node?, best.value);
        if self.context.lattice.bound(node, query.side) != i128::from(value) {
            return None;
        }
        let proof = Proof::by_rows(Multipliers::integral(self.context.lattice.trace(node, query.side)?));
        Some((Bound { value, relaxed: Ratio::whole(value), proof, witness: best.clone() }, Method::Shuttle))
    }

    /// From the bound of the linear program to one for whole numbers.
    fn whole(
        &mut self,
        query: &Query<'_>,
        mut best: Witness,
        (dual, relaxed): (Multipliers, Ratio),
        effort: Effort,
    ) -> (Bound, Method) {
        let value = if query.side == Side::Upper { relaxed.floor() } else { relaxed.ceil() };
        // A vertex that is a whole table attains the rounded bound: no gap between real and whole
        // numbers.
        if value == best.value || self.context.limits.nodes == 0 || effort < Effort::Cases {
            return (Bound { value, relaxed, proof: Proof::by_rows(dual), witness: best }, Method::Lp);
        }
        let goal = query.enough.filter(|&enough| query.is_further(value, enough)).unwrap_or(value);
        // Before cases: a table nearer to the bound closes more of them at once.
        self.climb(query, &mut best, i128::from(goal));
        // Where few rows meet, cases cost less than a long search for a table.
        let steps = if self.program.has_many_rows() { MOST_STEPS } else { FEW_STEPS };
        self.approach(query, &mut best, goal, steps);
        let mut proof = None;
        for attempt in self.attempts() {
            if !query.is_further(goal, best.value) {
                break;
            }
            proof = self.search(query, &mut best, goal, attempt);
            if proof.is_some() {
                break;
            }
        }
        let bound = match proof {
            Some(proof) => Bound { value: best.value, relaxed, proof, witness: best },
            // The bound is attained, or the search ran out.
            None => Bound { value, relaxed, proof: Proof::by_rows(dual), witness: best },
        };
        (bound, Method::Ilp)
    }

    /// How cases are distinguished, and how many, one way after the other.
    fn attempts(&self) -> Vec<(Branching, u32)> {
        let nodes = self.context.limits.nodes;
        match (self.context.is_large(), self.program.has_many_rows()) {
            // Where many rows meet many cells, a table at the bound is nearly always there.
            (true, true) => vec![(Branching::Dive, nodes.min(MOST_DIVES)), (Branching::Half, nodes)],
            (true, false) => vec![(Branching::Half, nodes)],
            (false, _) => vec![(Branching::Half, nodes), (Branching::FewestLeft, nodes)],
        }
    }

    /// Looks for tables beyond the best one until `enough` is attained; a proof that there are
    /// none.
    fn search(
        &mut self,
        query: &Query<'_>,
        best: &mut Witness,
        enough: i64,
        (branching, nodes_left): (Branching, u32),
    ) -> Option<Proof> {
        // The next question starts from the basis of this one, not from somewhere in its cases.
        let basis = query.enough.map(|_| self.program.basis());
        let mut search = BranchAndBound {
            program: &mut *self.program,
            cells: query.cells,
            sign: query.side.sign(),
            best: Some(best.value),
            found: Vec::new(),
            nodes_left,
            enough,
            branching,
            nodes: Vec::new(),
        };
        let proof = search.run();
        let found = search.found;
        basis.into_iter().for_each(|basis| self.program.return_to(basis));
        found.into_iter().for_each(|table| self.take(query, best, table));
        proof
    }

    /// What propagation proves, or a row for each cell: the linear program gave nothing.
    fn fallback(&self, query: &Query<'_>, witness: Witness) -> Bound {
        let side = query.side;
        let traced = query.node.and_then(|node| self.context.lattice.trace(node, side));
        let dual = Multipliers::integral(traced.unwrap_or_else(|| self.covering(query)));
        let system = &self.context.knowledge.system;
        let boxes: Vec<(i64, i64)> = system.capacity.iter().map(|&most| (0, most)).collect();
        let relaxed = dual::bound(system, &boxes, query.cells, side.sign(), &dual).unwrap_or(Ratio::whole(i64::MAX));
        let value = if side == Side::Upper { relaxed.floor() } else { relaxed.ceil() };
        Bound { value, relaxed, proof: Proof::by_rows(dual), witness }
    }

    /// For an upper bound, a row for each cell that has no capacity.
    fn covering(&self, query: &Query<'_>) -> Vec<(usize, i64)> {
        if query.side == Side::Lower {
            return Vec::new();
        }
        let system = &self.context.knowledge.system;
        let open = query.cells.iter().filter(|&&cell| system.capacity[cell as usize] == NO_CAPACITY);
        let rows: BTreeSet<usize> = open
            .filter_map(|cell: &u32| system.rows.iter().position(|row| row.cells().binary_search(cell).is_ok()))
            .collect();
        rows.into_iter().map(|row| (row, 1)).collect()
    }

    /// The table that goes furthest of those known and those met.
    fn best(&self, query: &Query<'_>) -> Witness {
        let known = match query.node {
            Some(node) => self.known.witness(node, query.side),
            None => {
                let furthest = self
                    .known
                    .tables()
                    .iter()
                    .map(|table: &SparseTable| (query.side.sign() * query.sum_of_sparse(table), table.clone()))
                    .max_by_key(|&(value, _)| value);
                furthest.map(|(value, table)| Witness { value: query.side.sign() * value, table })
            }
        };
        let known = known.expect("a table was found when the engine was made");
        let met = self.met.iter().map(|table| (query.sum(table), table));
        met.fold(known, |best, (value, table)| match query.is_further(value, best.value) {
            true => Witness { value, table: SparseTable::from_dense(table) },
            false => best,
        })
    }

    /// Remembers a table of the fiber.
    pub(super) fn take(&mut self, query: &Query<'_>, best: &mut Witness, table: Vec<i64>) {
        let value = query.sum(&table);
        if query.is_further(value, best.value) {
            *best = Witness { value, table: SparseTable::from_dense(&table) };
        }
        self.met.push(table);
    }
}

#[cfg(test)]
mod tests;
