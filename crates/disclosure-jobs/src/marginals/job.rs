//! What is to be released, from which columns of the data: a spec that was checked.

use std::collections::BTreeSet;
use std::path::Path;

use disclosure::privacy_core::AttrSet;
use disclosure::resplan::{self, Design, Footprint, PlanSpec, QueryBasis, Workload};
use privacy_data::{BasisKind, DomainFile, TableFormat, parse_toml};

use super::bases::Bases;
use super::columns::Columns;
use super::spec::{Adjustment, Spec};
use super::workload::{Asked, WeightsName};
use crate::budget::{Budget, CostTerms, GaussianBudget};
use crate::digest::sha256;
use crate::document::Imprint;
use crate::error::JobError;
use crate::input::{DeclaredDomain, EncodingName, Files};
use crate::ledger::LedgerTerms;
use crate::persons::PersonColumn;

/// A job that was checked, before its plan is made. No row of the data was read.
#[derive(Debug)]
pub struct Job {
    pub(super) details: Details,
    pub(super) plan: PlanSpec,
    /// What its noise may cost in Gaussian differential privacy.
    pub(super) gaussian: Option<GaussianBudget>,
}

/// Everything about a job but its plan.
#[derive(Debug)]
pub(super) struct Details {
    /// SHA-256 of the spec, followed by its domain file, if any, and by the files of its bases.
    pub(super) spec_sha256: String,
    /// `None` until somebody names the job.
    pub(super) title: Option<String>,
    pub(super) imprint: Imprint,
    /// The name of the strategy that was asked for.
    pub(super) strategy: String,
    pub(super) cost_terms: CostTerms,
    pub(super) columns: Columns,
    /// Names of the queries of attributes that have a file of queries.
    pub(super) query_names: Vec<Option<Vec<String>>>,
    pub(super) adjustments: BTreeSet<Adjustment>,
    pub(super) tables: TableFormat,
}

/// What a job of several parts states once for all of them.
#[derive(Clone, Debug)]
pub struct JobContext<'a> {
    /// The title of the job, if it has one.
    pub title: Option<String>,
    /// Who answers for the release, and its date.
    pub imprint: Imprint,
    /// The text of the job, followed by that of its domain file: what the digest is taken of.
    pub text: String,
    /// Where the files of bases are, as the names in the job are written.
    pub directory: &'a Path,
    /// The columns of the data.
    pub columns: DomainFile,
    /// The column that says how many rows a line stands for.
    pub count: Option<String>,
    /// How bytes spell text.
    pub encoding: EncodingName,
    /// Who has which row, where a column says so: at most `rows_per_person` of each are counted.
    pub person: Option<PersonColumn>,
    /// What this part may spend.
    pub budget: Budget,
    /// What the cost protects.
    pub terms: LedgerTerms,
}

impl Job {
    /// Checks the text of a spec. Its domain file is one of `files`, as are those of its bases.
    ///
    /// # Errors
    /// A code of the 2xx range for what is wrong with the spec, and what opening a file reports.
    pub fn parse(text: &str, files: &dyn Files) -> Result<Self, JobError> {
        let mut spec: Spec = parse_toml(text).map_err(|error| JobError::new("E0210", error.to_string()))?;
        let neighbours = spec.neighbours.ok_or_else(|| missing("neighbours"))?;
        let privacy = spec.privacy.take().ok_or_else(|| missing("privacy"))?;
        let written = written_domain(&spec, files)?;
        let person = PersonColumn::of_spec(spec.person.take(), spec.excess_rows, spec.count.as_deref())?;
        let context = JobContext {
            title: spec.title.take(),
            imprint: Imprint { owner: spec.owner.take(), date: spec.date.take() },
            text: [text, &written.text].concat(),
            directory: &written.directory,
            columns: written.file,
            count: spec.count.take(),
            encoding: spec.encoding.unwrap_or_default(),
            person,
            budget: Budget::new(&privacy, spec.noise)?,
            terms: LedgerTerms { neighbours, rows_per_person: spec.rows_per_person.unwrap_or(1) },
        };
        Self::new(spec, context, files)
    }

    /// Checks a section of a job of several parts, within what the job states for all of them.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); E0243 for a field that belongs to the job.
    pub fn from_section(spec: Spec, context: JobContext<'_>, files: &dyn Files) -> Result<Self, JobError> {
        Self::new(spec.section()?, context, files)
    }

