//! What quick attackers reach on releases of an actual table: the estimate for it.
//!
//! State evolution takes labels for independent of the known columns, and an actual table's are
//! not. So the table is released a few times as its rule says, and attacked by what is fast: least
//! squares, belief propagation and a short walk, with released counts alone and with what withheld
//! counts tell.

use disclosure::screen::ScreenSpec;
use label_attack::{AttackLimits, Error, LabelRelease, LabelSource, LabelWorld, simulate_labels};
use serde::{Deserialize, Serialize};

use super::attacks::StrongestSummary;
use crate::error::JobError;
use crate::observer::{Observer, during};

/// Releases of the table that are attacked, and the seed of their noise.
const RELEASES: u64 = 2;
const SEED: u64 = 1;
/// Most memberships of rows in queries: some ten seconds on one core.
const MOST_ENTRIES: usize = 1_000_000;

/// What quick attackers reached on simulated releases of the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuickAttack {
    /// Releases that were attacked.
    pub releases: u64,
    /// The seed of their noise.
    pub seed: u64,
    /// The best of the attackers and of guessing, release by release.
    #[serde(flatten)]
    pub strongest: StrongestSummary,
}

/// Attacks a table that is released under a rule; `None` where the table is too large for it.
pub(super) fn quick_attack(
    world: LabelWorld,
    release: &ScreenSpec,
    observer: &dyn Observer,
) -> Result<Option<QuickAttack>, JobError> {
    let limits = AttackLimits { entries: MOST_ENTRIES, stop: observer.stop_flag(), ..AttackLimits::quick() };
    let rule = LabelRelease::of_screen(release)?;
    let trials = during(observer, "attacking labels", || {
        simulate_labels(&LabelSource::Table(world), &rule, &limits, RELEASES, SEED)
    });
    match trials {
        Ok(trials) => {
            Ok(Some(QuickAttack { releases: RELEASES, seed: SEED, strongest: StrongestSummary::of(&trials) }))
        }
        Err(Error::TooManyEntries { .. } | Error::TooManyRows { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
