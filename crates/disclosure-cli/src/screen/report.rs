//! What is found, as a document. Names of the source's quantities are fixed.

use disclosure::screen::{Bracketed, Coverage, Estimate, Level, Method, Proxy, ScreenReport, ScreenSpec, Suppression};
use serde::Serialize;

use crate::error::Failure;

/// What a reader must know before any number.
#[derive(Debug, Serialize)]
pub(super) struct Promise {
    pub(super) kind: &'static str,
    pub(super) statement: &'static str,
    pub(super) against: &'static str,
}

pub(super) const PROXY: Promise = Promise {
    kind: "proxy",
    statement: "a model's prediction of what a solver reconstructs: no guarantee, and no bound on what is disclosed",
    against: "a solver that knows every known column of everybody and uses released counts alone; one that also uses what \
              suppression tells does better",
};

/// The release that is screened.
#[derive(Debug, Serialize)]
pub(super) struct Release {
    pub(super) rows: u64,
    pub(super) columns: usize,
    pub(super) classes: usize,
    pub(super) suppress_below: u64,
    pub(super) suppress: &'static str,
    pub(super) noise: u32,
    pub(super) clamp: bool,
    pub(super) max_order: usize,
    pub(super) empty_query: bool,
    /// Queries that a row matches.
    pub(super) subsets: f64,
}

impl Release {
    pub(super) fn of(spec: &ScreenSpec) -> Self {
        Self {
            rows: spec.rows(),
            columns: spec.columns().len(),
            classes: spec.classes().len(),
            suppress_below: spec.suppression().below(),
            suppress: match spec.suppression() {
                Suppression::ClassCount(_) => "class-count",
                Suppression::GroupSize(_) => "group-size",
            },
            noise: spec.noise().half_width,
            clamp: spec.noise().is_clamped,
            max_order: spec.max_order(),
            empty_query: spec.has_empty_query(),
            subsets: spec.subsets(),
        }
    }
}

/// What the model says.
#[derive(Debug, Serialize)]
pub(super) struct ModelReport {
    pub(super) schema: &'static str,
    pub(super) title: String,
    pub(super) promise: Promise,
    pub(super) release: Release,
    /// What a solver is expected to get right.
    pub(super) estimate: Estimate,
    pub(super) target_accuracy: Option<Level>,
    /// Whether the estimate keeps `target_accuracy`.
    pub(super) keeps_target_accuracy: Option<bool>,
    pub(super) d_eff: f64,
    pub(super) d_true: f64,
    pub(super) d_eff_bracket: Bracketed,
    pub(super) d_true_bracket: Bracketed,
    pub(super) d_true_by_class: Vec<f64>,
    pub(super) method: Method,
    pub(super) var_eff: f64,
    pub(super) var_true: f64,
    /// Null when there are too many pairs of subsets.
    pub(super) var_true_exact: Option<f64>,
    /// The source's quantities, by their fixed names.
    #[serde(flatten)]
    pub(super) proxy: Proxy,
}

impl ModelReport {
    pub(super) fn of(title: String, spec: &ScreenSpec, report: ScreenReport, target: Option<Level>) -> Self {
        let Coverage { all_classes, own_class, by_class, variance_all, variance_own, method, .. } = report.coverage;
        Self {
            schema: "disclosure.screen/1",
            title,
            promise: PROXY,
            release: Release::of(spec),
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
}

/// After a report was printed: whether the user's own target is kept.
pub(super) fn judge(estimate: Estimate, target: Option<Level>) -> Result<(), Failure> {
    match target {
        Some(target) if estimate.accuracy > target.get() => {
            let message = format!(
                "a solver is expected to reconstruct {:.1} % of the labels, above target_accuracy = {}",
                100.0 * estimate.accuracy,
                target.get()
            );
            Err(Failure::new("E0415", message))
        }
        _ => Ok(()),
    }
}
