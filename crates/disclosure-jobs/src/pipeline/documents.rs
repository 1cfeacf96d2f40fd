//! The documents of a pipeline: `manifest.json`, `release/release.json` and `review/attack.json`.
//!
//! Each derives both directions of serde. The order of the fields is the order in the file.

use std::collections::BTreeMap;

use disclosure::frechet::LinkageStatus;
use disclosure::privacy_core::promise::PromiseKind;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::budget::BudgetDocument;
use crate::document::Imprint;
use crate::persons::PersonsDocument;

/// Schema of [`Manifest`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ManifestSchema {
    /// `disclosure.run/1`
    #[default]
    #[serde(rename = "disclosure.run/1")]
    V1,
}

/// Schema of [`ReleaseStatement`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReleaseStatementSchema {
    /// `disclosure.run-release/1`
    #[default]
    #[serde(rename = "disclosure.run-release/1")]
    V1,
}

/// Schema of [`AttackDocument`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AttackSchema {
    /// `disclosure.run-attack/1`
    #[default]
    #[serde(rename = "disclosure.run-attack/1")]
    V1,
}

/// `manifest.json`: the whole release, with what was found before it. For the data owner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name and version of the format.
    pub schema: ManifestSchema,
    /// Name of the release.
    pub title: String,
    /// Who answers for it, and its date.
    #[serde(flatten)]
    pub imprint: Imprint,
    /// Version of the program that made it.
    pub version: String,
    /// SHA-256 of the job file, followed by the domain file if there is one.
    pub job_sha256: String,
    /// Every promise, each with its kind.
    pub parts: Vec<PartDocument>,
    /// The privacy budget; null if nothing is noised.
    pub budget: Option<BudgetDocument>,
    /// How many rows are not counted because a person has too many; absent where `[budget]` names
    /// no person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persons: Option<PersonsDocument>,
    /// Every target, with what was asked and what was found.
    #[serde(default)]
    pub targets: Vec<TargetDocument>,
    /// What became of every requested table.
    #[serde(default)]
    pub tables: Vec<TableDocument>,
    /// The job as it was written.
    #[serde(default)]
    pub parameters: Value,
    /// Every file except the manifest itself.
    pub files: Vec<ReleasedFile>,
}

/// `release/release.json`: accompanies the files that may leave. It contains neither predictions
/// nor attacks on what is withheld.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleaseStatement {
    /// Name and version of the format.
    pub schema: ReleaseStatementSchema,
    /// Name of the release.
    pub title: String,
    /// Who answers for it, and its date.
    #[serde(flatten)]
    pub imprint: Imprint,
    /// Every promise about files that may leave.
    pub parts: Vec<PartDocument>,
    /// The privacy budget; null if nothing is noised.
    pub budget: Option<BudgetDocument>,
    /// Version of the program that made the release.
    pub version: String,
    /// Files that may leave, by their paths below `release/`.
    pub files: Vec<ReleasedFile>,
}

/// A section of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartName {
    /// `[exact]`: counts without noise.
    Exact,
    /// `[filtered]`: groups that pass the low-count filter.
    Filtered,
    /// `[noisy]`: marginals with noise.
    Noisy,
    /// All exact numbers of all parts together.
    Together,
    /// `[screen]`: predictions about attacks on labels. No file that leaves belongs to it.
    Screen,
}

impl PartName {
    /// The name as it is written in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Filtered => "filtered",
            Self::Noisy => "noisy",
            Self::Together => "together",
            Self::Screen => "screen",
        }
    }
}

/// One promise of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartDocument {
    /// The part that makes the promise.
    pub name: PartName,
    /// How the promise is supported.
    pub kind: PromiseKind,
    /// The promise.
    pub promise: String,
    /// The attacker it holds against.
    pub against: String,
    /// Who or what is protected.
    pub unit: String,
    /// What the promise does not cover.
    #[serde(default)]
    pub not_covered: Vec<String>,
}

/// A requested table, and how much of it leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableDocument {
    /// The part that the table belongs to.
    pub part: PartName,
    /// Its attributes; none for the total.
    pub attributes: Vec<String>,
    /// What is done to it, in words.
    pub what: String,
    /// How many numbers leave, exact or with noise.
    pub numbers: f64,
    /// How many of them have noise.
    pub noised: f64,
    /// How many numbers are withheld.
    pub withheld: usize,
    /// Standard deviation of the noise, in counts; null for exact numbers, and where cells
    /// differ.
    pub sd: Option<f64>,
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleasedFile {
    /// Path below the directory of the record that names the file.
    pub path: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Whether it may leave; other files are for the data owner.
    pub may_leave: bool,
}

/// A target of a job: what was asked for, and what was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetDocument {
    /// Its name, for example `cells-pinned`.
    pub name: String,
    /// The limit, or the name of what must hold.
    pub asked: Figure,
    /// What was found.
    pub found: Figure,
    /// Whether the target is met.
    pub met: bool,
    /// How the figure that was found is supported.
    pub kind: PromiseKind,
    /// What the figure is, in words.
    pub what: String,
}

