//! One budget for all noise of a job.
//!
//! `rho` of the budget, `e` epsilon of the exact part's noise, `m` rows of a person, `s` cells that the part's own statement
//! changes, `k` rows in which neighbours differ by one each (1 added or removed, 2 replaced):
//!
//! ```text
//! exact part     rho_e = (m max(1, k / s) e)^2 / 2        every epsilon-DP mechanism is epsilon^2 / 2-zCDP (Bun, Steinke 2016)
//! noisy part     rho_n = rho - rho_e                      what is left, rounded down
//! all of it      rho_e + rho_n                            rounded up, and never above rho
//! ```

use std::path::{Path, PathBuf};

use disclosure::core::accounting::{Neighbours, PrivacyCost, zcdp};
use disclosure::core::param::{Epsilon, ParamError, Rho};
use disclosure::core::round::{add_up, mul_up, sub_down};
use serde::Serialize;

use super::spec::BudgetSpec;
use crate::display::{short_down, short_up};
use crate::error::Failure;
use crate::frechet::NoiseCost;
use crate::ledger::{Ledger, Promise};
use crate::resplan::{Budget, EpsilonAtDelta, NoiseKind, PrivacySpec};

/// A budget that was checked, and what was taken from it.
#[derive(Debug)]
pub(super) struct Purse {
    pub(super) whole: Budget,
    pub(super) promise: Promise,
    ledger: Option<PathBuf>,
    spent: Vec<SpentReport>,
}

/// The budget as programs read it.
#[derive(Debug, Serialize)]
pub(super) struct BudgetReport {
    pub(super) kind: &'static str,
    pub(super) statement: String,
    pub(super) neighbours: Neighbours,
    pub(super) unit: String,
    /// What may be spent.
    pub(super) rho: f64,
    /// What is spent, rounded up.
    pub(super) spent_rho: f64,
    pub(super) spent: Vec<SpentReport>,
    pub(super) epsilon_at_delta: Vec<EpsilonAtDelta>,
    /// Of the line of the ledger that paid; null without a ledger, and before it is paid.
    pub(super) ledger_hash: Option<String>,
}

/// What a part spends.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SpentReport {
    pub(super) part: &'static str,
    pub(super) rho: f64,
}

impl Purse {
    pub(super) fn of(spec: &BudgetSpec, beside: &Path) -> Result<Self, Failure> {
        let &BudgetSpec { rho, mu, pcost, epsilon, delta, neighbours, rows_per_person, .. } = spec;
        let privacy = PrivacySpec { rho, mu, pcost, epsilon, delta };
        let whole = Budget::of(&privacy, NoiseKind::Discrete).map_err(|failure| failure.in_section("[budget]"))?;
        if rows_per_person == 0 {
            return Err(Failure::new("E0225", "[budget]: rows_per_person is at least 1"));
        }
        let ledger = spec.ledger.as_ref().map(|ledger| beside.join(ledger));
        Ok(Self { whole, promise: Promise { neighbours, rows_per_person }, ledger, spent: Vec::new() })
    }

    fn rho(&self) -> f64 {
        self.whole.cost.rho().get()
    }

    /// What is spent so far, rounded up.
    pub(super) fn spent(&self) -> f64 {
        self.spent.iter().fold(0.0, |sum, spent| add_up(sum, spent.rho))
    }

    /// Takes what the noise of the exact part costs.
    pub(super) fn take_epsilon(&mut self, cost: NoiseCost) -> Result<(), Failure> {
        let is_replaced = self.promise.neighbours == Neighbours::Replace;
        let times = |is_twice: bool| f64::from(self.promise.rows_per_person) * if is_twice { 2.0 } else { 1.0 };
        let by_statement = mul_up(cost.epsilon, times(is_replaced && cost.sensitivity < 2));
        // The statement compares tables of people who there are; a row that comes may be in the dearest cell of every table.
        let by_row = mul_up(cost.row, times(is_replaced));
        let large = |error: ParamError| Failure::new("E0225", format!("epsilon in [exact]: {error}"));
        let epsilon = Epsilon::new(by_statement.max(by_row)).map_err(large)?;
        self.take("exact", zcdp::from_pure(epsilon).map_err(large)?.get())
    }

    /// Takes what a part costs, if so much is left.
    pub(super) fn take(&mut self, part: &'static str, rho: f64) -> Result<(), Failure> {
        let left = sub_down(self.rho(), self.spent()).max(0.0);
        // Written so that a NaN is refused.
        if add_up(self.spent(), rho) <= self.rho() {
            self.spent.push(SpentReport { part, rho });
            return Ok(());
        }
        let message = format!("[{part}] costs rho {}, [budget] has {} left", short_up(rho), short_down(left));
        Err(Failure::new("E0502", message))
    }

