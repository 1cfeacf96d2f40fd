//! What quick attackers reach on simulated releases of an actual table: the prediction for it.
//!
//! A law of independent labels is not near where labels follow from the known columns. So the
//! table is released a few times under its rule and attacked by what is fast: least squares,
//! belief propagation and a short walk, with released counts alone and with what withheld counts
//! tell.

use crate::error::Error;
use crate::limits::AttackLimits;
use crate::setting::LabelRelease;
use crate::simulation::{LabelSource, LabelTrial, simulate_labels};
use crate::world::LabelWorld;

/// Most memberships of rows in queries.
const MOST_ENTRIES: usize = 4_000_000;
/// Memberships in all releases together: small tables are released more often, since what is
/// reached varies more from one release to the next.
const ENTRIES_OF_ALL: usize = 100_000;
const RELEASES: std::ops::RangeInclusive<u64> = 2..=8;
/// Memberships times steps of least squares: what bounds its time.
const SQUARES_WORK: usize = 400_000_000;
/// Fewest steps of least squares that are worth a release.
const FEWEST_STEPS: u32 = 60;

/// What quick attackers reached on each of a few releases of a table.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LabelPrediction {
    /// The releases that were attacked.
    pub trials: Vec<LabelTrial>,
    /// How many tables of each release were attacked, those of few columns first.
    pub tables: u64,
    /// How many tables a release has.
    pub all_tables: u64,
}

/// Predicts what attackers reach on releases of a table; `None` where even the tables of the
/// fewest columns are too large for it. The same seed gives the same prediction on every machine.
///
/// An attacker may leave tables out, so attacking those of few columns alone, where all would
/// take too long, never gives more than an attacker of the whole release can reach.
///
/// # Errors
/// [`Error::Stopped`] once the flag of `limits` is set; as [`simulate_labels`].
pub fn predict_labels(
    world: LabelWorld,
    release: &LabelRelease,
    limits: &AttackLimits,
    seed: u64,
) -> Result<Option<LabelPrediction>, Error> {
    let columns = world.features().columns().len();
    let units = world.features().units(&limits.stop)?.sizes.len();
    let all_tables = release.number_of_tables(columns);
    let Some(Size { tables, steps, releases }) = Size::of(units, columns, all_tables) else { return Ok(None) };
    let quick = AttackLimits::quick();
    let iterations = steps.min(quick.iterations);
    let limits = AttackLimits { entries: MOST_ENTRIES, iterations, stop: limits.stop.clone(), ..quick };
    let attacked = LabelRelease { max_tables: Some(tables), ..release.clone() };
    let trials = simulate_labels(&LabelSource::Table(world), &attacked, &limits, releases, seed)?;
    Ok(Some(LabelPrediction { trials, tables: tables as u64, all_tables: all_tables as u64 }))
}

/// How much is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    /// Tables of each release.
    tables: usize,
    /// Steps of least squares.
    steps: u32,
    releases: u64,
}

impl Size {
    /// `None` below one table over each column: what is left says next to nothing.
    fn of(units: usize, columns: usize, all_tables: f64) -> Option<Self> {
        let most_tables = (MOST_ENTRIES / units.max(1)) as f64;
        if most_tables < all_tables.min(columns as f64 + 1.0) {
            return None;
        }
        let tables = all_tables.min(most_tables) as usize;
        let entries = (units * tables).max(1);
        let steps = u32::try_from(SQUARES_WORK / entries).unwrap_or(u32::MAX).max(FEWEST_STEPS);
        let releases = ((ENTRIES_OF_ALL / entries) as u64).clamp(*RELEASES.start(), *RELEASES.end());
        Some(Self { tables, steps, releases })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_tables_are_attacked_in_part_and_small_ones_often() {
        let size = |units, columns, tables| Size::of(units, columns, tables).map(|s| (s.tables, s.steps, s.releases));
        assert_eq!(size(100, 3, 8.0), Some((8, 500_000, 8)));
        assert_eq!(size(1_000, 5, 32.0), Some((32, 12_500, 3)));
        assert_eq!(size(10_000, 10, 1024.0), Some((400, 100, 2)), "four million memberships");
        assert_eq!(size(1_000_000, 14, 16_384.0), None, "not even every column by itself");
        assert_eq!(size(200_000, 14, 16_384.0), Some((20, 100, 2)));
    }
}
