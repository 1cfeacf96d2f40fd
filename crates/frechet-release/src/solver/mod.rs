//! Finds the sharp interval of a class: by closed forms where the structure allows, by the
//! general engine elsewhere.

mod narrow;
pub(crate) mod prime_components;
pub(crate) mod slack;
mod structure;
mod tables;

use std::collections::BTreeMap;

use privacy_core::AttrSet;

use self::structure::{Structure, method_of};
use crate::closed::decomposition::Component;
use crate::closed::forms::{ClosedForm, ComponentBound};
use crate::engine::general::Engine;
use crate::engine::linear_program::Limits;
use crate::engine::query::Need;
use crate::solver::prime_components::{ComponentEngine, ComponentEngines, agree, component_engine};
use crate::table::class::{Class, Region};
use crate::table::error::Error;
use crate::table::interval::{CountInterval, CountRange, Method};
use crate::table::knowledge::Knowledge;
use crate::table::system::NO_CAPACITY;
use frechet_certificate::{Bound, Multipliers, Proof, Ratio, Side, SparseTable, Witness};

/// What all cells may hold together: sums stay within 63 bits.
const MOST_TOGETHER: i128 = 1 << 62;

/// Classes in one batch where there are many: each interval holds two tables.
pub(crate) const AT_ONCE: usize = 64;

/// Bounds for the classes of one table. It keeps the tables and the solver's state of earlier
/// answers, so that later ones are faster; the values do not depend on the order of questions,
/// witnesses may.
///
/// ```
/// use frechet_release::{Class, Knowledge, Limits, Solver};
/// use privacy_core::{AttrSet, ContingencyTable, Domain};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let domain = Domain::of_cardinalities(&[2, 2])?;
/// let counts = ContingencyTable::from_cells(&domain, domain.all(), vec![9, 1, 2, 8])?;
/// let mut knowledge = Knowledge::of_counts(domain)?;
/// for axis in 0..2 {
///     knowledge.publish_margin(&counts.marginal(AttrSet::single(axis))?)?;
/// }
/// let mut solver = Solver::new(knowledge, Limits::default())?;
/// let interval = solver.interval(&Class::cell([0, 1]))?;
/// assert_eq!((interval.lower.value, interval.upper.value), (0, 9));
/// assert!(interval.is_sharp()); // tables with 0 and with 9 come with the interval
/// # Ok(())
/// # }
/// ```
pub struct Solver {
    knowledge: Knowledge,
    limits: Limits,
    structure: Structure,
    /// The engine for the whole table, made when first needed.
    engine: Option<Engine>,
    /// A table of the fiber that is known from the start: no other has to be looked for.
    first: Option<Vec<i64>>,
    parts: BTreeMap<AttrSet, ComponentEngine>,
    /// The solver without assumed facts, made when first needed; `None` inside where that leaves
    /// cells unbounded.
    weaker: Option<Option<Box<Solver>>>,
    /// Simplex steps of all questions to the engine for the whole table.
    all_steps: u64,
}

/// What is known of a class without the facts that the attacker is assumed to hold.
pub(crate) enum WithoutFacts {
    /// The same: its count is no such fact.
    Same,
    /// Nothing that is proved.
    Open,
    /// This.
    Interval(CountInterval),
}

impl Solver {
    /// Checks that the knowledge does not contradict itself, and looks for structure.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] names the rows in conflict; [`Error::Unbounded`],
    /// [`Error::Undecided`], [`Error::TooManySuperCells`] and [`Error::TooManyRows`].
    pub fn new(knowledge: Knowledge, limits: Limits) -> Result<Self, Error> {
        Self::started_from(knowledge, limits, None)
    }

    /// The same from a table that is known to fit, the owner's for instance: no first table has to
    /// be looked for, so there is an answer to every question. Above [`Limits::rows`] it comes
    /// from propagation and known tables, without linear programs, and is often not sharp.
    ///
    /// # Errors
    /// [`Error::NotInFiber`] when the table contradicts the knowledge; [`Error::Unbounded`] and
    /// [`Error::TooManySuperCells`].
    pub fn with_table(knowledge: Knowledge, limits: Limits, table: &[i64]) -> Result<Self, Error> {
        knowledge.system.check(table)?;
        Self::started_from(knowledge, limits, Some(table.to_vec()))
    }

    fn started_from(knowledge: Knowledge, limits: Limits, first: Option<Vec<i64>>) -> Result<Self, Error> {
        check_bounded(&knowledge)?;
        let structure = Structure::of(&knowledge, &limits.stop);
        limits.check_stop()?;
        let (engine, parts, weaker) = (None, BTreeMap::new(), None);
        let mut solver = Self { knowledge, limits, structure, engine, first, parts, weaker, all_steps: u64::MAX };
        solver.check_consistent()?;
        solver.limits.check_stop()?;
        Ok(solver)
    }

