//! A plan with everything that is known before data are read.

use disclosure::privacy_core::CountSource;
use disclosure::privacy_core::accounting::{DominatingPair, PrivacyCost};
use disclosure::privacy_core::param::{ParamError, StdDev};
use disclosure::resplan::{Design, Error, Plan, PlanLimits, PlanSpec};
use privacy_data::TableFormat;
use rand_core::CryptoRng;

use super::job::{Details, Job};
use super::names::AnswerNames;
use super::plan_document::{PlanDocument, dominating_pair, names, pcost_of};
use super::ready::Ready;
use super::released::Released;
use super::spec::continuous_noise;
use super::stored_plan;
use crate::budget::{GaussianBudget, NoiseKind, warnings};
use crate::document::{Imprint, Titled};
use crate::error::JobError;
use crate::figures::short_up;
use crate::input::{CountedRows, DataSource, Files};
use crate::ledger::{ChargeRequest, ChargeSubject, LedgerTerms, Receipt};
use crate::limits::Limits;
use crate::observer::{Observer, during};
use crate::persons::{PersonColumn, PersonRows};

/// A job with its plan. No row was read, nothing was drawn or spent.
#[derive(Debug)]
pub struct Planned {
    pub(super) details: Details,
    pub(super) plan: Plan,
    pub(super) names: AnswerNames,
}

impl Job {
    /// Makes the plan of least error within the budget.
    ///
    /// # Errors
    /// E0403 and E0611 say how much the job would take; others what is wrong with the spec.
    pub fn plan(self, limits: &Limits, observer: &dyn Observer) -> Result<Planned, JobError> {
        let Self { details, plan, gaussian } = self;
        let seconds = plan.workload.footprint(&plan.domain, &plan.bases).planning_seconds;
        if (LONG..=limits.planning_seconds as f64).contains(&seconds) {
            observer
                .note(&format!("Finding the strategies will take about {} seconds on one core.", short_up(seconds)));
        }
        let plan = during(observer, "planning", || plan_within(plan, gaussian, &limits.of_plans(observer)));
        let plan = plan.map_err(|error| name_attribute(error, &details))?;
        unspent(&plan, gaussian).into_iter().for_each(|words| observer.note(&words));
        Planned::new(details, plan, limits)
    }
}

/// Seconds of planning from which a note says how long it takes.
const LONG: f64 = 10.0;

/// The plan of least error within a budget.
fn plan_within(spec: PlanSpec, gaussian: Option<GaussianBudget>, limits: &PlanLimits) -> Result<Plan, Error> {
    match gaussian {
        None => Plan::new(spec, limits),
        Some(GaussianBudget::Required(most)) => Plan::new(PlanSpec { gaussian_budget: Some(most), ..spec }, limits),
        Some(GaussianBudget::Instead(most)) => {
            let by_curve = PlanSpec { budget: most, gaussian_budget: Some(most), ..spec.clone() };
            match Plan::new(by_curve, limits) {
                Ok(plan) if plan.pcost() >= spec.budget => Ok(plan),
                Err(Error::Stopped) => Err(Error::Stopped),
                // Noise of about a step of its lattice: the bound of zCDP allows for less of it.
                _ => Plan::new(spec, limits),
            }
        }
    }
}

/// What to say of a budget in mu of which much is left.
fn unspent(plan: &Plan, gaussian: Option<GaussianBudget>) -> Option<String> {
    let Some(GaussianBudget::Required(most)) = gaussian else { return None };
    let spent = plan.gaussian_cost()?;
    (spent.get() < MOSTLY * most.get()).then(|| {
        format!(
            "The plan spends mu {} of {}: exact noise of about one step of its integers has no smaller bound in Gaussian differential privacy. A budget of rho = {}, a weaker promise, would be spent whole.",
            short_up(spent.mu().get()),
            short_up(most.mu().get()),
            short_up(most.rho().get()),
        )
    })
}

/// The part of a budget below which a plan leaves much of it.
const MOSTLY: f64 = 0.98;

/// An error of planning, with the name of the attribute that it is about.
fn name_attribute(error: Error, details: &Details) -> JobError {
    match error {
        Error::NoStrategy { attribute, .. } => {
            let name = &details.columns.file.attributes[attribute].name;
            JobError::from(error).in_section(&format!("attribute {name:?}"))
        }
        error => error.into(),
    }
}

