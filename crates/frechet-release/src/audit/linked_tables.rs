//! Numbers linked by sums, some of them suppressed, in any hierarchical or linked tables: what
//! the published numbers reveal about the suppressed ones.
//!
//! `x_j` the count of cell `j`, `l_j <= x_j <= u_j` what is known beforehand, `S` the suppressed
//! cells. Each link says
//!
//! ```text
//! sum of s_j x_j = c,    s_j = 1 or -1,
//! ```
//!
//! a total with `-1` for instance. Published counts move to the right. With `z_j = u_j - x_j` for
//! suppressed cells that are taken away, all entries are 0 and 1 again, as rows have them:
//!
//! ```text
//! sum over + of x_j  +  sum over - of z_j  =  c' + sum over - of u_j,      x_j + z_j = u_j .
//! ```
//!
//! A primary cell is protected when tables exist that are as far from the truth as its protection
//! levels ask: `L <= x - lower`, `U >= x + upper`, `U - L >= sliding`, and never when it is known
//! exactly.
//!
//! Source: Fischetti and Salazar (2001) for protection levels; whole numbers and certificates are
//! ours.

use std::collections::{BTreeMap, BTreeSet};

use privacy_core::Domain;

use crate::audit::linked_moves::LinkedMoves;
use crate::engine::linear_program::Limits;
use crate::engine::query::Need;
use crate::solver::{AT_ONCE, Solver};
use crate::table::class::{Class, Region};
use crate::table::error::Error;
use crate::table::interval::{CountInterval, CountRange};
use crate::table::knowledge::Knowledge;

/// Suppressed cells up to which every one has sharp bounds. Of more, those that known tables
/// show to be protected have the bounds of propagation.
const MOST_SHARP: usize = 1_024;

/// Whether a number is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum SuppressionStatus {
    /// It is published.
    Published,
    /// It is suppressed because it is sensitive.
    Primary,
    /// It is suppressed to protect others.
    Secondary,
}

/// Required protection interval, in counts. All 0 requires no more than a second possible count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Protection {
    /// Below the count.
    pub lower: u64,
    /// Above it.
    pub upper: u64,
    /// From end to end.
    pub sliding: u64,
}

/// One cell of a linked table: its count, its status and its required protection.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinkedCell {
    /// The count, in people.
    pub count: u64,
    /// Whether it is published.
    pub status: SuppressionStatus,
    /// The least and the largest count that everybody knows to be possible.
    pub known: (u64, u64),
    /// The protection required when it is a primary cell.
    pub protection: Protection,
}

impl LinkedCell {
    /// The width that an interval must exceed to be as wide as its protection asks.
    fn width(&self) -> i64 {
        let Protection { lower, upper, sliding } = self.protection;
        let width =
            if self.status == SuppressionStatus::Primary { sliding.max(lower.saturating_add(upper)) } else { 1 };
        i64::try_from(width.max(1) - 1).unwrap_or(i64::MAX)
    }

    /// Whether counts from the one to the other protect it as required.
    pub(super) fn is_protected(&self, (lower, upper): (i64, i64)) -> bool {
        let (count, asked) = (i128::from(self.count), self.protection);
        let (lower, upper) = (i128::from(lower), i128::from(upper));
        let is_asked = self.status == SuppressionStatus::Primary;
        let [below, above, across] = [asked.lower, asked.upper, asked.sliding].map(i128::from);
        upper > lower && (!is_asked || lower <= count - below && upper >= count + above && upper - lower >= across)
    }

    /// How far down, up and from end to end tables must go that show it to be protected.
    pub(super) fn wanted(&self) -> (i64, i64, i64) {
        let Protection { lower, upper, sliding } = self.protection;
        let is_asked = self.status == SuppressionStatus::Primary;
        let [below, above, across] =
            [lower, upper, sliding].map(|asked| if is_asked { i64::try_from(asked).unwrap_or(i64::MAX) } else { 0 });
        (below, above, across.max(1))
    }
}

/// Debug output shows the status and no count.
impl std::fmt::Debug for LinkedCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinkedCell").field("status", &self.status).finish_non_exhaustive()
    }
}