    /// What is known.
    #[must_use]
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// The work that a question may take.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Limits all later queries that take linear programs over the whole table to this many
    /// simplex steps together. Counted in steps, so answers are the same on every machine; what
    /// comes after the last step is answered by propagation and known tables alone, and often not
    /// sharp. Making the solver, and parts of a table that falls apart, are not counted.
    pub fn limit_all_steps(&mut self, steps: u64) {
        self.all_steps = steps;
        if let Some(engine) = &mut self.engine {
            engine.steps_left = steps;
        }
    }

    /// What is left of [`Solver::limit_all_steps`].
    #[must_use]
    pub fn steps_left(&self) -> u64 {
        self.engine.as_ref().map_or(self.all_steps, |engine| engine.steps_left)
    }

    /// The interval of a class. Sharp unless a limit was reached.
    ///
    /// # Errors
    /// [`Error::LevelCount`] and [`Error::NoSuchLevel`] for a class that does not exist; as
    /// [`Solver::new`] when the general engine has to be made.
    pub fn interval(&mut self, class: &Class) -> Result<CountInterval, Error> {
        class.checked(&self.knowledge.grid)?;
        if let Some(interval) = self.closed_interval(class) {
            return self.limits.check_stop().map(|()| interval);
        }
        let interval = self.engine()?.interval(class);
        self.limits.check_stop()?;
        Ok(self.said(class, interval))
    }

    /// The intervals of many classes, in the given order. The general engine works in parallel,
    /// with the feature `parallel`. The values are those of [`Solver::interval`]; nothing depends
    /// on the number of threads.
    ///
    /// # Errors
    /// As [`Solver::interval`].
    ///
    /// # Panics
    /// Never: there is an answer for every class.
    pub fn intervals(&mut self, classes: &[Class]) -> Result<Vec<CountInterval>, Error> {
        self.needed_intervals(classes, Need::Ends)
    }

    /// The same as far as it is needed.
    pub(crate) fn needed_intervals(&mut self, classes: &[Class], need: Need) -> Result<Vec<CountInterval>, Error> {
        for class in classes {
            class.checked(&self.knowledge.grid)?;
        }
        let mut closed: Vec<Option<CountInterval>> = Vec::with_capacity(classes.len());
        for class in classes {
            closed.push(self.closed_interval(class));
            self.limits.check_stop()?;
        }
        let open: Vec<Class> = classes
            .iter()
            .zip(&closed)
            .filter(|(_, interval): &(&Class, &Option<CountInterval>)| interval.is_none())
            .map(|(class, _)| class.clone())
            .collect();
        if open.is_empty() {
            return Ok(closed.into_iter().flatten().collect());
        }
        let found = self.engine()?.intervals(&open, need);
        self.limits.check_stop()?;
        let mut found = open.iter().zip(found).map(|(class, interval)| self.said(class, interval));
        let mut either = |interval: Option<CountInterval>| interval.or_else(|| found.next());
        Ok(closed.into_iter().map(|interval| either(interval).expect("one for every class")).collect())
    }

    /// The ends of many classes without their proofs and tables, in the given order: the values of
    /// [`Solver::intervals`]. Linear in the number of classes where the margins fall apart.
    ///
    /// # Errors
    /// As [`Solver::interval`].
    ///
    /// # Panics
    /// Never: there is an answer for every class.
    pub fn ranges(&mut self, classes: &[Class]) -> Result<Vec<CountRange>, Error> {
        self.needed_ranges(classes, Need::Ends)
    }

    /// The same as far as it is needed.
    pub(crate) fn needed_ranges(&mut self, classes: &[Class], need: Need) -> Result<Vec<CountRange>, Error> {
        for class in classes {
            class.checked(&self.knowledge.grid)?;
        }
        let mut ranges: Vec<Option<CountRange>> = classes.iter().map(|class| self.split_range(class)).collect();
        self.limits.check_stop()?;
        let is_shown_first = matches!(need, Need::OnlyWiderThan(_) | Need::LinearlyWiderThan(_));
        if matches!(self.structure, Structure::General) && is_shown_first {
            for (class, range) in classes.iter().zip(&mut ranges) {
                *range = self.shown_range(class, need)?;
            }
        }
        self.limits.check_stop()?;
        let open = classes.iter().zip(&ranges).filter(|(_, range): &(&Class, &Option<CountRange>)| range.is_none());
        let open: Vec<Class> = open.map(|(class, _)| class.clone()).collect();
        let mut found = Vec::with_capacity(open.len());
        for batch in open.chunks(AT_ONCE) {
            found.extend(self.needed_intervals(batch, need)?.iter().map(CountRange::from));
        }
        let mut found = found.into_iter();
        for range in ranges.iter_mut().filter(|range| range.is_none()) {
            *range = found.next();
        }
        Ok(ranges.into_iter().map(|range| range.expect("one for every class")).collect())
    }

