//! Sharp bounds for any rows: a first table, then queries in lanes that work in parallel.
//!
//! Queries are answered in rounds. In a round each lane has its own solver, starts from the
//! tables known before, and answers its share; then the tables that the lanes found are merged,
//! in the order of the lanes. How many lanes there are does not depend on the machine, so no
//! answer depends on the number of threads.

use privacy_core::AttrSet;
use privacy_core::parallel;

use crate::engine::branch_and_bound::{BranchAndBound, Branching};
use crate::engine::conflict;
use crate::engine::known_tables::KnownTables;
use crate::engine::linear_program::{Limits, LinearProgram, LpOutcome};
use crate::engine::markov_moves::BlockMoves;
use crate::engine::query::{Need, QueryContext, QueryRunner};
use crate::engine::shuttle::{Contradiction, Shuttle};
use crate::table::class::Class;
use crate::table::error::Error;
use crate::table::interval::{CountInterval, Method};
use crate::table::knowledge::Knowledge;
use frechet_certificate::{Bound, Side};

/// Solvers that work in parallel.
const LANES: usize = 8;
/// Neighbouring queries of a lane in one round. Few, because tables that other lanes find save
/// work.
const SHARE: usize = 2;
/// In tables of so few cells a lane is done before another thread wakes: on one thread, plans of
/// 3 x 3 cells take 0.43 ms instead of 0.77.
const FEW_CELLS: usize = 32;

pub(crate) struct Engine {
    pub(super) context: QueryContext,
    program: LinearProgram,
    pub(crate) pool: KnownTables,
    /// The first of the known tables.
    pub(super) dense: Vec<i64>,
    /// A solver for each lane, made when first needed.
    lanes: Vec<LinearProgram>,
    /// Simplex steps that all later queries may take together.
    pub(crate) steps_left: u64,
}

impl Engine {
    /// `first` is a table that fits, if one is known. Without it one is looked for.
    pub(crate) fn new(knowledge: Knowledge, limits: Limits, first: Option<&[i64]>) -> Result<Self, Error> {
        let super_cells = knowledge.grid.super_cells().unwrap_or(usize::MAX);
        if super_cells > limits.super_cells {
            return Err(Error::TooManySuperCells { got: super_cells, limit: limits.super_cells });
        }
        let system = &knowledge.system;
        let lattice = Shuttle::new(&knowledge, &limits.stop)
            .map_err(|Contradiction(rows)| conflict::explain(system, rows, &limits))?;
        let program = LinearProgram::new(system.clone(), independent_rows(&knowledge).into_iter(), &limits);
        let program = match (program, first) {
            (Err(Error::TooManyRows { .. }), Some(_)) => LinearProgram::idle(system.clone(), &limits)?,
            (program, _) => program?,
        };
        let pool = KnownTables::new(&knowledge.grid);
        let moves = BlockMoves::of(&knowledge);
        let context = QueryContext { knowledge, limits, lattice, moves };
        let (lanes, dense, steps_left) = (Vec::new(), Vec::new(), u64::MAX);
        let mut engine = Self { context, program, pool, dense, lanes, steps_left };
        match first {
            Some(table) => engine.pool.add(table),
            None => engine.find_first()?,
        }
        engine.dense = engine.pool.tables()[0].to_dense(engine.context.knowledge.grid.cells());
        Ok(engine)
    }

    /// Tables met so far; at least one.
    pub(crate) fn pool(&self) -> &KnownTables {
        &self.pool
    }

    pub(crate) fn add(&mut self, table: &[i64]) {
        self.pool.add(table);
    }

    /// A table, or the reason why no table exists.
    fn find_first(&mut self) -> Result<(), Error> {
        let mut search = BranchAndBound::for_any(&mut self.program, &self.context.limits, Branching::Half);
        let mut proof = search.run();
        let mut found = search.found;
        if proof.is_none() && found.is_empty() {
            let limits = &self.context.limits;
            let mut search = BranchAndBound::for_any(&mut self.program, limits, Branching::FewestLeft);
            proof = search.run();
            found = search.found;
        }
        match found.first() {
            Some(table) => {
                self.pool.add(table);
                Ok(())
            }
            // A contradiction, or a point that breaks a row that should follow from the others:
            // that is one as well.
            None if proof.is_some() || self.has_broken_row() => {
                let all = (0..self.context.knowledge.system.rows.len()).collect();
                Err(conflict::explain(&self.context.knowledge.system, all, &self.context.limits))
            }
            None => self.context.limits.check_stop().and(Err(Error::Undecided)),
        }
    }

    /// Whether the solver's point breaks a row that was left out because it follows from the
    /// others.
    fn has_broken_row(&mut self) -> bool {
        let LpOutcome::Point(point) = self.program.maximise(&[], 1) else { return false };
        self.context.knowledge.system.rows.iter().any(|row| {
            let sum: f64 = row.cells().iter().map(|&cell| point[cell as usize]).sum();
            sum < row.lower() as f64 - 0.5 || sum > row.upper() as f64 + 0.5
        })
    }

