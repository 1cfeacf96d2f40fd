//! `disclosure frechet bounds`: the least and the largest count of every cell.

use std::collections::BTreeMap;

use disclosure::frechet::{Class, DisclosureRule, Error, Finding, Method, Scope, Solver, audit, count_tables};
use serde::Serialize;

use super::args::BoundsArgs;
use super::attackers::Weaker;
use super::certificates;
use super::job::Job;
use super::report::{Found, Labels, PolicyReport, Promise, class_of};
use super::show::show_bounds;
use super::slack;
use crate::error::Failure;
use crate::files::{print, print_json};
use crate::progress;

/// Most cells of a table whose fiber is counted: the search is as deep.
const MOST_COUNTED_CELLS: usize = 4096;

/// The cells of the table, row-major, with what is proved about each.
#[derive(Debug, Serialize)]
pub(super) struct BoundsReport<'a> {
    pub(super) schema: &'static str,
    pub(super) title: &'a str,
    pub(super) promise: Promise,
    pub(super) policy: PolicyReport,
    /// The most that any cell took.
    pub(super) method: Method,
    /// The total of the table, where it is published.
    pub(super) total: Option<u64>,
    /// Everybody, where the composition is public.
    pub(super) people: Option<u64>,
    /// How many tables fit, if that was asked for. Context, no measure of safety.
    pub(super) tables: Option<Tables>,
    pub(super) cells: Vec<CellReport<'a>>,
}

/// How many tables fit.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Tables {
    pub(super) at_least: u64,
    pub(super) is_exact: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct CellReport<'a> {
    pub(super) cell: Labels<'a>,
    #[serde(flatten)]
    pub(super) found: Found,
    /// What follows from the published numbers alone; null where that is all there is, or leaves the cell open.
    pub(super) from_release: Option<Outer>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Outer {
    pub(super) lower: i64,
    pub(super) upper: i64,
    pub(super) width: i64,
}

/// Finds the bounds, and writes what proves them when it is asked to.
pub(super) fn run(args: &BoundsArgs) -> Result<(), Failure> {
    let job = Job::read(&args.job.spec)?;
    let work = || {
        job.check_classes(Scope::Cells)?;
        let mut solver = job.solver()?;
        let report = report(&job, &mut solver, args.count_tables)?;
        if let Some(file) = &args.certificates {
            let cells = all_cells(job.problem.domain.shape(job.problem.domain.all())).map(Class::cell);
            certificates::write(file, &mut solver, &cells.collect::<Vec<_>>())?;
        }
        Ok(report)
    };
    let meter = |failure| slack::meter(failure, &job, args.job.json, args.slack, Scope::Cells).within(&args.job.spec);
    let report = progress::during("bounding", work).map_err(meter)?;
    match args.job.json {
        true => print_json(&report)?,
        false => print(show_bounds(&report).as_bytes())?,
    }
    if let Some(file) = &args.certificates {
        certificates::say_written(file);
    }
    Ok(())
}

fn report<'a>(job: &'a Job, solver: &mut Solver, most_tables: Option<u64>) -> Result<BoundsReport<'a>, Failure> {
    let policy = &job.policy;
    let policy =
        DisclosureRule::new(policy.min_interval_width(), policy.rate_margin(), policy.min_frequency(), Scope::Cells)?;
    let found = audit(solver, &policy)?;
    let levels = |finding: &Finding| class_of(finding, job.problem.candidates).levels;
    let found: BTreeMap<Vec<usize>, &Finding> = found.findings.iter().map(|f| (levels(f), f)).collect();
    let mut weaker = Weaker::new(job);
    let cells = all_cells(job.problem.domain.shape(job.problem.domain.all())).map(|levels| {
        let found = found.get(&levels).map_or_else(Found::empty, |finding| Found::of(finding));
        let class = Class::cell(levels);
        let outer = weaker.by_release_alone(&class)?.map(|interval| Outer {
            lower: interval.lower.value,
            upper: interval.upper.value,
            width: interval.width(),
        });
        Ok(CellReport { cell: Labels::of(&job.problem.domain, &class), found, from_release: outer })
    });
    let cells = cells.collect::<Result<Vec<_>, Failure>>()?;
    let mut shown = PolicyReport::of(job);
    shown.classes = Scope::Cells;
    Ok(BoundsReport {
        schema: "disclosure.frechet-bounds/1",
        title: &job.title,
        promise: Promise::of(job),
        policy: shown,
        method: cells.iter().map(|cell| cell.found.method).max().unwrap_or(Method::Published),
        total: job.problem.table.as_ref().filter(|_| !job.told.margins.is_empty()).map(|table| table.total()),
        people: job.problem.people.as_ref().map(|people| people.total()),
        tables: most_tables.map(|most| tables(solver, most)).transpose()?,
        cells,
    })
}

/// The levels of every cell, row-major.
pub(super) fn all_cells(shape: Vec<usize>) -> impl Iterator<Item = Vec<usize>> {
    let cells = shape.iter().product();
    let levels = move |cell: usize| {
        let mut rest = cell;
        let mut levels = vec![0; shape.len()];
        for (level, &size) in levels.iter_mut().zip(&shape).rev() {
            *level = rest % size;
            rest /= size;
        }
        levels
    };
    (0..cells).map(levels)
}

fn tables(solver: &Solver, most: u64) -> Result<Tables, Failure> {
    let cells = solver.knowledge().system().capacity().len();
    if cells > MOST_COUNTED_CELLS {
        return Err(Failure::new("E0621", format!("tables of more than {MOST_COUNTED_CELLS} cells are not counted")));
    }
    match count_tables(solver.knowledge(), most) {
        Ok(count) => Ok(Tables { at_least: count, is_exact: true }),
        Err(Error::FiberTooLarge { .. }) => Ok(Tables { at_least: 1, is_exact: false }),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn cells_are_listed_with_the_last_axis_fastest() {
        let cells: Vec<Vec<usize>> = super::all_cells(vec![2, 1, 2]).collect();
        assert_eq!(cells, [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]);
        assert_eq!(super::all_cells(Vec::new()).count(), 1);
    }
}
