//! Linear programs over one fiber: the largest or least sum over a set of cells, with an exact
//! proof of each bound.

use privacy_core::stop::StopFlag;

use crate::engine::dual::{self, Implied};
use crate::engine::simplex::{Outcome, Simplex};
use crate::table::error::Error;
use crate::table::system::{NO_CAPACITY, System};
use frechet_certificate::{Multipliers, Ratio};

/// How much work a query may take, counted in steps, so that answers are the same on every
/// machine; and a flag that ends it.
///
/// ```
/// use frechet_release::Limits;
/// use privacy_core::stop::StopFlag;
///
/// let stop = StopFlag::new();
/// let limits = Limits { nodes: 100_000, stop: stop.clone(), ..Limits::default() };
/// // In another thread, `stop.set()` ends the calls that were given these limits with `Error::Stopped`.
/// # assert!(!limits.stop.is_set());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// Simplex steps of one linear program.
    pub steps: u64,
    /// Linear programs in the search for one whole-number bound; 0 leaves the bounds of the
    /// linear programs.
    pub nodes: u32,
    /// Cells and sums over axes: `product of (levels + 1)`.
    pub super_cells: usize,
    /// Independent rows of a linear program. Above, questions are answered from propagation and
    /// known tables.
    pub rows: usize,
    /// Ends every call that was given these limits, with [`Error::Stopped`]. Never set by
    /// default.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub stop: StopFlag,
    /// Ends the work of questions, and no call: once it is set, what is still asked is answered
    /// from propagation and known tables, and often not sharp. Never set by default. One that is
    /// set by the clock ([`StopFlag::after`]) makes answers depend on the machine.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub deadline: StopFlag,
}

/// What ends a search: the call was stopped, or its time is over.
#[derive(Clone)]
pub(crate) struct SearchEnd {
    stop: StopFlag,
    deadline: StopFlag,
}

impl SearchEnd {
    pub(crate) fn is_set(&self) -> bool {
        self.stop.is_set() || self.deadline.is_set()
    }
}

impl Limits {
    pub(crate) fn search_end(&self) -> SearchEnd {
        SearchEnd { stop: self.stop.clone(), deadline: self.deadline.clone() }
    }

    /// [`Error::OutOfTime`] once the deadline has passed, for what must be complete.
    pub(crate) fn check_deadline(&self) -> Result<(), Error> {
        if self.deadline.is_set() { Err(Error::OutOfTime) } else { Ok(()) }
    }

    /// [`Error::Stopped`] once the flag is set. A flag stays set, so a caller that looks after
    /// its last step sees whether anything before was cut short.
    pub(crate) fn check_stop(&self) -> Result<(), Error> {
        if self.stop.is_set() { Err(Error::Stopped) } else { Ok(()) }
    }
}

impl Default for Limits {
    fn default() -> Self {
        let [stop, deadline] = [StopFlag::never(), StopFlag::never()];
        Self { steps: 200_000, nodes: 20_000, super_cells: 1 << 22, rows: 100_000, stop, deadline }
    }
}

/// Cells up to which a table is small: every way to an answer is short.
pub(crate) const MOST_SMALL: usize = 1_024;

/// Distance from a whole number up to which a cell is rounded.
const NEAR_WHOLE: f64 = 0.05;

/// An answer of [`LinearProgram::maximise`].
pub(crate) enum LpOutcome {
    /// The solver stands at `point`, and takes its sum over the cells for the best; see
    /// [`LinearProgram::prove`].
    Point(Vec<f64>),
    /// No table, not even a real one: proved.
    Empty(Multipliers),
    /// Steps ran out, or the numbers do not make a proof.
    Stalled,
}

#[derive(Clone)]
pub(crate) struct LinearProgram {
    pub(crate) system: System,
    implied: Implied,
    /// Rows of the system that the solver sees.
    rows: Vec<usize>,
    simplex: Simplex,
    /// Boxes that proofs may use: capacities and cases.
    boxes: Vec<(i64, i64)>,
    cost: Vec<f64>,
    /// The most that each cell holds by its capacity or one of its rows.
    most: Vec<i64>,
    /// Steps of one linear program, and of all that are still to come.
    steps: u64,
    pub(crate) all_steps: u64,
}

impl LinearProgram {
    /// `rows` of the system, from which the others follow; rows that only box their cells are
    /// handled as boxes.
    pub(crate) fn new(system: System, rows: impl Iterator<Item = usize>, limits: &Limits) -> Result<Self, Error> {
        Self::with(system, Implied::of, rows, limits)
    }

