//! A plan and the rows that it will be carried out on.

use rand_core::CryptoRng;

use super::planned::Planned;
use super::released::Released;
use crate::budget::warnings;
use crate::error::JobError;
use crate::input::CountedRows;
use crate::ledger::Ledger;
use crate::persons::{PersonRows, PersonsDocument};

/// A plan and its rows, both checked. Nothing was drawn or spent.
#[derive(Debug)]
pub struct Ready {
    pub(super) planned: Planned,
    pub(super) rows: CountedRows,
    pub(super) persons: Option<PersonRows>,
}

impl Ready {
    /// The plan.
    #[must_use]
    pub fn planned(&self) -> &Planned {
        &self.planned
    }

    /// The rows, coded under the schema of the job, or their tables where the source counted.
    #[must_use]
    pub fn rows(&self) -> &CountedRows {
        &self.rows
    }

    /// How many rows are not counted because a person has too many: for the owner alone. `None`
    /// where the job names no person.
    #[must_use]
    pub fn persons(&self) -> Option<&PersonsDocument> {
        self.persons.as_ref().map(PersonRows::document)
    }

    /// What to say of a delta that is large beside the number of people: nothing where that number
    /// may be private.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let people = self.persons.as_ref().map_or(self.rows.total(), PersonRows::counted);
        let public = self.planned.plan.design().total_is_public().then_some(people);
        public.and_then(|people| warnings::of_people(&self.planned.details.cost_terms, people)).into_iter().collect()
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
    pub fn release(self, ledger: &mut dyn Ledger, rng: &mut dyn CryptoRng) -> Result<Released, JobError> {
        self.check()?;
        let receipt = ledger.charge(&self.planned.charge_request())?;
        // Persons have rows, so these were read.
        let persons = self.persons.as_ref().zip(self.rows.rows());
        let counted = persons.map(|(persons, rows)| persons.counted_rows(rows, rng)).transpose();
        match counted.map_err(|error| receipt.spent(error))? {
            Some(counted) => self.planned.measure(&counted, receipt, rng),
            None => self.planned.measure(&self.rows, receipt, rng),
        }
    }
}
