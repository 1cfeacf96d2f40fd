//! Why a plan misses its target, and which changes of the job would meet it.
//!
//! The changes are tried: each is planned and attacked by itself, on the same counts, within a
//! time limit. Nothing here is chosen or released.

mod coarser;
mod setting;
mod trials;

use std::time::Duration;

use disclosure::frechet::{DisclosureAudit, DisclosureStatus, DisclosureTarget, Finding};
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::audit::PrimaryCellDocument;
use crate::exact::documents::{ClassLabels, ClassStatus, class_of};
use crate::exact::job::LoadedJob;
use crate::exact::plan::{PlanDocument, Planned};
use crate::exact::reasons::why;
use crate::observer::{Observer, check_stop, during};
use setting::Setting;
use trials::Trials;

pub use trials::TrialLimits;

/// Most classes that are listed.
const MOST_CLASSES: usize = 100;

/// Why a plan misses its target, and what would meet it: for the owner of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefusalDocument {
    /// Published cells, and differences of such, that violate the rule by themselves.
    pub cells: Vec<PrimaryCellDocument>,
    /// Classes that are not as the target asks, disclosed ones first; at most 100.
    pub classes: Vec<BlockingClass>,
    /// Number of such classes.
    pub blocking_classes: usize,
    /// Changes of the job, in the order in which they were tried, each with what came of it.
    pub settings: Vec<SettingDocument>,
    /// Most seconds that were spent on all of them together.
    pub seconds: u64,
}

/// A class that is not as the target asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockingClass {
    /// Its labels.
    pub class: ClassLabels,
    /// What it is instead.
    pub verdict: ClassStatus,
    /// Why, in words.
    pub why: String,
}

/// A change of a job, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingDocument {
    /// The change, in the words of the job.
    pub setting: String,
    /// What came of it.
    pub outcome: SettingOutcome,
    /// What would be published; null where that is not known.
    pub numbers: Option<PublishedNumbers>,
}

/// How many requested numbers of the margins a plan publishes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedNumbers {
    /// Exactly.
    pub exact: usize,
    /// With noise.
    pub noised: usize,
    /// Not at all.
    pub withheld: usize,
}

/// What came of a change of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SettingOutcome {
    /// The plan meets its target and publishes something.
    Passes,
    /// The plan meets its target, since it publishes no number.
    PublishesNothing,
    /// The plan misses its target, or the changed job cannot be planned.
    Misses,
    /// The time for one setting was over before the plan was made.
    OutOfTime,
    /// The time for all settings was over before.
    NotTried,
}

impl Planned {
    /// The [document](Self::document); where the target is missed, or met since nothing is
    /// published, with the reasons and the changes of the job that would meet it, which are tried
    /// for this.
    ///
    /// # Errors
    /// As [`document`](Self::document); E0108 when the observer stops it.
    pub fn explained(&self, limits: TrialLimits, observer: &dyn Observer) -> Result<PlanDocument, JobError> {
        let mut document = self.document()?;
        if !document.target_met || document.publishes_nothing() {
            document.refusal = Some(self.refusal(limits, observer)?);
        }
        Ok(document)
    }

    fn refusal(&self, limits: TrialLimits, observer: &dyn Observer) -> Result<RefusalDocument, JobError> {
        let job = &self.job;
        let audit = self.plan.audit(job.table()?)?;
        let settings = during(observer, "trying other settings", || tried_settings(job, limits, observer));
        check_stop(observer)?;
        let mut blocking: Vec<&Finding> = audit.findings.iter().filter(|own| blocks(own, job.target)).collect();
        blocking.sort_by_key(|finding| std::cmp::Reverse(finding.status == DisclosureStatus::Disclosed));
        Ok(RefusalDocument {
            cells: cells(&audit),
            classes: blocking.iter().take(MOST_CLASSES).map(|finding| BlockingClass::of(job, finding)).collect(),
            blocking_classes: blocking.len(),
            settings,
            seconds: limits.all.as_secs(),
        })
    }
}

fn cells(audit: &DisclosureAudit) -> Vec<PrimaryCellDocument> {
    audit.primary_cells.iter().map(|(name, why)| PrimaryCellDocument { name: name.clone(), why: *why }).collect()
}

fn blocks(finding: &Finding, target: DisclosureTarget) -> bool {
    match target {
        DisclosureTarget::Certified => finding.status != DisclosureStatus::Certified,
        DisclosureTarget::Undisclosed => {
            matches!(finding.status, DisclosureStatus::Disclosed | DisclosureStatus::Unknown)
        }
    }
}

impl BlockingClass {
    fn of(job: &LoadedJob, finding: &Finding) -> Self {
        let class = class_of(finding, job.problem.response);
        Self {
            class: ClassLabels::of(&job.problem.domain, &class),
            verdict: finding.status.into(),
            why: why(finding, &job.rule),
        }
    }
}

/// Tries the changes of a job, the smallest first. Where none meets the target of certified
/// classes, they are tried again with the weaker target; last, the margins are taken up one by
/// one.
fn tried_settings(job: &LoadedJob, limits: TrialLimits, observer: &dyn Observer) -> Vec<SettingDocument> {
    let mut trials = Trials::new(limits, observer);
    let mut tried = Vec::new();
    for setting in setting::single_changes(job) {
        tried.push(trials.setting(job, &setting));
    }
    if job.target == DisclosureTarget::Certified && !has_passing(&tried) {
        for setting in setting::with_weaker_target(job) {
            tried.push(trials.setting(job, &setting));
        }
    }
    if !has_passing(&tried) {
        tried.extend(one_by_one(job, &mut trials));
    }
    tried
}

fn has_passing(tried: &[SettingDocument]) -> bool {
    tried.iter().any(|tried| tried.outcome == SettingOutcome::Passes)
}

/// The margins that meet the target together when each is taken up in turn, by weight, unless it
/// misses the target with those before it.
fn one_by_one(job: &LoadedJob, trials: &mut Trials<'_>) -> Option<SettingDocument> {
    let mut margins: Vec<_> = job.disclosed.margins.iter().map(|(&set, &weight)| (set, weight)).collect();
    margins.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (mut kept, mut last) = (Vec::new(), None);
    for &(set, _) in margins.iter().filter(|_| margins.len() > 2) {
        let with = [&kept[..], &[set]].concat();
        let tried = trials.setting(job, &Setting::only_margins(with.clone()));
        match tried.outcome {
            SettingOutcome::Passes => (kept, last) = (with, Some(tried)),
            SettingOutcome::NotTried => return last.or(Some(tried)),
            _ => {}
        }
    }
    last
}

/// The default: ten seconds, of which no setting takes more than three.
impl Default for TrialLimits {
    fn default() -> Self {
        Self { all: Duration::from_secs(10), each: Duration::from_secs(3) }
    }
}