    /// Looks for tables that show how wide the intervals of many classes are, before they are
    /// asked about.
    pub(crate) fn spread(&mut self, classes: &[Class], need: Need) -> Result<(), Error> {
        if matches!(self.structure, Structure::General) {
            self.engine()?.spread(classes, need);
        }
        self.limits.check_stop()
    }

    /// The same with fewer walks and without linear programs.
    pub(crate) fn spread_far(&mut self, classes: &[Class], width: i64) -> Result<(), Error> {
        if matches!(self.structure, Structure::General) {
            self.engine()?.spread_far(classes, width);
        }
        self.limits.check_stop()
    }

    /// What known tables show, where that is all that is needed.
    fn shown_range(&mut self, class: &Class, need: Need) -> Result<Option<CountRange>, Error> {
        let is_published = self.knowledge.is_published(class.axes);
        let mut range = self.engine()?.shown_range(class, need);
        range.iter_mut().filter(|_| is_published).for_each(|range| range.method = Method::Published);
        Ok(range)
    }

    /// The ends where the margins fall apart.
    fn split_range(&mut self, class: &Class) -> Option<CountRange> {
        let Self { knowledge, parts, structure: Structure::Splits(part), .. } = self else { return None };
        let mut closed = ClosedForm { knowledge, primes: ComponentEngines { parts }, values_only: true };
        let lower = closed.end(part, class, Side::Lower)?.value;
        let upper = closed.end(part, class, Side::Upper)?.value;
        let method = if knowledge.is_published(class.axes) { Method::Published } else { method_of(part) };
        Some(CountRange { lower, upper, attained: (lower, upper), is_sharp: true, has_integer_gap: false, method })
    }

    /// The interval where there is structure for it.
    fn closed_interval(&mut self, class: &Class) -> Option<CountInterval> {
        match &mut self.structure {
            Structure::Splits(part) => {
                let part = part.clone();
                self.split_interval(&part, class)
            }
            Structure::Disjoint(disjoint) => disjoint.interval(&self.knowledge, class),
            Structure::Network(network) => network.interval(&self.knowledge, class),
            Structure::Parity(parity) => parity.interval(&self.knowledge, class),
            Structure::General => None,
        }
    }

    /// The engine's answer, which for a published class is what was published.
    fn said(&self, class: &Class, mut interval: CountInterval) -> CountInterval {
        if self.knowledge.is_published(class.axes) {
            interval.method = Method::Published;
        }
        interval
    }

    /// The interval of any region: a suppressed group, a total of a hierarchy. This takes the
    /// general engine, so [`Solver::interval`] is faster for a class.
    ///
    /// # Errors
    /// [`Error::NoSuchLevel`]; as [`Solver::new`] when the general engine has to be made.
    pub fn region(&mut self, region: &Region) -> Result<CountInterval, Error> {
        let cells = region.cells(&self.knowledge.grid)?;
        let interval = self.engine()?.over(&cells);
        self.limits.check_stop().map(|()| interval)
    }

    /// What is known of a class whose count is itself an assumed fact, without the assumed facts.
    pub(crate) fn without_assumptions(&mut self, class: &Class) -> Result<WithoutFacts, Error> {
        if !self.knowledge.is_assumed(class) {
            return Ok(WithoutFacts::Same);
        }
        if self.weaker.is_none() {
            let knowledge = self.knowledge.without_assumptions();
            // A table that fits all facts fits fewer of them.
            let made = |knowledge| Self::started_from(knowledge, self.limits.clone(), self.first.clone());
            let made = knowledge.map(|knowledge| open_ended(made(knowledge)));
            self.weaker = Some(made.transpose()?.flatten().map(Box::new));
        }
        match self.weaker.as_mut().and_then(Option::as_mut) {
            Some(weaker) => Ok(WithoutFacts::Interval(weaker.interval(class)?)),
            None => Ok(WithoutFacts::Open),
        }
    }

    /// The intervals of all cells, row-major. Each end holds its table: ask class by class where
    /// that is too much.
    ///
    /// # Errors
    /// As [`Solver::interval`].
    pub fn cells(&mut self) -> Result<Vec<CountInterval>, Error> {
        let cells = self.all_cells();
        self.intervals(&cells)
    }

    fn all_cells(&self) -> Vec<Class> {
        let grid = &self.knowledge.grid;
        (0..grid.cells()).map(|cell| Class::cell(grid.levels(cell, grid.all()))).collect()
    }