impl Titled for Planned {
    fn heading_mut(&mut self) -> (&mut Option<String>, &mut Imprint) {
        (&mut self.details.title, &mut self.details.imprint)
    }
}

impl Planned {
    fn new(details: Details, plan: Plan, limits: &Limits) -> Result<Self, JobError> {
        details.check_memory(&plan, limits.memory_bytes as f64)?;
        let names = AnswerNames::new(&plan, &details.query_names)?;
        Ok(Self { details, plan, names })
    }

    /// The same job with its tables written in this format, if one is given, whatever its spec
    /// says.
    #[must_use]
    pub fn with_tables(mut self, tables: Option<TableFormat>) -> Self {
        self.details.tables = tables.unwrap_or(self.details.tables);
        self
    }

    /// What to say of a budget that protects little: sentences, none for a usual one.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let (pcost, terms) = (pcost_of(&self.plan), &self.details.cost_terms);
        warnings::of_budget(pcost / 2.0, terms, &terms.epsilons(pcost, self.dominated_by().as_ref()))
    }

    /// What dominates a release: the Gaussian mechanism of its cost in Gaussian differential
    /// privacy. `None` where that is not known.
    #[must_use]
    pub fn dominated_by(&self) -> Option<DominatingPair> {
        dominating_pair(&self.plan)
    }

    /// Plans a spec, or reads a stored plan: whichever the text is.
    ///
    /// # Errors
    /// As [`Job::parse`] and [`Job::plan`]; codes of the 3xx range for a stored plan that was
    /// damaged or made up.
    pub fn parse(text: &str, files: &dyn Files, limits: &Limits, observer: &dyn Observer) -> Result<Self, JobError> {
        if !stored_plan::is_stored(text.as_bytes()) {
            return Job::parse(text, files)?.plan(limits, observer);
        }
        let (details, plan) = stored_plan::parse(text, &limits.of_plans(observer))?;
        Self::new(details, plan, limits)
    }

    /// The plan as a file, which [`parse`](Self::parse) reads back: a release can be made from it
    /// later or elsewhere, without the spec.
    #[must_use]
    pub fn to_stored(&self) -> String {
        stored_plan::to_text(&self.details, &self.plan)
    }

    /// `plan.json`.
    #[must_use]
    pub fn document(&self) -> PlanDocument {
        PlanDocument::new(&self.details, &self.plan)
    }

    /// What a release costs, in rho of zCDP, rounded up.
    #[must_use]
    pub fn rho(&self) -> f64 {
        pcost_of(&self.plan) / 2.0
    }

    /// Root of the mean variance over all answers, in counts.
    #[must_use]
    pub fn rmse(&self) -> f64 {
        self.plan.rmse()
    }

    /// How far the objective may be above that of any unbiased mechanism with Gaussian noise,
    /// relative: certified. `None` where no bound is known. Up to some seconds.
    #[must_use]
    pub fn gap_to_any_mechanism(&self) -> Option<f64> {
        self.plan.gap_to_any_mechanism()
    }

    /// The smallest rho for which the same job has a root mean square error of at most `target`.
    ///
    /// # Errors
    /// E0225 when the target is not a number above 0, or is out of reach.
    pub fn rho_for_rmse(&self, target: f64) -> Result<f64, JobError> {
        self.rho_for(target, Design::cost_for_rmse)
    }

    /// The smallest rho for which no answer has a standard deviation above `target`, in counts.
    ///
    /// # Errors
    /// As [`rho_for_rmse`](Self::rho_for_rmse).
    pub fn rho_for_largest_sd(&self, target: f64) -> Result<f64, JobError> {
        self.rho_for(target, Design::cost_for_largest_sd)
    }

    fn rho_for(
        &self,
        target: f64,
        cost_for: fn(&Design, StdDev) -> Result<PrivacyCost, ParamError>,
    ) -> Result<f64, JobError> {
        let cost = StdDev::new(target).and_then(|target| cost_for(&self.plan, target));
        Ok(cost.map_err(|error| JobError::new("E0225", format!("the target: {error}")))?.rho().get())
    }

    /// Whether the plan may be carried out on data: what can be found out before they are read.
    ///
    /// # Errors
    /// E0214 for noise that protects nobody, E0401 for a domain that was learnt from the data.
    pub fn check_release(&self) -> Result<(), JobError> {
        if self.details.cost_terms.noise == NoiseKind::Continuous {
            return Err(continuous_noise());
        }
        Ok(self.plan.check_domain(self.details.columns.schema.domain())?)
    }

    /// Whether the domain was learnt from the data, so that a release refuses it.
    #[must_use]
    pub fn domain_is_learnt(&self) -> bool {
        self.plan.check_domain(self.details.columns.schema.domain()).is_err()
    }

    /// Whether tables of this many rows can be measured in exact integers.
    ///
    /// # Errors
    /// E0612, naming the largest residual.
    pub fn check_total(&self, total: u64) -> Result<(), JobError> {
        Ok(self.plan.check_total(total)?)
    }

    /// What a release asks of a ledger.
    #[must_use]
    pub fn charge_request(&self) -> ChargeRequest<'_> {
        let (neighbours, rows_per_person) = (self.plan.neighbours(), self.plan.rows_per_person());
        let terms = LedgerTerms { neighbours, rows_per_person };
        ChargeRequest {
            rho: self.rho(),
            dominated_by: self.dominated_by(),
            terms,
            spec_sha256: &self.details.spec_sha256,
            subject: ChargeSubject::new(
                self.details.title.as_deref().unwrap_or_default(),
                self.details.imprint.owner.as_deref(),
                self.tables(),
            ),
        }
    }

    /// The tables of the plan, by the names of their attributes.
    pub(crate) fn tables(&self) -> impl Iterator<Item = Vec<String>> {
        self.plan.marginals().map(|marginal| names(&self.plan, marginal.attributes))
    }

    /// The column that says who is the same person, if the job names one. The data are read twice
    /// then, which a stream cannot be.
    #[must_use]
    pub fn person(&self) -> Option<&PersonColumn> {
        self.details.columns.person.as_ref()
    }

    /// Reads the rows of the data, and who has which; or lets the source count them, where it can
    /// and no person has several.
    ///
    /// # Errors
    /// Codes of the 3xx range for rows that are not of the domain; as [`PersonRows::read`].
    pub fn read(self, source: &dyn DataSource, observer: &dyn Observer) -> Result<Ready, JobError> {
        let columns = &self.details.columns;
        // Which rows of a person are counted is drawn later.
        let sets = if columns.person.is_some() { Vec::new() } else { self.plan.batches().concat() };
        let rows = during(observer, "reading", || CountedRows::of(source, &columns.schema, &columns.options(), &sets))?;
        let rows_per_person = self.plan.rows_per_person();
        let persons = columns.person.as_ref().map(|person| {
            during(observer, "reading persons", || {
                PersonRows::read(person, rows_per_person, source, &columns.options())
            })
        });
        let persons = persons.transpose()?;
        // Who planned may have been another caller: this one can stop the measurement.
        let plan = self.plan.with_stop(observer.stop_flag());
        Ok(Ready { planned: Self { plan, ..self }, rows, persons })
    }

    /// Measures whatever counts the rows, for a cost that was charged already; the plan is used
    /// up. Where the job names a person, `source` has the rows that are
    /// [counted](PersonRows::counted_rows).
    ///
    /// # Guarantee
    /// [`rho`](Self::rho)-zCDP for the plan's neighbours and rows per person.
    ///
    /// # Errors
    /// E0502 when the receipt is for less than the plan costs; what the source reports. Every
    /// error says that the budget is spent.
    pub fn measure(
        self,
        source: &dyn CountSource,
        receipt: Receipt,
        rng: &mut dyn CryptoRng,
    ) -> Result<Released, JobError> {
        let document = self.document();
        if receipt.rho() < document.rho {
            let error = JobError::new("E0502", "the receipt is for less than the plan costs");
            return Err(receipt.spent(error));
        }
        let Self { details, plan, names } = self;
        match plan.measure(source, rng) {
            Ok(measured) => Ok(Released { details, document, names, measured, receipt }),
            Err(error) => Err(receipt.spent(error.into())),
        }
    }
}