/// Cells whose counts, taken with their signs, add up to `constant`.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CellRelation {
    /// The sum.
    pub constant: i64,
    /// Each cell, and whether it is taken away.
    pub terms: Vec<(usize, bool)>,
}

/// Debug output shows the size and not the sum.
impl std::fmt::Debug for CellRelation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CellRelation").field("terms", &self.terms.len()).finish_non_exhaustive()
    }
}

/// Cells and the links between them: an instance of cell suppression.
#[derive(Clone, Debug)]
pub struct LinkedTable {
    cells: Vec<LinkedCell>,
    links: Vec<CellRelation>,
    /// Positions of the suppressed cells.
    suppressed: Vec<usize>,
}

impl LinkedTable {
    /// Checks that the counts lie within what is known beforehand, and that every link holds.
    /// Positions count from 0.
    ///
    /// # Errors
    /// [`Error::NoSuchLevel`] for a link to a cell that does not exist; [`Error::RepeatedCell`];
    /// [`Error::TooLarge`] above 2^53; [`Error::OutsideKnown`] and [`Error::BrokenRelation`].
    pub fn new(cells: Vec<LinkedCell>, links: Vec<CellRelation>) -> Result<Self, Error> {
        const MOST: u64 = 1 << 53;
        for (cell, own) in cells.iter().enumerate() {
            if own.count > MOST || own.known.1 > MOST {
                return Err(Error::TooLarge { row: format!("cell {cell}") });
            }
            if !(own.known.0..=own.known.1).contains(&own.count) {
                return Err(Error::OutsideKnown { cell });
            }
        }
        for (place, link) in links.iter().enumerate() {
            let mut named = BTreeSet::new();
            let mut sum = 0_i128;
            for &(cell, is_taken) in &link.terms {
                let count = i128::from(cells.get(cell).ok_or(Error::NoSuchLevel { axis: 0, level: cell })?.count);
                if !named.insert(cell) {
                    return Err(Error::RepeatedCell { link: place, cell });
                }
                sum += if is_taken { -count } else { count };
            }
            if sum != i128::from(link.constant) {
                return Err(Error::BrokenRelation { link: place });
            }
        }
        let suppressed =
            (0..cells.len()).filter(|&cell: &usize| cells[cell].status != SuppressionStatus::Published).collect();
        Ok(Self { cells, links, suppressed })
    }

    /// The cells.
    #[must_use]
    pub fn cells(&self) -> &[LinkedCell] {
        &self.cells
    }

    /// How many links there are.
    #[must_use]
    pub fn links(&self) -> usize {
        self.links.len()
    }

    /// Positions of the cells that are suppressed, in increasing order.
    #[must_use]
    pub fn suppressed(&self) -> &[usize] {
        &self.suppressed
    }

    /// The knowledge of an attacker who reads the published cells: one axis, with a level for
    /// each suppressed cell in the order of [`LinkedTable::suppressed`], then one for what is
    /// left of it where it is taken away. `None` when nothing is suppressed.
    ///
    /// # Errors
    /// [`Error::TooManyCells`].
    ///
    /// # Panics
    /// Never: sizes and sums are checked when the table is made.
    pub fn knowledge(&self) -> Result<Option<Knowledge>, Error> {
        if self.suppressed.is_empty() {
            return Ok(None);
        }
        let mut level_of = vec![usize::MAX; self.cells.len()];
        self.suppressed.iter().enumerate().for_each(|(level, &cell)| level_of[cell] = level);
        let rows: Vec<(usize, Reduced)> =
            self.links.iter().enumerate().map(|(place, link)| (place, self.reduced(link))).collect();
        let mut rest_of = vec![usize::MAX; self.cells.len()];
        let with_rest = self.with_rest();
        with_rest.iter().zip(self.suppressed.len()..).for_each(|(&cell, level)| rest_of[cell] = level);
        let levels = self.suppressed.len() + with_rest.len();
        let domain = Domain::of_cardinalities(&[levels]).map_err(|_| Error::TooManyCells { limit: 1 << 24 })?;
        let mut knowledge = Knowledge::of_counts(domain)?;
        let region = |levels: Vec<usize>| Region::everything().with(0, levels);
        for &cell in &self.suppressed {
            let (least, most) = self.cells[cell].known;
            knowledge.publish_range(format!("bounds of cell {cell}"), &region(vec![level_of[cell]]), least, most)?;
            if rest_of[cell] != usize::MAX {
                let both = region(vec![level_of[cell], rest_of[cell]]);
                knowledge.publish_count(format!("what cell {cell} leaves"), &both, most)?;
            }
        }
        for (place, row) in rows.into_iter().filter(|(_, row)| !row.added.is_empty() || !row.taken.is_empty()) {
            let most: i128 = row.taken.iter().map(|&cell| i128::from(self.cells[cell].known.1)).sum();
            let sum = u64::try_from(row.sum + most).expect("the counts satisfy it, and none is above what is known");
            let added = row.added.iter().map(|&cell| level_of[cell]);
            let levels = added.chain(row.taken.iter().map(|&cell| rest_of[cell])).collect();
            knowledge.publish_count(format!("relation {place}"), &region(levels), sum)?;
        }
        Ok(Some(knowledge))
    }

