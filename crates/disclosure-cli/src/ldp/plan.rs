//! `disclosure ldp plan`: which protocol for a budget.

use std::path::Path;

use disclosure::ldp::derived::reports_for_error;
use disclosure::ldp::planner::{
    Budget, Comparison, Design, FrequencyPrior, PlanError, PlannedDesign, PlannedProtocol, compare, compare_protocols,
};
use privacy_data::parse_toml;
use serde::{Deserialize, Serialize};

use super::args::PlanArgs;
use super::show::show_plan;
use crate::error::Failure;
use crate::files::{print, print_json, read_text};

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

/// The document.
#[derive(Debug, Serialize)]
pub(super) struct PlanReport {
    schema: &'static str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pairs: Option<PairsReport>,
    pub(super) features: Vec<FeatureReport>,
}

/// Designs for all pairs of the binary features.
#[derive(Debug, Serialize)]
pub(super) struct PairsReport {
    pub(super) features: usize,
    pub(super) epsilon_per_report: f64,
    pub(super) is_per_feature: bool,
    frequency: f64,
    pair_frequency: f64,
    /// Variance of splitting the budget over the bits, over that of the best design.
    pub(super) price_of_splitting: f64,
    pub(super) splitting_is_worse: bool,
    pub(super) advice: Vec<String>,
    pub(super) designs: Vec<DesignReport>,
}

#[derive(Debug, Serialize)]
pub(super) struct DesignReport {
    #[serde(flatten)]
    pub(super) planned: PlannedDesign,
    /// Of a pair's frequency, for the number of reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) standard_error: Option<f64>,
    /// For the standard error that was asked for; `null` above 2^53.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reports_needed: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(super) struct FeatureReport {
    pub(super) name: String,
    pub(super) values: u64,
    pub(super) epsilon: f64,
    pub(super) protocols: Vec<PlannedProtocol>,
}

pub(super) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let report = read(&args.spec).and_then(|file| plan(&file)).map_err(|failure| failure.within(&args.spec))?;
    if args.json { print_json(&report) } else { print(show_plan(&report).as_bytes()) }
}

fn read(path: &Path) -> Result<PlanFile, Failure> {
    parse_toml(&read_text(path)?).map_err(|error| Failure::new("E0210", error.to_string()))
}

fn plan(file: &PlanFile) -> Result<PlanReport, Failure> {
    if file.features.is_none() && file.feature.is_empty() {
        return Err(Failure::new("E0269", "nothing to plan: write features = 8, or [[feature]] tables"));
    }
    let protocols = |feature: &FeatureFile| -> Result<FeatureReport, Failure> {
        let FeatureFile { name, values, epsilon, frequency } = feature;
        let planned = compare_protocols(*values, *epsilon, *frequency);
        let protocols = planned.map_err(|error| Failure::from(error).in_section(&format!("feature {name:?}")))?;
        Ok(FeatureReport { name: name.clone(), values: *values, epsilon: *epsilon, protocols })
    };
    Ok(PlanReport {
        schema: "disclosure.ldp-plan/1",
        kind: "calibration",
        pairs: file.features.map(|features| pairs(features, file)).transpose()?,
        features: file.feature.iter().map(protocols).collect::<Result<_, _>>()?,
    })
}

fn pairs(features: usize, file: &PlanFile) -> Result<PairsReport, Failure> {
    let budget = match (file.epsilon, file.epsilon_per_feature) {
        (Some(epsilon), None) => Budget::Total(epsilon),
        (None, Some(epsilon)) => Budget::PerFeature(epsilon),
        _ => return Err(Failure::new("E0269", "give either epsilon, for a whole report, or epsilon_per_feature")),
    };
    let (Some(frequency), Some(pair_frequency)) = (file.frequency, file.pair_frequency) else {
        let message = "frequency and pair_frequency, the shares you expect, decide which design is best";
        return Err(Failure::new("E0269", message));
    };
    let comparison = compare(features, budget, FrequencyPrior { frequency, pair_frequency })?;
    let is_per_feature = matches!(budget, Budget::PerFeature(_));
    let splitting_is_worse = comparison.price_of_splitting > 1.0;
    Ok(PairsReport {
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

fn design(planned: PlannedDesign, file: &PlanFile) -> Result<DesignReport, Failure> {
    let standard_error = match file.reports {
        Some(0) => return Err(Failure::new("E0269", "reports must be at least 1")),
        reports => reports.map(|reports| (planned.variance / reports as f64).sqrt()),
    };
    let needed = |error: f64| match error > 0.0 && error < 1.0 {
        true => Ok(reports_for_error(planned.variance, error).ok()),
        false => Err(Failure::new("E0269", "standard_error is a share above 0 and below 1")),
    };
    let reports_needed = file.standard_error.map(needed).transpose()?.flatten();
    Ok(DesignReport { planned, standard_error, reports_needed })
}

/// What to do, in words, a line each.
fn advice(comparison: &Comparison, is_per_feature: bool) -> Vec<String> {
    if is_per_feature {
        return vec!["every feature has its own epsilon, so nothing is split: randomise every bit (rr)".to_owned()];
    }
    let best = comparison.designs[0].design;
    if best == Design::Bits {
        return vec!["randomise every bit (rr) with its share of epsilon".to_owned()];
    }
    let mut advice = vec!["do not split epsilon over the bits".to_owned(), format!("for pairs: {}", words(best))];
    let all_orders = |planned: &&PlannedDesign| planned.order.is_none() && planned.design != Design::Bits;
    let offer = comparison.designs.iter().find(all_orders).filter(|planned| planned.design != best);
    advice.extend(offer.map(|planned| format!("for sets of any order: {}", words(planned.design))));
    advice
}

/// A design in words.
pub(super) fn words(design: Design) -> String {
    match design {
        Design::Bits => "every bit by itself, epsilon split (rr)".to_owned(),
        Design::SampledBits { per_person } => format!("{per_person} features drawn for each person (rr)"),
        Design::SampledPair => "one pair drawn for each person (grr of 4)".to_owned(),
        Design::SuperFeatures { bits } => format!("super-features of {bits} bits (grr of {})", 1_u64 << bits),
        Design::Parity => "one parity of at most 2 drawn (not in schemas)".to_owned(),
        Design::JointSymbol => "all features as one symbol (grr)".to_owned(),
        Design::JointBlock => "all features as one one-hot block (ue)".to_owned(),
        _ => "another design".to_owned(),
    }
}
