//! The files of a release: one CSV a marginal, the plan, and the record of it all.

use std::io::{self, Write};

use disclosure::core::Domain;
use disclosure::resplan::PostProcessing;
use privacy_data::OutputDir;
use serde::Serialize;

use super::budget::EpsilonAtDelta;
use super::job::Job;
use super::report::{PlanReport, Promise};
use super::table::{Answers, LEVEL};
use crate::error::Failure;
use crate::files::write_digested;

/// What the promise leaves open.
pub(super) const NOT_COVERED: [&str; 3] = [
    "sampling error and errors in the data: intervals are for the noise alone",
    "other releases from the same data, unless a ledger counts them",
    "what is true of the group a person belongs to, with or without that person's row",
];

/// `release.json`: what was promised, what it cost, and the digest of every file. The kind of promise comes first.
#[derive(Debug, Serialize)]
pub(super) struct ReleaseRecord {
    pub(super) schema: &'static str,
    pub(super) promise: Promise,
    pub(super) intervals: Intervals,
    pub(super) cost: Cost,
    pub(super) title: String,
    pub(super) mechanism: Mechanism,
    pub(super) spec_sha256: String,
    pub(super) ledger_hash: Option<String>,
    pub(super) versions: Versions,
    pub(super) not_covered: [&'static str; 3],
    pub(super) files: Vec<FileRecord>,
}

#[derive(Debug, Serialize)]
pub(super) struct Cost {
    pub(super) pcost: f64,
    pub(super) rho: f64,
    pub(super) epsilon_at_delta: Vec<EpsilonAtDelta>,
    pub(super) rounded: &'static str,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Intervals {
    pub(super) kind: &'static str,
    pub(super) level: f64,
    pub(super) meaning: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Mechanism {
    pub(super) name: &'static str,
    pub(super) noise: &'static str,
    pub(super) objective: String,
    pub(super) strategy: String,
    pub(super) estimates: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Versions {
    pub(super) disclosure: &'static str,
    pub(super) plan_schema: &'static str,
}

/// A file of the release.
#[derive(Debug, Serialize)]
pub(super) struct FileRecord {
    pub(super) name: String,
    pub(super) sha256: String,
    pub(super) bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) attributes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answers: Option<usize>,
    /// What its numbers are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) estimate: Option<String>,
    /// The largest standard deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sd: Option<f64>,
}

impl Intervals {
    pub(super) fn of_noise() -> Self {
        Self {
            kind: "calibration",
            level: LEVEL,
            meaning: "holds the exact answer in at least this share of releases, each answer by itself; from the noise alone",
        }
    }
}

impl ReleaseRecord {
    pub(super) fn of(report: &PlanReport, job: &Job, ledger_hash: Option<String>, files: Vec<FileRecord>) -> Self {
        Self {
            schema: "disclosure.release/1",
            promise: report.promise.clone(),
            intervals: Intervals::of_noise(),
            cost: Cost {
                pcost: report.pcost,
                rho: report.rho,
                epsilon_at_delta: report.epsilon_at_delta.clone(),
                rounded: "up: the release never costs more than this",
            },
            title: report.title.clone(),
            mechanism: Mechanism {
                name: "resplan",
                noise: "discrete Gaussian, drawn exactly, from the operating system's generator",
                objective: report.objective.clone(),
                strategy: report.strategy.clone(),
                estimates: "unbiased; all tables add up to each other; values may be negative or fractional",
            },
            spec_sha256: job.spec_sha256.clone(),
            ledger_hash,
            versions: Versions { disclosure: env!("CARGO_PKG_VERSION"), plan_schema: report.schema },
            not_covered: NOT_COVERED,
            files,
        }
    }
}

/// Writes one marginal: a line an answer, with its error.
pub(super) fn write_marginal(
    directory: &mut OutputDir,
    domain: &Domain,
    answers: &Answers<'_>,
    name: String,
) -> Result<FileRecord, Failure> {
    let mut record = write_file(directory, name, |out| answers.write_csv(out))?;
    record.attributes = Some(domain.names(answers.attributes()).map(str::to_owned).collect());
    record.answers = Some(answers.len());
    record.estimate = Some(PostProcessing::Unbiased.to_string());
    record.sd = Some(answers.largest_sd());
    Ok(record)
}

/// Writes one file piece by piece, and takes its digest on the way.
pub(super) fn write_file(
    directory: &mut OutputDir,
    name: String,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<FileRecord, Failure> {
    let (sha256, bytes) = write_digested(directory, &name, write)?;
    Ok(FileRecord { name, sha256, bytes, attributes: None, answers: None, estimate: None, sd: None })
}
