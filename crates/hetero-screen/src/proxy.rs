//! From coverage to a statement about accuracy, as the source has it.
//!
//! `d` released counts, each of which rules a wrong label out with probability about
//! `1 / (2e + 1)`: evidence `I = d / (2e + 1)`, and a row is mislabelled with probability about
//! `p_row = min(1, (K - 1) e^-I)`. Errors of rows taken for independent give a Chernoff bound on
//! the number of errors, and an interval. All of it is a **proxy**: see
//! `docs/math/hetero-screen.md` for where it misleads.

use privacy_core::binomial::Binomial;
use privacy_core::normal;
use privacy_core::param::Probability;

use crate::coverage::Coverage;
use crate::error::Error;
use crate::spec::ScreenSpec;

/// A share strictly between 0 and 1: an error rate, a confidence, a target for an accuracy.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub struct TargetLevel(f64);

impl TargetLevel {
    /// Accepts a number above 0 and below 1; `name` is what a refusal calls it.
    ///
    /// # Errors
    /// [`Error::Level`] for anything else, NaN included.
    pub fn new(name: &'static str, level: f64) -> Result<Self, Error> {
        if level > 0.0 && level < 1.0 { Ok(Self(level)) } else { Err(Error::Level { name, got: level }) }
    }

    /// The share, strictly between 0 and 1.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for TargetLevel {
    type Error = Error;

    fn try_from(level: f64) -> Result<Self, Error> {
        Self::new("level", level)
    }
}

impl From<TargetLevel> for f64 {
    fn from(level: TargetLevel) -> Self {
        level.0
    }
}

/// The levels of the source's statements about accuracy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScreenTargets {
    /// Accuracy of at least `1 - alpha` is to be reached ...
    pub alpha: TargetLevel,
    /// ... but with probability `beta`.
    pub beta: TargetLevel,
    /// An interval for the accuracy has level `1 - gamma`.
    pub gamma: TargetLevel,
}

impl Default for ScreenTargets {
    /// 5 % each.
    fn default() -> Self {
        Self { alpha: TargetLevel(0.05), beta: TargetLevel(0.05), gamma: TargetLevel(0.05) }
    }
}

/// An interval for the accuracy, if errors of rows were independent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AccuracyInterval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// `1 - gamma`.
    pub level: f64,
}

/// The source's quantities. Kind: **proxy**. Unit of evidence: released counts by `2e + 1`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SourceProxy {
    /// Coverage by all classes at the `1/R` quantile of a normal law: the weakest row.
    pub d_min: f64,
    /// Own coverage of the weakest row.
    pub d_true_min: f64,
    /// Evidence of all classes.
    pub i_eff: f64,
    /// Evidence of one's own class.
    pub i_true: f64,
    /// Evidence of all classes for the weakest row.
    pub i_min: f64,
    /// Evidence of one's own class for the weakest row.
    pub i_true_min: f64,
    /// Probability that a typical row is mislabelled.
    pub p_row_eff: f64,
    /// The same, with the spread of evidence between rows taken for normal.
    pub p_row_het: f64,
    /// Probability that the weakest row is mislabelled.
    pub p_row_min: f64,
    /// `1 - p_row_eff`.
    pub expected_accuracy: f64,
    /// `1 - p_row_het`.
    pub expected_accuracy_het: f64,
    /// `1 - p_row_min`.
    pub hard_row_accuracy: f64,
    /// Where the accuracy falls if every row were mislabelled with probability `p_row_eff`.
    pub accuracy_interval: AccuracyInterval,
    /// Bound on the probability that the accuracy is below `1 - alpha`, from `p_row_min`.
    pub failure_bound: f64,
    /// Whether that bound is at most `beta`.
    pub meets_target: bool,
    /// The least `i_true_min` for which it would be.
    pub required_i_true_min: f64,
    /// Accuracy of always guessing the most frequent class.
    pub blind_accuracy: f64,
}

