//! Complementary suppression: for every coalition that comes too close to a sensitive cell, the
//! cheapest further cells that give the cell room. What was withheld in vain is published again,
//! and the audit afterwards is what is trusted.

use std::collections::BTreeSet;

use crate::attack::attacked::AttackLimits;
use crate::attack::audit::{AmountAudit, AmountStatus, audit};
use crate::attack::intervals::{CellInterval, intervals, with_certificates};
use crate::error::Error;
use crate::rule::{SensitivityRule, Share};
use crate::suppression::search::Search;
use crate::table::magnitude::MagnitudeTable;
use frechet_certificate::Certificates;

/// The cost of withholding a cell, which the search for complementary cells minimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum SuppressionCost {
    /// Its amount: large cells stay.
    #[default]
    Value,
    /// Its number of respondents: cells that are about many stay.
    Count,
    /// The same for every cell: few cells are withheld.
    Equal,
}

/// Why a cell is published or withheld. What is published does not say it: see
/// [`PublishedAmount`](crate::PublishedAmount).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum SuppressionStatus {
    /// It is published.
    Published,
    /// It is withheld because the rule calls it sensitive.
    Primary,
    /// It is withheld to protect others.
    Complementary,
}

/// What to protect, and at which cost.
#[derive(Clone, Debug)]
pub struct SuppressionProblem<'a> {
    /// The table.
    pub table: &'a MagnitudeTable,
    /// When a cell is sensitive, and to whom.
    pub rule: &'a SensitivityRule,
    /// The cost of withholding a cell, which the search for complementary cells minimises.
    pub cost: SuppressionCost,
    /// Cells that must be published.
    pub keep: BTreeSet<usize>,
    /// Every attacker knows each amount to within this share of it; `None` if only that amounts
    /// are not negative.
    pub known_within: Option<Share>,
    /// Work of one linear program.
    pub limits: AttackLimits,
}

impl<'a> SuppressionProblem<'a> {
    /// No cell must be published, and attackers know nothing beforehand.
    #[must_use]
    pub fn new(table: &'a MagnitudeTable, rule: &'a SensitivityRule) -> Self {
        let (cost, limits) = (SuppressionCost::default(), AttackLimits::default());
        Self { table, rule, cost, keep: BTreeSet::new(), known_within: None, limits }
    }

    /// The least and the largest amount of each cell that everybody knows to be possible.
    pub(super) fn known(&self) -> Vec<(i64, i64)> {
        let additive = self.table.additive();
        match self.known_within {
            None => additive.known().to_vec(),
            Some(share) => additive.amounts().iter().map(|&amount| around(amount, share)).collect(),
        }
    }

    /// Judges any pattern against the rule: see [`audit`](crate::audit).
    ///
    /// # Errors
    /// As [`audit`](crate::audit).
    pub fn audit(&self, is_withheld: &[bool]) -> Result<AmountAudit, Error> {
        audit(self.table, self.rule, is_withheld, self.known(), &self.limits)
    }

    /// Between which amounts a reader without an amount of their own knows every withheld cell to
    /// be, and certificates of both ends in whole units.
    ///
    /// # Errors
    /// [`Error::TooLargeProgram`], [`Error::Stopped`].
    pub fn intervals(&self, is_withheld: &[bool]) -> Result<Vec<CellInterval>, Error> {
        let table = crate::AdditiveTable { known: self.known(), ..self.table.additive.clone() };
        Ok(intervals(&table, &self.open(is_withheld), &self.limits)?.0)
    }

    /// As [`SuppressionProblem::intervals`], with certificates that
    /// [`frechet_certificate::verify`] checks.
    ///
    /// # Errors
    /// As [`SuppressionProblem::intervals`].
    pub fn certificates(&self, is_withheld: &[bool]) -> Result<(Vec<CellInterval>, Certificates), Error> {
        let table = crate::AdditiveTable { known: self.known(), ..self.table.additive.clone() };
        with_certificates(&table, &self.open(is_withheld), &self.limits)
    }

    /// Everybody knows which cells are empty.
    pub(super) fn open(&self, is_withheld: &[bool]) -> Vec<bool> {
        let cells = is_withheld.iter().enumerate();
        cells.map(|(cell, &is_withheld)| is_withheld && !self.table.contributions(cell).is_empty()).collect()
    }
}

/// The amounts within a share of one.
fn around(amount: i64, share: Share) -> (i64, i64) {
    let room = i64::try_from(share.of(i128::from(amount))).unwrap_or(amount);
    ((amount - room).max(0), amount + room)
}