    pub(super) fn relations(&self) -> &[CellRelation] {
        &self.links
    }

    /// Suppresses a published cell.
    pub(super) fn withhold(&mut self, cell: usize) {
        self.cells[cell].status = SuppressionStatus::Secondary;
        if let Err(place) = self.suppressed.binary_search(&cell) {
            self.suppressed.insert(place, cell);
        }
    }

    /// The relations behind these rows of [`LinkedTable::knowledge`].
    pub(super) fn relations_of_rows(&self, rows: &BTreeSet<usize>) -> Vec<usize> {
        // First the bounds of the suppressed cells, a row more for those that are taken away.
        let first = self.suppressed.len() + self.with_rest().len();
        let is_asked = |link: &CellRelation| link.terms.iter().any(|&(cell, _)| self.is_suppressed(cell));
        let asked: Vec<usize> = (0..self.links.len()).filter(|&place| is_asked(&self.links[place])).collect();
        rows.iter().filter_map(|row| asked.get(row.checked_sub(first)?).copied()).collect()
    }

    fn is_suppressed(&self, cell: usize) -> bool {
        self.cells[cell].status != SuppressionStatus::Published
    }

    /// The link between suppressed cells alone, with as few of them taken away as possible.
    fn reduced(&self, link: &CellRelation) -> Reduced {
        let side = |taken: bool| {
            link.terms
                .iter()
                .filter(|&&(cell, _): &&(usize, bool)| self.cells[cell].status != SuppressionStatus::Published)
                .filter(move |term| term.1 == taken)
                .map(|term| term.0)
        };
        let (added, taken): (Vec<usize>, Vec<usize>) = (side(false).collect(), side(true).collect());
        let sum = self.sum_of(&added) - self.sum_of(&taken);
        if taken.len() <= added.len() {
            Reduced { added, taken, sum }
        } else {
            Reduced { added: taken, taken: added, sum: -sum }
        }
    }

    fn sum_of(&self, cells: &[usize]) -> i128 {
        cells.iter().map(|&cell| i128::from(self.cells[cell].count)).sum()
    }

    /// Judges every suppressed cell from the published ones, the relations and the bounds that
    /// everybody knows. Of more than 1,024 suppressed cells, those that are protected have
    /// proved bounds
    /// that may not be sharp. `solver` is one for [`LinkedTable::knowledge`]; where its steps are
    /// limited ([`Solver::limit_all_steps`]), cells share them evenly, and those that find none
    /// left are not decided.
    ///
    /// # Guarantee
    /// Kind: guarantee, against an attacker who knows these and nothing else. Unit: the unit that
    /// the cells count. Protection is shown by tables of whole numbers, exposure by certificates.
    ///
    /// # Errors
    /// As [`Solver::interval`].
    pub fn audit(&self, solver: &mut Solver) -> Result<Vec<LinkedFinding>, Error> {
        let mut findings = Vec::with_capacity(self.suppressed.len());
        if self.suppressed.len() > MOST_SHARP {
            self.show_moves(solver)?;
        }
        let batches = self.suppressed.chunks(AT_ONCE);
        let mut left = solver.steps_left();
        for (batch, to_come) in batches.clone().zip((1..=batches.len() as u64).rev()) {
            let part = left / to_come;
            solver.limit_all_steps(part);
            for (&cell, range) in batch.iter().zip(self.audited_ranges(solver, batch)?) {
                findings.push(LinkedFinding::of(cell, &self.cells[cell], &range));
            }
            left -= part - solver.steps_left();
        }
        solver.limit_all_steps(left);
        Ok(findings)
    }

