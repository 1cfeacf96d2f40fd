//! PLAN.toml: which protocol for a budget, with its predicted variance, before anybody is asked.

use disclosure::ldp::derived::reports_for_error;
use disclosure::ldp::estimate::Influence;
use disclosure::ldp::planner::{
    Budget, Comparison, Design, FrequencyPrior, PlannedDesign, PlannedProtocol, compare, compare_protocols,
};
use disclosure::privacy_core::promise::PromiseKind;
use privacy_data::parse_toml;
use serde::{Deserialize, Serialize};

use crate::error::JobError;

/// The schema of [`PlanDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlanSchema {
    /// `disclosure.ldp-plan/1`.
    #[serde(rename = "disclosure.ldp-plan/1")]
    V1,
}

/// The file as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    epsilon: Option<f64>,
    epsilon_per_feature: Option<f64>,
    /// Binary features whose pairs are wanted.
    features: Option<usize>,
    frequency: Option<f64>,
    pair_frequency: Option<f64>,
    reports: Option<u64>,
    standard_error: Option<f64>,
    #[serde(default)]
    feature: Vec<FeatureFile>,
}

/// A feature by itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeatureFile {
    name: String,
    values: u64,
    epsilon: f64,
    frequency: f64,
}

/// Designs and protocols, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanDocument {
    /// `disclosure.ldp-plan/1`.
    pub schema: PlanSchema,
    /// What the predicted variances rest on.
    pub kind: PromiseKind,
    /// Designs for all pairs of binary features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairsPlan>,
    /// Protocols for features by themselves.
    pub features: Vec<FeaturePlan>,
}

/// Designs for all pairs of the binary features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairsPlan {
    /// How many features there are.
    pub features: usize,
    /// Epsilon of a whole report.
    pub epsilon_per_report: f64,
    /// The budget is that of each feature.
    pub is_per_feature: bool,
    /// The expected share with a feature.
    pub frequency: f64,
    /// The expected share with two of them.
    pub pair_frequency: f64,
    /// Variance of splitting the budget over the bits, over that of the best design.
    pub price_of_splitting: f64,
    /// Splitting is not the best design.
    pub splitting_is_worse: bool,
    /// What to do, a line each.
    pub advice: Vec<String>,
    /// The designs, best first.
    pub designs: Vec<DesignPlan>,
}

/// A design with its error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DesignPlan {
    /// The design and its variance.
    #[serde(flatten)]
    pub planned: PlannedDesign,
    /// Standard error of a pair's frequency, for the number of reports, at the frequencies of the
    /// plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// Reports for the standard error that was asked for; missing above 2^53.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reports_needed: Option<u64>,
    /// By how many people one false report, among many, can move the count of a pair.
    pub one_false_report: f64,
    /// By how much 1, 10, 100, ... false reports among the number of reports can move a pair's
    /// frequency.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub false_reports: Vec<FalseReports>,
}

/// What some false reports can do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FalseReports {
    /// How many of the reports are false.
    pub false_reports: u64,
    /// By how much they can move a frequency, in the worse direction.
    pub shift: f64,
}

/// Protocols for one feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeaturePlan {
    /// Its name.
    pub name: String,
    /// How many values it has.
    pub values: u64,
    /// Epsilon of one report about it.
    pub epsilon: f64,
    /// The protocols, best first.
    pub protocols: Vec<PlannedProtocol>,
}

/// Compares what the text of a plan asks about.
///
/// # Errors
/// E0210 for text that is no plan, E0269 for a plan that cannot be.
pub fn plan(text: &str) -> Result<PlanDocument, JobError> {
    let file: PlanFile = parse_toml(text).map_err(|error| JobError::new("E0210", error.to_string()))?;
    if file.features.is_none() && file.feature.is_empty() {
        return Err(refused("nothing to plan: write features = 8, or [[feature]] tables"));
    }
    Ok(PlanDocument {
        schema: PlanSchema::V1,
        kind: PromiseKind::Calibration,
        pairs: file.features.map(|features| pairs(features, &file)).transpose()?,
        features: file.feature.iter().map(protocols).collect::<Result<_, _>>()?,
    })
}

fn refused(message: &str) -> JobError {
    JobError::new("E0269", message)
}

fn protocols(feature: &FeatureFile) -> Result<FeaturePlan, JobError> {
    let FeatureFile { name, values, epsilon, frequency } = feature;
    let planned = compare_protocols(*values, *epsilon, *frequency);
    let protocols = planned.map_err(|error| JobError::from(error).in_section(&format!("feature {name:?}")))?;
    Ok(FeaturePlan { name: name.clone(), values: *values, epsilon: *epsilon, protocols })
}

