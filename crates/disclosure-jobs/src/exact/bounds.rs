//! The least and the largest count of every cell.

use std::collections::BTreeMap;

use disclosure::frechet::certificate::Certificates;
use disclosure::frechet::{
    AuditDetail, Class, CountRange, DisclosureRule, EnumerationLimits, Error, Finding, Method, Scope, Solver,
    audit_in_detail, count_tables,
};
use disclosure::privacy_core::promise::Promise;
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::attackers::WeakerAttackers;
use crate::exact::certificates::certify;
use crate::exact::documents::{ClassBounds, ClassLabels, RuleDocument, all_cells, class_of};
use crate::exact::job::LoadedJob;
use crate::exact::promises;
use crate::exact::schemas::BoundsSchema;
use crate::observer::{Observer, during};

/// Most cells of a table whose fiber is counted: the search is as deep.
const MOST_COUNTED_CELLS: usize = 4096;

/// What is found besides the bounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoundsOptions {
    /// Also counts the tables that satisfy what is known, up to this many.
    pub count_tables: Option<u64>,
    /// Also proves every bound.
    pub certificates: bool,
}

/// The cells of the table, row-major, with what is proved about each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundsDocument {
    /// `disclosure.frechet-bounds/1`.
    pub schema: BoundsSchema,
    /// The title of the job.
    pub title: String,
    /// What the bounds promise.
    pub promise: Promise,
    /// When a cell counts as disclosed.
    pub policy: RuleDocument,
    /// The most that any cell took.
    pub method: Method,
    /// The total of the table, where it is published.
    pub total: Option<u64>,
    /// Everybody, where the population is public.
    pub people: Option<u64>,
    /// How many tables satisfy what is known, if that was asked for. Context, no measure of
    /// safety.
    pub tables: Option<TableCount>,
    /// The cells.
    pub cells: Vec<CellDocument>,
}

/// How many tables satisfy what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableCount {
    /// The number of tables, or 1 where counting ended at its limit.
    pub at_least: u64,
    /// Whether it is the number.
    pub is_exact: bool,
}

/// A cell, and what is proved about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellDocument {
    /// The labels of the cell.
    pub cell: ClassLabels,
    /// What is proved.
    #[serde(flatten)]
    pub found: ClassBounds,
    /// What follows from the published numbers alone; null where that is everything, or leaves
    /// the cell open.
    pub from_release: Option<OuterBounds>,
}

/// Bounds of an attacker who knows less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OuterBounds {
    /// The least count.
    pub lower: i64,
    /// The largest count.
    pub upper: i64,
    /// The difference.
    pub width: i64,
}

impl LoadedJob {
    /// Finds the bounds of every cell; with their certificates where the options ask for them.
    ///
    /// # Errors
    /// As [`LoadedJob::audit`].
    pub fn bounds(
        &self,
        options: BoundsOptions,
        observer: &dyn Observer,
    ) -> Result<(BoundsDocument, Option<Certificates>), JobError> {
        during(observer, "bounding", || {
            self.check_classes(Scope::Cells)?;
            let mut solver = self.solver()?;
            self.limits.stop.begin(self.classes(Scope::Cells));
            let document = self.bounds_document(&mut solver, options.count_tables)?;
            let certificates = options.certificates.then(|| {
                let cells = self.cells().map(Class::cell);
                certify(&mut solver, &cells.collect::<Vec<_>>(), Solver::intervals)
            });
            Ok((document, certificates.transpose()?))
        })
    }

    /// The levels of every cell, row-major.
    fn cells(&self) -> impl Iterator<Item = Vec<usize>> {
        all_cells(self.problem.domain.shape(self.problem.domain.all()))
    }

    /// The ends are what is asked for: of large tables those that linear programs prove.
    fn bounds_detail(&self, solver: &Solver) -> AuditDetail {
        self.detail.unwrap_or_else(|| AuditDetail::of(solver.knowledge()).max(AuditDetail::Linear))
    }

    fn enumeration_limits(&self, tables: u64) -> EnumerationLimits {
        EnumerationLimits { stop: self.limits.stop.clone(), ..EnumerationLimits::tables(tables) }
    }

    fn bounds_document(&self, solver: &mut Solver, most_tables: Option<u64>) -> Result<BoundsDocument, JobError> {
        let rule = &self.rule;
        let rule =
            DisclosureRule::new(rule.min_interval_width(), rule.rate_margin(), rule.min_frequency(), Scope::Cells)?;
        let found = audit_in_detail(solver, &rule, self.bounds_detail(solver))?;
        let levels = |finding: &Finding| class_of(finding, self.problem.response).levels;
        let found: BTreeMap<Vec<usize>, &Finding> = found.findings.iter().map(|f| (levels(f), f)).collect();
        let mut weaker = WeakerAttackers::new(self);
        let mut cells = Vec::new();
        for levels in self.cells() {
            let found = found.get(&levels).map_or_else(ClassBounds::empty, |finding| ClassBounds::of(finding));
            let class = Class::cell(levels);
            let from_release = weaker.by_release_alone(&class)?.map(|interval| OuterBounds::of(&interval));
            cells.push(CellDocument { cell: ClassLabels::of(&self.problem.domain, &class), found, from_release });
        }
        let has_margins = !self.disclosed.margins.is_empty();
        Ok(BoundsDocument {
            schema: BoundsSchema::V1,
            title: self.title.clone(),
            promise: promises::of_bounds(self),
            policy: RuleDocument { classes: Scope::Cells, ..RuleDocument::of(self) },
            method: cells.iter().map(|cell| cell.found.method).max().unwrap_or(Method::Published),
            total: self.problem.table.as_ref().filter(|_| has_margins).map(|table| table.total()),
            people: self.problem.people.as_ref().map(|people| people.total()),
            tables: most_tables
                .map(|tables_at_most| tables(solver, self.enumeration_limits(tables_at_most)))
                .transpose()?,
            cells,
        })
    }
}

impl OuterBounds {
    fn of(range: &CountRange) -> Self {
        Self { lower: range.lower, upper: range.upper, width: range.width() }
    }
}

fn tables(solver: &Solver, limits: EnumerationLimits) -> Result<TableCount, JobError> {
    let cells = solver.knowledge().system().capacity().len();
    if cells > MOST_COUNTED_CELLS {
        return Err(JobError::new("E0621", format!("tables of more than {MOST_COUNTED_CELLS} cells are not counted")));
    }
    match count_tables(solver.knowledge(), &limits) {
        Ok(count) => Ok(TableCount { at_least: count, is_exact: true }),
        Err(Error::FiberTooLarge { .. }) => Ok(TableCount { at_least: 1, is_exact: false }),
        Err(error) => Err(error.into()),
    }
}
