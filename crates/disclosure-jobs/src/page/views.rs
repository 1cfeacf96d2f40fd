//! The fields of review documents that a page shows.
//!
//! Other fields are ignored and missing ones default, so that a page can also be made of
//! documents that another version wrote.

use std::collections::BTreeMap;

use disclosure::lcf::MembershipPosterior;
use serde::Deserialize;

use crate::exact::ClassStatus;

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

/// A prediction of what a solver reconstructs: `disclosure.screen/1`,
/// `disclosure.screen-table/1`.
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
    /// The best of all attackers and of guessing, release by release.
    #[serde(default)]
    pub strongest: Option<Strongest>,
    /// The attackers.
    #[serde(default)]
    pub attackers: Vec<Attacker>,
}

/// The best of all attackers and of guessing.
#[derive(Clone, Debug, Deserialize)]
pub struct Strongest {
    /// The accuracy that was reached: what a target is compared with.
    pub accuracy: Mean,
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
    /// What a decision reveals about one entity, for the group sizes that a draw decides about.
    #[serde(default)]
    pub one_more: Vec<MembershipPosterior>,
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
