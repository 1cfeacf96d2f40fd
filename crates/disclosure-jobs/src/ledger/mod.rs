//! Ledgers: the budget of one data set, and every release that was charged to it.
//!
//! A release is charged *before* its noise is drawn, and the charge is durable before the release
//! continues. A release that fails after the charge has spent its budget; no release gets noise
//! that was not charged.
//!
//! - [`FileLedger`] is a file of JSON Lines, chained by SHA-256, with a lock file: for releases
//!   that are made on one machine.
//! - [`NewLedger`] is one that its first charge makes.
//! - [`MemoryLedger`] holds the same lines in memory: for a service that stores the text itself,
//!   and for tests.
//! - [`Uncounted`] counts nothing: for data from which nothing else is released.
//!
//! A ledger of another kind, for example one in a database, implements [`Ledger`].

mod chain;
mod error;
mod file;
mod first;
mod memory;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde::{Deserialize, Serialize};

use disclosure::privacy_core::accounting::{DominatingPair, Neighbours};

pub use chain::{Chain, Charge, LedgerDocument, LedgerSchema};
pub use error::LedgerError;
pub(crate) use file::number_charged;
pub use file::{FileLedger, charged_so_far};
pub use first::NewLedger;
pub use memory::MemoryLedger;

use crate::error::JobError;

/// What every charge of one ledger protects: costs under other terms cannot be added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerTerms {
    /// What neighbouring tables differ in.
    pub neighbours: Neighbours,
    /// The largest number of rows that one person may have.
    pub rows_per_person: u32,
}

/// What a release asks of a ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct ChargeRequest<'a> {
    /// The cost, as rho of zCDP, rounded up.
    pub rho: f64,
    /// What dominates the release: with it, epsilons of the ledger are smaller than those of rho.
    /// `None` where no such pair is known.
    pub dominated_by: Option<DominatingPair>,
    /// What the cost protects.
    pub terms: LedgerTerms,
    /// SHA-256 of the job that is carried out.
    pub spec_sha256: &'a str,
    /// What the job is.
    pub subject: ChargeSubject,
}

/// What a charge is for, as the job says it: nothing here follows from the data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChargeSubject {
    /// The title of the job.
    pub title: String,
    /// Who answers for the release, where the job says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The tables that may get noise, by their attributes; the total has none. The first 64.
    pub tables: Vec<Vec<String>>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_tables: usize,
}

/// Tables that a ledger names: a line stays a line.
const MOST_TABLES: usize = 64;

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl ChargeSubject {
    /// What a job is about.
    #[must_use]
    pub fn new(title: &str, owner: Option<&str>, tables: impl IntoIterator<Item = Vec<String>>) -> Self {
        let mut tables: Vec<Vec<String>> = tables.into_iter().collect();
        let more_tables = tables.len().saturating_sub(MOST_TABLES);
        tables.truncate(MOST_TABLES);
        Self { title: title.to_owned(), owner: owner.map(str::to_owned), tables, more_tables }
    }
}

/// Counts what releases from one data set cost, and refuses what its budget does not cover.
pub trait Ledger {
    /// Finds out, before any work is done, whether a request would be refused. Changes nothing.
    ///
    /// # Errors
    /// What [`charge`](Self::charge) would report.
    fn check(&self, request: &ChargeRequest<'_>) -> Result<(), LedgerError>;

    /// Records a charge durably. The noise is drawn after this has returned.
    ///
    /// # Errors
    /// [`LedgerError::Exhausted`] when too little is left, [`LedgerError::OtherTerms`], and
    /// errors of the file system. On an error nothing was charged, [`LedgerError::NotSynced`]
    /// apart.
    fn charge(&mut self, request: &ChargeRequest<'_>) -> Result<Receipt, LedgerError>;
}

/// No ledger: every release is let through, and none is counted.
///
/// Costs of releases from the same data add up whether they are counted or not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uncounted;

impl Ledger for Uncounted {
    fn check(&self, _: &ChargeRequest<'_>) -> Result<(), LedgerError> {
        Ok(())
    }

    fn charge(&mut self, request: &ChargeRequest<'_>) -> Result<Receipt, LedgerError> {
        Ok(Receipt::uncounted(request.rho))
    }
}

/// Evidence that a cost was charged; without one no noise is drawn.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a charge that is not followed by a release is lost"]
pub struct Receipt {
    rho: f64,
    entry: Option<(String, String)>,
}

impl Receipt {
    /// The receipt of a ledger: the cost, the hash of the entry, and where the entry stands.
    pub fn recorded(rho: f64, hash: String, ledger: String) -> Self {
        Self { rho, entry: Some((hash, ledger)) }
    }

    /// The receipt of a release that is not counted.
    pub fn uncounted(rho: f64) -> Self {
        Self { rho, entry: None }
    }

    /// What was charged, as rho of zCDP.
    #[must_use]
    pub fn rho(&self) -> f64 {
        self.rho
    }

    /// The hash of the entry; `None` without a ledger.
    #[must_use]
    pub fn hash(&self) -> Option<&str> {
        self.entry.as_ref().map(|(hash, _)| hash.as_str())
    }

    /// An error after the charge: the budget is gone, and the message says so.
    #[must_use]
    pub fn spent(&self, error: JobError) -> JobError {
        match &self.entry {
            Some((_, ledger)) => error.after_spending(self.rho, Path::new(ledger)),
            None => error,
        }
    }
}

impl LedgerTerms {
    /// The terms as a phrase, for messages and tables.
    #[must_use]
    pub fn describe(&self) -> String {
        let relation = match self.neighbours {
            Neighbours::AddRemove => "add-remove",
            Neighbours::Replace => "replace",
        };
        format!("{relation} neighbours with {} row(s) per person", self.rows_per_person)
    }
}
