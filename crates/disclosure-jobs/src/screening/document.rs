//! The documents of a screening. The names of the source's quantities are fixed.

use disclosure::privacy_core::promise::{Promise, PromiseKind};
use disclosure::screen::{
    Bracketed, Coverage, CoverageMethod, Estimate, ScreenReport, ScreenSpec, SourceProxy, Suppression, TargetLevel,
};
use serde::{Deserialize, Serialize};

use super::attacks::AttackSummary;
use super::spec::SuppressedBy;
use crate::error::JobError;

/// Which document this is, and in which version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ScreeningSchema {
    /// A described table.
    #[serde(rename = "disclosure.screen/1")]
    Model,
    /// An actual table.
    #[serde(rename = "disclosure.screen-table/1")]
    Table,
    /// Settings that keep a target.
    #[serde(rename = "disclosure.screen-search/1")]
    Search,
    /// Simulated attacks.
    #[serde(rename = "disclosure.screen-simulate/1")]
    Simulation,
}

/// The promise of every prediction.
#[must_use]
pub fn predicted() -> Promise {
    Promise::new(
        PromiseKind::Proxy,
        "a model's prediction of what a solver reconstructs, assuming that rows, columns and labels are independent; \
         for actual tables whose columns predict the label well, it was too low by up to 0.34; this is no guarantee, \
         and no bound on what is disclosed",
    )
    .with_attacker(
        "a solver that knows every known column of everyone and uses only released counts; one that also uses what \
         suppression discloses does better",
    )
}

/// The promise of every prediction for an actual table.
#[must_use]
pub fn predicted_of_table() -> Promise {
    Promise::new(
        PromiseKind::Proxy,
        "the proportion of the labels that quick attackers got right on simulated releases of this table, or a model's \
         prediction if the table is too large for them: no guarantee, and no bound on what is disclosed",
    )
    .with_attacker(
        "least squares, belief propagation and a short random walk that know every known column of everyone and the \
         proportions of the classes, with only the released counts or also with what withheld counts disclose; \
         attackers with more time do better",
    )
}

/// The promise of every measured attack.
#[must_use]
pub fn measured() -> Promise {
    Promise::new(
        PromiseKind::Measured,
        "the proportion of the labels that these attackers got right on simulated releases: another attacker may do \
         better, and this does not show that a release is safe",
    )
    .with_attacker(
        "solvers that know every known column of everyone and the proportions of the classes; one uses only released \
         counts, another also that withheld counts are small",
    )
}

/// The release that is screened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleaseRule {
    /// People in the table.
    pub rows: u64,
    /// Known columns.
    pub columns: usize,
    /// Classes of the target.
    pub classes: usize,
    /// Counts below this are withheld.
    pub suppress_below: u64,
    /// The count that is compared with the threshold.
    pub suppress: SuppressedBy,
    /// Noise is uniform on the integers from minus this to this.
    pub noise: u32,
    /// Whether noisy counts below 0 are shown as 0.
    pub clamp: bool,
    /// The most columns that a query fixes.
    pub max_order: usize,
    /// Whether the query that matches everybody is answered.
    pub empty_query: bool,
    /// Queries that a row matches.
    pub subsets: f64,
}

impl ReleaseRule {
    pub(super) fn of(spec: &ScreenSpec) -> Self {
        Self {
            rows: spec.rows(),
            columns: spec.columns().len(),
            classes: spec.classes().len(),
            suppress_below: spec.suppression().below(),
            suppress: match spec.suppression() {
                Suppression::ClassCount(_) => SuppressedBy::ClassCount,
                Suppression::GroupSize(_) => SuppressedBy::GroupSize,
            },
            noise: spec.noise().half_width,
            clamp: spec.noise().is_clamped,
            max_order: spec.max_order(),
            empty_query: spec.has_empty_query(),
            subsets: spec.subsets(),
        }
    }
}

/// The prediction for a described table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelDocument {
    /// Which document this is.
    pub schema: ScreeningSchema,
    /// The title of the screening.
    pub title: String,
    /// What the numbers rest on.
    pub promise: Promise,
    /// The release that is screened.
    pub release: ReleaseRule,
    /// The share of labels that a solver is expected to reconstruct.
    pub estimate: Estimate,
    /// The largest share that the specification allows.
    pub target_accuracy: Option<TargetLevel>,
    /// Whether the estimate keeps `target_accuracy`.
    pub keeps_target_accuracy: Option<bool>,
    /// Expected number of released counts that touch a row, of all classes.
    pub d_eff: f64,
    /// The same for counts of the row's own class.
    pub d_true: f64,
    /// Proved bounds around `d_eff`.
    pub d_eff_bracket: Bracketed,
    /// Proved bounds around `d_true`.
    pub d_true_bracket: Bracketed,
    /// `d_true` for rows of each class.
    pub d_true_by_class: Vec<f64>,
    /// How coverage was summed.
    pub method: CoverageMethod,
    /// Variance of `d_eff` if subsets of columns were independent.
    pub var_eff: f64,
    /// Variance of `d_true` if subsets of columns were independent.
    pub var_true: f64,
    /// Exact variance of `d_true`; null when there are too many pairs of subsets.
    pub var_true_exact: Option<f64>,
    /// The source's quantities, by their fixed names.
    #[serde(flatten)]
    pub proxy: SourceProxy,
}

