//! `disclosure lcf advise`: parameters from a target.

use std::num::NonZeroU32;
use std::path::Path;

use disclosure::core::param::{Delta, Epsilon, Probability};
use disclosure::lcf::{
    AdviceError, AdviceOptions, AdviceTarget, GroupSizes, OddsTarget, PrivacyTarget, ThresholdLaw, ThresholdTable,
    advise,
};
use privacy_data::parse_toml;
use serde::{Deserialize, Serialize};

use super::args::AdviseArgs;
use super::report::{LawReport, OddsSummary, ProfileReport, Promise, UtilityReport};
use super::show::show_advice;
use super::sizes::SizesSpec;
use crate::error::Failure;
use crate::files::{print, print_json, read_text};
use crate::progress;

/// ADVISE.toml as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecFile {
    always_suppress_upper_bound: f64,
    certainty_odds: Option<Probability>,
    posterior: Option<Probability>,
    epsilon: Option<Epsilon>,
    delta: Option<Delta>,
    groups_per_entity: Option<NonZeroU32>,
    mean_steps: Option<NonZeroU32>,
    sd_steps: Option<NonZeroU32>,
    max_mean: Option<u32>,
    group_sizes: Option<SizesSpec>,
}

/// The advice, with what it gives away and what it costs.
#[derive(Debug, Serialize)]
pub(super) struct AdviceReport {
    pub(super) schema: &'static str,
    pub(super) promise: Promise,
    pub(super) target: TargetReport,
    pub(super) law: LawReport,
    pub(super) odds: OddsSummary,
    pub(super) release_profile: ProfileReport,
    /// Expected on the group sizes of the spec; null without them.
    pub(super) utility: Option<UtilityReport>,
    /// The law that reports most under the same epsilon and delta; null without them.
    pub(super) optimal_selection: Option<Alternative>,
}

/// What was asked for.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct TargetReport {
    pub(super) certainty_odds: Option<f64>,
    pub(super) posterior: Option<f64>,
    pub(super) epsilon: Option<f64>,
    pub(super) delta: Option<f64>,
}

/// Another law for the same target.
#[derive(Debug, Serialize)]
pub(super) struct Alternative {
    pub(super) law: LawReport,
    pub(super) utility: Option<UtilityReport>,
}

/// Finds the parameters.
pub(in crate::lcf) fn run(args: &AdviseArgs) -> Result<(), Failure> {
    let report = read(&args.spec).map_err(|failure| failure.within(&args.spec))?;
    match args.json {
        true => print_json(&report),
        false => print(show_advice(&report).as_bytes()),
    }
}

fn read(path: &Path) -> Result<AdviceReport, Failure> {
    let text = read_text(path)?;
    let spec: SpecFile = parse_toml(&text).map_err(|error| Failure::new("E0210", error.to_string()))?;
    let beside = path.parent().unwrap_or(Path::new(""));
    let sizes = spec.group_sizes.as_ref().map(|sizes| sizes.read(beside)).transpose()?;
    let target = spec.target()?;
    let search = spec.search();
    let thresholds = progress::during("searching", || advise(&target, &search).map_err(Failure::from))?;
    report(&spec, &target, &thresholds, sizes.as_ref())
}

fn report(
    spec: &SpecFile,
    target: &AdviceTarget,
    thresholds: &ThresholdTable,
    sizes: Option<&GroupSizes>,
) -> Result<AdviceReport, Failure> {
    let kept = |thresholds: &ThresholdTable| sizes.map(|sizes| thresholds.utility(sizes).into());
    let optimal = |privacy: &PrivacyTarget| {
        // The same groups are kept from view in both.
        let law = privacy.optimal_selection(spec.always_suppress_upper_bound as u32 + 1)?;
        let thresholds = ThresholdTable::new(ThresholdLaw::from(law));
        Ok::<_, Failure>(Alternative { law: LawReport::of(&thresholds), utility: kept(&thresholds) })
    };
    let epsilons = target.privacy.map_or_else(|| vec![0.5, 1.0, 2.0, 3.0], |privacy| vec![privacy.epsilon.get()]);
    Ok(AdviceReport {
        schema: "disclosure.lcf-advise/1",
        promise: Promise::CALIBRATION,
        target: TargetReport {
            certainty_odds: spec.certainty_odds.map(Probability::get),
            posterior: spec.posterior.map(Probability::get),
            epsilon: spec.epsilon.map(Epsilon::get),
            delta: spec.delta.map(Delta::get),
        },
        law: LawReport::of(thresholds),
        odds: OddsSummary::of(thresholds),
        release_profile: ProfileReport::of(thresholds, spec.groups_per_entity.unwrap_or(NonZeroU32::MIN), &epsilons),
        utility: kept(thresholds),
        optimal_selection: target.privacy.as_ref().map(optimal).transpose()?,
    })
}

impl SpecFile {
    fn target(&self) -> Result<AdviceTarget, Failure> {
        let mut target = AdviceTarget::new(self.always_suppress_upper_bound);
        target.odds = match (self.certainty_odds, self.posterior) {
            (Some(certainty), Some(posterior)) => Some(OddsTarget { certainty, posterior }),
            (None, None) => None,
            _ => {
                return Err(Failure::new(
                    "E0278",
                    "certainty_odds and posterior are given together: one alone bounds nothing",
                ));
            }
        };
        target.privacy = match (self.epsilon, self.delta) {
            (Some(epsilon), Some(delta)) => {
                let groups_per_entity = self.groups_per_entity.unwrap_or(NonZeroU32::MIN);
                Some(PrivacyTarget { epsilon, delta, groups_per_entity })
            }
            (None, None) => None,
            _ => return Err(Failure::new("E0278", "epsilon and delta are given together")),
        };
        Ok(target)
    }

    fn search(&self) -> AdviceOptions {
        let mut search = AdviceOptions::default();
        search.mean_steps = self.mean_steps.unwrap_or(search.mean_steps);
        search.sd_steps = self.sd_steps.unwrap_or(search.sd_steps);
        search.max_mean = self.max_mean.unwrap_or(search.max_mean);
        search
    }
}