impl SourceProxy {
    /// The source's quantities for a coverage.
    ///
    /// # Panics
    /// Never: every error rate is a probability by its definition.
    #[must_use]
    pub fn of(spec: &ScreenSpec, coverage: &Coverage, targets: &ScreenTargets) -> Self {
        let (rows, classes, values) = (spec.rows(), spec.classes().len(), spec.noise().values());
        let (all, own) = (coverage.all_classes.value, coverage.own_class.value);
        let d_min = weakest(rows, all, coverage.variance_all);
        let d_true_min = weakest(rows, own, coverage.variance_own);
        let (p_row_eff, p_row_min) = (row_error(classes, own / values), row_error(classes, d_true_min / values));
        let p_row_het = row_error(classes, own / values - 0.5 * coverage.variance_own / (values * values));
        let p_typical = Probability::new(p_row_eff).expect("at least 0, and at most 1 by its definition");
        let failure_bound = failure_bound(rows, targets.alpha, p_row_min);
        Self {
            d_min,
            d_true_min,
            i_eff: all / values,
            i_true: own / values,
            i_min: d_min / values,
            i_true_min: d_true_min / values,
            p_row_eff,
            p_row_het,
            p_row_min,
            expected_accuracy: 1.0 - p_row_eff,
            expected_accuracy_het: 1.0 - p_row_het,
            hard_row_accuracy: 1.0 - p_row_min,
            accuracy_interval: accuracy_interval(rows, p_typical, targets.gamma),
            failure_bound,
            meets_target: failure_bound <= targets.beta.get(),
            required_i_true_min: required_evidence(rows, classes, targets.alpha, targets.beta),
            blind_accuracy: spec.classes().largest_share(),
        }
    }
}

/// The `1/R` quantile of a normal law, not below 0.
fn weakest(rows: u64, mean: f64, variance: f64) -> f64 {
    let one = Probability::new(1.0 / rows as f64).expect("there are at least 2 rows");
    if variance > 0.0 { (mean - normal::upper_quantile(one) * variance.sqrt()).max(0.0) } else { mean }
}

/// `min(1, (K - 1) e^-I)`: a wrong label survives `I` units of evidence.
#[must_use]
pub fn row_error(classes: usize, evidence: f64) -> f64 {
    let wrong = classes.saturating_sub(1) as f64;
    if wrong == 0.0 { 0.0 } else { (wrong * libm::exp(-evidence)).min(1.0) }
}

/// Kullback-Leibler divergence of a coin of `alpha` from one of `p`, in nats, given `ln p`.
fn divergence(alpha: f64, ln_p: f64) -> f64 {
    let others = libm::log1p(-alpha) - libm::log1p(-libm::exp(ln_p));
    alpha * (libm::log(alpha) - ln_p) + (1.0 - alpha) * others
}

/// Chernoff bound on the probability of more than `alpha R` errors, if each row erred
/// independently with probability `row_error`; 1 if that is at least `alpha`.
#[must_use]
pub fn failure_bound(rows: u64, alpha: TargetLevel, row_error: f64) -> f64 {
    if row_error >= alpha.get() {
        return 1.0;
    }
    let ln_p = libm::log(row_error.max(1e-300));
    libm::exp(-(rows as f64) * divergence(alpha.get(), ln_p)).min(1.0)
}

/// The least evidence of the weakest row for which [`failure_bound`] is at most `beta`. 0 for a
/// single class.
#[must_use]
pub fn required_evidence(rows: u64, classes: usize, alpha: TargetLevel, beta: TargetLevel) -> f64 {
    if classes < 2 {
        return 0.0;
    }
    let (alpha, needed) = (alpha.get(), -libm::log(beta.get()) / rows as f64);
    // The divergence falls from `needed` or more to 0 as `ln p` grows to `ln alpha`.
    let (mut low, mut high) = (libm::log(alpha) - (needed + 1.0) / alpha, libm::log(alpha));
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if divergence(alpha, middle) >= needed { low = middle } else { high = middle }
    }
    (libm::log((classes - 1) as f64) - low).max(0.0)
}

/// Central interval of level `1 - gamma` for the accuracy, if each row erred independently with
/// probability `row_error`.
///
/// # Panics
/// Above 2^53 rows, which no [`ScreenSpec`] has.
#[must_use]
pub fn accuracy_interval(rows: u64, row_error: Probability, gamma: TargetLevel) -> AccuracyInterval {
    let law = Binomial::new(rows, row_error).expect("rows are at most 2^53");
    let tail = Probability::new(0.5 * gamma.get()).expect("half of a level");
    let (few, many) = (law.quantile(tail), law.upper_quantile(tail));
    let [low, high] = [many, few].map(|errors| 1.0 - errors as f64 / rows as f64);
    AccuracyInterval { low, high, level: 1.0 - gamma.get() }
}
