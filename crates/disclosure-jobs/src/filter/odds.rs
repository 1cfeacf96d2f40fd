//! The tables of a threshold, exact.

use std::borrow::Cow;
use std::num::NonZeroU32;

use disclosure::lcf::{
    DrawMode, GroupNumber, LineOdds, MembershipPosterior, OptimalSelection, SelectionShare, ThresholdLaw,
    ThresholdTable, unclamped_reporting_probability,
};
use disclosure::privacy_core::param::{Epsilon, Probability};
use serde::{Deserialize, Serialize};

use super::counts::{CountsKind, CountsReport, CountsSpec};
use super::spec::beside;
use super::threshold::{OddsStatement, OddsSummary, ProfileReport, ThresholdReport};
use crate::error::JobError;

/// Where the profile of one release is listed.
const EPSILONS: [f64; 4] = [0.5, 1.0, 2.0, 3.0];

/// What the tables are asked for.
#[derive(Clone, Copy, Debug)]
pub struct OddsRequest {
    /// The law.
    pub law: ThresholdLaw,
    /// The attacker's prior probability that a group has one entity more.
    pub prior: Probability,
    /// The number of groups that one entity may be in.
    pub groups_per_entity: NonZeroU32,
    /// The largest size that is listed; without it, the smallest one that is always reported.
    pub up_to: Option<u64>,
    /// The number beside a group.
    pub counts: CountsSpec,
}

/// The tables, and the worst in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OddsDocument {
    /// `disclosure.lcf-odds/1`.
    pub schema: Cow<'static, str>,
    /// What the tables state.
    pub promise: OddsStatement,
    /// The law.
    pub law: ThresholdReport,
    /// The most that one decision reveals.
    pub odds: OddsSummary,
    /// The number beside a group, in query mode.
    pub counts: CountsReport,
    /// The most that whole lines reveal in query mode: whether a group is shown, and its number.
    pub line: LineOdds,
    /// The privacy of one release.
    pub release_profile: ProfileReport,
    /// Ways of composing the groups of an entity; for optimal selection and several groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composition: Option<CompositionReport>,
    /// The attacker's prior probability of the one entity more, in `one_more`.
    pub prior: f64,
    /// The probability of a report by size.
    pub report_probability: Vec<ReportProbability>,
    /// The attacker's posteriors by size.
    pub one_more: Vec<MembershipPosterior>,
}

/// The probability that a group of `n` entities is reported.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportProbability {
    /// Number of entities.
    pub n: u64,
    /// Probability of a report.
    pub p: f64,
    /// The other tail, with its own digits.
    pub p_suppressed: f64,
    /// Under the same threshold without its clamps, which no filter has: it shows how often they
    /// matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_without_clamps: Option<f64>,
}

/// What optimal selection costs in suppressed groups, by the way in which the groups of an entity
/// are composed. All three keep the same epsilon and delta.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompositionReport {
    /// What the law is made with: the best share of one group.
    pub best: Composed,
    /// `epsilon / k` and `delta / k` for each of `k` groups; null where its table is too long.
    pub basic: Option<Composed>,
    /// Through the rho of zero-concentrated differential privacy; null where its table is too
    /// long.
    pub zcdp: Option<Composed>,
}

/// A share of one group, and the sizes that it reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Composed {
    /// What the decision about one group costs.
    #[serde(flatten)]
    pub share: SelectionShare,
    /// The smallest group that is reported with probability one half.
    pub n50: u64,
    /// The smallest group that is reported with probability 0.99.
    pub n99: u64,
}

impl CompositionReport {
    fn of(law: &ThresholdLaw) -> Option<Self> {
        let ThresholdLaw::OptimalSelection(law) = *law else { return None };
        if law.groups_per_entity() == NonZeroU32::MIN {
            return None;
        }
        Some(Self {
            best: Composed::new(law, law.share())?,
            basic: law.basic_share().and_then(|share| Composed::new(law, share)),
            zcdp: law.zcdp_share().and_then(|share| Composed::new(law, share)),
        })
    }
}

impl Composed {
    fn new(law: OptimalSelection, share: SelectionShare) -> Option<Self> {
        let report = ThresholdReport::new(&ThresholdTable::new(law.with_share(share).ok()?));
        Some(Self { share, n50: report.n50, n99: report.n99 })
    }
}

/// The tables of a law.
///
/// # Errors
/// E0283 for a number beside groups that no promise covers.
pub fn odds(request: &OddsRequest) -> Result<OddsDocument, JobError> {
    let number = request.counts.number(DrawMode::Query, &request.law)?;
    let published = request.published_number()?;
    let thresholds = beside(ThresholdTable::new(request.law), &published)?;
    let sizes = 1..=request.up_to.unwrap_or(thresholds.cap());
    Ok(OddsDocument {
        schema: "disclosure.lcf-odds/1".into(),
        promise: OddsStatement::calibration(),
        law: ThresholdReport::new(&thresholds),
        odds: OddsSummary::new(&thresholds),
        counts: CountsReport::new(&number),
        line: thresholds.line_odds(&number),
        release_profile: ProfileReport::new(&thresholds, request.groups_per_entity, &default_epsilons(), &published),
        composition: CompositionReport::of(thresholds.law()),
        prior: request.prior.get(),
        report_probability: sizes.clone().map(|n| report_probability(&thresholds, n)).collect(),
        one_more: sizes.map(|n| thresholds.membership_posterior_with_prior(n, request.prior)).collect(),
    })
}

impl OddsRequest {
    /// The number that a publication shows: noisy ones have a scale of their own there, unless one
    /// is given, and rounded ones are not published.
    fn published_number(&self) -> Result<GroupNumber, JobError> {
        match self.counts.kind() {
            CountsKind::Noisy => self.counts.published(&self.law).number(DrawMode::Publish, &self.law),
            CountsKind::Exact => self.counts.number(DrawMode::Publish, &self.law),
            CountsKind::Hidden | CountsKind::Rounded => Ok(GroupNumber::Hidden),
        }
    }
}

/// The values of epsilon at which a profile is listed unless a target names its own.
pub(super) fn default_epsilons() -> [Epsilon; 4] {
    EPSILONS.map(|epsilon| Epsilon::new(epsilon).expect("above 0"))
}

fn report_probability(thresholds: &ThresholdTable, n: u64) -> ReportProbability {
    let probability = thresholds.decision_probability(n);
    let p_without_clamps = match thresholds.law() {
        ThresholdLaw::ClampedNormal(law) => {
            Some(unclamped_reporting_probability(n as f64, law.mean(), law.sd()).reported)
        }
        _ => None,
    };
    ReportProbability { n, p: probability.reported, p_suppressed: probability.suppressed, p_without_clamps }
}
