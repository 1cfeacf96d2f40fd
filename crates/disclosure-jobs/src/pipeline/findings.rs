//! What is found before anything is drawn: predictions, audits and attacks, with their documents.

use disclosure::frechet;
use disclosure::privacy_core::promise::PromiseKind;

use super::documents::{
    AttackDocument, AttackSchema, LinkageCounts, LinkageDocument, PolicyDocument, PosteriorFigures, TargetDocument,
};
use super::linkage::{Attacked, ExactParts, LinkageReport, attack};
use super::parts::Parts;
use super::posterior::{BesideNoise, PosteriorFindings};
use super::spec::TargetsSpec;
use super::targets::judge;
use crate::document::json_of;
use crate::error::JobError;
use crate::observer::{Observer, check_stop, during};
use crate::screening::{AttackEffort, ScreenLimits, SimulationDocument, TableDocument, TableScreening};
use crate::{exact, filter};

/// What was found before anything is drawn. For the data owner.
#[derive(Debug)]
#[non_exhaustive]
pub struct Findings {
    /// `screen.json`: the prediction for a solver.
    pub prediction: Option<TableDocument>,
    /// `audit.json`: what would follow if all exact tables were published as requested.
    pub audit: Option<exact::AuditDocument>,
    /// `plan.json`: what is done about it.
    pub plan: Option<exact::PlanDocument>,
    /// `filter-audit.json`: what became of every group.
    pub filter_audit: Option<filter::AuditDocument>,
    /// `attack.json`: the attack on labels and the linkage attack.
    pub attack: AttackDocument<SimulationDocument>,
    /// The attack on labels, in short.
    pub labels: Option<LabelFindings>,
    /// The linkage attack.
    pub linkage: LinkageReport,
    /// The attack of a reader of noisy numbers too; `None` where it was not made.
    pub posterior: Option<PosteriorFindings>,
    /// Every target with its result.
    pub targets: Vec<TargetDocument>,
}

/// Accuracies of solvers that reconstruct labels.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LabelFindings {
    /// Predicted by the model.
    pub predicted: f64,
    /// Reached by the best of all attackers and of guessing on each release, on average, with twice
    /// the standard error.
    pub attacked: f64,
    /// Reached by guessing.
    pub blind: f64,
    /// That no attacker exceeds.
    pub ceiling: f64,
    /// Number of simulated releases that were attacked.
    pub trials: u64,
}

impl Findings {
    pub(super) fn new(
        title: &str,
        parts: &Parts,
        targets: TargetsSpec,
        observer: &dyn Observer,
    ) -> Result<(Self, Option<BesideNoise>), JobError> {
        let screened = parts.screen.as_ref().map(|screen| screened(screen, observer)).transpose()?;
        let (prediction, simulation, labels) = match screened {
            Some((prediction, simulation, labels)) => (Some(prediction), Some(simulation), Some(labels)),
            None => (None, None, None),
        };
        let audit = parts.exact.as_ref().map(|exact| exact.audit(observer)).transpose()?;
        check_stop(observer)?;
        let (linkage, attacked) = linkage(parts, observer)?;
        let posterior = posterior(parts, attacked, targets.max_posterior, observer)?;
        let (posterior, beside) = posterior.unzip();
        let explained = |exact: &exact::Planned| exact.explained(exact::TrialLimits::default(), observer);
        let plan = parts.exact.as_ref().map(explained).transpose()?;
        let is_exact_target_met = plan.as_ref().is_none_or(|plan| plan.target_met);
        let targets = judge(parts, targets, is_exact_target_met, labels.as_ref(), &linkage, posterior.as_ref());
        let findings = Self {
            prediction,
            audit,
            plan,
            filter_audit: parts.filtered.as_ref().map(filter::DecidedSection::audit),
            attack: attack_document(title, &linkage, posterior.as_ref(), simulation),
            labels,
            linkage,
            posterior,
            targets,
        };
        Ok((findings, beside))
    }

    /// Whether a reader of noisy numbers has any to read.
    pub(super) fn is_noised(&self) -> bool {
        self.posterior.as_ref().is_some_and(|posterior| posterior.simulated.is_some())
    }

