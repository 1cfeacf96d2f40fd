//! `disclosure frechet release`: the plan, carried out; nothing is written when the target is missed.

use std::io::{self, Write};

use disclosure::core::Domain;
use disclosure::frechet::{CellStatus, DecisionData, Error, NoiseStatement, Published, PublishedMargin, Treatment};
use privacy_data::{CsvField, CsvWriter, OutputDir};
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;

use super::args::ReleaseArgs;
use super::audit::missed;
use super::facts::FactReport;
use super::job::{Counted, Job};
use super::report::{PolicyReport, Promise};
use super::show_plan::show_release;
use crate::error::Failure;
use crate::files::{file_name, json_of, named, print, print_json, say, write_digested};
use crate::progress;

/// Columns after those of the attributes; no attribute may have their names.
const COLUMNS: [&str; 4] = ["value", "sd", "status", "reason"];

/// What the promise of exact numbers leaves open.
pub(super) const NOT_COVERED: [&str; 4] = [
    "an attacker who holds facts that the job did not list",
    "differential privacy of the exact numbers: they have none",
    "a wide interval that touches none or all: some prior is sure of a vote all the same",
    "other releases about the same people, unless the job lists their numbers as known",
];

/// `release.json`: what was promised, and the digest of every file. The kind of promise comes first.
#[derive(Debug, Serialize)]
pub(super) struct ReleaseRecord<'a> {
    schema: &'static str,
    promise: Promise,
    policy: PolicyReport,
    /// Whom the tables count; null for everybody.
    counted: Option<&'a Counted>,
    /// Numbers that go out besides the tables, as they are.
    publish: Vec<FactReport>,
    /// What the noise promises besides; null without noise.
    privacy: Option<NoiseStatement>,
    pub(super) title: &'a str,
    basis: DecisionData,
    pub(super) notes: Vec<String>,
    mechanism: Mechanism,
    spec_sha256: &'a str,
    versions: Versions,
    not_covered: [&'static str; 4],
    pub(super) files: Vec<FileRecord>,
}

#[derive(Debug, Serialize)]
struct Mechanism {
    name: &'static str,
    exact: &'static str,
    noise: &'static str,
}

#[derive(Debug, Serialize)]
struct Versions {
    disclosure: &'static str,
}

/// A margin that was asked for, and its file if it has one.
#[derive(Debug, Serialize)]
pub(super) struct FileRecord {
    /// Null when the margin is withheld.
    pub(super) name: Option<String>,
    pub(super) sha256: Option<String>,
    pub(super) bytes: u64,
    pub(super) attributes: Vec<String>,
    pub(super) treatment: Treatment,
    pub(super) exact: usize,
    pub(super) noised: usize,
    pub(super) suppressed: usize,
    pub(super) reasons: Vec<String>,
}

/// Plans, asks the attacker, draws the noise, writes.
pub(super) fn run(args: &ReleaseArgs) -> Result<(), Failure> {
    let spec = &args.job.spec;
    let job = Job::read(spec)?;
    check_columns(&job.problem.domain).map_err(|failure| failure.within(spec))?;
    let mut directory = OutputDir::create(named(&args.output)?)?;
    let mut rng = ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|error| Failure::new("E0106", error.to_string()))?;
    let published = progress::during("planning and releasing", || {
        let released = job.plan()?.release(job.table()?, &mut rng);
        released.map_err(|error| match error {
            Error::TargetMissed { .. } => missed(job.target),
            error => error.into(),
        })
    });
    let (published, _) = published.map_err(|failure| failure.within(spec))?;
    let record = write(&mut directory, &job, &published)?;
    directory.write("release.json", &json_of(&record))?;
    directory.commit()?;
    match args.job.json {
        true => print_json(&record)?,
        false => print(show_release(&record).as_bytes())?,
    }
    let output = args.output.display();
    say(&format!("Wrote {output}. release.json says what was promised, with the digest of every file."));
    Ok(())
}

pub(super) fn check_columns(domain: &Domain) -> Result<(), Failure> {
    match domain.names(domain.all()).find(|name| COLUMNS.contains(name)) {
        Some(name) => Err(Failure::new("E0215", format!("attribute {name:?} has the name of a column of the outputs"))),
        None => Ok(()),
    }
}

/// Writes the tables, and says what they are.
pub(super) fn write<'a>(
    directory: &mut OutputDir,
    job: &'a Job,
    published: &Published,
) -> Result<ReleaseRecord<'a>, Failure> {
    let all = published.margins.len();
    let margins = published.margins.iter().enumerate();
    let files = margins.map(|(number, margin)| write_margin(directory, number, all, margin));
    Ok(ReleaseRecord {
        schema: "disclosure.frechet-release/1",
        promise: Promise::of_release(job),
        policy: PolicyReport::of(job),
        counted: job.counted.as_ref(),
        publish: job.told.publish.iter().map(|fact| fact.report(&job.problem.domain)).collect(),
        privacy: published.privacy.clone(),
        title: &job.title,
        basis: published.decision_data,
        notes: published.notes.clone(),
        mechanism: Mechanism {
            name: "frechet-release",
            exact: "counts as they are, after an attacker who knows exactly these found nothing that the policy forbids",
            noise: "discrete Laplace, drawn exactly, from the operating system's generator",
        },
        spec_sha256: &job.spec_sha256,
        versions: Versions { disclosure: env!("CARGO_PKG_VERSION") },
        not_covered: NOT_COVERED,
        files: files.collect::<Result<_, _>>()?,
    })
}

fn write_margin(
    directory: &mut OutputDir,
    number: usize,
    all: usize,
    margin: &PublishedMargin,
) -> Result<FileRecord, Failure> {
    let fates = |fate| margin.cells.iter().filter(|cell| cell.status == fate).count();
    let mut record = FileRecord {
        name: None,
        sha256: None,
        bytes: 0,
        attributes: margin.attributes.clone(),
        treatment: margin.treatment,
        exact: fates(CellStatus::Exact),
        noised: fates(CellStatus::Noised),
        suppressed: fates(CellStatus::Suppressed),
        reasons: margin.reasons.clone(),
    };
    if margin.cells.is_empty() {
        return Ok(record);
    }
    let name = file_name(number, all, &margin.attributes);
    let (sha256, bytes) = write_digested(directory, &name, |out| write_csv(out, margin))?;
    (record.name, record.sha256, record.bytes) = (Some(name), Some(sha256), bytes);
    Ok(record)
}

fn write_csv(out: impl Write, margin: &PublishedMargin) -> io::Result<()> {
    let names = margin.attributes.iter().map(String::as_str);
    let mut table = CsvWriter::new(out, names.chain(COLUMNS))?;
    for cell in &margin.cells {
        let (status, reason) = match cell.status {
            CellStatus::Exact => ("exact", "counted"),
            CellStatus::Noised => ("noised", "discrete Laplace noise"),
            CellStatus::Suppressed => ("suppressed", "withheld, so that other numbers do not give a group away"),
        };
        let value = cell.value.map_or(CsvField::Real(f64::NAN), CsvField::from);
        let sd = CsvField::Real(cell.variance.map_or(f64::NAN, f64::sqrt));
        let labels = cell.labels.iter().map(|label| CsvField::Text(label));
        table.line(labels.chain([value, sd, CsvField::Text(status), CsvField::Text(reason)]))?;
    }
    Ok(())
}
