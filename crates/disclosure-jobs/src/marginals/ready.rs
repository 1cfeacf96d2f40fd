//! A plan and the rows that it will be carried out on.

use privacy_data::Microdata;
use rand_core::CryptoRng;

use super::planned::Planned;
use super::released::Released;
use crate::error::JobError;
use crate::ledger::Ledger;

/// A plan and its rows, both checked. Nothing was drawn or spent.
#[derive(Debug)]
pub struct Ready {
    pub(super) planned: Planned,
    pub(super) rows: Microdata,
}

impl Ready {
    /// The plan.
    #[must_use]
    pub fn planned(&self) -> &Planned {
        &self.planned
    }

    /// The rows, coded under the schema of the job.
    #[must_use]
    pub fn rows(&self) -> &Microdata {
        &self.rows
    }

    /// Whether the plan may be carried out on these rows: everything that a release would refuse
    /// but the charge.
    ///
    /// # Errors
    /// As [`Planned::check_release`] and [`Planned::check_total`].
    pub fn check(&self) -> Result<(), JobError> {
        self.planned.check_release()?;
        self.planned.check_total(self.rows.total())
    }

    /// Charges the ledger, then draws the noise; the plan is used up.
    ///
    /// # Guarantee
    /// [`Planned::rho`]-zCDP for the plan's neighbours and rows per person.
    ///
    /// # Errors
    /// As [`check`](Self::check), and what the ledger refuses; nothing is charged then. An error
    /// after the charge says what was spent.
    pub fn release<R: CryptoRng + ?Sized>(self, ledger: &mut dyn Ledger, rng: &mut R) -> Result<Released, JobError> {
        self.check()?;
        let receipt = ledger.charge(&self.planned.charge_request())?;
        self.planned.measure(&self.rows, receipt, rng)
    }
}