    fn new(spec: Spec, context: JobContext<'_>, files: &dyn Files) -> Result<Self, JobError> {
        let JobContext { title, imprint, text, directory, columns, count, encoding, person, budget, terms } = context;
        check_categories(&columns)?;
        let columns = Columns::new(columns, count, encoding, person)?;
        let domain = columns.schema.domain().clone();
        let Bases { bases, names, texts } = Bases::read(files, directory, &columns.file.attributes, &domain)?;
        let Asked { workload, bounds, objective } = spec.asked(&domain, &bases)?;
        let (strategy, strategy_name) = spec.strategy()?;
        let LedgerTerms { neighbours, rows_per_person } = terms;
        let plan = PlanSpec {
            bases,
            strategy,
            objective,
            bounds,
            neighbours,
            rows_per_person,
            ..PlanSpec::new(domain, workload, budget.cost)
        };
        let details = Details {
            spec_sha256: sha256(&[text, texts].concat().into_bytes()),
            title,
            imprint,
            strategy: strategy_name,
            cost_terms: budget.terms,
            columns,
            query_names: names,
            adjustments: spec.adjustments.into_iter().collect(),
            tables: spec.tables,
        };
        Ok(Self { details, plan, gaussian: budget.gaussian })
    }
}

impl Job {
    /// The same job with its tables weighted as `name` says, whatever its spec says of the
    /// objective: to compare plans before one is chosen.
    ///
    /// # Errors
    /// E0229 when there are bounds on standard deviations and `name` is an objective that takes
    /// none; E0611 for too many tables.
    pub fn with_weights(mut self, name: WeightsName) -> Result<Self, JobError> {
        let PlanSpec { domain, bases, workload, bounds, objective, .. } = self.plan;
        let asked = Asked { workload, bounds, objective }.weighted(name, &domain, &bases)?;
        let Asked { workload, bounds, objective } = asked;
        self.plan = PlanSpec { domain, bases, workload, bounds, objective, ..self.plan };
        Ok(self)
    }
}

/// The largest number of categories of an attribute that is asked for more than its categories:
/// finding its strategy would take a day.
const MOST_CATEGORIES: usize = 1 << 14;

/// Refuses strategies that no limits allow, before labels are made for their categories.
fn check_categories(columns: &DomainFile) -> Result<(), JobError> {
    let asked = columns
        .attributes
        .iter()
        .filter(|attribute| attribute.basis.as_ref().is_some_and(|basis| !matches!(basis.kind, BasisKind::Identity)));
    for attribute in asked {
        let categories = attribute.size.unwrap_or(0);
        if categories > MOST_CATEGORIES {
            let error = resplan::Error::TooLarge {
                what: "categories of an attribute with other queries than its categories",
                needed: categories as f64,
                limit: MOST_CATEGORIES as f64,
            };
            return Err(JobError::from(error).in_section(&format!("attribute {:?}", attribute.name)));
        }
    }
    Ok(())
}

fn missing(name: &str) -> JobError {
    JobError::new("E0210", format!("missing field `{name}`"))
}

/// The attributes of a spec, or those of its domain file: exactly one of the two.
fn written_domain(spec: &Spec, files: &dyn Files) -> Result<DeclaredDomain, JobError> {
    let one = || JobError::new("E0211", "give either [[attribute]] tables or domain = \"domain.toml\"");
    if spec.domain.is_some() && !spec.attributes.is_empty() {
        return Err(one());
    }
    DeclaredDomain::read(files, spec.domain.as_deref(), &spec.attributes)?.ok_or_else(one)
}

impl Details {
    /// The title of the job, or a word that fits every job.
    pub(super) fn title(&self) -> &str {
        self.title.as_deref().unwrap_or("release")
    }

    /// Bytes that are held at once, predicted. The residuals of a plan are known, where a
    /// workload alone gives a bound. Adjusted tables take twice the residuals more.
    pub(super) fn memory_bytes(&self, plan: &Design) -> f64 {
        let domain = plan.domain();
        let bases: Vec<QueryBasis> = plan.attributes().map(|attribute| attribute.basis.clone()).collect();
        let sets = plan.marginals().map(|marginal| (marginal.attributes, marginal.weight)).collect();
        let cells = |set: AttrSet| set.iter().map(|attribute| domain.cardinality(attribute) as f64).product::<f64>();
        let footprint = Footprint {
            residuals: plan.residuals().len() as f64,
            residual_cells: plan.residuals().map(|(set, _)| cells(set)).sum(),
            ..Workload::Sets(sets).footprint(domain, &bases)
        };
        let adjusted = if self.adjustments.is_empty() { 0.0 } else { 16.0 * footprint.residual_cells };
        footprint.bytes() + adjusted
    }

    /// Refuses a plan whose adjusted tables need more memory than the limit: planning has kept
    /// the limits without them.
    pub(super) fn check_memory(&self, plan: &Design, limit: f64) -> Result<(), resplan::Error> {
        let needed = self.memory_bytes(plan);
        match self.adjustments.is_empty() || needed <= limit {
            true => Ok(()),
            false => Err(resplan::Error::TooLarge { what: "bytes of memory", needed, limit }),
        }
    }
}