    /// The intervals of many classes, in lanes; fewer than the classes when the call was stopped.
    pub(crate) fn intervals(&mut self, classes: &[Class], need: Need) -> Vec<CountInterval> {
        let Self { context, program, pool, lanes, steps_left, .. } = self;
        // Lanes are clones of one solver and learn from each other between rounds only, so what a
        // lane answers depends on its queries and the rounds before, never on which lane is done
        // first.
        if lanes.is_empty() && matches!(need, Need::LinearlyWiderThan(_)) && !program.has_many_rows() {
            // The way to a first basis is long, and the same for all lanes.
            program.all_steps = *steps_left;
            program.maximise(&[], 1);
            *steps_left = program.all_steps;
        }
        lanes.resize_with(LANES, || program.clone());
        let mut intervals = Vec::with_capacity(classes.len());
        let rounds = classes.chunks(LANES * SHARE);
        for (round, to_come) in rounds.clone().zip((1..=rounds.len() as u64).rev()) {
            if context.limits.stop.is_set() {
                // The caller looks at the flag and drops what is missing here.
                break;
            }
            // Each lane has its part of what is left, so that none waits for another to know;
            // what easy questions leave goes to later ones.
            let part = *steps_left / to_come / LANES as u64;
            lanes.iter_mut().for_each(|program| program.all_steps = part);
            let work = lanes.iter_mut().zip(round.chunks(SHARE)).collect();
            let ask = |(program, share): (&mut LinearProgram, &[Class])| {
                let mut runner = QueryRunner::new(context, program, pool);
                let intervals: Vec<CountInterval> = share.iter().map(|class| runner.interval(class, need)).collect();
                (intervals, runner.met)
            };
            let is_much = context.knowledge.grid.cells() > FEW_CELLS;
            for (found, met) in parallel::map_into_if(is_much, work, ask) {
                met.iter().for_each(|table| pool.add(table));
                intervals.extend(found);
            }
            *steps_left -= lanes.iter().map(|program| part - program.all_steps).sum::<u64>();
        }
        intervals
    }

    pub(crate) fn interval(&mut self, class: &Class) -> CountInterval {
        self.ask(|runner| runner.interval(class, Need::Ends))
    }

    pub(crate) fn end(&mut self, class: &Class, side: Side) -> (Bound, Method) {
        self.ask(|runner| runner.end(class, side))
    }

    /// The least and largest sum over any cells: linear programs and cases, without what is known
    /// of super-cells.
    pub(crate) fn over(&mut self, cells: &[u32]) -> CountInterval {
        self.ask(|runner| runner.over(cells))
    }

    fn ask<T>(&mut self, query: impl FnOnce(&mut QueryRunner<'_>) -> T) -> T {
        self.program.all_steps = self.steps_left;
        let mut runner = QueryRunner::new(&self.context, &mut self.program, &self.pool);
        let answer = query(&mut runner);
        runner.met.iter().for_each(|table| self.pool.add(table));
        self.steps_left = self.program.all_steps;
        answer
    }
}

/// Whether there is a table at all; `None` when the search reached a limit.
pub(crate) fn has_table(knowledge: &Knowledge, limits: &Limits) -> Result<Option<bool>, Error> {
    if Shuttle::new(knowledge, &limits.stop).is_err() {
        return Ok(Some(false));
    }
    let mut program = LinearProgram::new(knowledge.system.clone(), independent_rows(knowledge).into_iter(), limits)?;
    let mut search = BranchAndBound::for_any(&mut program, limits, Branching::Half);
    let is_refuted = search.run().is_some();
    limits.check_stop()?;
    Ok(if search.found.is_empty() { is_refuted.then_some(false) } else { Some(true) })
}

/// Rows from which all margins follow: a row of a margin is kept if no earlier margin holds all
/// the axes on which its level is not the first. In the basis of indicators of non-first levels,
/// such a row is its own indicator plus indicators on more axes of its margin, all new as well: a
/// triangular system.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tests::of_margins;

    #[test]
    fn a_point_that_breaks_a_row_that_was_left_out_is_noticed() {
        // The solver sees all rows but one, which follows from the others where all are of one table.
        let (own, _) = of_margins(&[2, 2], &[&[0], &[1]], vec![1, 2, 3, 4]);
        for (counts, is_broken) in [([2, 1, 2, 5], false), ([1, 3, 3, 4], true), ([1, 1, 3, 4], true)] {
            let mut engine = Engine::new(own.clone(), Limits::default(), None).unwrap();
            (engine.context.knowledge, _) = of_margins(&[2, 2], &[&[0], &[1]], counts.to_vec());
            assert_eq!(engine.has_broken_row(), is_broken, "{counts:?}");
        }
    }

    #[test]
    fn a_first_basis_is_sought_once_where_it_serves_all_lanes() {
        // Linear programs of few rows, all of which are solved, and of many, which may not be.
        for (columns, is_sought) in [(3, true), (520, false)] {
            let (own, counts) = of_margins(&[2, columns], &[&[0], &[1]], vec![1; 2 * columns]);
            let mut engine = Engine::new(own, Limits::default(), Some(&counts)).unwrap();
            engine.intervals(&[], Need::OnlyWiderThan(0));
            assert_eq!(engine.steps_left, u64::MAX);
            engine.lanes.clear();
            engine.intervals(&[], Need::LinearlyWiderThan(0));
            assert_eq!(engine.steps_left < u64::MAX, is_sought, "{columns} columns");
        }
    }

    #[test]
    fn as_many_super_cells_as_the_limit_are_allowed() {
        let (own, _) = of_margins(&[2, 2], &[&[0], &[1]], vec![1, 2, 3, 4]);
        let error = |super_cells| Engine::new(own.clone(), Limits { super_cells, ..Limits::default() }, None).err();
        assert_eq!((error(9), error(8)), (None, Some(Error::TooManySuperCells { got: 9, limit: 8 })));
    }
}
