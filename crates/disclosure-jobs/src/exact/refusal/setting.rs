//! Changes of a job that a person could make, from the smallest on.

use disclosure::frechet::{DecisionData, DisclosureTarget};
use disclosure::privacy_core::AttrSet;

use super::coarser::{Coarser, coarser_bins};
use crate::exact::job::LoadedJob;

/// Most margins that are left out or replaced one by one: each takes a plan.
const MOST_MARGINS: usize = 12;

/// A change of a job, perhaps together with the weaker target.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    change: Option<Change>,
    is_target_weaker: bool,
}

/// One change.
#[derive(Clone, Debug)]
enum Change {
    /// Cells may be withheld.
    Suppression,
    /// Small categories may be pooled.
    Merging,
    /// The plan looks at other data.
    DecideOn(DecisionData),
    /// An attribute has wider bins.
    Coarser(Box<Coarser>),
    /// A margin is replaced by those over fewer attributes.
    Narrower(AttrSet),
    /// A margin is left out.
    WithoutMargin(AttrSet),
    /// A number of `[[publish]]` is left out.
    WithoutNumber(usize),
    /// These margins alone.
    OnlyMargins(Vec<AttrSet>),
}

/// Every change by itself.
pub(super) fn single_changes(job: &LoadedJob) -> Vec<Setting> {
    let alone = |change| Setting { change: Some(change), is_target_weaker: false };
    let mut all: Vec<Setting> = changes(job).into_iter().map(alone).collect();
    if job.target == DisclosureTarget::Certified {
        all.push(Setting { change: None, is_target_weaker: true });
    }
    all
}

/// Every change with the weaker target.
pub(super) fn with_weaker_target(job: &LoadedJob) -> Vec<Setting> {
    changes(job).into_iter().map(|change| Setting { change: Some(change), is_target_weaker: true }).collect()
}

fn changes(job: &LoadedJob) -> Vec<Change> {
    let mut all = Vec::new();
    if !job.means.suppression {
        all.push(Change::Suppression);
    }
    if !job.means.merging {
        all.push(Change::Merging);
    }
    all.extend(other_decision_data(job).into_iter().map(Change::DecideOn));
    all.extend(coarser_bins(job).into_iter().map(|coarser| Change::Coarser(Box::new(coarser))));
    let margins: Vec<AttrSet> = job.disclosed.margins.keys().copied().collect();
    if margins.len() <= MOST_MARGINS {
        all.extend(margins.iter().filter(|set| set.len() > 1).map(|&set| Change::Narrower(set)));
        let publishes_more = margins.len() > 1 || !job.disclosed.publish.is_empty();
        all.extend(margins.iter().filter(|_| publishes_more).map(|&set| Change::WithoutMargin(set)));
    }
    if (1..=MOST_MARGINS).contains(&job.disclosed.publish.len()) {
        all.extend((0..job.disclosed.publish.len()).map(Change::WithoutNumber));
    }
    all
}

/// Ways to decide that keep at least what they promise about the pattern first.
fn other_decision_data(job: &LoadedJob) -> Vec<DecisionData> {
    match job.means.decision_data {
        DecisionData::PublicSizes => vec![DecisionData::Robust, DecisionData::Counts],
        DecisionData::Counts => vec![DecisionData::Robust],
        DecisionData::Robust => vec![DecisionData::Counts],
        // Its pattern is drawn: nothing is planned that could be refused.
        DecisionData::Private => Vec::new(),
    }
}

impl Setting {
    pub(super) fn only_margins(sets: Vec<AttrSet>) -> Self {
        Self { change: Some(Change::OnlyMargins(sets)), is_target_weaker: false }
    }

    /// The changed job; `None` where the change makes none.
    pub(super) fn applied_to(&self, job: &LoadedJob) -> Option<LoadedJob> {
        let mut changed = match &self.change {
            Some(change) => change.applied_to(job)?,
            None => job.clone(),
        };
        if self.is_target_weaker {
            changed.target = DisclosureTarget::Undisclosed;
        }
        Some(changed)
    }

    /// The change as the job would say it.
    pub(super) fn words(&self, job: &LoadedJob) -> String {
        let target = self.is_target_weaker.then(|| "target = \"undisclosed\"".to_owned());
        let change = self.change.as_ref().map(|change| change.words(job));
        target.into_iter().chain(change).collect::<Vec<_>>().join(" and ")
    }
}

impl Change {
    fn applied_to(&self, job: &LoadedJob) -> Option<LoadedJob> {
        if let Self::Coarser(coarser) = self {
            return coarser.applied_to(job);
        }
        let mut changed = job.clone();
        let margins = &mut changed.disclosed.margins;
        match self {
            Self::Suppression => changed.means.suppression = true,
            Self::Merging => changed.means.merging = true,
            Self::DecideOn(data) => changed.means.decision_data = *data,
            Self::Narrower(set) => {
                let weight = margins.remove(set)?;
                for axis in set.iter() {
                    margins.entry(set.minus(AttrSet::single(axis))).or_insert(weight);
                }
            }
            Self::WithoutMargin(set) => {
                margins.remove(set);
            }
            Self::WithoutNumber(index) => {
                changed.disclosed.publish.remove(*index);
            }
            Self::OnlyMargins(sets) => margins.retain(|set, _| sets.contains(set)),
            Self::Coarser(_) => return None,
        }
        Some(changed)
    }

    fn words(&self, job: &LoadedJob) -> String {
        match self {
            Self::Suppression => "forbid without \"suppression\"".to_owned(),
            Self::Merging => "forbid without \"merging\"".to_owned(),
            Self::DecideOn(data) => format!("decide_on = \"{}\"", decision_word(*data)),
            Self::Coarser(coarser) => coarser.words(),
            Self::Narrower(set) => {
                let narrower: Vec<String> =
                    set.iter().map(|axis| names(job, set.minus(AttrSet::single(axis)))).collect();
                format!("margins with {} instead of {}", narrower.join(", "), names(job, *set))
            }
            Self::WithoutMargin(set) => format!("margins without {}", names(job, *set)),
            Self::WithoutNumber(index) => format!("without entry {} of [[publish]]", index + 1),
            Self::OnlyMargins(sets) => {
                let sets: Vec<String> = sets.iter().map(|&set| names(job, set)).collect();
                format!("margins = [{}]", sets.join(", "))
            }
        }
    }
}

fn decision_word(data: DecisionData) -> &'static str {
    match data {
        DecisionData::PublicSizes => "public-sizes",
        DecisionData::Counts => "counts",
        DecisionData::Robust => "robust",
        DecisionData::Private => "private",
    }
}

/// The attributes of a margin as a job writes them.
fn names(job: &LoadedJob, set: AttrSet) -> String {
    let names: Vec<String> = job.problem.domain.names(set).map(|name| format!("{name:?}")).collect();
    format!("[{}]", names.join(", "))
}