    fn with(
        system: System,
        implied: fn(&System) -> Implied,
        rows: impl Iterator<Item = usize>,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let implied = implied(&system);
        let rows: Vec<usize> = rows.filter(|&row| !implied.covers(&system, row)).collect();
        if rows.len() > limits.rows {
            return Err(Error::TooManyRows { got: rows.len(), limit: limits.rows });
        }
        let boxes = implied.boxes(&system).into_iter().enumerate();
        let of_cell = boxes.map(|(cell, own)| floating(own, implied.is_open(&system, cell)));
        let of_row = rows.iter().map(|&row| floating((system.rows[row].lower(), system.rows[row].upper()), false));
        let columns = system.rows_by_cell(rows.iter().copied());
        let simplex = Simplex::new(&columns, of_cell.chain(of_row), rows.len(), limits.search_end());
        let boxes = system.capacity.iter().map(|&most| (0, most)).collect();
        let (cost, most) = (vec![0.0; system.capacity.len()], system.most());
        Ok(Self { system, implied, rows, simplex, boxes, cost, most, steps: limits.steps, all_steps: u64::MAX })
    }

    /// One that answers nothing: for systems with more rows than the limit.
    pub(crate) fn idle(system: System, limits: &Limits) -> Result<Self, Error> {
        Ok(Self { steps: 0, ..Self::new(system, std::iter::empty(), limits)? })
    }

    /// Rows that the solver sees.
    pub(crate) fn rank(&self) -> usize {
        self.rows.len()
    }

    /// Whether the solver keeps the inverse of its basis as factors.
    pub(crate) fn has_many_rows(&self) -> bool {
        self.simplex.has_many_rows()
    }

    /// All rows, none of them treated as implied: proofs name every row they need.
    pub(crate) fn all_rows(system: System, limits: &Limits) -> Result<Self, Error> {
        let rows = 0..system.rows.len();
        Self::with(system, Implied::none, rows, limits)
    }

    /// The largest (`sign = 1`) or least (`sign = -1`) sum over `cells`; no cell and any sign
    /// asks whether there is a table at all.
    pub(crate) fn maximise(&mut self, cells: &[u32], sign: i64) -> LpOutcome {
        let steps = self.steps.min(self.all_steps);
        if steps == 0 {
            return LpOutcome::Stalled;
        }
        cells.iter().for_each(|&cell| self.cost[cell as usize] = sign as f64);
        let outcome = self.simplex.maximise(&self.cost, steps);
        self.all_steps -= steps - self.simplex.steps_left();
        cells.iter().for_each(|&cell| self.cost[cell as usize] = 0.0);
        match outcome {
            Outcome::Optimal => LpOutcome::Point(self.simplex.point()),
            Outcome::Infeasible => self.emptiness().unwrap_or(LpOutcome::Stalled),
            Outcome::Stalled => LpOutcome::Stalled,
        }
    }

    /// The basis at hand, to return to.
    pub(crate) fn basis(&self) -> Simplex {
        self.simplex.clone()
    }

    pub(crate) fn return_to(&mut self, basis: Simplex) {
        self.simplex = basis;
    }

    /// What the prices of the last solve prove for the same question.
    pub(crate) fn prove(&self, cells: &[u32], sign: i64) -> Option<(Multipliers, Ratio)> {
        let dual = self.exact(cells, sign)?;
        let relaxed = dual::bound(&self.system, &self.boxes, cells, sign, &dual)?;
        Some((dual, relaxed))
    }

    fn emptiness(&self) -> Option<LpOutcome> {
        let dual = self.exact(&[], 0)?;
        let side = dual::right_side(&self.system, &self.boxes, &[], 0, &dual)?;
        (side < 0).then_some(LpOutcome::Empty(dual))
    }

    fn exact(&self, cells: &[u32], scale: i64) -> Option<Multipliers> {
        let floating = self.rows.iter().copied().zip(self.simplex.prices().iter().copied());
        dual::exact((&self.system, &self.implied), &self.boxes, floating, cells, scale)
    }

    /// The box of a cell within the cases at hand.
    pub(crate) fn case(&self, cell: usize) -> (i64, i64) {
        self.boxes[cell]
    }

    /// How many counts more than one a cell can have within the cases at hand.
    pub(crate) fn range(&self, cell: usize) -> i64 {
        let (lower, upper) = self.boxes[cell];
        upper.min(self.most[cell]) - lower
    }

