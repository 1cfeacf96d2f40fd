//! Two periods of one population: what both disclose together that neither discloses alone.

use disclosure::frechet::{DifferencingFinding, DisclosureStatus, PeriodGroup, audit_differencing};
use disclosure::privacy_core::promise::Promise;
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::documents::{ClassBounds, ClassLabels, RuleDocument, class_of};
use crate::exact::job::LoadedJob;
use crate::exact::promises;
use crate::exact::reasons::why;
use crate::exact::schemas::DiffSchema;
use crate::observer::{Observer, during};

/// The groups of every class in scope, with what both periods prove about each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiffDocument {
    /// `disclosure.frechet-diff/1`.
    pub schema: DiffSchema,
    /// The title of the first job.
    pub before: String,
    /// The title of the second.
    pub after: String,
    /// What the bounds promise.
    pub promise: Promise,
    /// When a group counts as disclosed.
    pub policy: RuleDocument,
    /// At most this many people who stayed changed their response.
    pub changed: u64,
    /// Whether nothing is disclosed by the difference.
    pub target_met: bool,
    /// Number of groups that are disclosed by the difference.
    pub by_difference: usize,
    /// Number of published numbers that differ by fewer people than the smallest group has.
    pub small_differences: usize,
    /// Number of groups for which a limit was reached.
    pub unknown: usize,
    /// The groups.
    pub groups: Vec<GroupDocument>,
}

/// A group of a class, and what both periods prove about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupDocument {
    /// The labels of the class.
    pub class: ClassLabels,
    /// Which of its people the group has.
    pub group: PeriodGroup,
    /// What is proved.
    #[serde(flatten)]
    pub found: ClassBounds,
    /// Whether both disclose it, and neither alone does.
    pub is_by_difference: bool,
    /// Whether two published numbers differ by these few people.
    pub is_small_difference: bool,
    /// Why it has its verdict, in words.
    pub why: String,
}

/// A refusal of a comparison, and which of the two jobs it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffError {
    /// Whether it is about the first job.
    pub is_before: bool,
    /// The refusal.
    pub error: JobError,
}

/// Judges two jobs about one population together; at most `changed` people who stayed changed
/// their response.
///
/// # Errors
/// E0240 for jobs with different rules; as [`LoadedJob::audit`] for each job by itself, so that
/// an error names the job that it is about.
pub fn diff(
    before: &LoadedJob,
    after: &LoadedJob,
    changed: u64,
    observer: &dyn Observer,
) -> Result<DiffDocument, DiffError> {
    during(observer, "differencing", || compare(before, after, changed))
}

fn compare(before: &LoadedJob, after: &LoadedJob, changed: u64) -> Result<DiffDocument, DiffError> {
    let of_before = |error| DiffError { is_before: true, error };
    let of_after = |error| DiffError { is_before: false, error };
    if before.rule != after.rule {
        return Err(of_after(JobError::new(
            "E0240",
            "the two jobs have different min_interval_width, rate_margin, min_frequency or classes",
        )));
    }
    before.check_classes(before.rule.scope()).map_err(of_before)?;
    let first = before.solver().map_err(of_before)?;
    let second = after.solver().map_err(of_after)?;
    let found = audit_differencing(first.knowledge(), second.knowledge(), changed, &before.rule, before.limits.clone());
    let found = found.map_err(|error| of_after(error.into()))?;
    Ok(DiffDocument {
        schema: DiffSchema::V1,
        before: before.title.clone(),
        after: after.title.clone(),
        promise: promises::of_periods(before, after, changed),
        policy: RuleDocument { target: None, ..RuleDocument::of(before) },
        changed,
        target_met: found.is_met(),
        by_difference: found.by_difference,
        small_differences: found.findings.iter().filter(|found| found.is_small_difference).count(),
        unknown: found.unknown,
        groups: found.findings.iter().map(|found| group(before, found)).collect(),
    })
}

impl DiffDocument {
    /// Whether the two disclose nothing together that neither discloses alone.
    ///
    /// # Errors
    /// E0413 when they do.
    pub fn check_target(&self) -> Result<(), JobError> {
        if self.target_met {
            return Ok(());
        }
        let words = "together with the earlier numbers, they disclose a group that neither release discloses alone";
        let next = "see the groups disclosed by the difference; publish fewer or coarser tables in the second period";
        Err(JobError::new("E0413", words).next(next))
    }
}

fn group(job: &LoadedJob, found: &DifferencingFinding) -> GroupDocument {
    let class = class_of(&found.finding, job.problem.response);
    let mut why = why(&found.finding, &job.rule);
    if found.is_by_difference && found.finding.status == DisclosureStatus::Disclosed {
        why += "; by the difference alone";
    }
    GroupDocument {
        class: ClassLabels::of(&job.problem.domain, &class),
        group: found.group,
        found: ClassBounds::of(&found.finding),
        is_by_difference: found.is_by_difference,
        is_small_difference: found.is_small_difference,
        why,
    }
}
