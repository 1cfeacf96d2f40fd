//! The budget of a job, and the ledger that it is charged to.

use std::path::{Path, PathBuf};

use disclosure::core::accounting::PureNoise;
use disclosure_jobs::budget::{BudgetSpec, JobBudget};
use disclosure_jobs::ledger::{FileLedger, Receipt, Uncounted};

use super::exact_part::NoiseCost;
use crate::error::Failure;

/// A budget that was checked, with its ledger.
pub(super) struct Purse {
    pub(super) budget: JobBudget,
    ledger: Option<PathBuf>,
}

impl Purse {
    pub(super) fn of(spec: &BudgetSpec, beside: &Path) -> Result<Self, Failure> {
        let ledger = spec.ledger.as_ref().map(|ledger| beside.join(ledger));
        Ok(Self { budget: JobBudget::new(spec)?, ledger })
    }

    /// Takes what the noise of the exact part costs.
    pub(super) fn take_epsilon(&mut self, cost: NoiseCost) -> Result<(), Failure> {
        let NoiseCost { epsilon, sensitivity: changed_cells, row: row_epsilon, .. } = cost;
        self.budget.charge_pure(PureNoise { epsilon, changed_cells, row_epsilon })
    }

    /// Whether the ledger, if there is one, could pay for what was taken.
    pub(super) fn check_ledger(&self, job_sha256: &str) -> Result<(), Failure> {
        match &self.ledger {
            Some(ledger) => self.budget.check(&FileLedger::at(ledger), job_sha256),
            None => Ok(()),
        }
    }

    /// Pays, before any noise is drawn.
    pub(super) fn pay(&self, job_sha256: &str) -> Result<Receipt, Failure> {
        match &self.ledger {
            Some(ledger) => self.budget.commit(&mut FileLedger::at(ledger), job_sha256),
            None => self.budget.commit(&mut Uncounted, job_sha256),
        }
    }

    /// Whether nothing counts this release together with others.
    pub(super) fn is_uncounted(&self) -> bool {
        self.ledger.is_none()
    }
}