    /// Enters or leaves a case.
    pub(crate) fn set_case(&mut self, cell: usize, case: (i64, i64)) {
        self.boxes[cell] = case;
        let own = self.implied.narrowed(&self.system, cell, case);
        let (lower, upper) = floating(own, case.1 >= NO_CAPACITY && self.implied.is_open(&self.system, cell));
        self.simplex.set_box(cell, lower, upper);
    }

    /// The point as a table of the fiber, if it is one.
    pub(crate) fn table(&self, point: &[f64]) -> Option<Vec<i64>> {
        // The solver's point is near a vertex: in large tables as near as the slack of its rows. A
        // rounded point counts only if it satisfies every row exactly, so the distance decides
        // nothing but whether it is worth a look.
        let table: Vec<i64> = point
            .iter()
            .all(|&value: &f64| (value - value.round()).abs() < NEAR_WHOLE)
            .then(|| point.iter().map(|v| v.round() as i64).collect())?;
        self.system.admits(&table).then_some(table)
    }
}

/// A box as the solver has it. One that is open holds a cell with neither a capacity nor a row
/// that ends it: a row that says 2^53 says so, and a proof may name it.
fn floating((lower, upper): (i64, i64), is_open: bool) -> (f64, f64) {
    (lower as f64, if is_open { f64::INFINITY } else { upper as f64 })
}

#[cfg(test)]
mod tests {
    use privacy_core::Domain;

    use super::*;
    use crate::engine::tests::of_margins;
    use crate::table::class::Region;
    use crate::table::knowledge::Knowledge;

    #[test]
    fn a_flag_that_is_set_is_the_error_of_its_name() {
        let set = StopFlag::new();
        set.set();
        let (stopped, late) =
            (Limits { stop: set.clone(), ..Limits::default() }, Limits { deadline: set, ..Limits::default() });
        assert_eq!((stopped.check_stop(), stopped.check_deadline()), (Err(Error::Stopped), Ok(())));
        assert_eq!((late.check_stop(), late.check_deadline()), (Ok(()), Err(Error::OutOfTime)));
    }

    #[test]
    fn as_many_rows_as_the_limit_are_allowed() {
        let (knowledge, _) = of_margins(&[2, 3], &[&[0], &[1]], vec![1, 2, 3, 4, 5, 6]);
        let program = |rows| LinearProgram::new(knowledge.system.clone(), 0..5, &Limits { rows, ..Limits::default() });
        assert_eq!(program(5).unwrap().rank(), 5);
        assert_eq!(program(4).err(), Some(Error::TooManyRows { got: 5, limit: 4 }));
    }

    #[test]
    fn questions_take_from_the_steps_of_all_what_they_use() {
        let (knowledge, _) = of_margins(&[2, 3], &[&[0], &[1]], vec![1, 2, 3, 4, 5, 6]);
        let mut program = LinearProgram::new(knowledge.system, 0..5, &Limits::default()).unwrap();
        program.all_steps = 100;
        // The first basis is no table, so the first question takes some; all six take few.
        assert!(matches!(program.maximise(&[0], 1), LpOutcome::Point(_)));
        assert!(program.all_steps < 100, "{}", program.all_steps);
        for (cell, sign) in (0..6).flat_map(|cell| [(cell, 1), (cell, -1)]) {
            assert!(matches!(program.maximise(&[cell], sign), LpOutcome::Point(_)), "{cell} {}", program.all_steps);
        }
        // None are left, and nothing is said.
        program.all_steps = 0;
        assert!(matches!(program.maximise(&[0], 1), LpOutcome::Stalled));
    }

    #[test]
    fn no_multipliers_prove_nothing() {
        let (knowledge, _) = of_margins(&[2, 2], &[&[0], &[1]], vec![1, 2, 3, 4]);
        let program = LinearProgram::new(knowledge.system, 0..4, &Limits::default()).unwrap();
        assert!(program.emptiness().is_none(), "the prices of the first basis are 0");
    }

    #[test]
    fn the_range_of_a_cell_is_what_its_case_and_its_rows_leave() {
        let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[3]).unwrap()).unwrap();
        knowledge.publish_range("all", &Region::everything(), 0, 9).unwrap();
        let mut program = LinearProgram::new(knowledge.system, 0..1, &Limits::default()).unwrap();
        assert_eq!(program.range(1), 9);
        program.set_case(1, (2, 5));
        assert_eq!(program.range(1), 3);
        program.set_case(1, (2, NO_CAPACITY));
        assert_eq!(program.range(1), 7);
    }
}
