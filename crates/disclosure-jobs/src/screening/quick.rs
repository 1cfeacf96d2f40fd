//! What quick attackers reach on releases of an actual table: the estimate for it.

use disclosure::screen::ScreenSpec;
use label_attack::{AttackLimits, Evidence, LabelPrediction, LabelRelease, LabelTrial, LabelWorld, predict_labels};
use serde::{Deserialize, Serialize};

use super::attacks::{MeanSummary, StrongestSummary, mean};
use crate::error::JobError;
use crate::observer::{Observer, during};

/// The seed of the noise.
const SEED: u64 = 1;

/// What quick attackers reached on simulated releases of the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuickAttack {
    /// Releases that were attacked.
    pub releases: u64,
    /// The seed of their noise.
    pub seed: u64,
    /// How many tables of each release were attacked, those of few columns first: all, unless the
    /// table is large.
    #[serde(default)]
    pub tables: u64,
    /// The best of the attackers and of guessing, release by release.
    #[serde(flatten)]
    pub strongest: StrongestSummary,
    /// The same among those who use released counts alone.
    #[serde(default)]
    pub released_alone: MeanSummary,
}

/// Attacks a table that is released under a rule; `None` where the table is too large for it.
pub(super) fn quick_attack(
    world: LabelWorld,
    release: &ScreenSpec,
    observer: &dyn Observer,
) -> Result<Option<QuickAttack>, JobError> {
    let limits = AttackLimits { stop: observer.stop_flag(), ..AttackLimits::quick() };
    let rule = LabelRelease::of_screen(release)?;
    let found = during(observer, "attacking labels", || predict_labels(world, &rule, &limits, SEED))?;
    Ok(found.map(|LabelPrediction { trials, tables, .. }| summary(&trials, tables)))
}

fn summary(trials: &[LabelTrial], tables: u64) -> QuickAttack {
    QuickAttack {
        releases: trials.len() as u64,
        seed: SEED,
        tables,
        strongest: StrongestSummary::of(trials),
        released_alone: mean(trials, |trial| trial.strongest_with(Evidence::Released).0),
    }
}