    /// Takes down what a reader of noisy numbers believes after the release itself.
    pub(super) fn note_released(&mut self, found: PosteriorFigures) {
        if let Some(document) = &mut self.attack.noisy_numbers {
            document.released = Some(found);
        }
    }

    /// The documents as files of `review/`, by their names.
    pub(super) fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let documents = [
            ("screen.json", self.prediction.as_ref().map(json_of)),
            ("audit.json", self.audit.as_ref().map(json_of)),
            ("plan.json", self.plan.as_ref().map(json_of)),
            ("filter-audit.json", self.filter_audit.as_ref().map(json_of)),
            ("attack.json", Some(json_of(&self.attack))),
        ];
        documents.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))).collect()
    }
}

type Screened = (TableDocument, SimulationDocument, LabelFindings);

/// Predicts what a solver reconstructs, and attacks simulated releases.
fn screened(screen: &TableScreening, observer: &dyn Observer) -> Result<Screened, JobError> {
    let screened = screen.screen(&ScreenLimits::default(), observer)?;
    check_stop(observer)?;
    let simulation = screen.attack(&screened, AttackEffort::PIPELINE, observer)?;
    check_stop(observer)?;
    let attacks = &simulation.attacks;
    let labels = LabelFindings {
        predicted: screened.document.realised.estimate.accuracy,
        attacked: attacks.judged(),
        blind: attacks.blind_accuracy.mean,
        ceiling: attacks.ceiling_accuracy.mean,
        trials: attacks.trials,
    };
    Ok((screened.document, simulation, labels))
}

fn linkage(parts: &Parts, observer: &dyn Observer) -> Result<(LinkageReport, Option<Attacked>), JobError> {
    let exact_parts = ExactParts {
        rows: &parts.rows,
        exact: parts.exact.as_ref(),
        filtered: parts.filtered.as_ref(),
        total: parts.public_total(),
    };
    let limits = limits(parts, observer);
    let found = during(observer, "attacking the planned release", || attack(exact_parts, limits));
    let found = found.map_err(|error| error.in_section("the attack on all exact numbers together"))?;
    // A small attack can be over before it looks at the flag; nothing after it would.
    check_stop(observer)?;
    Ok(found)
}

/// How much work a question of an attacker may take.
fn limits(parts: &Parts, observer: &dyn Observer) -> frechet::Limits {
    let limits = parts.exact.as_ref().map_or_else(frechet::Limits::default, exact::Planned::limits);
    frechet::Limits { stop: observer.stop_flag(), ..limits }
}

fn posterior(
    parts: &Parts,
    attacked: Option<Attacked>,
    most: Option<f64>,
    observer: &dyn Observer,
) -> Result<Option<(PosteriorFindings, BesideNoise)>, JobError> {
    let limits = limits(parts, observer);
    let attack = || super::posterior::attack(parts, attacked, most, limits);
    let found = during(observer, "attacking with noisy numbers", attack);
    let found = found.map_err(|error| error.in_section("the attack with noisy numbers"))?;
    check_stop(observer)?;
    Ok(found)
}

fn attack_document(
    title: &str,
    linkage: &LinkageReport,
    posterior: Option<&PosteriorFindings>,
    labels: Option<SimulationDocument>,
) -> AttackDocument<SimulationDocument> {
    let statement = "open: integer tables consistent with all of it have different counts for the number; pinned: \
         proved to be known so closely that it is disclosed";
    let not_used = ["noised numbers", "knowledge of the rule by which numbers were withheld, beyond what is stated"];
    AttackDocument {
        schema: AttackSchema::V1,
        title: title.to_owned(),
        for_whom: "for the owner of the data: it discloses which numbers were withheld".to_owned(),
        labels,
        exact_numbers: LinkageDocument {
            kind: PromiseKind::Guarantee,
            statement: statement.to_owned(),
            against: linkage.against(),
            not_used: not_used.map(str::to_owned).into(),
            withheld_cells: LinkageCounts::new(linkage.cells.clone()),
            withheld_groups: LinkageCounts::new(linkage.groups.clone()),
            policy: linkage.policy.as_ref().map(|policy| PolicyDocument {
                classes: policy.asked,
                exposed: policy.exposed.clone(),
                differences: policy.differences.iter().map(|difference| difference.name.clone()).collect(),
            }),
        },
        noisy_numbers: posterior.map(PosteriorFindings::document),
    }
}
