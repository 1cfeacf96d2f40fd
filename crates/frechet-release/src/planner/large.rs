//! One pattern of withheld numbers for all margins of a large table, decided on the counts.
//!
//! At first every number is published that does not violate the rule by itself. Then the attacker
//! asks about all classes in scope and all withheld numbers that must be protected. Whatever
//! exposes one of them comes with rows, and every pattern that publishes all of these exposes it
//! as well: so one of them has to be withheld. Which ones, a change of the table says that moves
//! few people: all numbers that it changes are withheld, and it then shows by itself that the
//! class is wide. Publishing less only widens what an attacker thinks possible, so a class that is
//! shown to be wide is not asked about again, and the attacker of each round has few questions.
//!
//! What is left undecided counts as not protected. The pattern is not the lightest: that is a hard
//! problem, and the tables here are large.

use std::collections::{BTreeMap, BTreeSet};

use privacy_core::ContingencyTable;

use crate::audit::classes::{AuditDetail, audit_in_detail};
use crate::audit::derived::{DerivedCell, PublishedGroups, derived_cells};
use crate::audit::primary::PrimaryReason;
use crate::audit::rule::{DisclosureStatus, Finding};
use crate::planner::attack::{self, Subject};
use crate::planner::large_swaps::Swaps;
use crate::planner::margin::recoded_margin::RecodedMargin;
use crate::planner::problem::{ReleaseProblem, truth};
use crate::planner::robust::ladder::classes;
use crate::planner::selection::unprotectable;
use crate::solver::Solver;
use crate::table::class::Class;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;
use crate::table::system::NO_CAPACITY;
use frechet_certificate::SparseTable;

/// Rounds after which an exposure costs a number more each time, so that the plan ends soon.
const PATIENCE: usize = 50;

/// A requested margin, and which of its cells are withheld.
pub(crate) struct LargeMargin {
    pub(crate) finest: RecodedMargin,
    counts: Vec<u64>,
    pub(crate) is_withheld: Vec<bool>,
    /// The cell here of each cell of the table.
    pub(super) class_of_cell: Vec<u32>,
}

impl LargeMargin {
    /// What withholding a cell costs.
    pub(super) fn weight(&self, cell: usize) -> f64 {
        self.counts[cell].max(1) as f64
    }
}

/// The margins, in the order of the requests, and tables of the fiber that show classes, such that
/// an attacker who knows the published cells finds no class disclosed.
///
/// # Errors
/// [`Error::Unprotectable`] where nothing published exposes a class; [`Error::Stopped`] and
/// [`Error::OutOfTime`]; as [`Solver::with_table`].
pub(crate) fn withheld_in_large(
    problem: &ReleaseProblem,
    table: &ContingencyTable,
    small: SmallNumbers<'_>,
) -> Result<(Vec<LargeMargin>, Vec<SparseTable>), Error> {
    let mut search = LargeSearch::new(problem, table, small)?;
    for round in 0.. {
        problem.limits.check_stop()?;
        problem.limits.check_deadline()?;
        let exposures = search.exposures()?;
        if exposures.is_empty() && !search.has_changed && search.hard.is_empty() {
            // The audit of the plan has to find it as well.
            let missed = search.missed()?;
            if missed.is_empty() && !search.has_changed {
                break;
            }
            search.withhold(missed, 1)?;
        }
        search.has_changed = false;
        search.withhold(exposures, 1 + round / PATIENCE)?;
    }
    Ok((search.margins, search.tables))
}

/// Which numbers, and differences of numbers, must not be published for what they count.
#[derive(Clone, Copy)]
pub(crate) enum SmallNumbers<'a> {
    /// Those that violate the rule.
    ByRule,
    /// Those that count none of these cells.
    WithoutLargeCell(&'a [bool]),
}

/// A number of a margin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number {
    pub(super) margin: usize,
    pub(super) cell: usize,
}

/// What is exposed, and the published numbers one of which must be withheld.
struct Exposure {
    subject: Subject,
    numbers: BTreeSet<Number>,
}

struct LargeSearch<'a> {
    problem: &'a ReleaseProblem,
    small: SmallNumbers<'a>,
    margins: Vec<LargeMargin>,
    /// The owner's table.
    own: Vec<i64>,
    /// Classes that no table has shown to be wide so far.
    waiting: Vec<Class>,
    /// Classes that were left open: they are asked about again when nothing else is exposed, more
    /// thoroughly from the second time on.
    hard: Vec<Class>,
    is_thorough: bool,
    /// Whether numbers were withheld since the attacker looked.
    has_changed: bool,
    /// Tables that swaps lead to: the audit of the plan knows them as well.
    tables: Vec<SparseTable>,
    width: i64,
}

