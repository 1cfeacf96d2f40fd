//! Who plays against a screen.

use disclosure::core::rng::SimRng;
use label_attack::{AttackLimits, Evidence, LabelGuess, LabelView, attack_labels};

use crate::game::Attacker;

/// The portfolio on released counts.
#[derive(Clone, Copy, Debug)]
pub struct PortfolioAttacker {
    limits: AttackLimits,
}

impl PortfolioAttacker {
    /// The portfolio within these limits.
    #[must_use]
    pub const fn new(limits: AttackLimits) -> Self {
        Self { limits }
    }
}

impl Attacker<LabelView> for PortfolioAttacker {
    type Answer = LabelGuess;

    fn answer(&self, view: &LabelView, rng: &mut SimRng) -> LabelGuess {
        attack_labels(view, Evidence::Released, &self.limits, rng).guess
    }
}

/// The commonest class for everybody.
#[derive(Clone, Copy, Debug)]
pub struct BlindAttacker;

impl Attacker<LabelView> for BlindAttacker {
    type Answer = LabelGuess;

    fn answer(&self, view: &LabelView, _: &mut SimRng) -> LabelGuess {
        LabelGuess::blind(view.features().rows(), view.class_shares())
    }
}

impl<A: Attacker<LabelView, Answer = LabelGuess>> Attacker<[LabelView; 2]> for A {
    type Answer = [LabelGuess; 2];

    fn answer(&self, views: &[LabelView; 2], rng: &mut SimRng) -> [LabelGuess; 2] {
        [self.answer(&views[0], rng), self.answer(&views[1], rng)]
    }
}
