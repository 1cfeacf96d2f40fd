//! A plan and the rows that it will be carried out on.

use privacy_data::Microdata;
use rand_core::CryptoRng;

use super::error::named;
use super::planned::AdaptivePlanned;
use super::released::{AdaptiveReleased, rows_of};
use super::zeros::impossible_rows;
use crate::error::JobError;
use crate::input::DataSource;
use crate::ledger::Ledger;
use crate::observer::{Observer, during};
use crate::persons::{PersonRows, PersonsDocument};

/// A plan and its rows, both checked. Nothing was drawn or spent.
#[derive(Debug)]
pub struct AdaptiveReady {
    pub(super) planned: AdaptivePlanned,
    pub(super) rows: Microdata,
    pub(super) persons: Option<PersonRows>,
    pub(super) impossible_rows: u64,
}

impl AdaptivePlanned {
    /// Reads the rows of the data, and who has which.
    ///
    /// # Errors
    /// Codes of the 3xx range for rows that are not of the domain; as [`PersonRows::read`].
    pub fn read(self, source: &dyn DataSource, observer: &dyn Observer) -> Result<AdaptiveReady, JobError> {
        let columns = &self.details.columns;
        let rows = during(observer, "reading", || source.read_rows(&columns.schema, &columns.options()))?;
        let rows_per_person = self.plan.spec().rows_per_person;
        let persons = columns.person.as_ref().map(|person| {
            during(observer, "reading persons", || {
                PersonRows::read(person, rows_per_person, source, &columns.options())
            })
        });
        let persons = persons.transpose()?;
        let impossible_rows = impossible_rows(&rows, self.plan.possible())?;
        Ok(AdaptiveReady { planned: self, rows, persons, impossible_rows })
    }
}

impl AdaptiveReady {
    /// The plan.
    #[must_use]
    pub fn planned(&self) -> &AdaptivePlanned {
        &self.planned
    }

    /// How many rows are not counted because a person has too many: for the owner alone. `None`
    /// where the job names no person.
    #[must_use]
    pub fn persons(&self) -> Option<&PersonsDocument> {
        self.persons.as_ref().map(PersonRows::document)
    }

    /// At least how many rows have a combination that the job says nobody has: for the owner alone.
    /// They count in every table but in those cells, and no synthetic row has them.
    #[must_use]
    pub fn impossible_rows(&self) -> u64 {
        self.impossible_rows
    }

    /// Charges the ledger, then chooses, measures and draws rows; the plan is used up.
    ///
    /// # Guarantee
    /// [`AdaptivePlanned::rho`]-zCDP for the plan's neighbours and rows per person: choices, noised
    /// tables, the model of them and its rows. Where the job names a person, for all rows of one.
    ///
    /// # Errors
    /// What the ledger refuses; nothing is charged then. An error after the charge, a stop among
    /// them, says what was spent.
    pub fn release(
        self,
        ledger: &mut dyn Ledger,
        observer: &dyn Observer,
        rng: &mut dyn CryptoRng,
    ) -> Result<AdaptiveReleased, JobError> {
        let plan = self.planned.document();
        let receipt = ledger.charge(&self.planned.charge_request())?;
        let counted = self.persons.map(|persons| persons.counted_rows(&self.rows, rng)).transpose();
        let counted = counted.map_err(|error| receipt.spent(error))?;
        let rows = counted.as_ref().unwrap_or(&self.rows);
        let AdaptivePlanned { details, plan: measured, most_rows } = self.planned;
        let (domain, rows_per_person) = (measured.domain().clone(), measured.spec().rows_per_person);
        let possible = measured.possible().clone();
        let workload = measured.spec().workload.iter().map(|&(set, _)| set).filter(|set| !set.is_empty()).collect();
        let measured = measured.with_stop(observer.stop_flag());
        let release = during(observer, "choosing and measuring", || measured.release(rows, rng));
        let release = release.map_err(|error| receipt.spent(named(error, &domain)))?;
        let rows = rows_of(release.model(), details.rows, most_rows, rng);
        Ok(AdaptiveReleased { details, plan, domain, possible, workload, release, rows, rows_per_person, receipt })
    }
}
