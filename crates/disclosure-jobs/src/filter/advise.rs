//! Parameters from a target.

use std::borrow::Cow;
use std::num::NonZeroU32;

use disclosure::lcf::{
    AdviceOptions, AdviceTarget, GroupNumber, GroupSizes, OddsTarget, PrivacyTarget, ThresholdLaw, ThresholdTable,
    advise,
};
use disclosure::privacy_core::param::{Delta, Epsilon, Probability};
use privacy_data::parse_toml;
use serde::{Deserialize, Serialize};

use super::odds::default_epsilons;
use super::sizes::SizesSpec;
use super::threshold::{OddsStatement, OddsSummary, ProfileReport, ThresholdReport, UtilityReport};
use crate::error::JobError;
use crate::input::Files;
use crate::observer::{Observer, during};

/// ADVISE.toml as it is written. Unknown fields are refused.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AdviceSpec {
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

/// A checked request for advice.
#[derive(Clone, Debug)]
pub struct AdviceJob {
    spec: AdviceSpec,
    target: AdviceTarget,
    sizes: Option<GroupSizes>,
}

/// The advice, with what it reveals and what it costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdviceDocument {
    /// `disclosure.lcf-advise/1`.
    pub schema: Cow<'static, str>,
    /// What the odds state.
    pub promise: OddsStatement,
    /// The target.
    pub target: AdviceTargets,
    /// The advised law.
    pub law: ThresholdReport,
    /// The most that one decision reveals.
    pub odds: OddsSummary,
    /// The privacy of one release.
    pub release_profile: ProfileReport,
    /// Expected on the group sizes of the specification; null without them.
    pub utility: Option<UtilityReport>,
    /// The law that reports most under the same epsilon and delta; null without them.
    pub optimal_selection: Option<Alternative>,
}

/// The limits of a target, as they were given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdviceTargets {
    /// Largest probability of a proof.
    pub certainty_odds: Option<f64>,
    /// Largest posterior short of a proof.
    pub posterior: Option<f64>,
    /// Epsilon of one release.
    pub epsilon: Option<f64>,
    /// Delta of one release.
    pub delta: Option<f64>,
}

/// Another law for the same target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// The law.
    pub law: ThresholdReport,
    /// Expected on the group sizes of the specification.
    pub utility: Option<UtilityReport>,
}

impl AdviceJob {
    /// Reads and checks a request, and the file of group sizes that it may name.
    ///
    /// # Errors
    /// E0210 for a text that is not a request, E0278 for limits that are not given together,
    /// E0279 for group sizes; those of a file that cannot be read.
    pub fn parse(text: &str, files: &dyn Files) -> Result<Self, JobError> {
        let spec: AdviceSpec = parse_toml(text).map_err(|error| JobError::new("E0210", error.to_string()))?;
        let sizes = spec.group_sizes.as_ref().map(|sizes| sizes.read(files)).transpose()?;
        let target = spec.target()?;
        Ok(Self { spec, target, sizes })
    }

    /// The law that meets the target and suppresses least.
    ///
    /// # Errors
    /// E0278 for limits out of range, E0425 where no parameters meet the target, E0654 for a
    /// search that is too large, E0108 for a stopped one.
    pub fn advise(&self, observer: &dyn Observer) -> Result<AdviceDocument, JobError> {
        let options = AdviceOptions { stop: observer.stop_flag(), ..self.spec.options() };
        let thresholds = during(observer, "searching", || advise(&self.target, &options))?;
        let epsilons = match self.target.privacy {
            Some(privacy) => vec![privacy.epsilon],
            None => default_epsilons().to_vec(),
        };
        let groups_per_entity = self.spec.groups_per_entity.unwrap_or(NonZeroU32::MIN);
        Ok(AdviceDocument {
            schema: "disclosure.lcf-advise/1".into(),
            promise: OddsStatement::calibration(),
            target: self.spec.targets(),
            law: ThresholdReport::new(&thresholds),
            odds: OddsSummary::new(&thresholds),
            release_profile: ProfileReport::new(&thresholds, groups_per_entity, &epsilons, &GroupNumber::Hidden),
            utility: self.utility(&thresholds),
            optimal_selection: self.target.privacy.map(|privacy| self.optimal(&privacy)).transpose()?,
        })
    }

    fn utility(&self, thresholds: &ThresholdTable) -> Option<UtilityReport> {
        self.sizes.as_ref().map(|sizes| thresholds.utility(sizes).into())
    }

    /// The law that reports most, with the same groups always suppressed.
    fn optimal(&self, privacy: &PrivacyTarget) -> Result<Alternative, JobError> {
        let law = privacy.optimal_selection(self.spec.always_suppress_upper_bound as u32 + 1)?;
        let thresholds = ThresholdTable::new(ThresholdLaw::from(law));
        Ok(Alternative { law: ThresholdReport::new(&thresholds), utility: self.utility(&thresholds) })
    }
}

impl AdviceSpec {
    fn target(&self) -> Result<AdviceTarget, JobError> {
        let mut target = AdviceTarget::new(self.always_suppress_upper_bound);
        target.odds = match (self.certainty_odds, self.posterior) {
            (Some(certainty), Some(posterior)) => Some(OddsTarget { certainty, posterior }),
            (None, None) => None,
            _ => {
                return Err(JobError::new(
                    "E0278",
                    "certainty_odds and posterior must be given together: one alone guarantees nothing",
                ));
            }
        };
        target.privacy = match (self.epsilon, self.delta) {
            (Some(epsilon), Some(delta)) => {
                let groups_per_entity = self.groups_per_entity.unwrap_or(NonZeroU32::MIN);
                Some(PrivacyTarget { epsilon, delta, groups_per_entity })
            }
            (None, None) => None,
            _ => return Err(JobError::new("E0278", "epsilon and delta must be given together")),
        };
        Ok(target)
    }

    fn targets(&self) -> AdviceTargets {
        AdviceTargets {
            certainty_odds: self.certainty_odds.map(Probability::get),
            posterior: self.posterior.map(Probability::get),
            epsilon: self.epsilon.map(Epsilon::get),
            delta: self.delta.map(Delta::get),
        }
    }

    fn options(&self) -> AdviceOptions {
        let default = AdviceOptions::default();
        AdviceOptions {
            mean_steps: self.mean_steps.unwrap_or(default.mean_steps),
            sd_steps: self.sd_steps.unwrap_or(default.sd_steps),
            max_mean: self.max_mean.unwrap_or(default.max_mean),
            ..default
        }
    }
}
