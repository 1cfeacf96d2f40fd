//! `disclosure lcf odds`: the tables of a threshold, exact.

use disclosure::core::param::Probability;
use disclosure::lcf::{MembershipPosterior, ThresholdLaw, ThresholdTable, unclamped_reporting_probability};
use serde::Serialize;

use super::args::OddsArgs;
use super::report::{LawReport, OddsSummary, ProfileReport, Promise};
use super::show::show_odds;
use super::words::out_of_range;
use crate::error::Failure;
use crate::files::{print, print_json};

/// Where the profile of one release is listed.
const EPSILONS: [f64; 4] = [0.5, 1.0, 2.0, 3.0];

/// The tables, and the worst in them.
#[derive(Debug, Serialize)]
pub(super) struct OddsReport {
    pub(super) schema: &'static str,
    pub(super) promise: Promise,
    pub(super) law: LawReport,
    pub(super) odds: OddsSummary,
    pub(super) release_profile: ProfileReport,
    /// The attacker's probability of the one entity more, in `one_more`.
    pub(super) prior: f64,
    pub(super) report_probability: Vec<ReportProbability>,
    pub(super) one_more: Vec<MembershipPosterior>,
}

/// How likely a group of `n` entities is reported.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct ReportProbability {
    pub(super) n: u64,
    pub(super) p: f64,
    /// The other tail, with its own digits.
    pub(super) p_suppressed: f64,
    /// Under the same threshold without its clamps, which no filter has: how often they matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) p_without_clamps: Option<f64>,
}

/// Shows the tables.
pub(in crate::lcf) fn run(args: &OddsArgs) -> Result<(), Failure> {
    let thresholds = ThresholdTable::new(args.law.law(args.groups_per_entity)?);
    let prior = Probability::new(args.prior).map_err(out_of_range)?;
    let up_to = args.up_to.map_or(thresholds.cap(), u64::from);
    let report = OddsReport {
        schema: "disclosure.lcf-odds/1",
        promise: Promise::CALIBRATION,
        law: LawReport::of(&thresholds),
        odds: OddsSummary::of(&thresholds),
        release_profile: ProfileReport::of(&thresholds, args.groups_per_entity, &EPSILONS),
        prior: prior.get(),
        report_probability: (1..=up_to).map(|n| report_probability(&thresholds, n)).collect(),
        one_more: (1..=up_to).map(|n| thresholds.membership_posterior_with_prior(n, prior)).collect(),
    };
    match args.json {
        true => print_json(&report),
        false => print(show_odds(&report).as_bytes()),
    }
}

fn report_probability(thresholds: &ThresholdTable, n: u64) -> ReportProbability {
    let chance = thresholds.reporting_probability(n);
    let p_without_clamps = match thresholds.law() {
        ThresholdLaw::ClampedNormal(law) => {
            Some(unclamped_reporting_probability(n as f64, law.mean(), law.sd()).reported)
        }
        _ => None,
    };
    ReportProbability { n, p: chance.reported, p_suppressed: chance.suppressed, p_without_clamps }
}
