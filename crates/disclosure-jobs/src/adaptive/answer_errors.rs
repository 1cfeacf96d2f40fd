//! How far the rows are at most from the exact marginals, whether or not these were measured.
//!
//! Every bound is half the sum of the differences over the cells, as a share of the measured total.
//! All of them hold together with probability 95 % over the coins of the release: (A5) to (A8) of
//! `docs/math/adaptive-marginals.md`.

use adaptive_marginals::{AdaptiveRelease, BoundBasis, ErrorBounds, JointConfidence};
use disclosure::privacy_core::{AttrSet, Domain};
use serde::{Deserialize, Serialize};
use synthetic_people::Rows;

use super::error::named;
use crate::error::JobError;

/// With which probability all bounds hold together.
const CONFIDENCE: f64 = 0.95;

/// What the bound on the error of a marginal follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerErrorBasis {
    /// The marginal is within a measured one.
    Measured,
    /// The marginal took part in a choice, and another one was chosen.
    Choice,
    /// The number of people alone: the bound says nothing about the marginal.
    People,
}

/// A marginal of the job: how far the rows are at most from the exact one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerError {
    /// Its attributes.
    pub attributes: Vec<String>,
    /// What the bound follows from.
    pub basis: AnswerErrorBasis,
    /// The round of the choice that it follows from, counted from 1. `null` for another basis.
    pub round: Option<usize>,
    /// The rows are not further from the exact table than this: half the sum of the differences
    /// over the cells, as a share of the measured total. A bound of 1 or more says nothing. With
    /// probability 95 % over the coins of the release this and all other bounds hold. A guarantee,
    /// for data that keep to the structural zeros.
    pub error_bound95: f64,
}

/// The bounds about the rows of a release.
pub(super) struct RowErrors<'a> {
    domain: &'a Domain,
    rows: &'a Rows,
    /// The number of people as it was measured.
    total: f64,
    bounds: ErrorBounds<'a>,
    sizes: Vec<usize>,
}

impl<'a> RowErrors<'a> {
    pub(super) fn new(domain: &'a Domain, release: &'a AdaptiveRelease, rows: &'a Rows) -> Result<Self, JobError> {
        let confidence = JointConfidence::new(CONFIDENCE).map_err(|error| named(error, domain))?;
        let sizes = domain.attributes().iter().map(|attribute| attribute.cardinality()).collect();
        Ok(Self { domain, rows, total: release.model().total(), bounds: release.error_bounds(confidence), sizes })
    }

    /// The table of the rows over a set, as counts of people.
    pub(super) fn answer(&self, set: AttrSet) -> Vec<f64> {
        let scale = if self.rows.is_empty() { 0.0 } else { self.total / self.rows.len() as f64 };
        self.rows.counts(&self.sizes, set).into_iter().map(|count| count * scale).collect()
    }

    /// The bound about a marginal of the workload, or a subset of one.
    pub(super) fn about(&self, set: AttrSet) -> Result<AnswerError, JobError> {
        let bound = self.bounds.of_answer(set, &self.answer(set)).map_err(|error| named(error, self.domain))?;
        let (basis, round) = match bound.basis {
            BoundBasis::Measured => (AnswerErrorBasis::Measured, None),
            BoundBasis::Choice { round } => (AnswerErrorBasis::Choice, Some(round + 1)),
            _ => (AnswerErrorBasis::People, None),
        };
        let attributes = self.domain.names(set).map(str::to_owned).collect();
        Ok(AnswerError { attributes, basis, round, error_bound95: bound.l1 / (2.0 * self.total) })
    }
}
