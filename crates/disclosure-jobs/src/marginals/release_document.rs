//! `release.json`: what was promised, what it cost, and the digest of every file.

use disclosure::privacy_core::promise::{Promise, PromiseKind};
use disclosure::privacy_core::stop::StopFlag;
use disclosure::resplan::PostProcessing;
use privacy_data::TableFormat;
use serde::{Deserialize, Serialize};

use super::answers::Answers;
use super::plan_document::{INTERVAL_LEVEL, PlanDocument, PlanSchema};
use crate::budget::EpsilonAtDelta;
use crate::document::{FileDigest, Imprint};
use crate::error::JobError;
use crate::sink::Sink;

/// What the promise leaves open.
pub const NOT_COVERED: [&str; 3] = [
    "sampling error and errors in the data: intervals account only for the noise",
    "other releases from the same data, unless a ledger counts them",
    "what is true of the group to which a person belongs, with or without that person's row",
];

/// The format of [`ReleaseDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReleaseSchema {
    /// The first version.
    #[serde(rename = "disclosure.release/1")]
    V1,
}

/// A release: its promise, its cost, and its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReleaseDocument {
    /// The format of this document.
    pub schema: ReleaseSchema,
    /// What is promised.
    pub promise: Promise,
    /// What the intervals of the tables mean.
    pub intervals: Intervals,
    /// What was spent.
    pub cost: ReleaseCost,
    /// The title of the job.
    pub title: String,
    /// Who answers for it, and its date.
    #[serde(flatten)]
    pub imprint: Imprint,
    /// How the numbers were made.
    pub mechanism: Mechanism,
    /// SHA-256 of the spec, its domain file and the files of its bases.
    pub spec_sha256: String,
    /// Hash of the ledger's line that was charged; null without a ledger.
    pub ledger_hash: Option<String>,
    /// Versions of the program and of `plan.json`.
    pub versions: Versions,
    /// What the promise leaves open.
    pub not_covered: Vec<String>,
    /// Every other file of the release.
    pub files: Vec<TableFile>,
}

/// The cost of a release, never below what it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleaseCost {
    /// Privacy cost: twice rho.
    pub pcost: f64,
    /// Rho of zCDP.
    pub rho: f64,
    /// The cost in epsilon.
    pub epsilon_at_delta: Vec<EpsilonAtDelta>,
    /// Mu of Gaussian differential privacy; absent where none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mu: Option<f64>,
    /// The direction in which these numbers are rounded.
    pub rounded: String,
}

/// What the intervals of a table mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// A calibration: a statement about the noise, not about privacy.
    pub kind: PromiseKind,
    /// The share of releases in which an interval holds the exact answer.
    pub level: f64,
    /// The same as a sentence.
    pub meaning: String,
}

/// How the numbers of a release were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mechanism {
    /// The mechanism.
    pub name: String,
    /// The noise.
    pub noise: String,
    /// What was made small.
    pub objective: String,
    /// The strategy that was asked for.
    pub strategy: String,
    /// What kind of estimates the numbers are.
    pub estimates: String,
}

/// Versions of the program and of its documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Versions {
    /// The version of the program.
    pub disclosure: String,
    /// The format of `plan.json`.
    pub plan_schema: PlanSchema,
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableFile {
    /// Its name, digest and size.
    #[serde(flatten)]
    pub file: FileDigest,
    /// The attributes of a table; absent for other files, as are the fields below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attributes: Option<Vec<String>>,
    /// How many answers a table has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<usize>,
    /// What kind of estimates its numbers are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<String>,
    /// The largest standard deviation of an unbiased table, in counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
}

impl Intervals {
    pub(super) fn of_noise() -> Self {
        Self {
            kind: PromiseKind::Calibration,
            level: INTERVAL_LEVEL,
            meaning:
                "covers the exact answer in at least this share of releases, for each answer separately; accounts \
                      for the noise alone"
                    .to_owned(),
        }
    }
}

impl TableFile {
    /// A file that is not a table.
    pub(crate) fn of(file: FileDigest) -> Self {
        Self { file, attributes: None, answers: None, estimate: None, sd: None }
    }
}

impl ReleaseDocument {
    pub(super) fn new(
        plan: &PlanDocument,
        imprint: Imprint,
        spec_sha256: String,
        ledger_hash: Option<String>,
        files: Vec<TableFile>,
    ) -> Self {
        Self {
            schema: ReleaseSchema::V1,
            promise: plan.promise.clone(),
            intervals: Intervals::of_noise(),
            cost: ReleaseCost {
                pcost: plan.pcost,
                rho: plan.rho,
                epsilon_at_delta: plan.epsilon_at_delta.clone(),
                mu: plan.mu,
                rounded: "up: the release never costs more than this".to_owned(),
            },
            title: plan.title.clone(),
            imprint,
            mechanism: Mechanism::new(plan),
            spec_sha256,
            ledger_hash,
            versions: Versions { disclosure: env!("CARGO_PKG_VERSION").to_owned(), plan_schema: plan.schema },
            not_covered: NOT_COVERED.map(str::to_owned).to_vec(),
            files,
        }
    }
}

impl Mechanism {
    fn new(plan: &PlanDocument) -> Self {
        Self {
            name: "resplan".to_owned(),
            noise: "discrete Gaussian, drawn exactly from a cryptographic generator".to_owned(),
            objective: plan.objective.clone(),
            strategy: plan.strategy.clone(),
            estimates: "unbiased; all tables add up to each other; values may be negative or fractional".to_owned(),
        }
    }
}

/// Writes one marginal: a line for each answer, with its error.
pub(super) fn write_answers(
    sink: &mut dyn Sink,
    name: String,
    answers: &Answers<'_>,
    format: TableFormat,
    stop: &StopFlag,
) -> Result<TableFile, JobError> {
    let file = sink.write_with(&name, &mut |out| answers.write(format, out, stop))?;
    Ok(TableFile {
        file,
        attributes: Some(answers.attributes()),
        answers: Some(answers.len()),
        estimate: Some(PostProcessing::Unbiased.to_string()),
        sd: Some(answers.largest_sd()),
    })
}