    /// The cells that are known exactly, in increasing order. Linear in the cells of a two-way
    /// table with capacities; elsewhere from the interval of each. Where a limit was reached, a
    /// exactly disclosed cell may be missing.
    ///
    /// # Errors
    /// As [`Solver::interval`].
    ///
    /// # Panics
    /// Never: there are at most 2^24 cells.
    pub fn exactly_disclosed_cells(&mut self) -> Result<Vec<u32>, Error> {
        if let Structure::Network(network) = &self.structure {
            return Ok(network.pinned(&self.knowledge));
        }
        let cells = self.all_cells();
        let mut widths = Vec::with_capacity(cells.len());
        for batch in cells.chunks(AT_ONCE) {
            widths.extend(self.ranges(batch)?.iter().map(CountRange::width));
        }
        let pinned = widths.iter().enumerate().filter(|&(_, &width)| width == 0);
        Ok(pinned.map(|(cell, _)| u32::try_from(cell).expect("at most 2^24 cells")).collect())
    }

    /// Whether margins are all that is known, and they fall apart into margins.
    pub(crate) fn is_decomposable(&self) -> bool {
        let Structure::Splits(part) = &self.structure else { return false };
        part.leaves().iter().all(|leaf| !matches!(leaf, Component::Prime(_)))
    }

    /// Whether one unknown number determines the table.
    pub(crate) fn is_line(&self) -> bool {
        matches!(self.structure, Structure::Parity(_))
    }

    fn engine(&mut self) -> Result<&mut Engine, Error> {
        if self.engine.is_none() {
            let mut engine = Engine::new(self.knowledge.clone(), self.limits.clone(), self.first.as_deref())?;
            engine.steps_left = self.all_steps;
            self.engine = Some(engine);
        }
        Ok(self.engine.as_mut().expect("made above"))
    }

    /// Closed forms presuppose numbers of one population.
    fn check_consistent(&mut self) -> Result<(), Error> {
        match &self.structure {
            Structure::Splits(part) => {
                // One table has all margins, so they agree.
                if self.first.is_none() {
                    agree(&self.knowledge, &self.limits)?;
                }
                let primes: Vec<AttrSet> = part
                    .leaves()
                    .iter()
                    .filter(|leaf| matches!(leaf, Component::Prime(_)))
                    .map(|leaf| leaf.axes())
                    .collect();
                for axes in primes {
                    let engine = component_engine(&self.knowledge, axes, self.limits.clone(), self.first.as_deref())?;
                    self.parts.insert(axes, engine);
                }
                Ok(())
            }
            Structure::Disjoint(_) => Ok(()),
            Structure::Network(network) if network.is_consistent() => Ok(()),
            Structure::Parity(parity) if parity.is_consistent() => Ok(()),
            // The engine names the rows in conflict.
            _ => {
                self.structure = Structure::General;
                self.engine().map(|_| ())
            }
        }
    }

    fn split_interval(&mut self, part: &Component, class: &Class) -> Option<CountInterval> {
        let Self { knowledge, parts, .. } = self;
        let mut closed = ClosedForm { knowledge, primes: ComponentEngines { parts }, values_only: false };
        let lower = closed.end(part, class, Side::Lower)?;
        let upper = closed.end(part, class, Side::Upper)?;
        let method = if knowledge.is_published(class.axes) { Method::Published } else { method_of(part) };
        Some(CountInterval { lower: sharp(lower), upper: sharp(upper), method })
    }
}

/// An end that a few rows prove and a table attains.
fn sharp(end: ComponentBound) -> Bound {
    Bound {
        value: end.value,
        relaxed: Ratio::whole(end.value),
        proof: Proof::by_rows(Multipliers::integral(end.multipliers)),
        witness: Witness { value: end.value, table: SparseTable::new(end.entries) },
    }
}

/// An attacker who knows less may be left with unbounded cells: then nothing is proved.
pub(crate) fn open_ended<T>(answer: Result<T, Error>) -> Result<Option<T>, Error> {
    match answer {
        Err(error) if error.is_inconclusive() => Ok(None),
        answer => answer.map(Some),
    }
}

/// Every cell needs an upper bound, and sums of what cells can hold, each or by a total, must not
/// leave 63 bits.
pub(crate) fn check_bounded(knowledge: &Knowledge) -> Result<(), Error> {
    let mut most: Vec<i64> =
        knowledge.system.capacity.iter().map(|&most: &i64| if most < NO_CAPACITY { most } else { i64::MAX }).collect();
    for row in &knowledge.system.rows {
        row.cells().iter().for_each(|&cell| most[cell as usize] = most[cell as usize].min(row.upper()));
    }
    if most.contains(&i64::MAX) {
        return Err(Error::Unbounded);
    }
    let totals = knowledge.system.rows.iter().filter(|row| row.cells().len() == most.len()).map(|row| row.upper());
    let together: i128 = most.iter().map(|&most| i128::from(most)).sum();
    let total = totals.map(i128::from).min().map_or(together, |total| total.min(together));
    if total > MOST_TOGETHER { Err(Error::TooLargeTogether) } else { Ok(()) }
}
