//! A plan and the rows that it will be carried out on.

use privacy_data::Microdata;
use rand_core::CryptoRng;

use super::planned::Planned;
use super::released::Released;
use crate::error::JobError;
use crate::ledger::Ledger;
use crate::persons::{PersonRows, PersonsDocument};

/// A plan and its rows, both checked. Nothing was drawn or spent.
#[derive(Debug)]
pub struct Ready {
    pub(super) planned: Planned,
    pub(super) rows: Microdata,
    pub(super) persons: Option<PersonRows>,
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

    /// How many rows are not counted because a person has too many: for the owner alone. `None`
    /// where the job names no person.
    #[must_use]
    pub fn persons(&self) -> Option<&PersonsDocument> {
        self.persons.as_ref().map(PersonRows::document)
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

    /// Charges the ledger, then draws the noise; the plan is used up. Which rows of a person are
    /// counted is drawn before the noise.
    ///
    /// # Guarantee
    /// [`Planned::rho`]-zCDP for the plan's neighbours and rows per person; where the job names a
    /// person, for all rows of one.
    ///
    /// # Errors
    /// As [`check`](Self::check), and what the ledger refuses; nothing is charged then. An error
    /// after the charge says what was spent.
    pub fn release<R: CryptoRng + ?Sized>(self, ledger: &mut dyn Ledger, rng: &mut R) -> Result<Released, JobError> {
        self.check()?;
        let receipt = ledger.charge(&self.planned.charge_request())?;
        let counted = self.persons.map(|persons| persons.counted_rows(&self.rows, rng)).transpose();
        let counted = counted.map_err(|error| receipt.spent(error))?;
        self.planned.measure(counted.as_ref().unwrap_or(&self.rows), receipt, rng)
    }
}