impl<'a> LargeSearch<'a> {
    fn new(problem: &'a ReleaseProblem, table: &ContingencyTable, small: SmallNumbers<'a>) -> Result<Self, Error> {
        let background = &problem.background;
        let (domain, grid) = (background.domain(), &background.grid);
        let (mut margins, mut waiting) = (Vec::new(), BTreeSet::new());
        for requested in &problem.requested {
            let finest = RecodedMargin::finest(domain, requested.axes)?;
            let counts = finest.counts(domain, table)?;
            let reasons = attack::primary_reasons(problem, &finest, &counts);
            let counts_nobody = |count: u64| matches!(small, SmallNumbers::WithoutLargeCell(_)) && count == 0;
            let both = reasons.iter().zip(&counts);
            let is_withheld: Vec<bool> = both.map(|(own, &count)| own.is_some() || counts_nobody(count)).collect();
            let primaries = (0..counts.len()).filter(|&cell| is_withheld[cell]);
            waiting
                .extend(primaries.map(|cell| Class::new(requested.axes, grid.levels_of_class(cell, requested.axes))));
            let class_of_cell = classes(grid, requested.axes);
            margins.push(LargeMargin { finest, counts, is_withheld, class_of_cell });
        }
        for axes in problem.rule.scope().sets(background.profile()) {
            waiting.extend((0..grid.classes(axes)).map(|class| Class::new(axes, grid.levels_of_class(class, axes))));
        }
        let width = i64::try_from(problem.rule.min_interval_width()).expect("checked when the rule was made");
        Ok(Self {
            problem,
            small,
            margins,
            own: truth(table),
            waiting: waiting.into_iter().collect(),
            hard: Vec::new(),
            is_thorough: false,
            has_changed: false,
            tables: Vec::new(),
            width,
        })
    }

    /// What an attacker knows, and the number behind each row after those of the background.
    fn knowledge(&self) -> Result<(Knowledge, Vec<Number>), Error> {
        let mut knowledge = self.problem.background.clone();
        let mut numbers = Vec::new();
        for (margin, own) in self.margins.iter().enumerate() {
            own.finest.publish(&mut knowledge, &own.counts, |cell| !own.is_withheld[cell])?;
            let published = (0..own.counts.len()).filter(|&cell| !own.is_withheld[cell]);
            numbers.extend(published.map(|cell| Number { margin, cell }));
        }
        Ok((knowledge, numbers))
    }

    /// Differences of published numbers that must not be.
    fn small_differences(&self, knowledge: &Knowledge) -> Result<Vec<DerivedCell>, Error> {
        let limits = &self.problem.limits;
        let SmallNumbers::WithoutLargeCell(is_large) = self.small else {
            return derived_cells(knowledge, &self.problem.rule, limits);
        };
        let judged = |cells: &[u32], _: u64| {
            let is_small = !cells.is_empty() && !cells.iter().any(|&cell| is_large[cell as usize]);
            is_small.then_some(PrimaryReason::Small)
        };
        PublishedGroups::of(knowledge).violations(&judged, limits)
    }

    /// A solver that knows the owner's table, and one with people in all cells that nothing counts.
    fn solver(&self, knowledge: Knowledge) -> Result<Solver, Error> {
        let rows = 0..knowledge.system.rows.len();
        let (mut more, capacity) = (self.own.clone(), knowledge.system.capacity.clone());
        for (cell, rows) in knowledge.system.rows_by_cell(rows).into_iter().enumerate() {
            let is_free = rows.is_empty() && capacity[cell] == NO_CAPACITY;
            more[cell] += if is_free { self.width + 1 } else { 0 };
        }
        let mut solver = Solver::with_table(knowledge.bounded()?, self.problem.limits.clone(), &self.own)?;
        if more != self.own {
            solver.remember(&[SparseTable::from_dense(&more)])?;
        }
        Ok(solver)
    }

