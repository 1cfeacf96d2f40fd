//! Between which amounts a reader without an amount of their own knows every withheld cell to be.

use frechet_certificate::Certificates;

use crate::attack::attacked::{AttackLimits, open_relations};
use crate::attack::program::{End, Program, Question, Shift};
use crate::attack::proof::{self, Claim};
use crate::attack::tableau::Tableau;
use crate::error::Error;
use crate::table::additive::{AdditiveTable, UNBOUNDED};

/// One end of an interval, a fraction of units.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// The numerator, in units.
    pub numerator: i128,
    /// The denominator, at least 1.
    pub denominator: i128,
}

impl Amount {
    /// The amount in units, to the precision of a float.
    #[must_use]
    pub fn value(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

/// Debug output shows no amount.
impl std::fmt::Debug for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Amount")
    }
}

/// What a reader of the published cells knows of a withheld one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellInterval {
    /// The cell.
    pub cell: usize,
    /// The least amount; `None` where a limit was reached.
    pub lower: Option<Amount>,
    /// The largest; `None` where nothing bounds it, or a limit was reached.
    pub upper: Option<Amount>,
    /// Whether both ends were proved, or found to be without a bound.
    pub is_proved: bool,
}

impl CellInterval {
    /// Whether the amount is known exactly.
    #[must_use]
    pub fn is_exactly_disclosed(&self) -> bool {
        match (self.lower, self.upper) {
            (Some(lower), Some(upper)) => lower.numerator * upper.denominator == upper.numerator * lower.denominator,
            _ => false,
        }
    }
}

/// The intervals of all open cells, with what proves them. Every end is checked without the
/// solver: a second table attains it, and multipliers of the relations exclude everything beyond.
///
/// # Errors
/// [`Error::TooLargeProgram`], [`Error::Stopped`].
pub(crate) fn intervals(
    table: &AdditiveTable,
    is_open: &[bool],
    limits: &AttackLimits,
) -> Result<(Vec<CellInterval>, Vec<Claim>), Error> {
    let relations = open_relations(&table.relations, is_open);
    let tableau = Tableau::new(table.amounts.len(), &relations, true)?;
    let mut program = Program::new(tableau, limits.steps, limits.stop.clone());
    let range = |cell: usize| {
        let (least, most) = table.known[cell];
        let amount = table.amounts[cell];
        if is_open[cell] { (least - amount, most - amount) } else { (0, 0) }
    };
    (0..is_open.len()).for_each(|cell| program.set_range(cell, range(cell)));
    let (mut intervals, mut claims) = (Vec::new(), Vec::new());
    limits.stop.begin(is_open.iter().filter(|&&is_open| is_open).count() as u64);
    for cell in (0..is_open.len()).filter(|&cell: &usize| is_open[cell]) {
        let mut interval = CellInterval { cell, lower: None, upper: None, is_proved: true };
        for end in End::BOTH {
            let question = Question { cell, end, most: UNBOUNDED, weights: &[], gain: 1 };
            let shift = match program.solve(question) {
                Ok(shift) => shift,
                Err(Error::Limit) => {
                    interval.is_proved = false;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let claim = Claim { cell, end, reason: proof::reason(&program, cell), shift };
            let found = end_of(table, range, &claim);
            interval.is_proved &= found.is_some();
            let end_amount = found.flatten();
            match end {
                End::Upper => interval.upper = end_amount,
                End::Lower => interval.lower = end_amount,
            }
            if end_amount.is_some() {
                claims.push(claim);
            }
        }
        intervals.push(interval);
        limits.stop.advance(1);
    }
    Ok((intervals, claims))
}

/// The end that a claim proves: `Some(None)` where tables grow without a bound, `None` where the
/// claim does not hold.
fn end_of(table: &AdditiveTable, range: impl Fn(usize) -> (i64, i64) + Copy, claim: &Claim) -> Option<Option<Amount>> {
    let Claim { cell, end, shift, reason } = claim;
    if !proof::admits(table, range, shift) {
        return None;
    }
    let by = shift.of(*cell);
    if Program::is_unbounded(by, shift.denominator) {
        return Some(None);
    }
    let (total, denominator) = proof::bound(table, range, (*cell, *end), reason)?;
    // The bound and the table that attains it are the same number.
    let is_attained = total * shift.denominator == i128::from(end.sign()) * by * denominator;
    let amount = i128::from(table.amounts[*cell]) * shift.denominator + by;
    is_attained.then_some(Some(Amount { numerator: amount, denominator: shift.denominator }))
}

/// Intervals of a pattern, and their certificates in whole units, which
/// [`frechet_certificate::verify`] checks.
///
/// # Errors
/// As [`intervals`].
pub(crate) fn with_certificates(
    table: &AdditiveTable,
    is_open: &[bool],
    limits: &AttackLimits,
) -> Result<(Vec<CellInterval>, Certificates), Error> {
    let (intervals, claims) = intervals(table, is_open, limits)?;
    let open: Vec<usize> = (0..is_open.len()).filter(|&cell: &usize| is_open[cell]).collect();
    let certificates = proof::certificates(table, &open, &claims)?;
    Ok((intervals, certificates))
}

/// Whether a shift goes as far as it must.
pub(crate) fn is_far_enough(shift: &Shift, cell: usize, end: End, need: i64) -> bool {
    shift.of(cell) * i128::from(end.sign()) >= i128::from(need) * shift.denominator
}
