//! The attackers on a screened release.

use label_attack::{AttackLimits, Evidence, LabelGuess, LabelView, attack_labels};

use crate::audit::Attacker;
use crate::prelude::*;

/// What attackers on many worlds may spend.
pub(super) fn limits() -> AttackLimits {
    AttackLimits { visits: 300_000, exact_entries: 2_000, sweeps: 40, proofs: 0, ..AttackLimits::default() }
}

/// The portfolio on released counts.
#[derive(Clone, Debug)]
pub struct PortfolioAttacker {
    limits: AttackLimits,
    evidence: Evidence,
}

impl PortfolioAttacker {
    /// The portfolio within these limits.
    #[must_use]
    pub const fn new(limits: AttackLimits) -> Self {
        Self { limits, evidence: Evidence::Released }
    }

    /// The same, which also uses that withheld counts are small.
    pub(super) const fn with_suppressed(limits: AttackLimits) -> Self {
        Self { limits, evidence: Evidence::WithSuppressed }
    }
}

impl Attacker<LabelView> for PortfolioAttacker {
    type Answer = LabelGuess;

    fn answer(&self, view: &LabelView, rng: &mut SimRng) -> LabelGuess {
        attack_labels(view, self.evidence, &self.limits, rng).map_or_else(|_| blind(view), |attack| attack.guess)
    }
}

/// The most frequent class for everybody.
pub(super) fn blind(view: &LabelView) -> LabelGuess {
    LabelGuess::blind(view.features().rows(), view.class_shares())
}