fn pairs(features: usize, file: &PlanFile) -> Result<PairsPlan, JobError> {
    let budget = match (file.epsilon, file.epsilon_per_feature) {
        (Some(epsilon), None) => Budget::Total(epsilon),
        (None, Some(epsilon)) => Budget::PerFeature(epsilon),
        _ => return Err(refused("give either epsilon, for a whole report, or epsilon_per_feature")),
    };
    let (Some(frequency), Some(pair_frequency)) = (file.frequency, file.pair_frequency) else {
        return Err(refused(
            "give frequency and pair_frequency, the proportions you expect: they determine which design is best",
        ));
    };
    let comparison = compare(features, budget, FrequencyPrior { frequency, pair_frequency })?;
    let is_per_feature = matches!(budget, Budget::PerFeature(_));
    let splitting_is_worse = comparison.price_of_splitting > 1.0;
    Ok(PairsPlan {
        features,
        epsilon_per_report: comparison.epsilon_per_report,
        is_per_feature,
        frequency,
        pair_frequency,
        price_of_splitting: comparison.price_of_splitting,
        splitting_is_worse,
        advice: advice(&comparison, is_per_feature),
        designs: comparison.designs.iter().map(|planned| design(*planned, file)).collect::<Result<_, _>>()?,
    })
}

fn design(planned: PlannedDesign, file: &PlanFile) -> Result<DesignPlan, JobError> {
    let standard_error = match file.reports {
        Some(0) => return Err(refused("reports must be at least 1")),
        reports => reports.map(|reports| (planned.variance / reports as f64).sqrt()),
    };
    let reports_needed = match file.standard_error {
        None => None,
        Some(error) if error > 0.0 && error < 1.0 => reports_for_error(planned.variance, error).ok(),
        Some(_) => return Err(refused("standard_error must be a proportion above 0 and below 1")),
    };
    let one_false_report = planned.influence.of_one();
    let false_reports = file.reports.map_or_else(Vec::new, |reports| curve(&planned.influence, reports));
    Ok(DesignPlan { planned, standard_error, reports_needed, one_false_report, false_reports })
}

/// 1, 10, 100, ... false reports, up to a tenth of all.
fn curve(influence: &Influence, reports: u64) -> Vec<FalseReports> {
    let powers = std::iter::successors(Some(1_u64), |k| k.checked_mul(10));
    let at = |false_reports: u64| {
        let shift = influence.of_many(false_reports, reports) / reports as f64;
        FalseReports { false_reports, shift }
    };
    powers.take_while(|k| k.saturating_mul(10) <= reports).map(at).collect()
}

/// What to do, in words, a line each.
fn advice(comparison: &Comparison, is_per_feature: bool) -> Vec<String> {
    if is_per_feature {
        return vec!["every feature has its own epsilon, so no budget is split: randomise every bit (rr)".to_owned()];
    }
    let best = comparison.designs[0].design;
    if best == Design::Bits {
        return vec!["randomise every bit (rr) with its share of epsilon".to_owned()];
    }
    let mut advice =
        vec!["do not split epsilon over the bits".to_owned(), format!("for pairs: {}", design_words(best))];
    let least_worst = comparison.least_worst().design;
    if least_worst != best {
        advice.push(format!("for pairs, whatever the frequencies: {}", design_words(least_worst)));
    }
    let of_all_orders =
        comparison.designs.iter().find(|planned| planned.order.is_none() && planned.design != Design::Bits);
    let offer = of_all_orders.filter(|planned| planned.design != best);
    advice.extend(offer.map(|planned| format!("for sets of any order: {}", design_words(planned.design))));
    advice
}

/// A design in words.
#[must_use]
pub fn design_words(design: Design) -> String {
    match design {
        Design::Bits => "every bit by itself, epsilon split (rr)".to_owned(),
        Design::SampledBits { per_person } => format!("{per_person} features drawn for each person (rr)"),
        Design::JointSymbol { per_person } => format!("{per_person} features drawn, answered as one symbol (joint)"),
        Design::SuperFeatures { bits } => format!("super-features of {bits} bits (grr of {})", 1_u64 << bits),
        Design::Parity { .. } => "a feature or \"one of two\" drawn for each person (parity)".to_owned(),
        Design::JointSubset { size } => format!("all features as one, {size} of its values named (ss)"),
        Design::JointBlock => "all features as a single one-hot block (ue)".to_owned(),
        _ => "another design".to_owned(),
    }
}
