//! The section `[rule]`: when a cell is sensitive.

use disclosure::magnitude::{Dominance, MinFrequency, SensitivityRule, Share};
use serde::{Deserialize, Serialize};

use crate::error::JobError;

/// When a cell is sensitive; at least one part is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleSpec {
    /// Nobody may estimate a respondent's amount from above to within this many per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_percent: Option<f64>,
    /// The prior-posterior rule: p % with `p / q`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior_posterior: Option<PriorPosterior>,
    /// The largest contributions may make up at most a share of the cell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dominance: Vec<DominanceSpec>,
    /// Cells of fewer respondents are sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_frequency: Option<usize>,
    /// How far from a cell of too few respondents a reader must stay, in per cent of what others
    /// contribute; 30 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_range: Option<f64>,
}

/// `p` and `q` of the prior-posterior rule, in per cent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriorPosterior {
    /// How close an estimate may not come.
    pub p: f64,
    /// How close everybody is beforehand.
    pub q: f64,
}

/// `(n, k)` dominance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DominanceSpec {
    /// How many contributions are added up.
    pub largest: usize,
    /// The share of the cell that they may make up, in per cent.
    pub percent: f64,
}

impl RuleSpec {
    /// The rule against coalitions of as many respondents.
    ///
    /// # Errors
    /// E0246.
    pub(super) fn rule(&self, coalition: usize) -> Result<SensitivityRule, JobError> {
        let share = |percent| Share::of_percent("p_percent", percent);
        let p_percent = match (self.p_percent, self.prior_posterior) {
            (Some(_), Some(_)) => {
                return Err(JobError::new("E0246", "[rule] takes p_percent or prior_posterior, not both"));
            }
            (Some(percent), None) => Some(share(percent)?),
            (None, Some(own)) => Some(share(own.p)?.over(Share::of_percent("q", own.q)?)),
            (None, None) => None,
        };
        let dominance = self.dominance.iter().map(|own| {
            Ok(Dominance { largest: own.largest, share: Share::of_percent("percent of dominance", own.percent)? })
        });
        let range = self.frequency_range.unwrap_or(30.0);
        let min_frequency = self.min_frequency.map(|at_least| {
            Ok::<_, JobError>(MinFrequency { at_least, range: Share::of_percent("frequency_range", range)? })
        });
        if self.frequency_range.is_some() && self.min_frequency.is_none() {
            return Err(JobError::new("E0246", "frequency_range requires min_frequency: give both, or neither"));
        }
        let dominance = dominance.collect::<Result<Vec<_>, JobError>>()?;
        Ok(SensitivityRule::new(p_percent, dominance, min_frequency.transpose()?, coalition)?)
    }

    /// The rule in words.
    pub(super) fn words(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.p_percent.map(|p| format!("p % with p = {p}")));
        parts.extend(self.prior_posterior.map(|own| format!("prior-posterior with p = {}, q = {}", own.p, own.q)));
        parts.extend(self.dominance.iter().map(|own| format!("({}, {}) dominance", own.largest, own.percent)));
        parts.extend(self.min_frequency.map(|own| format!("at least {own} respondents")));
        parts.join("; ")
    }
}
