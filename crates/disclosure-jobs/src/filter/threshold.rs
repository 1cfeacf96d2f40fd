//! What the documents of `lcf odds` and `lcf advise` have in common: the fields of
//! `docs/formats.md`.

use std::borrow::Cow;
use std::num::NonZeroU32;

use disclosure::lcf::{GroupNumber, NumberNoise, Odds, ThresholdLaw, ThresholdTable, Utility};
use disclosure::privacy_core::param::{Epsilon, Probability};
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use serde::{Deserialize, Serialize};

use super::statement::NOT_PRIVATE;
use crate::digest::hexadecimal;

/// What the odds of a threshold state, and of which kind the statement is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OddsStatement {
    /// That sticky answers are not differentially private.
    pub warning: Cow<'static, str>,
    /// The statement.
    #[serde(flatten)]
    pub promise: Promise,
}

impl OddsStatement {
    /// The statement about one decision.
    #[must_use]
    pub fn calibration() -> Self {
        let statement = "what one decision about one group reveals; more queries reveal more";
        let promise =
            Promise::new(PromiseKind::Calibration, statement).with_unit("one entity, which is in the group or not");
        Self { warning: NOT_PRIVATE.into(), promise }
    }
}

/// A law with what it decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThresholdReport {
    /// The law.
    #[serde(flatten)]
    pub law: ThresholdLaw,
    /// The smallest group that may be reported.
    pub floor: u64,
    /// The smallest group that is always reported.
    pub cap: u64,
    /// The smallest group that is reported with probability one half.
    pub n50: u64,
    /// The smallest group that is reported with probability 0.99.
    pub n99: u64,
    /// SHA-256 of the table of cut-offs.
    pub cutoffs_sha256: String,
}

impl ThresholdReport {
    /// The report on a table.
    ///
    /// # Panics
    /// Never: one half and 0.99 are probabilities.
    #[must_use]
    pub fn new(thresholds: &ThresholdTable) -> Self {
        let [half, nearly] = [0.5, 0.99].map(|p| Probability::new(p).expect("between 0 and 1"));
        Self {
            law: *thresholds.law(),
            floor: thresholds.floor(),
            cap: thresholds.cap(),
            n50: thresholds.least_reported_with(half),
            n99: thresholds.least_reported_with(nearly),
            cutoffs_sha256: hexadecimal(&thresholds.digest()),
        }
    }
}

/// The most that one decision reveals, and what repeated queries reveal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OddsSummary {
    /// The larger probability of a proof, on either side of the threshold.
    pub certainty: f64,
    /// The largest posterior short of a proof, on either side.
    pub posterior: f64,
    /// The sizes at which these occur.
    #[serde(flatten)]
    pub worst: Odds,
    /// Where a pair of answers with and without a victim reveals most.
    pub sticky_equality: AttackReport,
}

/// The number of queries until an error of 1 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackReport {
    /// The smaller size.
    pub n: u64,
    /// Probability that the answers differ when the victim is in the group; otherwise they never
    /// do.
    pub detection: f64,
    /// Pairs of queries with and without the victim.
    pub pairs_for_99_percent: Option<u64>,
    /// Sets with fresh draws.
    pub fresh_draws_for_99_percent: Option<u64>,
}

impl OddsSummary {
    /// The summary of a table.
    ///
    /// # Panics
    /// Never: 1 % is a probability.
    #[must_use]
    pub fn new(thresholds: &ThresholdTable) -> Self {
        let error = Probability::new(0.01).expect("between 0 and 1");
        let worst = thresholds.attacks(thresholds.worst_sticky_size(), error);
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

/// The privacy of one release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfileReport {
    /// A guarantee.
    pub kind: PromiseKind,
    /// The statement, in one sentence.
    pub statement: Cow<'static, str>,
    /// Which two data sets must look alike.
    pub neighbours: Cow<'static, str>,
    /// The number of groups that one entity may be in.
    pub groups_per_entity: u32,
    /// The delta that remains at every epsilon.
    pub least_delta: f64,
    /// The smallest delta at a few values of epsilon.
    pub delta_at_epsilon: Vec<DeltaAtEpsilon>,
}

/// A point of the profile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeltaAtEpsilon {
    /// Epsilon.
    pub epsilon: f64,
    /// The smallest delta for it.
    pub delta: f64,
}

impl ProfileReport {
    /// The profile at these values of epsilon.
    #[must_use]
    pub fn new(
        thresholds: &ThresholdTable,
        groups_per_entity: NonZeroU32,
        epsilons: &[Epsilon],
        number: &GroupNumber,
    ) -> Self {
        let cost = number.noise().and_then(NumberNoise::epsilon);
        let profile = thresholds.release_profile(groups_per_entity).beside_number(cost.unwrap_or(0.0));
        let points = epsilons.iter();
        Self {
            kind: PromiseKind::Guarantee,
            statement: profile_statement(number).into(),
            neighbours: "one entity added or removed".into(),
            groups_per_entity: groups_per_entity.get(),
            least_delta: profile.least_delta(),
            delta_at_epsilon: points
                .map(|&epsilon| DeltaAtEpsilon { epsilon: epsilon.get(), delta: profile.delta(epsilon) })
                .collect(),
        }
    }
}

fn profile_statement(number: &GroupNumber) -> String {
    let (what, numbers) = match number {
        GroupNumber::Noisy(noise) => {
            let scale = noise.scale().unwrap_or_default();
            (format!("which groups one release contains, together with their noisy counts (scale {scale}),"), "")
        }
        GroupNumber::Exact(_) => ("which groups one release contains".to_owned(), "; exact counts are not covered"),
        _ => ("which groups one release contains, without counts,".to_owned(), ""),
    };
    format!(
        "{what} is (epsilon, delta)-differentially private when drawn in publish mode, without a merged rest or \
         low-effect merging, against anyone without the secret key{numbers}"
    )
}

/// The expected share of the user's own groups that is reported.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UtilityReport {
    /// Share of the groups.
    pub groups: f64,
    /// Share of the memberships of entities in groups.
    pub entities: f64,
}

impl From<Utility> for UtilityReport {
    fn from(utility: Utility) -> Self {
        Self { groups: utility.groups, entities: utility.entities }
    }
}
