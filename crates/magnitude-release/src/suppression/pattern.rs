//! The pattern of another tool over linked tables of amounts: what a reader of the published cells
//! knows of the withheld ones, against the protection levels that the pattern states.

use frechet_certificate::Certificates;

use crate::attack::attacked::AttackLimits;
use crate::attack::audit::AmountStatus;
use crate::attack::intervals::{CellInterval, with_certificates};
use crate::error::Error;
use crate::suppression::plan::SuppressionStatus;
use crate::table::additive::AdditiveTable;

/// How far from its amount a cell must stay possible, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProtectionLevels {
    /// Below the amount.
    pub lower: i64,
    /// Above it.
    pub upper: i64,
    /// From end to end.
    pub sliding: i64,
}

/// What is proved about a withheld cell of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatternFinding {
    /// Why the cell is withheld.
    pub status: SuppressionStatus,
    /// What a reader knows.
    pub interval: CellInterval,
    /// Whether the levels are met; for a cell that protects others, whether a second amount is
    /// possible.
    pub protected: AmountStatus,
}

/// Judges every withheld cell, with certificates of both ends.
///
/// # Guarantee
/// Kind: guarantee, against a reader who knows the published cells, the relations and the bounds
/// of every cell, and has no amount of their own: the pattern does not say who contributes. Unit:
/// the amount of a cell.
///
/// # Errors
/// [`Error::NoSuchCell`] for another number of statuses or levels, [`Error::TooLargeProgram`],
/// [`Error::Stopped`].
pub fn audit_pattern(
    table: &AdditiveTable,
    statuses: &[SuppressionStatus],
    levels: &[ProtectionLevels],
    limits: &AttackLimits,
) -> Result<(Vec<PatternFinding>, Certificates), Error> {
    let cells = table.amounts().len();
    if statuses.len() != cells || levels.len() != cells {
        return Err(Error::NoSuchCell { index: statuses.len().min(levels.len()) });
    }
    let is_open: Vec<bool> = statuses.iter().map(|&status| status != SuppressionStatus::Published).collect();
    let (intervals, certificates) = with_certificates(table, &is_open, limits)?;
    let judged = intervals.into_iter().map(|interval| {
        let cell = interval.cell;
        let levels =
            if statuses[cell] == SuppressionStatus::Primary { levels[cell] } else { ProtectionLevels::default() };
        let protected = match interval.is_proved {
            false => AmountStatus::Undecided,
            true if is_met(table.amounts()[cell], levels, interval) => AmountStatus::Protected,
            true => AmountStatus::Exposed,
        };
        PatternFinding { status: statuses[cell], interval, protected }
    });
    Ok((judged.collect(), certificates))
}

/// Whether the interval reaches as far as asked, and holds more than one amount.
fn is_met(amount: i64, levels: ProtectionLevels, interval: CellInterval) -> bool {
    let Some(lower) = interval.lower else { return false };
    let below = lower.numerator <= i128::from(amount - levels.lower) * lower.denominator;
    let Some(upper) = interval.upper else { return below };
    let above = upper.numerator >= i128::from(amount + levels.upper) * upper.denominator;
    let width = upper.numerator * lower.denominator - lower.numerator * upper.denominator;
    let across = width >= i128::from(levels.sliding) * upper.denominator * lower.denominator;
    below && above && across && !interval.is_exactly_disclosed()
}
