//! `disclosure frechet audit --jj`: the suppression pattern of another tool, as an attacker sees it.

use std::path::Path;

use disclosure::frechet::{
    CellRelation, Class, Limits, LinkedCell, LinkedFinding, LinkedTable, Protection, ProtectionStatus, Solver,
    SuppressionStatus,
};
use privacy_data::{JjCell, JjDefect, JjError, JjFile, JjStatus, read_jj};
use serde::Serialize;

use super::args::AuditArgs;
use super::certificates;
use super::report::Promise;
use super::show_pattern::show_pattern;
use crate::error::Failure;
use crate::files::{print, print_json, read_text_at_most};
use crate::progress;

/// Files that are larger are refused: a million cells with their relations are far below.
const MOST_BYTES: u64 = 1 << 28;

/// What an attacker can tell about every suppressed cell.
#[derive(Debug, Serialize)]
pub(super) struct PatternReport {
    pub(super) schema: &'static str,
    pub(super) title: String,
    pub(super) promise: Promise,
    pub(super) target_met: bool,
    pub(super) published: usize,
    pub(super) relations: usize,
    /// Sensitive cells: all, protected as asked, shown not to be, undecided.
    pub(super) primary: Tally,
    /// Cells suppressed for the others; one that is known exactly protects nothing.
    pub(super) secondary: Tally,
    pub(super) cells: Vec<PatternCell>,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Tally {
    pub(super) all: usize,
    pub(super) protected: usize,
    pub(super) exposed: usize,
    pub(super) unknown: usize,
    /// Known exactly.
    pub(super) pinned: usize,
}

impl Tally {
    fn of(findings: &[LinkedFinding], status: SuppressionStatus) -> Self {
        let mut tally = Self::default();
        for finding in findings.iter().filter(|finding| finding.status == status) {
            tally.all += 1;
            tally.pinned += usize::from(finding.is_exactly_disclosed);
            match finding.protected {
                ProtectionStatus::Yes => tally.protected += 1,
                ProtectionStatus::No => tally.exposed += 1,
                ProtectionStatus::Unknown => tally.unknown += 1,
            }
        }
        tally
    }
}

#[derive(Debug, Serialize)]
pub(super) struct PatternCell {
    #[serde(flatten)]
    pub(super) found: LinkedFinding,
    pub(super) asked: Protection,
}

/// Judges the pattern; a sensitive cell that is not protected is a failure, after everything was said.
pub(super) fn run(args: &AuditArgs, file: &Path) -> Result<(), Failure> {
    let work = || -> Result<PatternReport, Failure> {
        let text = read_text_at_most(file, |_| MOST_BYTES)?;
        let table = table(read_jj(text.as_bytes())?)?;
        report(&table, file, args)
    };
    let report = progress::during("auditing", work).map_err(|failure| failure.within(file))?;
    match args.json {
        true => print_json(&report)?,
        false => print(show_pattern(&report).as_bytes())?,
    }
    if let Some(written) = args.certificates.as_deref().filter(|_| !report.cells.is_empty()) {
        certificates::say_written(written);
    }
    if report.target_met {
        return Ok(());
    }
    let words = "a sensitive cell is not protected as asked by what is published beside it";
    let next = "suppress more cells with the tool that wrote the file, or publish coarser ones, and audit again";
    Err(Failure::new("E0414", words).within(file).next(next))
}

fn table(file: JjFile) -> Result<LinkedTable, Failure> {
    let cell = |cell: &JjCell| {
        let [lower, upper, sliding] = cell.protection;
        let status = match cell.status {
            JjStatus::Published => SuppressionStatus::Published,
            JjStatus::Primary => SuppressionStatus::Primary,
            JjStatus::Secondary => SuppressionStatus::Secondary,
        };
        let protection = Protection { lower, upper, sliding };
        LinkedCell { count: cell.count, status, known: (cell.least, cell.most), protection }
    };
    let links =
        file.relations.into_iter().map(|relation| CellRelation { constant: relation.sum, terms: relation.terms });
    Ok(LinkedTable::new(file.cells.iter().map(cell).collect(), links.collect())?)
}

fn report(table: &LinkedTable, file: &Path, args: &AuditArgs) -> Result<PatternReport, Failure> {
    let mut findings = Vec::new();
    let limits = Limits { steps: args.steps, nodes: args.nodes, ..Limits::default() };
    if let Some(mut solver) = table.solver(limits)? {
        solver.limit_all_steps(args.all_steps);
        findings = table.audit(&mut solver)?;
        // The proofs are found once more, from the tables that are known by now.
        solver.limit_all_steps(args.all_steps);
        prove(args.certificates.as_deref(), &mut solver, findings.len())?;
    }
    let (primary, secondary) =
        (Tally::of(&findings, SuppressionStatus::Primary), Tally::of(&findings, SuppressionStatus::Secondary));
    let cells = findings.into_iter().map(|found| PatternCell { asked: table.cells()[found.cell].protection, found });
    Ok(PatternReport {
        schema: "disclosure.frechet-pattern/1",
        title: file.display().to_string(),
        promise: Promise::of_pattern(),
        target_met: primary.protected == primary.all,
        published: table.cells().len() - table.suppressed().len(),
        relations: table.links(),
        primary,
        secondary,
        cells: cells.collect(),
    })
}

fn prove(file: Option<&Path>, solver: &mut Solver, suppressed: usize) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    let classes: Vec<Class> = (0..suppressed).map(|level| Class::cell([level])).collect();
    certificates::write(file, solver, &classes)
}
