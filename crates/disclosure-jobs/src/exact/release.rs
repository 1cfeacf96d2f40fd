//! The release: the plan carried out, and its files.

use std::io::{self, Write};

use disclosure::frechet::{CellStatus, DecisionData, NoiseStatement, Published, PublishedMargin, Treatment};
use disclosure::privacy_core::promise::Promise;
use privacy_data::{ColumnKind, CsvField, TableFormat, TableWriter};
use serde::{Deserialize, Serialize};

use crate::document::{FileDigest, Imprint, file_name};
use crate::error::JobError;
use crate::exact::algorithm_aware::AlgorithmAwareDocument;
use crate::exact::documents::RuleDocument;
use crate::exact::facts::FactDocument;
use crate::exact::job::{Counted, LoadedJob};
use crate::exact::pattern_terms::PatternStatement;
use crate::exact::promises;
use crate::exact::schemas::ReleaseSchema;
use crate::exact::statements::Circumstances;
use crate::ledger::Receipt;
use crate::sink::{Sink, write_json};

/// Columns after those of the attributes; no attribute may have their names.
const COLUMNS: [&str; 4] = ["value", "sd", "status", "reason"];
/// Their kinds; there is no number in a cell that is withheld.
const KINDS: [ColumnKind; 4] = [ColumnKind::Real, ColumnKind::Real, ColumnKind::Text, ColumnKind::Text];

/// `release.json`: what was promised, and the digest of every file. The kind of promise comes
/// first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleaseDocument {
    /// `disclosure.frechet-release/1`.
    pub schema: ReleaseSchema,
    /// What the exact numbers promise.
    pub promise: Promise,
    /// When a class counts as disclosed.
    pub policy: RuleDocument,
    /// Whom the tables count; null for everybody.
    pub counted: Option<Counted>,
    /// Numbers that are published besides the tables.
    pub publish: Vec<FactDocument>,
    /// What the noise promises besides; null without noise.
    pub privacy: Option<NoiseStatement>,
    /// The title of the job.
    pub title: String,
    /// Who answers for it, and its date.
    #[serde(flatten)]
    pub imprint: Imprint,
    /// The data on which the plan was decided.
    pub basis: DecisionData,
    /// Where the choice of the numbers that leave is private: what that promises, and its cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<PatternStatement>,
    /// What a reader who knows this program learns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm_aware: Option<AlgorithmAwareDocument>,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// How the numbers were made.
    pub mechanism: Mechanism,
    /// Versions of the programs.
    pub versions: Versions,
    /// What the promise leaves open.
    pub not_covered: Vec<String>,
    /// The margins that were asked for, and their files.
    pub files: Vec<TableFile>,
}

/// How the numbers of a release were made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mechanism {
    /// The name of the library.
    pub name: String,
    /// How exact numbers were chosen.
    pub exact: String,
    /// How noise was drawn.
    pub noise: String,
}

/// Versions of the programs that made a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// The version of `disclosure`.
    pub disclosure: String,
}

/// A margin that was asked for, and its file if it has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFile {
    /// The name of the file; null when the margin is withheld.
    pub name: Option<String>,
    /// SHA-256 of the file.
    pub sha256: Option<String>,
    /// Bytes of the file.
    pub bytes: u64,
    /// The attributes of the margin.
    pub attributes: Vec<String>,
    /// What happened to it.
    pub treatment: Treatment,
    /// Number of exact cells.
    pub exact: usize,
    /// Number of cells with noise.
    pub noised: usize,
    /// Number of cells that are withheld.
    pub suppressed: usize,
    /// Why, in words.
    pub reasons: Vec<String>,
}

impl ReleaseDocument {
    /// The files of the release with their digests.
    pub fn digests(&self) -> impl Iterator<Item = FileDigest> + '_ {
        self.files.iter().filter_map(|file| {
            Some(FileDigest { name: file.name.clone()?, sha256: file.sha256.clone()?, bytes: file.bytes })
        })
    }
}

/// A release that was drawn, to be written.
#[derive(Debug)]
#[must_use = "a release that is not written is lost, and another one draws its noise anew"]
pub struct Released {
    pub(super) job: LoadedJob,
    pub(super) published: Published,
    pub(super) algorithm_aware: AlgorithmAwareDocument,
    pub(super) pattern: Option<PatternStatement>,
    /// Of what was charged for the choice of the numbers, where it was drawn.
    pub(super) receipt: Option<Receipt>,
}

/// What the promise of the exact numbers leaves open; with what was measured, where the plan was
/// decided on the counts.
pub(super) fn not_covered(job: &LoadedJob, algorithm_aware: &AlgorithmAwareDocument) -> Vec<String> {
    let mut open = Circumstances::of(job).not_covered();
    if job.means.decision_data == DecisionData::Counts {
        open.push(algorithm_aware.statement.clone());
    }
    open
}

impl Released {
    /// The same release with its tables written in this format.
    pub fn with_tables(mut self, tables: TableFormat) -> Self {
        self.job.tables = tables;
        self
    }

    /// The number that leaves in this cell of this table; `None` where it is withheld.
    #[must_use]
    pub fn value(&self, (table, cell): (usize, usize)) -> Option<i64> {
        self.published.margins.get(table)?.cells.get(cell)?.value
    }

