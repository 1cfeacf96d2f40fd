//! The fields of review documents that a page shows.
//!
//! Other fields are ignored and missing ones default, so that a page can also be made of documents
//! that another version wrote.

use std::collections::BTreeMap;

use disclosure::core::promise::{Promise, PromiseKind};
use serde::Deserialize;

use crate::document::FileDigest;
use crate::pipeline::EpsilonAtDelta;

/// The audit of exact tables: `disclosure.frechet-audit/1`.
#[derive(Clone, Debug, Deserialize)]
pub struct ExactAudit {
    /// The disclosure rule.
    #[serde(default)]
    pub policy: AuditRule,
    /// Number of classes by their status.
    #[serde(flatten)]
    pub counts: StatusCounts,
    /// The classes.
    #[serde(default)]
    pub classes: Vec<AuditedClass>,
}

/// Number of classes by their status; `None` where the document does not say.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct StatusCounts {
    /// Classes whose rates stay possible in every table that fits.
    pub certified: Option<u64>,
    /// Classes that are neither certified nor disclosed.
    pub ambiguous: Option<u64>,
    /// Classes that are disclosed.
    pub disclosed: Option<u64>,
    /// Classes that were not decided within the limits.
    pub unknown: Option<u64>,
    /// Classes that are known to have no members.
    pub empty: Option<u64>,
}

/// The part of a disclosure rule that is drawn.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct AuditRule {
    /// Least distance of a posterior rate from 0 and 1; `None` without rates.
    pub beta: Option<f64>,
}

/// A class, and what is proved about it.
#[derive(Clone, Debug, Deserialize)]
pub struct AuditedClass {
    /// Attributes and labels.
    pub class: BTreeMap<String, String>,
    /// Least count that fits.
    pub lower: f64,
    /// Largest count that fits.
    pub upper: f64,
    /// Least and largest rate that fit; `None` where sizes are not public.
    #[serde(default)]
    pub posterior: Option<[f64; 2]>,
    /// The status of the class.
    pub verdict: ClassStatus,
    /// The reason for it.
    #[serde(default)]
    pub why: String,
}

/// The status of a class, from the worst to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassStatus {
    /// Known to within what discloses.
    Disclosed,
    /// Not decided within the limits.
    Unknown,
    /// Neither disclosed nor certified.
    Ambiguous,
    /// Every rate stays possible.
    Certified,
    /// Known to have no members.
    Empty,
}

impl ClassStatus {
    /// The word in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Disclosed => "disclosed",
            Self::Unknown => "unknown",
            Self::Ambiguous => "ambiguous",
            Self::Certified => "certified",
            Self::Empty => "empty",
        }
    }
}

/// A prediction of what a solver reconstructs: `disclosure.screen/1`, `disclosure.screen-table/1`.
#[derive(Clone, Debug, Deserialize)]
pub struct Prediction {
    /// The estimate for a model of the table.
    pub estimate: Accuracies,
    /// The estimate for the table itself.
    #[serde(default)]
    pub realised: Option<Realised>,
}

/// The prediction for an actual table.
#[derive(Clone, Debug, Deserialize)]
pub struct Realised {
    /// The estimate.
    pub estimate: Accuracies,
}

/// Accuracies of a solver.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Accuracies {
    /// Of always guessing the most frequent class.
    pub floor: f64,
    /// That the solver is expected to reach.
    pub accuracy: f64,
    /// That no solver exceeds.
    pub ceiling: f64,
}

/// An attack on labels: `disclosure.screen-simulate/1`.
#[derive(Clone, Debug, Deserialize)]
pub struct LabelAttack {
    /// Accuracy of guessing without the release.
    pub blind_accuracy: Mean,
    /// Accuracy that no attacker exceeds.
    pub ceiling_accuracy: Mean,
    /// The attackers.
    #[serde(default)]
    pub attackers: Vec<Attacker>,
}

/// An attacker on labels.
#[derive(Clone, Debug, Deserialize)]
pub struct Attacker {
    /// What the attacker uses, for example `with-suppressed`.
    pub evidence: String,
    /// The accuracy that was reached.
    pub accuracy: Mean,
}

/// A mean over trials.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Its standard error; `None` for a single trial.
    pub standard_error: Option<f64>,
}

/// The audit of a low-count filter: `disclosure.lcf-audit/1`.
#[derive(Clone, Debug, Deserialize)]
pub struct FilterAudit {
    /// The columns that identify entities, with their laws.
    #[serde(default)]
    pub aid: Vec<FilterColumn>,
    /// The groups.
    #[serde(default)]
    pub groups: Vec<FilteredGroup>,
}

/// A column of entity identifiers.
#[derive(Clone, Debug, Deserialize)]
pub struct FilterColumn {
    /// Kind of the entities.
    pub kind: String,
    /// Least number of entities that is always shown.
    pub certain: u64,
    /// Law of the threshold.
    pub law: FilterLaw,
}

/// The law of a threshold, as far as a page draws it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "law", rename_all = "kebab-case")]
pub enum FilterLaw {
    /// A normal threshold, clamped on both sides.
    ClampedNormal {
        /// Mean, in entities.
        mean: f64,
        /// Standard deviation, in entities.
        sd: f64,
        /// Largest number of entities that is never shown.
        always_suppress_upper_bound: f64,
    },
    /// Another law.
    #[serde(other)]
    Other,
}

/// A group of a filter, and what became of it.
#[derive(Clone, Debug, Deserialize)]
pub struct FilteredGroup {
    /// Columns and labels.
    pub group: BTreeMap<String, String>,
    /// Whether it is shown.
    pub reported: bool,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// The range that its number of entities lies in.
    #[serde(default)]
    pub entities: String,
}

