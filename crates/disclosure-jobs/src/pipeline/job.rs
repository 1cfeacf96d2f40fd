//! A job of several parts: checked, then planned on its data.

use std::path::Path;
use std::rc::Rc;

use disclosure::privacy_core::prf::Secret;
use disclosure::privacy_core::{Domain, Provenance};
use disclosure::resplan;
use privacy_data::{DomainFile, Microdata, TableFormat, parse_toml};
use serde_json::Value;

use super::findings::Findings;
use super::parts::Parts;
use super::planned::{Planned, PlannedContext};
use super::spec::JobSpec;
use crate::budget::{Budget, JobBudget};
use crate::digest::sha256;
use crate::document::Imprint;
use crate::error::JobError;
use crate::exact::{self, ExactSpec};
use crate::filter::{self, FilterSpec};
use crate::input::{DataSource, DeclaredDomain, Files, FormatSpec, SourceSpec, learnt};
use crate::ledger::{Ledger, Uncounted};
use crate::limits::Limits;
use crate::marginals::{self, JobContext};
use crate::observer::{Observer, check_stop, during};
use crate::persons::PersonRows;
use crate::screening::TableScreening;

/// A job that was checked. No row of the data was read.
pub struct Job<'a> {
    spec: JobSpec,
    files: &'a dyn Files,
    /// The job as it was written.
    parameters: Value,
    /// The text of the job, followed by its domain file.
    text: String,
    title: String,
    domain: Option<DeclaredDomain>,
    budget: Option<JobBudget>,
    secret: Option<Secret>,
    limits: Limits,
}

impl std::fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("title", &self.title).finish_non_exhaustive()
    }
}

impl<'a> Job<'a> {
    /// Checks the text of a job. The files that it names are opened through `files`.
    ///
    /// # Errors
    /// A code of the 2xx range for what is wrong with the job, and what opening a file reports.
    pub fn parse(text: &str, files: &'a dyn Files) -> Result<Self, JobError> {
        let mut spec: JobSpec = parse_toml(text).map_err(|error| JobError::new("E0210", error.to_string()))?;
        SourceSpec::apply(spec.source.take(), &mut spec.data, &mut spec.format)?;
        spec.check()?;
        let parameters = parse_toml(text).map_err(|error| JobError::new("E0210", error.to_string()))?;
        let domain = DeclaredDomain::read(files, spec.domain.as_deref(), &spec.attributes)?;
        let budget = spec.budget.as_ref().map(JobBudget::new).transpose()?;
        let domain_text = domain.as_ref().map_or("", |domain| &domain.text);
        let text = [text, domain_text].concat();
        let title = spec.title.clone().unwrap_or_else(|| "release".to_owned());
        let limits = Limits::default();
        Ok(Self { spec, files, parameters, text, title, domain, budget, secret: None, limits })
    }

    /// Names the job, unless it has a title.
    #[must_use]
    pub fn with_default_title(mut self, title: &str) -> Self {
        if self.spec.title.is_none() {
            title.clone_into(&mut self.title);
        }
        self
    }

    /// Gives the secret under which `[filtered]` draws its thresholds.
    #[must_use]
    pub fn with_secret(self, secret: Secret) -> Self {
        Self { secret: Some(secret), ..self }
    }

    /// Writes all tables of the release in this format, if one is given, whatever the job says.
    #[must_use]
    pub fn with_tables(mut self, tables: Option<TableFormat>) -> Self {
        self.spec.tables = tables.unwrap_or(self.spec.tables);
        self
    }

    /// Limits what the noisy part may take.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The data that the job names, relative to the job.
    #[must_use]
    pub fn data(&self) -> Option<&Path> {
        self.spec.data.as_deref()
    }

    /// The form of the data as the job declares it.
    #[must_use]
    pub fn format(&self) -> &FormatSpec {
        &self.spec.format
    }

    /// The ledger that the job names, relative to the job.
    #[must_use]
    pub fn ledger(&self) -> Option<&Path> {
        self.spec.budget.as_ref()?.ledger.as_deref()
    }

    /// Whether the job has a `[filtered]` section, which draws under a secret.
    #[must_use]
    pub fn needs_secret(&self) -> bool {
        self.spec.filtered.is_some()
    }

