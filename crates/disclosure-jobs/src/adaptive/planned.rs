//! A plan: everything that is known before data are read.

use adaptive_marginals::{AdaptivePlan, MODELS_IN_MEMORY, PlanLimits};
use privacy_data::TableFormat;

use super::error::named;
use super::job::{AdaptiveJob, Details};
use super::plan_document::AdaptivePlanDocument;
use crate::budget::warnings;
use crate::document::{Imprint, Titled};
use crate::error::JobError;
use crate::ledger::{ChargeRequest, ChargeSubject, LedgerTerms};
use crate::limits::{Limits, check_rows, rows_within};
use crate::persons::PersonColumn;

/// A job with its plan. No row was read, nothing was drawn or spent.
#[derive(Debug)]
pub struct AdaptivePlanned {
    pub(super) details: Details,
    pub(super) plan: AdaptivePlan,
    /// The most rows that memory is for.
    pub(super) most_rows: u32,
}

impl AdaptiveJob {
    /// Divides the budget over the rounds.
    ///
    /// # Errors
    /// E0291 for a setting that is out of range, E0226 for a budget that leaves no exact noise,
    /// E0401 for a domain that was learnt from the data, E0611 for marginals that need more memory
    /// than the limit, and for more rows than that.
    pub fn plan(self, limits: &Limits) -> Result<AdaptivePlanned, JobError> {
        let Self { details, spec } = self;
        let domain = details.columns.schema.domain().clone();
        let most_rows = rows_within(limits.memory_bytes, domain.len());
        check_rows(details.rows, most_rows)?;
        // Counts of candidates and tables of models take 8 bytes a cell.
        let cells = limits.memory_bytes as f64 / 8.0 - MODELS_IN_MEMORY * spec.model_cells;
        let plan = AdaptivePlan::new(domain.clone(), spec, &PlanLimits { cells: cells.max(0.0) });
        Ok(AdaptivePlanned { details, plan: plan.map_err(|error| named(error, &domain))?, most_rows })
    }
}

impl Titled for AdaptivePlanned {
    fn heading_mut(&mut self) -> (&mut Option<String>, &mut Imprint) {
        (&mut self.details.title, &mut self.details.imprint)
    }
}

impl AdaptivePlanned {
    /// `plan.json`.
    #[must_use]
    pub fn document(&self) -> AdaptivePlanDocument {
        AdaptivePlanDocument::new(&self.details, &self.plan)
    }

    /// The same job with its rows and tables written in this format, if one is given, whatever its
    /// spec says.
    #[must_use]
    pub fn with_tables(mut self, tables: Option<TableFormat>) -> Self {
        self.details.tables = tables.unwrap_or(self.details.tables);
        self
    }

    /// What to say of a budget that protects little: sentences, none for a usual one.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let (rho, terms) = (self.rho(), &self.details.cost_terms);
        warnings::of_budget(rho, terms, &terms.epsilons(2.0 * rho, None))
    }

    /// What a release costs, in rho of zCDP: the whole budget.
    #[must_use]
    pub fn rho(&self) -> f64 {
        self.plan.spec().rho.get()
    }

    /// The column that says who is the same person, if the job names one. The data are read twice
    /// then, which a stream cannot be.
    #[must_use]
    pub fn person(&self) -> Option<&PersonColumn> {
        self.details.columns.person.as_ref()
    }

    /// What a release asks of a ledger: the whole budget, however much of it the rounds need.
    #[must_use]
    pub fn charge_request(&self) -> ChargeRequest<'_> {
        let spec = self.plan.spec();
        let tables = spec.workload.iter().map(|(set, _)| self.plan.domain().names(*set).map(str::to_owned).collect());
        ChargeRequest {
            rho: self.rho(),
            // Choices have a cost in rho alone.
            dominated_by: None,
            terms: LedgerTerms { neighbours: spec.neighbours, rows_per_person: spec.rows_per_person },
            spec_sha256: &self.details.spec_sha256,
            subject: ChargeSubject::new(
                self.details.title.as_deref().unwrap_or_default(),
                self.details.imprint.owner.as_deref(),
                tables,
            ),
        }
    }
}
