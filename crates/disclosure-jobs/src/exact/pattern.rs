//! The suppression pattern of another tool, as an attacker sees it.

use std::time::Duration;

use disclosure::frechet::certificate::Certificates;
use disclosure::frechet::{
    CellRelation, Class, Limits, LinkedCell, LinkedFinding, LinkedTable, Protection, ProtectionStatus,
    SuppressionStatus,
};
use disclosure::privacy_core::promise::Promise;
use disclosure::privacy_core::stop::StopFlag;
use privacy_data::{JjCell, JjFile, JjStatus, read_jj};
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::certificates::certify;
use crate::exact::promises;
use crate::exact::schemas::PatternSchema;
use crate::observer::{Observer, during};

/// The longest pattern that is read, in bytes: one of a million cells with their relations is far
/// shorter.
pub const MAX_PATTERN_BYTES: u64 = 1 << 28;

/// How much work the audit of a pattern may take.
#[derive(Clone, Copy, Debug)]
pub struct PatternOptions {
    /// Simplex steps of one linear program.
    pub steps: u64,
    /// Linear programs in the search for one whole-number bound; 0 leaves the bounds of the
    /// linear programs.
    pub nodes: u32,
    /// Simplex steps of all cells together; what comes after them is not decided.
    pub all_steps: u64,
    /// Time for all cells together, from the call on; what comes after it is not decided.
    pub time: Option<Duration>,
    /// Also proves the bounds of every suppressed cell.
    pub certificates: bool,
}

impl Default for PatternOptions {
    /// The limits of a job, and all cells together in a minute where there are 600 relations, a
    /// quarter of an hour where there are 2,500.
    fn default() -> Self {
        let Limits { steps, nodes, .. } = Limits::default();
        Self { steps, nodes, all_steps: 500_000, time: None, certificates: false }
    }
}

/// What an attacker can tell about every suppressed cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternDocument {
    /// `disclosure.frechet-pattern/1`.
    pub schema: PatternSchema,
    /// The name of the pattern.
    pub title: String,
    /// What the bounds promise.
    pub promise: Promise,
    /// Whether every sensitive cell is protected as asked.
    pub target_met: bool,
    /// Whether the time was over before every cell was decided.
    #[serde(default)]
    pub out_of_time: bool,
    /// Number of published cells.
    pub published: usize,
    /// Number of relations between cells.
    pub relations: usize,
    /// Sensitive cells.
    pub primary: PatternTally,
    /// Cells that are suppressed for the others; one that is known exactly protects nothing.
    pub secondary: PatternTally,
    /// The suppressed cells.
    pub cells: Vec<PatternCell>,
}

/// How many cells there are of a kind, and how they are protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternTally {
    /// All of them.
    pub all: usize,
    /// Shown to be protected as asked.
    pub protected: usize,
    /// Shown not to be.
    pub exposed: usize,
    /// Not decided.
    pub unknown: usize,
    /// Known exactly.
    pub pinned: usize,
}

/// A suppressed cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternCell {
    /// What is proved about it.
    #[serde(flatten)]
    pub found: LinkedFinding,
    /// The protection that was asked for.
    pub asked: Protection,
}

/// A suppression pattern over additive tables, with its counts.
#[derive(Clone, Debug)]
pub struct Pattern {
    title: String,
    table: LinkedTable,
}

impl PatternDocument {
    /// Whether every sensitive cell is protected as asked.
    ///
    /// # Errors
    /// E0414 for one that is not.
    pub fn check_target(&self) -> Result<(), JobError> {
        if self.target_met {
            return Ok(());
        }
        let words = "the published cells do not protect a sensitive cell as required";
        let next = "suppress more cells with the tool that wrote the file, or publish coarser ones, and audit again";
        Err(JobError::new("E0414", words).next(next))
    }
}

impl Pattern {
    /// Reads a JJ file, as tau-ARGUS and sdcTable write it.
    ///
    /// # Errors
    /// E0364 to E0367 for files that are damaged or not additive.
    pub fn parse(text: &str, title: &str) -> Result<Self, JobError> {
        Ok(Self { title: title.to_owned(), table: table(read_jj(text.as_bytes())?)? })
    }

    /// Judges every suppressed cell; with the certificates of their bounds where the options ask
    /// for them, and where a cell is suppressed.
    ///
    /// # Errors
    /// As [`Solver::intervals`](disclosure::frechet::Solver::intervals).
    pub fn audit(
        &self,
        options: PatternOptions,
        observer: &dyn Observer,
    ) -> Result<(PatternDocument, Option<Certificates>), JobError> {
        during(observer, "auditing", || self.audit_cells(options, observer.stop_flag()))
    }

    fn audit_cells(
        &self,
        options: PatternOptions,
        stop: StopFlag,
    ) -> Result<(PatternDocument, Option<Certificates>), JobError> {
        let table = &self.table;
        let (mut findings, mut certificates) = (Vec::new(), None);
        let deadline = options.time.map_or(StopFlag::never(), StopFlag::after);
        let (steps, nodes) = (options.steps, options.nodes);
        let limits = Limits { steps, nodes, stop, deadline: deadline.clone(), ..Limits::default() };
        if let Some(mut solver) = table.solver(limits)? {
            solver.limit_all_steps(options.all_steps);
            findings = table.audit(&mut solver)?;
            // The proofs are found once more, from the tables that are known by now.
            solver.limit_all_steps(options.all_steps);
            if options.certificates {
                let classes: Vec<Class> = (0..findings.len()).map(|level| Class::cell([level])).collect();
                certificates = Some(certify(&mut solver, &classes, |solver, batch| {
                    let cells: Vec<usize> = batch.iter().map(|class| table.suppressed()[class.levels[0]]).collect();
                    table.audited_intervals(solver, &cells)
                })?);
            }
        }
        let primary = PatternTally::of(&findings, SuppressionStatus::Primary);
        let secondary = PatternTally::of(&findings, SuppressionStatus::Secondary);
        let cells =
            findings.into_iter().map(|found| PatternCell { asked: table.cells()[found.cell].protection, found });
        let document = PatternDocument {
            schema: PatternSchema::V1,
            title: self.title.clone(),
            promise: promises::of_pattern(),
            target_met: primary.protected == primary.all,
            out_of_time: deadline.is_set(),
            published: table.cells().len() - table.suppressed().len(),
            relations: table.links(),
            primary,
            secondary,
            cells: cells.collect(),
        };
        Ok((document, certificates))
    }
}

fn table(file: JjFile) -> Result<LinkedTable, JobError> {
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
    let relations =
        file.relations.into_iter().map(|relation| CellRelation { constant: relation.sum, terms: relation.terms });
    Ok(LinkedTable::new(file.cells.iter().map(cell).collect(), relations.collect())?)
}

impl PatternTally {
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
