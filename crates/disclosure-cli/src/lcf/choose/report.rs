//! What `lcf odds` and `lcf advise` say alike: the fields of `docs/formats.md`.

use std::num::NonZeroU32;

use disclosure::core::param::{Epsilon, Probability};
use disclosure::lcf::{Attacks, Odds, ThresholdLaw, ThresholdTable, Utility};
use serde::Serialize;

use crate::digest::hexadecimal;
use crate::lcf::promise::NOT_PRIVATE;

/// What is promised, of which kind.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Promise {
    pub(super) warning: &'static str,
    pub(super) kind: &'static str,
    pub(super) statement: &'static str,
    pub(super) unit: &'static str,
}

impl Promise {
    pub(super) const CALIBRATION: Self = Self {
        warning: NOT_PRIVATE,
        kind: "calibration",
        statement: "what one decision about one group tells; more questions tell more",
        unit: "one entity, that is in the group or not",
    };
}

/// A law with what it decides.
#[derive(Debug, Serialize)]
pub(super) struct LawReport {
    #[serde(flatten)]
    pub(super) law: ThresholdLaw,
    /// The smallest group that may be reported.
    pub(super) floor: u64,
    /// The smallest group that is always reported.
    pub(super) cap: u64,
    /// The smallest group that is reported with probability one half.
    pub(super) n50: u64,
    /// The smallest group that is reported with probability 0.99.
    pub(super) n99: u64,
    /// SHA-256 of the table of cut-offs.
    pub(super) cutoffs_sha256: String,
}

impl LawReport {
    pub(super) fn of(thresholds: &ThresholdTable) -> Self {
        let reported_with = |p| thresholds.least_reported_with(Probability::new(p).expect("between 0 and 1"));
        Self {
            law: *thresholds.law(),
            floor: thresholds.floor(),
            cap: thresholds.cap(),
            n50: reported_with(0.5),
            n99: reported_with(0.99),
            cutoffs_sha256: hexadecimal(&thresholds.digest()),
        }
    }
}

/// What one decision gives away at worst, and what repeated ones do.
#[derive(Debug, Serialize)]
pub(super) struct OddsSummary {
    /// Odds of a proof, on either side.
    pub(super) certainty: f64,
    /// The surest guess short of a proof, on either side.
    pub(super) posterior: f64,
    #[serde(flatten)]
    pub(super) worst: Odds,
    /// Where a pair of answers with and without a victim tells most.
    pub(super) sticky_equality: AttackReport,
}

/// Questions until an error of 1 %.
#[derive(Debug, Serialize)]
pub(super) struct AttackReport {
    pub(super) n: u64,
    /// Probability that the answers differ when the victim is there; they never do otherwise.
    pub(super) detection: f64,
    pub(super) pairs_for_99_percent: Option<u64>,
    pub(super) fresh_draws_for_99_percent: Option<u64>,
}

impl OddsSummary {
    pub(super) fn of(thresholds: &ThresholdTable) -> Self {
        let error = Probability::new(0.01).expect("between 0 and 1");
        let differ = |n: u64| {
            let (fewer, more) = (thresholds.reporting_probability(n), thresholds.reporting_probability(n + 1));
            fewer.reported * more.suppressed + fewer.suppressed * more.reported
        };
        let worst = (0..thresholds.cap()).max_by(|&a, &b| differ(a).total_cmp(&differ(b)).then(b.cmp(&a))).unwrap_or(0);
        let worst: Attacks = thresholds.attacks(worst, error);
        let odds = thresholds.odds();
        Self {
            certainty: odds.certainty(),
            posterior: odds.posterior(),
            worst: odds,
            sticky_equality: AttackReport {
                n: worst.n,
                detection: worst.sticky_equality,
                pairs_for_99_percent: worst.pairs,
                fresh_draws_for_99_percent: worst.fresh_draws,
            },
        }
    }
}

/// What one release promises.
#[derive(Debug, Serialize)]
pub(super) struct ProfileReport {
    pub(super) kind: &'static str,
    pub(super) statement: &'static str,
    pub(super) neighbours: &'static str,
    pub(super) groups_per_entity: u32,
    /// No epsilon has a smaller delta.
    pub(super) least_delta: f64,
    pub(super) delta_at_epsilon: Vec<DeltaAtEpsilon>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct DeltaAtEpsilon {
    pub(super) epsilon: f64,
    pub(super) delta: f64,
}

impl ProfileReport {
    /// The profile at a few values of epsilon.
    pub(super) fn of(thresholds: &ThresholdTable, groups_per_entity: NonZeroU32, epsilons: &[f64]) -> Self {
        let profile = thresholds.release_profile(groups_per_entity);
        let at = |&epsilon: &f64| {
            let delta = profile.delta(Epsilon::new(epsilon).expect("above 0"));
            DeltaAtEpsilon { epsilon, delta }
        };
        Self {
            kind: "guarantee",
            statement: "which groups one release shows is (epsilon, delta)-differentially private when drawn in publish mode, \
                 without a rest or low effect, against whoever has not the secret; counts are not covered",
            neighbours: "one entity added or removed",
            groups_per_entity: groups_per_entity.get(),
            least_delta: profile.least_delta(),
            delta_at_epsilon: epsilons.iter().map(at).collect(),
        }
    }
}

/// What is kept of the user's own groups.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct UtilityReport {
    pub(super) groups: f64,
    pub(super) entities: f64,
}

impl From<Utility> for UtilityReport {
    fn from(kept: Utility) -> Self {
        Self { groups: kept.groups, entities: kept.entities }
    }
}