    /// What is left for the noisy part.
    pub(super) fn left(&self) -> Result<PrivacyCost, Failure> {
        let left = Rho::new(sub_down(self.rho(), self.spent())).and_then(PrivacyCost::from_rho);
        left.map_err(|_| Failure::new("E0502", "the noise of [exact] leaves nothing of [budget] to [noisy]"))
    }

    /// Whether the ledger, if there is one, could pay for what was taken.
    pub(super) fn check_ledger(&self) -> Result<(), Failure> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        Ledger::check_writable(ledger)?;
        Ok(Ledger::read(ledger)?.check(self.spent(), self.promise)?)
    }

    /// Pays, before any noise is drawn.
    pub(super) fn pay(&self, job_sha256: &str) -> Result<Option<String>, Failure> {
        let pay = |ledger: &PathBuf| Ledger::spend_now(ledger, self.spent(), job_sha256, self.promise);
        Ok(self.ledger.as_ref().map(pay).transpose()?)
    }

    /// A failure after it was paid: whoever reads it must know that the budget is gone.
    pub(super) fn paid(&self, failure: Failure) -> Failure {
        match &self.ledger {
            Some(ledger) => failure.after_spending(self.spent(), ledger),
            None => failure,
        }
    }

    /// Whether nothing counts this release together with others.
    pub(super) fn is_uncounted(&self) -> bool {
        self.ledger.is_none()
    }

    pub(super) fn report(&self, count: Option<&str>, ledger_hash: Option<String>) -> BudgetReport {
        let unit = match (self.promise.rows_per_person, count) {
            (1, None) => "a row of the data".to_owned(),
            (1, Some(column)) => format!("one of those that column {column:?} counts"),
            (rows, _) => format!("a person with at most {rows} rows"),
        };
        let spent = self.spent();
        BudgetReport {
            kind: "guarantee",
            statement: format!(
                "all noised numbers together, by themselves and given which are noised and that they leave: {}-zCDP",
                short_up(spent)
            ),
            neighbours: self.promise.neighbours,
            unit,
            rho: self.rho(),
            spent_rho: spent,
            spent: self.spent.clone(),
            epsilon_at_delta: self.whole.terms.epsilons(mul_up(2.0, spent)),
            ledger_hash,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purse(rho: f64, neighbours: Neighbours, rows_per_person: u32) -> Purse {
        let nothing = BudgetSpec {
            rho: Some(rho),
            mu: None,
            pcost: None,
            epsilon: None,
            delta: None,
            neighbours,
            rows_per_person,
            ledger: None,
        };
        Purse::of(&nothing, Path::new("")).unwrap()
    }

    fn cost(epsilon: f64, sensitivity: u32) -> NoiseCost {
        NoiseCost { epsilon, sensitivity, change: "", has_neighbours: true, row: 0.5 * epsilon }
    }

    #[test]
    fn a_row_may_be_in_the_dearest_cell_of_every_table() {
        let mut purse = purse(10.0, Neighbours::AddRemove, 1);
        purse.take_epsilon(NoiseCost { row: 3.0, ..cost(1.0, 1) }).unwrap();
        assert!((purse.spent() - 4.5).abs() < 1e-12);
    }

    #[test]
    fn parts_add_up_to_the_budget_and_never_above_it() {
        let mut purse = purse(1.0, Neighbours::AddRemove, 1);
        purse.take_epsilon(cost(1.0, 2)).unwrap();
        assert!((purse.spent() - 0.5).abs() < 1e-15 && purse.spent() >= 0.5);
        let left = purse.left().unwrap().rho().get();
        assert!(left <= 0.5 && left > 0.5 - 1e-15);
        purse.take("noisy", left).unwrap();
        assert!(purse.spent() <= 1.0 && purse.left().is_err() && purse.take("noisy", 1e-9).is_err());
        let report = purse.report(None, None);
        assert!(report.epsilon_at_delta.len() == 2 && report.epsilon_at_delta[0].epsilon > 1.0);
    }

    #[test]
    fn an_epsilon_is_charged_for_every_row_in_which_neighbours_differ() {
        for (neighbours, rows, sensitivity, spent) in [
            (Neighbours::AddRemove, 1, 1, 0.5),
            (Neighbours::Replace, 1, 2, 0.5),
            (Neighbours::Replace, 1, 1, 2.0),
            (Neighbours::AddRemove, 3, 2, 4.5),
        ] {
            let mut purse = purse(10.0, neighbours, rows);
            purse.take_epsilon(cost(1.0, sensitivity)).unwrap();
            assert!((purse.spent() - spent).abs() < 1e-12, "{neighbours:?} {rows} {sensitivity}");
        }
        assert!(purse(0.4, Neighbours::AddRemove, 1).take_epsilon(cost(1.0, 2)).is_err());
    }
}
