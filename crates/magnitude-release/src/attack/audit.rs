//! The audit of a table whose cells are published or withheld: does every coalition stay as far
//! from every respondent's amount as the rule asks?

use crate::attack::attacked::{AttackLimits, Attacked};
use crate::attack::coalitions::{Target, face_all, needed};
use crate::attack::intervals::is_far_enough;
use crate::attack::program::{End, Program, Question, Shift};
use crate::attack::proof;
use crate::error::Error;
use crate::rule::SensitivityRule;
use crate::suppression::derived::derived_sums;
use crate::table::magnitude::MagnitudeTable;

/// Whether a sensitive cell is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum AmountStatus {
    /// Tables show that every coalition stays as far from it as the rule asks.
    Protected,
    /// A limit was reached. The cell counts as not protected.
    Undecided,
    /// A coalition comes closer.
    Exposed,
}

/// What the audit found about a sensitive cell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AmountFinding {
    /// The cell; `None` for a sum that follows from published cells.
    pub cell: Option<usize>,
    /// The cells whose sum follows from published ones, for such a sum.
    pub parts: Vec<usize>,
    /// Whether it is protected.
    pub status: AmountStatus,
    /// How many respondents pool what they know where the cell is exposed: 0 is a reader without
    /// an amount of their own.
    pub exposed_to: Option<usize>,
}

/// Result of an audit: a finding for every sensitive cell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AmountAudit {
    /// Every cell that the rule calls sensitive, published or withheld, and every sensitive sum of
    /// withheld cells that one relation gives away.
    pub findings: Vec<AmountFinding>,
    /// Linear programs that were solved.
    pub programs: u64,
}

impl AmountAudit {
    /// How many findings have a status.
    #[must_use]
    pub fn count(&self, status: AmountStatus) -> usize {
        self.findings.iter().filter(|finding| finding.status == status).count()
    }

    /// Whether everything sensitive is protected.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        self.findings.iter().all(|finding| finding.status == AmountStatus::Protected)
    }
}

/// Judges a pattern: `is_withheld` has an entry for every cell.
///
/// # Guarantee
/// Kind: guarantee, against every reader and every coalition of as many respondents as the rule
/// has, who know the published amounts, the sums that link them, which cells are empty, their own
/// amounts, and each cell that nobody else contributes to. Unit: the amount of a respondent in a
/// cell. A protected cell is shown by tables that satisfy all of this, checked in whole numbers.
///
/// The flag of the limits counts sensitive cells and sums.
///
/// # Errors
/// [`Error::NoSuchCell`] for another number of entries, [`Error::TooLargeProgram`],
/// [`Error::Stopped`].
pub fn audit(
    table: &MagnitudeTable,
    rule: &SensitivityRule,
    is_withheld: &[bool],
    known: Vec<(i64, i64)>,
    limits: &AttackLimits,
) -> Result<AmountAudit, Error> {
    let cells = table.cube().cells();
    if is_withheld.len() != cells || known.len() != cells {
        return Err(Error::NoSuchCell { index: is_withheld.len().min(cells) });
    }
    let mut attacked = Attacked::new(table, known, is_withheld.to_vec());
    for parts in derived_sums(table, is_withheld) {
        let merged = attacked.push_derived(&parts);
        if !rule.is_sensitive(attacked.contributions.of_cell(merged)) {
            attacked.pop_derived();
        }
    }
    let mut program = attacked.program(limits)?;
    let mut found = Vec::new();
    let mut audit = AmountAudit { findings: Vec::new(), programs: 0 };
    let amounts = 0..attacked.table.amounts.len();
    let sensitive: Vec<usize> =
        amounts.filter(|&cell| rule.is_sensitive(attacked.contributions.of_cell(cell))).collect();
    limits.stop.extend(sensitive.len() as u64);
    for cell in sensitive {
        let mut finding = AmountFinding {
            cell: (cell < attacked.own_cells).then_some(cell),
            parts: cell
                .checked_sub(attacked.own_cells)
                .map_or_else(Vec::new, |derived| attacked.derived[derived].clone()),
            status: AmountStatus::Protected,
            exposed_to: None,
        };
        for end in End::BOTH {
            let target = Target { cell, end };
            audit.programs += attack(&attacked, rule, target, (&mut program, &mut found), &mut finding)?;
        }
        audit.findings.push(finding);
        limits.stop.advance(1);
    }
    Ok(audit)
}

/// Every coalition against one end of a cell; how many linear programs that took. Tables that were
/// found before come first.
fn attack(
    attacked: &Attacked,
    rule: &SensitivityRule,
    target: Target,
    (program, found): (&mut Program, &mut Vec<Shift>),
    finding: &mut AmountFinding,
) -> Result<u64, Error> {
    let Target { cell, end } = target;
    let mut programs = 0;
    face_all(attacked, rule, target, &mut |coalition, need| {
        let known = attacked.known(found, target, coalition, need);
        let question = Question { cell, end, most: need, weights: &[], gain: 1 };
        let is_known = known.is_some();
        programs += u64::from(!is_known);
        let answer = match known {
            Some(shift) => Ok(shift),
            None => attacked.with_coalition(program, coalition, |program| program.solve(question)),
        };
        let status = match answer {
            Ok(shift) => {
                // The table is believed after a check that shares nothing with the solver.
                let is_table = proof::admits(&attacked.table, |cell| attacked.range(cell, coalition), &shift);
                let is_far = is_far_enough(&shift, cell, end, needed(attacked, rule, target, coalition));
                match (is_table, is_far) {
                    (true, true) => {
                        found.extend((!is_known).then(|| shift.clone()));
                        return Ok(Some(shift));
                    }
                    (true, false) => AmountStatus::Exposed,
                    (false, _) => AmountStatus::Undecided,
                }
            }
            Err(Error::Limit) => AmountStatus::Undecided,
            Err(error) => return Err(error),
        };
        if status > finding.status {
            finding.status = status;
            finding.exposed_to = (status == AmountStatus::Exposed).then_some(coalition.len());
        }
        Ok(None)
    })?;
    Ok(programs)
}
