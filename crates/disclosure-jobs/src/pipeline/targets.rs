//! What must hold before anything leaves, each with what was found.

use disclosure::frechet::DisclosureTarget;
use disclosure::privacy_core::promise::PromiseKind;

use super::documents::{Figure, LinkageFinding, TargetDocument};
use super::findings::LabelFindings;
use super::linkage::{LinkageReport, PolicyTogether, exposed};
use super::parts::Parts;
use super::posterior::PosteriorFindings;
use super::spec::TargetsSpec;
use crate::error::JobError;

const MAX_POSTERIOR: &str = "max-posterior";

/// Judges every target of a job.
pub(super) fn judge(
    parts: &Parts,
    targets: TargetsSpec,
    is_exact_target_met: bool,
    labels: Option<&LabelFindings>,
    linkage: &LinkageReport,
    posterior: Option<&PosteriorFindings>,
) -> Vec<TargetDocument> {
    let mut judged = Vec::new();
    let accuracy = parts.screen.as_ref().and_then(|screen| screen.target_accuracy());
    if let (Some(limit), Some(labels)) = (accuracy, labels) {
        judged.extend(label_targets(limit, labels));
    }
    if let Some(exact) = &parts.exact {
        judged.push(exact_target(target_word(exact.target()), is_exact_target_met));
        let what = format!("of {} numbers that the exact tables withhold", linkage.cells.len());
        judged.push(counted("cells-pinned", targets.max_pinned_cells, &linkage.cells, what));
    }
    if let Some(limit) = targets.max_posterior {
        judged.push(posterior_target(limit, posterior));
    }
    if let Some(policy) = &linkage.policy {
        judged.push(policy_target(policy));
    }
    if parts.filtered.is_some() {
        let what = format!("of {} groups that the filter withholds", linkage.groups.len());
        judged.push(counted("groups-pinned", targets.max_pinned_groups, &linkage.groups, what));
    }
    if let (Some(limit), Some(noisy)) = (targets.max_rmse, &parts.noisy) {
        let what = "error of the noisy tables, in counts";
        judged.push(at_most("noisy-rmse", limit, noisy.rmse(), PromiseKind::Calibration, what));
    }
    judged
}

fn label_targets(limit: f64, labels: &LabelFindings) -> [TargetDocument; 2] {
    let predicted = "proportion of the labels that a solver is expected to get right";
    let attacked = "proportion of the labels that the best attack got right, plus twice its standard error";
    [
        at_most("label-accuracy-predicted", limit, labels.predicted, PromiseKind::Proxy, predicted),
        at_most("label-accuracy-attacked", limit, labels.attacked, PromiseKind::Measured, attacked),
    ]
}

fn exact_target(asked: &str, met: bool) -> TargetDocument {
    TargetDocument {
        name: "exact-policy".to_owned(),
        asked: Figure::Word(asked.to_owned()),
        found: Figure::Word(if met { asked } else { "missed" }.to_owned()),
        met,
        kind: PromiseKind::Guarantee,
        what: "what the exact tables disclose about every class".to_owned(),
    }
}

/// The rule of the exact part, asked about everything exact that leaves.
fn policy_target(policy: &PolicyTogether) -> TargetDocument {
    let found = policy.violations();
    TargetDocument {
        name: "policy-together".to_owned(),
        asked: Figure::Count(0),
        found: Figure::Count(found),
        met: found == 0,
        kind: PromiseKind::Guarantee,
        what: format!("of {} classes and differences: disclosed by all parts together", policy.asked),
    }
}

/// What a reader of noisy numbers too believes, as far as it is known before the noise is drawn.
fn posterior_target(limit: f64, posterior: Option<&PosteriorFindings>) -> TargetDocument {
    let found = posterior.map_or(0.0, PosteriorFindings::expected);
    let kind = posterior.map_or(PromiseKind::Calibration, PosteriorFindings::kind);
    let simulated = match posterior {
        Some(posterior) if posterior.simulated.is_some() => "; median of releases with simulated noise",
        _ => "",
    };
    let what = format!(
        "largest probability of a count that the exact tables withhold, for a reader of the noisy numbers{simulated}"
    );
    at_most(MAX_POSTERIOR, limit, found, kind, &what)
}

/// Refuses a release whose noise makes a reader surer than allowed.
pub(super) fn require_posterior(found: f64, limit: Option<f64>) -> Result<(), JobError> {
    if limit.is_none_or(|limit| found <= limit) {
        return Ok(());
    }
    let message =
        format!("a target is missed: {MAX_POSTERIOR}, with the noise drawn for this release; nothing was written");
    Err(JobError::new("E0421", message))
}

fn target_word(target: DisclosureTarget) -> &'static str {
    match target {
        DisclosureTarget::Certified => "certified",
        DisclosureTarget::Undisclosed => "undisclosed",
    }
}

fn at_most(name: &str, limit: f64, found: f64, kind: PromiseKind, what: &str) -> TargetDocument {
    TargetDocument {
        name: name.to_owned(),
        asked: Figure::Number(limit),
        found: Figure::Number(found),
        met: found <= limit,
        kind,
        what: what.to_owned(),
    }
}

fn counted(name: &str, limit: u64, findings: &[LinkageFinding], what: String) -> TargetDocument {
    let found = exposed(findings);
    TargetDocument {
        name: name.to_owned(),
        asked: Figure::Count(limit),
        found: Figure::Count(found),
        met: found <= limit,
        kind: PromiseKind::Guarantee,
        what,
    }
}

/// Refuses a release that misses targets.
pub(super) fn require(targets: &[TargetDocument]) -> Result<(), JobError> {
    let missed: Vec<&str> = targets.iter().filter(|target| !target.met).map(|target| target.name.as_str()).collect();
    match missed[..] {
        [] => Ok(()),
        _ => Err(JobError::new("E0421", format!("a target is missed: {}; nothing was released", missed.join(", ")))),
    }
}
