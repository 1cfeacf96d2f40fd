//! The parts of a job, planned.

use std::rc::Rc;

use disclosure::privacy_core::accounting::Neighbours;
use privacy_data::Microdata;

use crate::budget::{JobBudget, warnings};
use crate::ledger::LedgerTerms;
use crate::persons::PersonRows;
use crate::screening::TableScreening;
use crate::{exact, filter, marginals};

/// The parts of a job, planned. What leaves exactly is decided; no noise is drawn.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) rows: Rc<Microdata>,
    pub(super) screen: Option<TableScreening>,
    pub(super) exact: Option<exact::Planned>,
    pub(super) filtered: Option<filter::DecidedSection>,
    pub(super) noisy: Option<marginals::Planned>,
    pub(super) budget: Option<JobBudget>,
    /// Who has which row, where `[budget]` names a person.
    pub(super) persons: Option<PersonRows>,
}

impl Parts {
    /// The tables that the job lets get noise, whether or not the data called for it.
    pub(super) fn tables_with_noise(&self) -> Vec<Vec<String>> {
        let has_noise = self.budget.as_ref().is_some_and(JobBudget::charges_exact);
        let exact = self.exact.iter().filter(|_| has_noise).flat_map(exact::Planned::tables);
        let noisy = self.noisy.iter().flat_map(marginals::Planned::tables);
        exact.map(|table| table.attributes).chain(noisy).collect()
    }

    /// The number of rows, where noisy tables state it exactly because all neighbours have it.
    /// Where rows of a person may be left out, what they state is the number of persons; whether
    /// any row was says something about one person, and decides nothing.
    pub(super) fn public_total(&self) -> Option<u64> {
        let terms = self.budget.as_ref()?.terms();
        let is_public = terms.neighbours == Neighbours::Replace && terms.rows_per_person == 1;
        let counts_all_rows = self.persons.as_ref().is_none_or(PersonRows::leaves_nothing_out);
        (self.noisy.is_some() && is_public && counts_all_rows).then(|| self.rows.total())
    }

    /// What to say of a delta that is large beside the number of people: nothing where that number
    /// may be private.
    pub(super) fn warnings(&self) -> Vec<String> {
        let is_public = |terms: LedgerTerms| terms.neighbours == Neighbours::Replace && terms.rows_per_person == 1;
        let Some(budget) = self.budget.as_ref().filter(|budget| is_public(budget.terms())) else { return Vec::new() };
        let people = self.persons.as_ref().map_or(self.rows.total(), PersonRows::counted);
        warnings::of_people(&budget.cost_terms(), people).into_iter().collect()
    }

    /// Whether noisy tables are of all rows.
    pub(super) fn counts_all_rows(&self) -> bool {
        self.persons.as_ref().is_none_or(|persons| persons.counted() == self.rows.total())
    }
}