impl ModelDocument {
    pub(super) fn of(title: String, spec: &ScreenSpec, report: ScreenReport, target: Option<TargetLevel>) -> Self {
        let Coverage { all_classes, own_class, by_class, variance_all, variance_own, method, .. } = report.coverage;
        Self {
            schema: ScreeningSchema::Model,
            title,
            promise: predicted(),
            release: ReleaseRule::of(spec),
            estimate: report.estimate,
            target_accuracy: target,
            keeps_target_accuracy: target.map(|target| report.estimate.accuracy <= target.get()),
            d_eff: all_classes.value,
            d_true: own_class.value,
            d_eff_bracket: all_classes,
            d_true_bracket: own_class,
            d_true_by_class: by_class,
            method,
            var_eff: variance_all,
            var_true: variance_own,
            var_true_exact: report.variance_own_exact,
            proxy: report.proxy,
        }
    }

    /// Whether the estimate keeps the target of the specification.
    ///
    /// # Errors
    /// E0415 when the estimate is above `target_accuracy`.
    pub fn check_target(&self) -> Result<(), JobError> {
        check_estimate(self.estimate, self.target_accuracy)
    }
}

/// Refuses an estimate above the target.
pub(super) fn check_estimate(estimate: Estimate, target: Option<TargetLevel>) -> Result<(), JobError> {
    match target {
        Some(target) if estimate.accuracy > target.get() => {
            let message = format!(
                "a solver is expected to reconstruct {:.1} % of the labels, above target_accuracy = {}",
                100.0 * estimate.accuracy,
                target.get()
            );
            Err(JobError::new("E0415", message))
        }
        _ => Ok(()),
    }
}

/// Measured attacks beside the predictions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationDocument {
    /// Which document this is.
    pub schema: ScreeningSchema,
    /// The title of the screening.
    pub title: String,
    /// What the numbers rest on.
    pub promise: Promise,
    /// The release that is attacked.
    pub release: ReleaseRule,
    /// A reminder to keep the document where the data are, for an actual table.
    pub computed_from: Option<String>,
    /// The prediction by state evolution: a proxy.
    pub estimate: Estimate,
    /// The source's prediction: a proxy.
    pub expected_accuracy: f64,
    /// What the attackers achieved.
    #[serde(flatten)]
    pub attacks: AttackSummary,
    /// The largest share that the specification allows.
    pub target_accuracy: Option<f64>,
    /// Whether the best attacker's mean accuracy and twice its standard error are at most
    /// `target_accuracy`.
    pub keeps_target_accuracy: Option<bool>,
}

/// The predictions beside a measured attack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Predictions {
    pub(super) estimate: Estimate,
    pub(super) expected_accuracy: f64,
}

impl SimulationDocument {
    pub(super) fn new(
        title: String,
        spec: &ScreenSpec,
        predicted: Predictions,
        attacks: AttackSummary,
        target: Option<TargetLevel>,
    ) -> Self {
        let judged = attacks.judged();
        Self {
            schema: ScreeningSchema::Simulation,
            title,
            promise: measured(),
            release: ReleaseRule::of(spec),
            computed_from: None,
            estimate: predicted.estimate,
            expected_accuracy: predicted.expected_accuracy,
            attacks,
            target_accuracy: target.map(TargetLevel::get),
            keeps_target_accuracy: target.map(|target| judged <= target.get()),
        }
    }

    /// The same, computed from an actual table.
    pub(super) fn of_table(self) -> Self {
        let reminder = "computed from the table: keep this as confidential as the data";
        Self { computed_from: Some(reminder.to_owned()), ..self }
    }

    /// Whether the attacks keep the target of the specification.
    ///
    /// # Errors
    /// E0415 when the best attacker's mean accuracy and twice its standard error are above
    /// `target_accuracy`.
    pub fn check_target(&self) -> Result<(), JobError> {
        match self.target_accuracy {
            Some(target) if self.attacks.judged() > target => {
                Err(JobError::new("E0415", format!("a simulated attack exceeds target_accuracy = {target}")))
            }
            _ => Ok(()),
        }
    }
}