/// Which cells are withheld, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuppressionPlan {
    pub(crate) statuses: Vec<SuppressionStatus>,
    pub(crate) audit: AmountAudit,
}

impl SuppressionPlan {
    /// The status of every cell.
    #[must_use]
    pub fn statuses(&self) -> &[SuppressionStatus] {
        &self.statuses
    }

    /// What the attackers found in it.
    #[must_use]
    pub fn audit(&self) -> &AmountAudit {
        &self.audit
    }

    /// Whether each cell is withheld.
    #[must_use]
    pub fn is_withheld(&self) -> Vec<bool> {
        self.statuses.iter().map(|&status| status != SuppressionStatus::Published).collect()
    }

    /// How many cells have a status.
    #[must_use]
    pub fn count(&self, status: SuppressionStatus) -> usize {
        self.statuses.iter().filter(|&&own| own == status).count()
    }
}

/// Finds the cells to withhold, and lets every coalition attack what is left. The limits' flag
/// counts sensitive cells, complementary ones to publish again, and what the audit asks about.
///
/// # Errors
/// [`Error::KeptSensitive`], [`Error::Unprotectable`], [`Error::NotProtected`] if the attackers
/// found what the search overlooked, [`Error::TooLargeProgram`], [`Error::Limit`] and
/// [`Error::Stopped`].
pub fn plan(problem: &SuppressionProblem<'_>) -> Result<SuppressionPlan, Error> {
    let mut search = Search::new(problem)?;
    let mut sensitive = search.sensitive.clone();
    // Cells that ask for the most room come first: what they need often serves the others.
    sensitive.sort_by_key(|&cell| (std::cmp::Reverse(search.level(cell)), cell));
    problem.limits.stop.begin(sensitive.len() as u64);
    for cell in sensitive {
        search.protect(cell)?;
        problem.limits.stop.advance(1);
    }
    search.protect_sums()?;
    search.publish_again()?;
    let is_withheld: Vec<bool> = search.attacked.is_open.iter().take(search.attacked.own_cells).copied().collect();
    let audit = problem.audit(&is_withheld)?;
    if !audit.is_protected() {
        let [exposed, undecided] = [AmountStatus::Exposed, AmountStatus::Undecided].map(|status| audit.count(status));
        return Err(Error::NotProtected { exposed, undecided });
    }
    let mut statuses = vec![SuppressionStatus::Published; is_withheld.len()];
    for (cell, _) in is_withheld.iter().enumerate().filter(|(_, is_withheld)| **is_withheld) {
        statuses[cell] = SuppressionStatus::Complementary;
    }
    search.sensitive.iter().for_each(|&cell| statuses[cell] = SuppressionStatus::Primary);
    Ok(SuppressionPlan { statuses, audit })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use privacy_core::stop::{Progress, StopFlag};

    use super::*;
    use crate::rule::Share;
    use crate::table::axis::{Axis, AxisNode};
    use crate::table::cube::Cube;
    use crate::table::magnitude::Record;

    #[test]
    fn a_plan_says_how_far_it_is() {
        let node = |label: &str, parent| AxisNode { label: label.to_owned(), parent };
        let axis = || {
            let nodes = vec![node("all", None), node("a", Some(0)), node("b", Some(0)), node("c", Some(0))];
            Axis::new("axis", nodes).unwrap()
        };
        let record = |number: u32| Record {
            leaves: vec![number as usize % 3, number as usize / 3 % 3],
            respondent: number,
            amount: 1 + i64::from(number * number % 17),
        };
        let records: Vec<Record> = (0..30).map(record).collect();
        let table = MagnitudeTable::from_records(Cube::new(vec![axis(), axis()]).unwrap(), &records).unwrap();
        let p = Share::of_percent("p", 40.0).unwrap();
        let rule = SensitivityRule::new(Some(p), Vec::new(), None, 1).unwrap();
        let share_at = |looks| {
            let progress = Arc::new(Progress::default());
            let mut problem = SuppressionProblem::new(&table, &rule);
            problem.limits.stop = StopFlag::set_after(looks).with_progress(Arc::clone(&progress));
            (plan(&problem).is_ok(), progress.share())
        };
        let ends: Vec<(bool, Option<f64>)> = (0..2_000).map(share_at).take_while(|(is_done, _)| !is_done).collect();
        assert!(ends.len() < 2_000 && ends.iter().any(|(_, share)| share.is_some_and(|share| share > 0.2)));
        assert_eq!(share_at(u64::MAX), (true, None), "all of it is done");
    }
}