    /// The intervals of suppressed cells, by their positions, as [`LinkedTable::audit`] judges
    /// them, each end with its proof and the furthest table that was found.
    ///
    /// # Errors
    /// As [`Solver::interval`].
    ///
    /// # Panics
    /// For a cell that is not suppressed.
    pub fn audited_intervals(&self, solver: &mut Solver, cells: &[usize]) -> Result<Vec<CountInterval>, Error> {
        if self.suppressed.len() > MOST_SHARP {
            return self.needed_intervals(solver, cells);
        }
        let classes: Vec<Class> = cells.iter().map(|&cell| Class::cell([self.level(cell)])).collect();
        solver.intervals(&classes)
    }

    /// The ends of the same.
    fn audited_ranges(&self, solver: &mut Solver, cells: &[usize]) -> Result<Vec<CountRange>, Error> {
        if self.suppressed.len() <= MOST_SHARP {
            return Ok(self.audited_intervals(solver, cells)?.iter().map(CountRange::from).collect());
        }
        // What moves show needs no table of its own.
        let classes: Vec<Class> = cells.iter().map(|&cell| Class::cell([self.level(cell)])).collect();
        let mut ranges = solver.known_ranges(&classes)?;
        let open: Vec<usize> = (0..cells.len())
            .filter(|place: &usize| !self.cells[cells[*place]].is_protected(ranges[*place].attained))
            .collect();
        let asked: Vec<usize> = open.iter().map(|&place| cells[place]).collect();
        for (place, interval) in open.into_iter().zip(self.needed_intervals(solver, &asked)?) {
            ranges[place] = CountRange::from(&interval);
        }
        Ok(ranges)
    }

    /// Tells the solver the tables that moves within the relations lead to.
    fn show_moves(&self, solver: &mut Solver) -> Result<(), Error> {
        let mut moves = LinkedMoves::new(self, &vec![0; self.cells.len()]);
        for &cell in &self.suppressed {
            solver.limits().check_stop()?;
            if !self.cells[cell].is_protected(moves.reached(cell)) {
                moves.look(cell, self.cells[cell].wanted());
            }
        }
        let rest: BTreeMap<usize, usize> = self.with_rest().into_iter().zip(self.suppressed.len()..).collect();
        let levels = |&(cell, more): &(u32, i64)| {
            let own = (numbered(self.level(cell as usize)), more);
            std::iter::once(own).chain(rest.get(&(cell as usize)).map(|&level| (numbered(level), -more)))
        };
        solver.add_differences(moves.differences.iter().map(|own| own.iter().flat_map(levels).collect()))
    }

    fn level(&self, cell: usize) -> usize {
        self.suppressed.binary_search(&cell).expect("the cell is suppressed")
    }

    /// The intervals of suppressed cells as far as it takes to judge them: linear programs only
    /// where known tables do not show that a cell is protected.
    pub(super) fn needed_intervals(&self, solver: &mut Solver, cells: &[usize]) -> Result<Vec<CountInterval>, Error> {
        let classes: Vec<Class> = cells.iter().map(|&cell| Class::cell([self.level(cell)])).collect();
        let enough = cells.iter().map(|&cell| self.cells[cell].width()).max().unwrap_or(0);
        let mut intervals = solver.needed_intervals(&classes, Need::OnlyWiderThan(enough))?;
        let finding =
            |(&cell, own): (&usize, &CountInterval)| LinkedFinding::of(cell, &self.cells[cell], &CountRange::from(own));
        let findings = cells.iter().zip(&intervals).map(finding);
        let open = findings.enumerate().filter(|(_, found)| found.protected == ProtectionStatus::Unknown);
        let open: Vec<usize> = open.map(|(place, _)| place).collect();
        let asked: Vec<Class> = open.iter().map(|&place| classes[place].clone()).collect();
        for (place, interval) in open.into_iter().zip(solver.intervals(&asked)?) {
            intervals[place] = interval;
        }
        Ok(intervals)
    }