    /// What to say of parameters that protect little: sentences, none for usual ones.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.budget.as_ref().map_or_else(Vec::new, JobBudget::warnings)
    }

    /// Whether the job has a budget, which a ledger may count.
    #[must_use]
    pub fn is_noised(&self) -> bool {
        self.budget.is_some()
    }

    /// Reads the data, plans every part, and judges the release: predictions, audits, attacks and
    /// targets. Nothing is drawn, spent or written.
    ///
    /// # Errors
    /// E0245 without the secret of `[filtered]`, codes of the 3xx range for the data, E0502 when
    /// the parts cost more than the budget, codes of the 6xx range above a limit, E0108 when the
    /// observer stops the job. A missed target is no error here: see
    /// [`Planned::require_targets`].
    pub fn plan(self, source: &dyn DataSource, observer: &dyn Observer) -> Result<Planned, JobError> {
        self.plan_against(source, &Uncounted, observer)
    }

    /// Does the same, and finds out before the long work whether a ledger would refuse the
    /// charge.
    ///
    /// # Errors
    /// As [`plan`](Self::plan), and what the ledger refuses.
    pub fn plan_against(
        mut self,
        source: &dyn DataSource,
        ledger: &dyn Ledger,
        observer: &dyn Observer,
    ) -> Result<Planned, JobError> {
        let filter = self.filter(observer)?;
        let columns = self.columns(source, observer)?;
        check_response(&columns, self.spec.exact.as_ref(), self.spec.filtered.as_ref())?;
        let schema = columns.clone().into_schema()?;
        let job_sha256 = sha256(self.text.as_bytes());
        // All noise and all costs are settled before a row is read, so none can follow from one.
        let exact = self.exact_job()?.map(|job| job.with_bins_of(&columns.attributes));
        self.charge_exact(exact.as_ref(), schema.domain())?;
        let noisy = self.noisy(columns, observer)?;
        if let Some(budget) = &self.budget {
            budget.check(ledger, &job_sha256)?;
        }
        let options = self.spec.options();
        let rows = Rc::new(during(observer, "reading", || source.read_rows(&schema, &options))?);
        check_stop(observer)?;
        let persons = self.persons(source, observer)?;
        if let Some(noisy) = &noisy {
            noisy.check_total(persons.as_ref().map_or(rows.total(), PersonRows::counted))?;
        }
        let screen = self.screen(&rows, observer).map_err(|error| error.in_section("[screen]"))?;
        let exact = exact.map(|job| job.plan_rows(&rows, observer)).transpose();
        let exact = exact.map_err(|error| error.in_section("[exact]"))?;
        check_stop(observer)?;
        let filtered = filter.map(|filter| filter.decide(source, &rows, observer)).transpose();
        let filtered = filtered.map_err(|error| error.in_section("[filtered]"))?;
        let Self { spec, parameters, title, budget, .. } = self;
        let parts = Parts { rows, screen, exact, filtered, noisy, budget, persons };
        let (findings, beside_noise) = Findings::new(&title, &parts, spec.targets, observer)?;
        let imprint = Imprint { owner: spec.owner, date: spec.date };
        let context = PlannedContext {
            title,
            imprint,
            job_sha256,
            parameters,
            count: spec.count,
            targets: spec.targets,
            tables: spec.tables,
        };
        Ok(Planned::new(context, parts, findings, beside_noise))
    }

    /// The filter with its secret.
    fn filter(&mut self, observer: &dyn Observer) -> Result<Option<filter::Section>, JobError> {
        let Some(section) = &self.spec.filtered else { return Ok(None) };
        section.check_tables(self.spec.tables).map_err(|error| error.in_section("[filtered]"))?;
        let Some(secret) = &self.secret else {
            let error = JobError::new("E0245", "[filtered] needs a secret key, but no key file was given");
            return Err(error.next("add --secret-file KEY, and --new-secret the first time"));
        };
        let part = filter::Section::new(section.clone(), &self.text, self.spec.encoding, secret, observer);
        Ok(Some(part.map_err(|error| error.in_section("[filtered]"))?))
    }

    /// The columns as they are declared, or as the data look, with that of a response.
    fn columns(&self, source: &dyn DataSource, observer: &dyn Observer) -> Result<DomainFile, JobError> {
        let mut columns = match &self.domain {
            Some(declared) => declared.file.clone(),
            None => learnt(source, &self.spec.options(), observer)?,
        };
        columns.attributes.retain(|attribute| Some(&attribute.name) != self.spec.count.as_ref());
        if let Some(exact) = &self.spec.exact {
            exact.with_response(&mut columns);
        }
        Ok(columns)
    }

    /// Who has which row, where `[budget]` names a person.
    fn persons(&self, source: &dyn DataSource, observer: &dyn Observer) -> Result<Option<PersonRows>, JobError> {
        let Some(budget) = &self.budget else { return Ok(None) };
        let rows_per_person = budget.terms().rows_per_person;
        let options = self.spec.options();
        let persons = budget.person().map(|person| {
            during(observer, "reading persons", || PersonRows::read(person, rows_per_person, source, &options))
        });
        let persons = persons.transpose()?;
        check_stop(observer)?;
        Ok(persons)
    }

    fn screen(&mut self, rows: &Rc<Microdata>, observer: &dyn Observer) -> Result<Option<TableScreening>, JobError> {
        let section = self.spec.screen.take();
        section.map(|section| TableScreening::of_section(section, &self.title, rows.clone(), observer)).transpose()
    }

    /// The exact part, checked.
    fn exact_job(&self) -> Result<Option<exact::Job>, JobError> {
        let Some(section) = &self.spec.exact else { return Ok(None) };
        let job = exact::Job::from_section(section, &self.title, self.files);
        Ok(Some(job.map_err(|error| error.in_section("[exact]"))?))
    }

    /// Charges the noise of the exact part: that of a row which is in a noised cell of every
    /// margin, whether or not the plan will noise any.
    fn charge_exact(&mut self, exact: Option<&exact::Job>, domain: &Domain) -> Result<(), JobError> {
        let (Some(exact), Some(budget)) = (exact, &mut self.budget) else { return Ok(()) };
        let noise = exact.requested_noise(domain).map_err(|error| error.in_section("[exact]"))?;
        let Some(noise) = noise else { return Ok(()) };
        if domain.provenance() == Provenance::LearntFromData {
            // A label that is there because one person has it is a noised cell more.
            return Err(resplan::Error::DomainLearntFromData.into());
        }
        budget.charge_exact(noise.row_epsilon, exact.decision_data())
    }

    /// Plans the noisy part with what is left of the budget.
    fn noisy(&mut self, columns: DomainFile, observer: &dyn Observer) -> Result<Option<marginals::Planned>, JobError> {
        let (Some(section), Some(budget)) = (self.spec.noisy.take(), &mut self.budget) else { return Ok(None) };
        let context = JobContext {
            title: Some(self.title.clone()),
            imprint: Imprint::default(),
            // The digest of this text leaves with the tables: the other sections, and what they call
            // known, must not be guessed at with it.
            text: self.parameters.get("noisy").map_or_else(String::new, Value::to_string),
            directory: self.domain.as_ref().map_or(Path::new(""), |domain| &domain.directory),
            columns,
            count: self.spec.count.clone(),
            encoding: self.spec.encoding,
            person: budget.person().cloned(),
            budget: Budget { cost: budget.left()?, gaussian: None, terms: budget.cost_terms() },
            terms: budget.terms(),
        };
        let job = marginals::Job::from_section(section, context, self.files);
        let planned = job.and_then(|job| job.plan(&self.limits, observer)).and_then(|planned| {
            planned.check_release()?;
            Ok(planned)
        });
        let planned = planned.map_err(|error| error.in_section("[noisy]"))?;
        budget.charge("noisy", planned.rho(), planned.dominated_by())?;
        check_stop(observer)?;
        Ok(Some(planned))
    }
}

/// Refuses groups by the response that the exact part counts. Their exact numbers would reveal
/// what the exact part withholds, which judges its own numbers alone.
fn check_response(
    columns: &DomainFile,
    exact: Option<&ExactSpec>,
    filtered: Option<&FilterSpec>,
) -> Result<(), JobError> {
    let (Some(response), Some(filtered)) = (exact.and_then(ExactSpec::response_column), filtered) else {
        return Ok(());
    };
    let mut grouped = columns.attributes.iter().filter(|attribute| filtered.group_by.contains(&attribute.name));
    if grouped.any(|attribute| attribute.column() == response) {
        let message = "[filtered] groups by the response that [exact] counts, so its exact numbers would disclose what [exact] withholds";
        return Err(JobError::new("E0244", message));
    }
    Ok(())
}