    /// What the attacker finds. Classes that are shown to be wide are dropped for good.
    fn exposures(&mut self) -> Result<Vec<Exposure>, Error> {
        let (knowledge, numbers) = self.knowledge()?;
        let first = self.problem.background.system.rows.len();
        let derived = self.small_differences(&knowledge)?;
        let mut exposures: Vec<Exposure> = derived
            .into_iter()
            .map(|own| Exposure { numbers: named(&own.rows, first, &numbers), subject: Subject::Difference(own.name) })
            .collect();
        let (mut kept, mut asked): (Vec<Class>, Vec<Class>) =
            self.waiting.drain(..).partition(|class: &Class| knowledge.released(class).is_some());
        if exposures.is_empty() && asked.is_empty() {
            asked.append(&mut self.hard);
        }
        let mut solver = self.solver(knowledge)?;
        let narrow = solver.narrow_classes(&asked, self.width, self.is_thorough)?;
        self.problem.limits.check_deadline()?;
        let is_proved = narrow.iter().any(|found| found.is_proved);
        for found in narrow {
            let class = asked[found.place].clone();
            // What is open may be shown once more is withheld for what is not, or by a longer search.
            if !found.is_proved && (is_proved || !self.is_thorough) {
                self.hard.push(class);
                continue;
            }
            if self.widen(&class) {
                continue;
            }
            let mut own = named(&found.rows, first, &numbers);
            own.extend(self.numbers_above(&class));
            kept.push(class.clone());
            exposures.push(Exposure { subject: Subject::Class(class), numbers: own });
        }
        self.is_thorough = exposures.is_empty() && !is_proved && !self.is_thorough && !self.hard.is_empty();
        self.waiting = kept;
        Ok(exposures)
    }

    /// What an audit does not find protected, with the published numbers that bound it.
    fn missed(&mut self) -> Result<Vec<Exposure>, Error> {
        let problem = self.problem;
        let (knowledge, _) = self.knowledge()?;
        let mut solver = self.solver(knowledge)?;
        solver.remember(&self.tables)?;
        let audit = audit_in_detail(&mut solver, &problem.rule, AuditDetail::Status)?;
        let mut exposures = Vec::new();
        for own in audit
            .findings
            .iter()
            .filter(|own: &&Finding| matches!(own.status, DisclosureStatus::Disclosed | DisclosureStatus::Unknown))
        {
            let class = Class::new(own.axes.iter().copied().collect(), own.levels.clone());
            if !self.widen(&class) {
                exposures.push(Exposure { numbers: self.numbers_above(&class), subject: Subject::Class(class) });
            }
        }
        Ok(exposures)
    }

    /// Withholds the numbers that swaps of people change which show that a class is wide.
    fn widen(&mut self, class: &Class) -> bool {
        let grid = &self.problem.background.grid;
        let swaps = Swaps { grid, margins: &self.margins };
        let Some((numbers, tables)) = swaps.widening(&self.own, &grid.cells_of(class), self.width + 1) else {
            return false;
        };
        numbers.into_iter().for_each(|number| self.margins[number.margin].is_withheld[number.cell] = true);
        self.tables.extend(tables);
        self.has_changed = true;
        true
    }

    /// The published numbers that count everybody in a class.
    fn numbers_above(&self, class: &Class) -> BTreeSet<Number> {
        let grid = &self.problem.background.grid;
        let mut numbers = BTreeSet::new();
        for (margin, own) in self.margins.iter().enumerate() {
            let axes = own.finest.axis_set();
            if axes.is_subset_of(class.axes) {
                let cell = grid.class_index(axes, &class.levels_on(axes));
                numbers.extend((!own.is_withheld[cell]).then_some(Number { margin, cell }));
            }
        }
        numbers
    }

    /// Withholds numbers until every exposure has `each`, or all that it has: those first that
    /// cost least for the exposures that they break.
    fn withhold(&mut self, exposures: Vec<Exposure>, each: usize) -> Result<(), Error> {
        if let Some(exposure) = exposures.iter().find(|exposure| exposure.numbers.is_empty()) {
            return Err(unprotectable(self.problem, &exposure.subject));
        }
        let mut open: Vec<(BTreeSet<Number>, usize)> =
            exposures.into_iter().map(|exposure| (exposure.numbers, each)).collect();
        while !open.is_empty() {
            let mut helps: BTreeMap<Number, u32> = BTreeMap::new();
            open.iter().flat_map(|(numbers, _)| numbers).for_each(|&number| *helps.entry(number).or_insert(0) += 1);
            let cheapest = helps.into_iter().min_by(|a, b| self.price(*a).total_cmp(&self.price(*b)));
            let Some((number, _)) = cheapest else { break };
            self.margins[number.margin].is_withheld[number.cell] = true;
            open.iter_mut().for_each(|(numbers, left)| *left -= usize::from(numbers.remove(&number)));
            open.retain(|(numbers, left)| *left > 0 && !numbers.is_empty());
        }
        Ok(())
    }

    /// What withholding a number costs for each of the exposures that it breaks.
    fn price(&self, (number, helps): (Number, u32)) -> f64 {
        self.margins[number.margin].counts[number.cell].max(1) as f64 / f64::from(helps)
    }
}

/// The numbers of some rows of the knowledge, of which those of numbers come from a position on.
fn named(rows: &BTreeSet<usize>, first: usize, numbers: &[Number]) -> BTreeSet<Number> {
    rows.iter().filter_map(|row| numbers.get(row.checked_sub(first)?).copied()).collect()
}