    /// Writes the tables and `release.json`, and commits once.
    ///
    /// # Errors
    /// What the sink reports; an error says that the budget is spent, where one was charged.
    pub fn write(&self, sink: &mut dyn Sink) -> Result<ReleaseDocument, JobError> {
        let written = self.write_files(sink).and_then(|document| {
            write_json(sink, "release.json", &document)?;
            sink.commit()?;
            Ok(document)
        });
        written.map_err(|error| self.receipt.iter().fold(error, |error, receipt| receipt.spent(error)))
    }

    /// Writes the tables alone: the caller writes the document, and commits.
    ///
    /// # Errors
    /// What the sink reports.
    pub fn write_files(&self, sink: &mut dyn Sink) -> Result<ReleaseDocument, JobError> {
        let (job, published) = (&self.job, &self.published);
        let all = published.margins.len();
        let mut files = Vec::with_capacity(all);
        for (index, margin) in published.margins.iter().enumerate() {
            files.push(write_margin(sink, index, all, margin, job.tables)?);
        }
        Ok(ReleaseDocument {
            schema: ReleaseSchema::V1,
            promise: promises::of_release(job),
            policy: RuleDocument::of(job),
            counted: job.counted.clone(),
            publish: job.disclosed.publish.iter().map(|fact| fact.document(&job.problem.domain)).collect(),
            privacy: published.privacy.clone(),
            title: job.title.clone(),
            imprint: job.imprint.clone(),
            basis: published.decision_data,
            pattern: self.pattern.clone(),
            algorithm_aware: Some(self.algorithm_aware.clone()),
            notes: published.notes.clone(),
            mechanism: if self.pattern.is_some() { Mechanism::of_pattern() } else { Mechanism::default() },
            versions: Versions { disclosure: env!("CARGO_PKG_VERSION").to_owned() },
            not_covered: not_covered(job, &self.algorithm_aware),
            files,
        })
    }
}

impl Mechanism {
    /// Of a release whose pattern was drawn.
    fn of_pattern() -> Self {
        Self {
            exact: "unchanged counts; which of them are published is decided by discrete Laplace noise on the counts \
                 and a threshold, and by a rule for complementary cells that uses only which cells reached the \
                 threshold"
                .to_owned(),
            ..Self::default()
        }
    }
}

impl Default for Mechanism {
    fn default() -> Self {
        let exact = "unchanged counts, after an attacker who knows exactly these numbers found nothing that the \
             disclosure rule forbids";
        Self {
            name: "frechet-release".to_owned(),
            exact: exact.to_owned(),
            noise: "discrete Laplace noise, drawn exactly, with the generator of the operating system".to_owned(),
        }
    }
}

impl LoadedJob {
    /// Refuses attributes with the name of an output column.
    ///
    /// # Errors
    /// E0215.
    pub fn check_columns(&self) -> Result<(), JobError> {
        let domain = &self.problem.domain;
        match domain.names(domain.all()).find(|name| COLUMNS.contains(name)) {
            Some(name) => {
                Err(JobError::new("E0215", format!("attribute {name:?} has the name of a column of the outputs")))
            }
            None => Ok(()),
        }
    }
}

fn write_margin(
    sink: &mut dyn Sink,
    index: usize,
    all: usize,
    margin: &PublishedMargin,
    format: TableFormat,
) -> Result<TableFile, JobError> {
    let count = |status| margin.cells.iter().filter(|cell| cell.status == status).count();
    let mut file = TableFile {
        name: None,
        sha256: None,
        bytes: 0,
        attributes: margin.attributes.clone(),
        treatment: margin.treatment,
        exact: count(CellStatus::Exact),
        noised: count(CellStatus::Noised),
        suppressed: count(CellStatus::Suppressed),
        reasons: margin.reasons.clone(),
    };
    if !margin.cells.is_empty() {
        let name = file_name(index, all, &margin.attributes, format);
        let digest = sink.write_with(&name, &mut |out| write_table(format, out, margin))?;
        (file.name, file.sha256, file.bytes) = (Some(name), Some(digest.sha256), digest.bytes);
    }
    Ok(file)
}

fn write_table(format: TableFormat, out: impl Write, margin: &PublishedMargin) -> io::Result<()> {
    let names = margin.attributes.iter().map(|name| (name.as_str(), ColumnKind::Text));
    let mut table = TableWriter::new(format, out, names.chain(COLUMNS.into_iter().zip(KINDS)))?;
    for cell in &margin.cells {
        let (status, reason) = match cell.status {
            CellStatus::Exact => ("exact", "counted"),
            CellStatus::Noised => ("noised", "discrete Laplace noise"),
            CellStatus::Suppressed => ("suppressed", "withheld, so that other numbers do not disclose a group"),
        };
        let value = cell.value.map_or(CsvField::Real(f64::NAN), CsvField::from);
        let sd = CsvField::Real(cell.variance.map_or(f64::NAN, f64::sqrt));
        let labels = cell.labels.iter().map(|label| CsvField::Text(label));
        table.line(labels.chain([value, sd, CsvField::Text(status), CsvField::Text(reason)]))?;
    }
    table.finish()
}