/// A figure of a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    /// A number of things.
    Count(u64),
    /// A measurement, for example a share or an error.
    Number(f64),
    /// A word.
    Word(String),
}

/// `review/attack.json`: the attacks on the release. For the data owner, since it names what is
/// withheld.
///
/// `L` is the report of the attack on labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackDocument<L> {
    /// Name and version of the format.
    pub schema: AttackSchema,
    /// Name of the release.
    #[serde(default)]
    pub title: String,
    /// Who may read the document.
    #[serde(default)]
    pub for_whom: String,
    /// The attack on the labels of `[screen]`; null without that section.
    #[serde(serialize_with = "with_sorted_keys", bound(serialize = "L: Serialize"))]
    pub labels: Option<L>,
    /// The linkage attack on all exact numbers of the release.
    pub exact_numbers: LinkageDocument,
    /// What a reader of noisy numbers too believes of withheld numbers; null where nothing is
    /// withheld, where neither noise nor a target asks for it, and where the table is too large.
    #[serde(default)]
    pub noisy_numbers: Option<PosteriorDocument>,
}

/// What a reader of exact and noisy numbers believes of the numbers that the exact part withholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PosteriorDocument {
    /// How the figures are supported.
    pub kind: PromiseKind,
    /// What the probabilities are.
    pub statement: String,
    /// The attacker.
    pub against: String,
    /// Number of withheld numbers.
    pub withheld: usize,
    /// From the exact numbers alone.
    pub exact_alone: PosteriorFigures,
    /// With simulated noise: means, and the median of the largest probability; null where nothing
    /// is noised.
    pub simulated: Option<PosteriorFigures>,
    /// Number of releases with simulated noise.
    pub simulated_releases: u64,
    /// From the numbers of this release; null where nothing is noised.
    pub released: Option<PosteriorFigures>,
}

/// How sure a reader is of withheld numbers, and how often right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PosteriorFigures {
    /// The largest probability of a count of any of them.
    pub largest: f64,
    /// Share of them whose likeliest count is the true one.
    pub guessed_right: f64,
    /// Share of them with a count of probability at least 0.95.
    pub nearly_sure: f64,
    /// Share of them with a count above the target's probability; null without a target.
    pub above_target: Option<f64>,
}

/// Version 1 of the schema has the keys of `labels` in alphabetical order.
fn with_sorted_keys<L: Serialize, S: Serializer>(labels: &Option<L>, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::to_value(labels).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

/// The linkage attack on all exact numbers that leave together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkageDocument {
    /// How the result is supported.
    #[serde(default = "guarantee")]
    pub kind: PromiseKind,
    /// What the statuses mean.
    pub statement: String,
    /// The attacker.
    pub against: String,
    /// What the attack does not use.
    #[serde(default)]
    pub not_used: Vec<String>,
    /// Cells that the exact part withholds.
    pub withheld_cells: LinkageCounts,
    /// Groups that the filtered part withholds.
    pub withheld_groups: LinkageCounts,
    /// The rule of the exact part, asked about everything exact that leaves; null where no other
    /// part adds an exact number.
    #[serde(default)]
    pub policy: Option<PolicyDocument>,
}

/// What all parts together say about the rule of the exact part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PolicyDocument {
    /// How many classes were asked about.
    pub classes: usize,
    /// Classes that are disclosed, or not decided within the limits.
    pub exposed: Vec<LinkageFinding>,
    /// Differences of published numbers that the rule would not let out: `one less another`, by
    /// labels.
    pub differences: Vec<String>,
}

fn guarantee() -> PromiseKind {
    PromiseKind::Guarantee
}

/// What the linkage attack found about one kind of withheld number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkageCounts {
    /// How many remain open.
    #[serde(default)]
    pub open: usize,
    /// How many are determined to within what discloses.
    #[serde(default)]
    pub pinned: usize,
    /// How many were not decided within the limits.
    #[serde(default)]
    pub unknown: usize,
    /// Each withheld number.
    pub each: Vec<LinkageFinding>,
}

/// A withheld number, and what the linkage attack found out about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkageFinding {
    /// Attributes and labels.
    #[serde(rename = "of")]
    pub labels: BTreeMap<String, String>,
    /// Whether the number is known to within the width that discloses.
    #[serde(rename = "verdict")]
    pub status: LinkageStatus,
    /// The largest less the least count that fits; null where nothing bounds it.
    pub width: Option<u64>,
}

impl LinkageFinding {
    /// Whether the number counts against a target: it is determined, or it was not decided.
    #[must_use]
    pub fn is_exposed(&self) -> bool {
        self.status != LinkageStatus::Open
    }
}

impl LinkageCounts {
    /// Counts findings by their status.
    #[must_use]
    pub fn new(each: Vec<LinkageFinding>) -> Self {
        let mut counts = Self::default();
        for finding in &each {
            match finding.status {
                LinkageStatus::Open => counts.open += 1,
                LinkageStatus::Pinned => counts.pinned += 1,
                LinkageStatus::Unknown => counts.unknown += 1,
            }
        }
        Self { each, ..counts }
    }
}