/// The record of exact tables: `disclosure.frechet-release/1`.
#[derive(Clone, Debug, Deserialize)]
pub struct ExactRelease {
    /// Name of the release.
    pub title: String,
    /// What is promised about the exact numbers.
    pub promise: Promise,
    /// The disclosure rule.
    pub policy: ExactRule,
    /// Whom the tables count; `None` for everybody.
    #[serde(default)]
    pub counted: Option<Counted>,
    /// Numbers that are published besides the tables.
    pub publish: Vec<PublishedFact>,
    /// The promise of the noise, if there is any.
    pub privacy: Option<NoisePromise>,
    /// What the plan was decided on.
    pub basis: String,
    /// Remarks of the planner.
    pub notes: Vec<String>,
    /// What the promise does not cover.
    pub not_covered: Vec<String>,
    /// Versions of the programs.
    pub versions: Versions,
    /// The tables.
    pub files: Vec<ExactFile>,
}

/// Whom tables count.
#[derive(Clone, Debug, Deserialize)]
pub struct Counted {
    /// The column of responses.
    pub column: String,
    /// The response; `None` if the tables have all.
    pub value: Option<String>,
}

/// A disclosure rule.
#[derive(Clone, Debug, Deserialize)]
pub struct ExactRule {
    /// A count known to within this discloses.
    pub tau: u64,
    /// Least distance of a rate from 0 and 1.
    pub beta: Option<f64>,
    /// The smallest group.
    pub kappa: u64,
    /// The classes in scope.
    pub classes: String,
    /// What must hold.
    pub target: Option<String>,
}

/// A number that is published besides the tables.
#[derive(Clone, Debug, Deserialize)]
pub struct PublishedFact {
    /// Its name.
    pub name: String,
    /// Whom it counts: attributes and labels.
    #[serde(rename = "where", default)]
    pub region: BTreeMap<String, Vec<String>>,
    /// Lower end.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

/// The promise of noise.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct NoisePromise {
    /// Epsilon of differential privacy.
    pub epsilon: f64,
}

/// Versions of the programs that made a release.
#[derive(Clone, Debug, Deserialize)]
pub struct Versions {
    /// Version of the command.
    pub disclosure: String,
}

/// A table of a release, and its file if it has one.
#[derive(Clone, Debug, Deserialize)]
pub struct ExactFile {
    /// File name; `None` if the table is withheld.
    pub name: Option<String>,
    /// SHA-256 of the file.
    pub sha256: Option<String>,
    /// Length of the file.
    pub bytes: u64,
    /// Attributes of the table.
    pub attributes: Vec<String>,
    /// What was done to it.
    pub treatment: String,
    /// Number of exact cells.
    pub exact: usize,
    /// Number of cells with noise.
    pub noised: usize,
    /// Number of suppressed cells.
    pub suppressed: usize,
    /// Why.
    pub reasons: Vec<String>,
}

/// The record of marginals with noise: `disclosure.release/1`.
#[derive(Clone, Debug, Deserialize)]
pub struct MarginalsRelease {
    /// Name of the release.
    pub title: String,
    /// What is promised.
    pub promise: Promise,
    /// What the intervals mean.
    pub intervals: IntervalTerms,
    /// What was spent.
    pub cost: MarginalsCost,
    /// How the numbers were made.
    pub mechanism: Mechanism,
    /// Hash of the ledger's line.
    pub ledger_hash: Option<String>,
    /// What the promise does not cover.
    pub not_covered: Vec<String>,
    /// Versions of the programs.
    pub versions: Versions,
    /// The files.
    pub files: Vec<MarginalFile>,
}

/// What intervals mean.
#[derive(Clone, Debug, Deserialize)]
pub struct IntervalTerms {
    /// The kind of statement.
    pub kind: PromiseKind,
    /// The share of releases in which an interval holds the exact answer.
    pub level: f64,
    /// That, in words.
    pub meaning: String,
}

/// What marginals cost.
#[derive(Clone, Debug, Deserialize)]
pub struct MarginalsCost {
    /// Rho of zCDP.
    pub rho: f64,
    /// Twice rho.
    pub pcost: f64,
    /// The cost in epsilon.
    pub epsilon_at_delta: Vec<EpsilonAtDelta>,
}

/// How the numbers of a release were made.
#[derive(Clone, Debug, Deserialize)]
pub struct Mechanism {
    /// The noise.
    pub noise: String,
    /// What was made small.
    pub objective: String,
    /// What kind of estimates the numbers are.
    pub estimates: String,
}

/// A file of marginals.
#[derive(Clone, Debug, Deserialize)]
pub struct MarginalFile {
    /// Its name, digest and size.
    #[serde(flatten)]
    pub file: FileDigest,
    /// The attributes of a table.
    pub attributes: Option<Vec<String>>,
    /// How many answers a table has.
    pub answers: Option<f64>,
    /// The largest standard deviation of an unbiased table.
    pub sd: Option<f64>,
}

/// The plan of marginals.
#[derive(Clone, Debug, Deserialize)]
pub struct MarginalsPlan {
    /// Root of the mean variance over all answers.
    pub rmse: f64,
    /// The marginals.
    pub marginals: Vec<PlannedMarginal>,
}

/// A marginal of a plan.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct PlannedMarginal {
    /// Half width of the 95 % interval of one answer.
    pub ci95_half_width: f64,
    /// The same for all answers at once.
    pub ci95_simultaneous_half_width: f64,
}
