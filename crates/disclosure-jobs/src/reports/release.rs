//! Randomised answers as one release: reports, their counts, what they say, and a record.

use disclosure::privacy_core::accounting::Neighbours;
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use super::aggregate::Counting;
use super::encode::ReadyReports;
use super::estimate::{EstimateDocument, EstimateOptions, estimate};
use super::nullable;
use super::rounds::Rounds;
use super::spec::Job;
use crate::document::{FileDigest, Imprint, json_of};
use crate::error::JobError;
use crate::figures::short_up;
use crate::input::DataSource;
use crate::observer::{Observer, check_stop};
use crate::sink::Sink;

/// Most bytes of reports, and of their counts, that are held at once.
const MOST_BYTES: u64 = 1 << 30;

/// The schema of [`ReportsReleaseDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReportsReleaseSchema {
    /// `disclosure.ldp-release/1`.
    #[serde(rename = "disclosure.ldp-release/1")]
    V1,
}

/// A release of randomised answers: its promise and its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReportsReleaseDocument {
    /// `disclosure.ldp-release/1`.
    pub schema: ReportsReleaseSchema,
    /// What is promised to each person.
    pub promise: Promise,
    /// What the numbers are, in plain sentences.
    pub statements: Vec<String>,
    /// The title of the release.
    pub title: String,
    /// Who answers for it, and its date.
    #[serde(flatten)]
    pub imprint: Imprint,
    /// Epsilon of one report; `null` where it is infinite.
    #[serde(with = "nullable::infinite")]
    pub epsilon_per_report: f64,
    /// How many reports there are.
    pub reports: u64,
    /// What is reported, in the order of the schema.
    pub features: Vec<String>,
    /// Digest of the schema, 64 lower-case hexadecimal digits.
    pub schema_sha256: String,
    /// The version of the program.
    pub version: String,
    /// What the promise leaves open.
    pub not_covered: Vec<String>,
    /// Every other file of the release.
    pub files: Vec<FileDigest>,
}

const NOT_COVERED: [&str; 3] = [
    "other reports about the same people, whose epsilons add up",
    "what is true of the group to which a person belongs, with or without that person's answers",
    "the data from which the answers were randomised here: anyone who holds them knows the answers",
];

/// Randomises every row once, counts the reports, estimates, writes all of it and commits.
///
/// Nothing but the reports is drawn: counts and estimates are functions of them.
///
/// # Guarantee
/// [`epsilon_per_report`](ReportsReleaseDocument::epsilon_per_report)-local differential privacy.
/// Neighbours: one row replaced by another. Unit: all answers in one row, for one release.
///
/// # Errors
/// E0270 for a schema with permanent stages, which a release of its own does not keep; E0712 for
/// reports of more than 1 GiB; those of data that cannot be read or do not fit the schema, of
/// estimates that cannot be made, and of the sink; E0108.
pub fn release(
    job: &Job,
    title: &str,
    imprint: Imprint,
    source: &dyn DataSource,
    sink: &mut dyn Sink,
    observer: &dyn Observer,
    rng: &mut dyn CryptoRng,
) -> Result<ReportsReleaseDocument, JobError> {
    let ready = job.plan(source, &Rounds::Unstated, observer)?.draw_permanent(rng)?;
    let encoded = ready.document();
    let bytes = reports_of(ready, observer, rng)?;
    let mut counting = Counting::new(job, MOST_BYTES as f64, observer)?;
    counting.add_reports(&mut &bytes[..])?;
    let state = counting.finish()?;
    let estimates: EstimateDocument = estimate(job, &state, &EstimateOptions::default(), observer)?;
    let files = vec![
        sink.write("reports.bin", &bytes)?,
        sink.write("state.bin", &state.to_bytes())?,
        sink.write("estimates.json", &json_of(&estimates))?,
    ];
    let document = ReportsReleaseDocument {
        schema: ReportsReleaseSchema::V1,
        promise: promise(encoded.epsilon_per_report),
        statements: statements(),
        title: title.to_owned(),
        imprint,
        epsilon_per_report: encoded.epsilon_per_report,
        reports: encoded.reports,
        features: job.schema().features().iter().map(|feature| feature.attribute().name().to_owned()).collect(),
        schema_sha256: encoded.schema_sha256,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        not_covered: NOT_COVERED.map(str::to_owned).to_vec(),
        files,
    };
    sink.write("release.json", &json_of(&document))?;
    sink.commit()?;
    Ok(document)
}

/// The reports as bytes.
fn reports_of(ready: ReadyReports, observer: &dyn Observer, rng: &mut dyn CryptoRng) -> Result<Vec<u8>, JobError> {
    let document = ready.document();
    let size = document.reports.saturating_mul(document.report_bytes as u64);
    if size > MOST_BYTES {
        let error = JobError::new("E0712", "the reports of this release take more than 1 GiB");
        return Err(error.next("report fewer columns, or use `disclosure ldp encode`, which writes as it draws"));
    }
    let mut bytes = Vec::new();
    let written = ready.release(&mut bytes, observer, rng);
    written.or_else(|error| check_stop(observer).and(Err(JobError::new("E0107", error.to_string()))))?;
    Ok(bytes)
}

fn promise(epsilon: f64) -> Promise {
    let guarantee = format!("local differential privacy with epsilon {} for each report", short_up(epsilon));
    Promise::new(PromiseKind::Guarantee, guarantee)
        .with_neighbours(Neighbours::Replace)
        .with_unit("all answers in one row of the data")
        .with_attacker("anyone who sees the reports, the collector among them, whatever else they know")
}

fn statements() -> Vec<String> {
    vec![
        "Every answer was randomised separately before it was counted; the reports are in reports.bin.".to_owned(),
        "The estimates are computed from the reports alone, at no further privacy cost; anyone can compute others."
            .to_owned(),
        "Estimates are unbiased: a count may be negative, or larger than the number of reports.".to_owned(),
    ]
}