    /// A solver for what an attacker knows, when anything is suppressed.
    ///
    /// # Errors
    /// As [`LinkedTable::knowledge`] and [`Solver::with_table`].
    ///
    /// # Panics
    /// Never: sizes and sums are checked when the table is made.
    pub fn solver(&self, limits: Limits) -> Result<Option<Solver>, Error> {
        let Some(knowledge) = self.knowledge()? else { return Ok(None) };
        // The counts satisfy all that is published, so there is always an answer.
        let own = self.suppressed.iter().map(|&cell| signed(self.cells[cell].count));
        let rest = self.with_rest().into_iter().map(|cell| signed(self.cells[cell].known.1 - self.cells[cell].count));
        let table: Vec<i64> = own.chain(rest).collect();
        Solver::with_table(knowledge, limits, &table).map(Some)
    }

    /// The suppressed cells that have a level for what is left of them, in the order of the
    /// levels.
    fn with_rest(&self) -> Vec<usize> {
        let mut seen = vec![false; self.cells.len()];
        let taken = self.links.iter().flat_map(|link| self.reduced(link).taken);
        taken.filter(|&cell| !std::mem::replace(&mut seen[cell], true)).collect()
    }
}

/// A level as known tables number it.
fn numbered(level: usize) -> u32 {
    u32::try_from(level).expect("a level is numbered in 32 bits")
}

/// A count as the solver takes it.
fn signed(count: u64) -> i64 {
    i64::try_from(count).expect("counts are at most 2^53")
}

/// A link between suppressed cells: added less taken is `sum`.
struct Reduced {
    added: Vec<usize>,
    taken: Vec<usize>,
    sum: i128,
}

/// What is proved about a suppressed cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum ProtectionStatus {
    /// Tables show that the protection levels are met. For a secondary cell: that it has a second
    /// possible count.
    Yes,
    /// A certificate shows that they are not.
    No,
    /// A limit was reached before either was shown. The cell counts as unprotected.
    Unknown,
}

/// What an audit found about one suppressed cell.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LinkedFinding {
    /// Its position, from 0.
    pub cell: usize,
    /// Why it is suppressed.
    pub status: SuppressionStatus,
    /// The least count that fits.
    pub lower: i64,
    /// The largest.
    pub upper: i64,
    /// Whether both ends are attained; if not, they are outer bounds.
    pub is_sharp: bool,
    /// Whether whole numbers reach less far than real ones would, rounded.
    pub has_integer_gap: bool,
    /// Whether the count is known exactly.
    #[cfg_attr(feature = "serde", serde(rename = "is_pinned"))]
    pub is_exactly_disclosed: bool,
    /// Whether it is protected as required.
    pub protected: ProtectionStatus,
}

impl LinkedFinding {
    pub(super) fn of(cell: usize, own: &LinkedCell, range: &CountRange) -> Self {
        let outer = (range.lower, range.upper);
        let protected = match (own.is_protected(range.attained), own.is_protected(outer)) {
            (true, _) => ProtectionStatus::Yes,
            (false, false) => ProtectionStatus::No,
            (false, true) => ProtectionStatus::Unknown,
        };
        Self {
            cell,
            status: own.status,
            lower: outer.0,
            upper: outer.1,
            is_sharp: range.is_sharp,
            has_integer_gap: range.has_integer_gap,
            is_exactly_disclosed: outer.0 == outer.1,
            protected,
        }
    }
}

/// Debug output shows the status and no count.
impl std::fmt::Debug for LinkedFinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinkedFinding")
            .field("cell", &self.cell)
            .field("status", &self.status)
            .field("protected", &self.protected)
            .finish_non_exhaustive()
    }
}
