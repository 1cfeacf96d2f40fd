//! A job about exact tables: parsed from its text, then loaded with its table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use disclosure::frechet::hierarchy::Hierarchy;
use disclosure::frechet::{
    AuditDetail, DecisionData, DisclosureRule, DisclosureTarget, Limits, MarginSize, NoiseDivision, RequestedNoise,
    Scope,
};
use disclosure::privacy_core::stop::StopFlag;
use disclosure::privacy_core::table::TableSource;
use disclosure::privacy_core::{AttrSet, CountSource, Domain};
use privacy_data::{AttributeSpec, DomainFile, Microdata, TableFormat, parse_toml};
use serde::{Deserialize, Serialize};

use crate::budget::warnings;
use crate::digest::sha256;
use crate::document::Imprint;
use crate::error::JobError;
use crate::exact::error::too_many_cells;
use crate::exact::facts::{Fact, Label, LabelResolver};
use crate::exact::numbers::Levels;
use crate::exact::pattern_terms::PatternTerms;
use crate::exact::problem::{DisclosedFacts, Response, UnknownTable, check_cells, declared_labels};
use crate::exact::spec::{ExactSpec, MarginSpec, MarginsSpec, Means, NamedMargins};
use crate::input::{
    CountedRows, DataSource, DeclaredDomain, Files, FormatSpec, SourceSpec, declared_or_learnt, domain_error, read_text,
};
use crate::observer::{Observer, during};

/// Most classes that are looked at.
const MOST_CLASSES: u64 = 1 << 20;

/// Most cells of a section of a pipeline: the linkage attack takes each of them by itself.
const MOST_SECTION_CELLS: u64 = 1 << 16;

/// A job that was parsed, with the files that it names; its data are not read yet.
#[derive(Clone, Debug)]
pub struct Job {
    pub(super) spec: ExactSpec,
    title: String,
    pub(super) declared: Option<DeclaredDomain>,
    hierarchies: BTreeMap<String, HierarchyText>,
    rule: DisclosureRule,
    target: DisclosureTarget,
    means: Means,
    /// The attributes that are declared with bins, and without names for them.
    binned: Vec<AttributeSpec>,
    pattern: Option<PatternTerms>,
}

/// A file of categories in a tree, which is read against its attribute later.
#[derive(Clone, Debug)]
struct HierarchyText {
    shown: PathBuf,
    is_hrc: bool,
    /// Or why it could not be read: a name that is no attribute is the clearer mistake, and found
    /// first.
    text: Result<String, JobError>,
}

/// A job with its table: what is published of it, and what the attacker knows besides.
#[derive(Clone, Debug)]
pub struct LoadedJob {
    pub(super) title: String,
    pub(super) imprint: Imprint,
    pub(super) tables: TableFormat,
    pub(super) problem: UnknownTable,
    pub(super) disclosed: DisclosedFacts,
    pub(super) hierarchies: BTreeMap<usize, Hierarchy>,
    pub(super) means: Means,
    /// Where the pattern is drawn under differential privacy.
    pub(super) pattern: Option<PatternTerms>,
    pub(super) rule: DisclosureRule,
    pub(super) target: DisclosureTarget,
    pub(super) limits: Limits,
    /// What an audit says of ends, where the job says it.
    pub(super) detail: Option<AuditDetail>,
    /// Whom the tables count, where it is not everybody.
    pub(super) counted: Option<Counted>,
    /// The same as levels of an attribute, where one value is counted.
    pub(super) counted_levels: Option<Levels>,
    /// The attributes that are declared with bins, which could be wider.
    pub(super) binned: Vec<AttributeSpec>,
    most_classes: u64,
    /// The fields about plans that it gives.
    pub(super) fields_of_plans: Vec<&'static str>,
}

/// Which people are counted: those with a value of a column; of each value, where `value` is
/// null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The column.
    pub column: String,
    /// Its value.
    pub value: Option<String>,
}

impl Job {
    /// Parses a job and reads the files that it names, but not its data. `default_title` is for a
    /// job without a title.
    ///
    /// # Errors
    /// E0210 for text that is no specification; E0234 for numbers out of range and fields that
    /// exclude each other; those of files
    /// that cannot be read.
    pub fn parse(text: &str, default_title: &str, files: &dyn Files) -> Result<Self, JobError> {
        let mut spec: ExactSpec = parse_toml(text).map_err(|error| JobError::new("E0210", error.to_string()))?;
        SourceSpec::apply(spec.source.take(), &mut spec.data, &mut spec.format)?;
        let title = spec.title.clone().unwrap_or_else(|| default_title.to_owned());
        let mut job = Self::new(spec, title, files)?;
        let spec_sha256 = sha256(text.as_bytes());
        job.pattern = job.spec.pattern_budget()?.map(|budget| PatternTerms { budget, spec_sha256 });
        Ok(job)
    }

    /// The section `[exact]` of a pipeline with this title.
    ///
    /// # Errors
    /// E0243 for fields that belong to the whole job; E0234 for `decide_on = "private"`; as
    /// [`Job::parse`].
    pub fn from_section(section: &ExactSpec, title: &str, files: &dyn Files) -> Result<Self, JobError> {
        section.check_is_section()?;
        section.check_unperturbed()?;
        if section.pattern_budget()?.is_some() {
            let message = "decide_on = \"private\" is only used with disclosure frechet release, because other parts of a job publish numbers as well";
            return Err(JobError::new("E0234", message));
        }
        let mut job = Self::new(section.clone(), title.to_owned(), files)?;
        job.means.division = NoiseDivision::AllCells;
        Ok(job)
    }

    /// The noise of every margin that the section requests, of which a plan uses that of the
    /// cells it noises; `None` without noise. No row is read for it.
    ///
    /// # Errors
    /// E0231 and E0232 for names that the domain does not have, E0237 for a section that names no
    /// attribute, E0621 for a table that is too large, and an epsilon that no noise has.
    pub fn requested_noise(&self, all: &Domain) -> Result<Option<RequestedNoise>, JobError> {
        let Some(noise) = &self.means.noise else { return Ok(None) };
        let (_, domain) = self.projected_domain(all)?;
        let response = self.response(&domain)?;
        let shape = UnknownTable::uncounted(domain, response.as_ref())?;
        let size = |(set, weight): (AttrSet, f64)| MarginSize {
            cells: shape.domain.cells(shape.with_response(set)).unwrap_or(u64::MAX),
            weight,
        };
        let sizes: Vec<MarginSize> = margins(&self.spec.margins, &shape)?.into_iter().map(size).collect();
        if sizes.is_empty() {
            return Ok(None);
        }
        Ok(Some(RequestedNoise::new(noise, &sizes, shape.response.is_some())?))
    }

    fn new(spec: ExactSpec, title: String, files: &dyn Files) -> Result<Self, JobError> {
        let declared = DeclaredDomain::read(files, spec.domain.as_deref(), &spec.attributes)?;
        let mut hierarchies = BTreeMap::new();
        for (name, file) in &spec.hierarchy {
            let is_hrc = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("hrc"));
            let text = HierarchyText { shown: files.shown(file), is_hrc, text: read_text(files, file) };
            hierarchies.insert(name.clone(), text);
        }
        let (rule, target, means) = (spec.rule()?, spec.target()?, spec.means()?);
        spec.time()?;
        let job =
            Self { spec, title, declared: None, hierarchies, rule, target, means, binned: Vec::new(), pattern: None };
        let attributes = declared.as_ref().map_or(&[][..], |declared| &declared.file.attributes).to_vec();
        Ok(Self { declared, ..job.with_bins_of(&attributes) })
    }

    /// Says how the attributes of a section are declared, so that a refusal can tell which wider
    /// bins would do.
    #[must_use]
    pub fn with_bins_of(self, attributes: &[AttributeSpec]) -> Self {
        let binned = attributes.iter().filter(|own| own.bins.is_some() && own.names.is_none());
        Self { binned: binned.cloned().collect(), ..self }
    }

    /// The name of the data as the job gives it: a path relative to the job, or `-` for a stream.
    /// `None` where the job is about known numbers alone.
    #[must_use]
    pub fn data(&self) -> Option<&Path> {
        self.spec.data.as_deref()
    }

    /// The data on which a plan decides.
    #[must_use]
    pub fn decision_data(&self) -> DecisionData {
        self.means.decision_data
    }

    /// The form of the data as the job declares it.
    #[must_use]
    pub fn format(&self) -> &FormatSpec {
        &self.spec.format
    }

    /// The specification.
    #[must_use]
    pub fn spec(&self) -> &ExactSpec {
        &self.spec
    }

    /// Reads the data and counts the table.
    ///
    /// # Errors
    /// Those of data that cannot be read; E0231 to E0235 for names that the data do not have;
    /// E0621 for a table that is too large.
    pub fn load(self, source: &dyn DataSource, observer: &dyn Observer) -> Result<LoadedJob, JobError> {
        self.spec.check_unperturbed()?;
        let options = self.spec.csv_options();
        let declared = self.declared.as_ref().map(|declared| declared.file.clone());
        let mut columns = declared_or_learnt(declared, source, &options, observer)?;
        let known = columns.attributes.len();
        self.spec.with_response(&mut columns);
        let is_implied = columns.attributes.len() > known;
        self.keep_named(&mut columns);
        let schema = columns.into_schema()?;
        let response = self.response(schema.domain())?;
        // A table that is too large is refused, after its rows fit the schema.
        let sets = if check_cells(schema.domain()).is_ok() { vec![schema.domain().all()] } else { Vec::new() };
        let rows = during(observer, "reading", || CountedRows::of(source, &schema, &options, &sets))?;
        let deltas = self.pattern.iter().map(|terms| terms.budget.delta.get());
        deltas.filter_map(warnings::of_delta).for_each(|words| observer.note(&words));
        let problem = UnknownTable::count(&rows, response.as_ref())?;
        let is_declared = self.declared.is_some() && !is_implied;
        self.check_occurs(&problem, schema.domain(), response.as_ref(), is_declared)?;
        self.about(problem, None, observer)
    }

    /// Refuses a response value that nobody has: it is a slip more often than an answer, and
    /// tables of it say of everybody that they did not give it.
    fn check_occurs(
        &self,
        problem: &UnknownTable,
        domain: &Domain,
        response: Option<&Response>,
        is_declared: bool,
    ) -> Result<(), JobError> {
        let spec = self.spec.response.as_ref().filter(|spec| spec.value.is_some());
        let (Some(spec), Some(response)) = (spec, response) else { return Ok(()) };
        if problem.table.as_ref().is_none_or(|table| table.total() > 0) {
            return Ok(());
        }
        let labels = if is_declared { declared_labels(&domain.attributes()[response.axis]) } else { String::new() };
        let message = format!("no row has the value of the response {:?}{labels}", spec.column);
        Err(JobError::new("E0232", message).next("compare the spelling of the value with the data"))
    }

    /// Leaves out the attributes that the job does not name, which nothing that it publishes is
    /// about. Those that it declares itself are named. A name that is no attribute keeps them all,
    /// for the message that says so.
    fn keep_named(&self, columns: &mut DomainFile) {
        if !self.spec.attributes.is_empty() {
            return;
        }
        let Some(names) = self.spec.named_attributes().filter(|names| !names.is_empty()) else { return };
        let is_known = |name: &&str| columns.attributes.iter().any(|attribute| attribute.name == **name);
        if names.iter().all(is_known) {
            columns.attributes.retain(|attribute| names.contains(attribute.name.as_str()));
        }
    }

    /// A job about known numbers alone: nobody has the data.
    ///
    /// # Errors
    /// E0236 when something is to be counted in data; as [`Job::load`].
    pub fn load_without_data(self, observer: &dyn Observer) -> Result<LoadedJob, JobError> {
        let spec = &self.spec;
        spec.check_unperturbed()?;
        let has_margins = !matches!(&spec.margins, MarginsSpec::Sets(sets) if sets.is_empty());
        if has_margins || !spec.publish.is_empty() || spec.response.is_some() || spec.count.is_some() {
            return Err(JobError::new("E0236", "margins, publish, response and count require data = \"table.csv\""));
        }
        let declared = self.declared.as_ref().map(|declared| declared.file.clone());
        let without = || JobError::new("E0236", "give data = \"table.csv\", or [[attribute]] tables");
        let domain = declared.ok_or_else(without)?.into_schema()?.domain().clone();
        self.about(UnknownTable::unseen(domain)?, None, observer)
    }

    /// The job about rows that were read for several parts, projected to the attributes that it
    /// names.
    ///
    /// # Errors
    /// As [`Job::load`].
    pub fn load_rows(self, rows: &Microdata, observer: &dyn Observer) -> Result<LoadedJob, JobError> {
        let source = self.projected(rows)?;
        let response = self.response(source.domain())?;
        let counted = response.as_ref().and_then(|response| {
            let name = source.domain().attributes()[response.axis].name().to_owned();
            response.level.map(|level| (name, vec![level]))
        });
        // A value that nobody has is no error here: noisy tables of the same rows would leave or not
        // with one person's answer.
        self.about(UnknownTable::count(&source, response.as_ref())?, counted, observer)
    }

    /// The table over the attributes that the specification names.
    fn projected(&self, rows: &Microdata) -> Result<TableSource, JobError> {
        let (set, domain) = self.projected_domain(rows.domain())?;
        let mut tables = rows.marginals(&[set]).map_err(too_many_cells)?;
        let table = tables.pop().expect("one table for one set");
        TableSource::new(domain, table.cells().to_vec()).map_err(too_many_cells)
    }

    /// The attributes that the specification names.
    fn projected_domain(&self, all: &Domain) -> Result<(AttrSet, Domain), JobError> {
        let set: AttrSet = match self.spec.named_attributes() {
            Some(names) => all.set_of(&names.into_iter().collect::<Vec<_>>()),
            None => Ok(all.all()),
        }
        .map_err(|error| domain_error("E0231", all, &error))?;
        let attributes = set.iter().map(|attribute| all.attributes()[attribute].clone()).collect();
        let domain = Domain::new(attributes).map_err(|_| JobError::new("E0237", "the section names no attribute"))?;
        check_cells(&domain)?;
        if domain.cells(domain.all()).is_none_or(|cells| cells > MOST_SECTION_CELLS) {
            let message = format!(
                "the attributes of the section span more than {MOST_SECTION_CELLS} cells, the limit for an attack together with the other parts"
            );
            return Err(JobError::new("E0621", message));
        }
        Ok((set, domain))
    }

    fn response(&self, domain: &Domain) -> Result<Option<Response>, JobError> {
        let is_declared = self.declared.is_some();
        self.spec.response.as_ref().map(|spec| Response::new(domain, spec, is_declared)).transpose()
    }

    /// How many classes it may ask about.
    pub(super) fn most_classes(&self) -> u64 {
        self.spec.limits.classes.unwrap_or(MOST_CLASSES)
    }

    pub(super) fn about(
        self,
        problem: UnknownTable,
        counted_levels: Option<Levels>,
        observer: &dyn Observer,
    ) -> Result<LoadedJob, JobError> {
        let hierarchies = hierarchies(&self.hierarchies, &problem.domain)?;
        let disclosed = disclosed(&self.spec, &problem, &hierarchies)?;
        // Whatever is asked of the loaded job ends when the observer stops it.
        let deadline = self.spec.time()?.map_or(StopFlag::never(), StopFlag::after);
        let limits = Limits { stop: observer.stop_flag(), deadline, ..self.spec.limits() };
        let fields_of_plans = self.spec.fields_of_plans();
        let most_classes = self.most_classes();
        let counted = self
            .spec
            .response
            .map(|response| Counted { column: response.column, value: response.value.as_ref().map(Label::text) });
        let imprint = Imprint { owner: self.spec.owner, date: self.spec.date };
        let Self { title, rule, target, means, binned, pattern, .. } = self;
        Ok(LoadedJob {
            title,
            imprint,
            tables: self.spec.tables,
            problem,
            disclosed,
            hierarchies,
            means,
            pattern,
            rule,
            target,
            limits,
            detail: self.spec.limits.bounds,
            counted,
            counted_levels,
            binned,
            most_classes,
            fields_of_plans,
        })
    }
}

impl LoadedJob {
    /// The same job with its tables written in this format, if one is given, whatever its spec
    /// says.
    #[must_use]
    pub fn with_tables(mut self, tables: Option<TableFormat>) -> Self {
        self.tables = tables.unwrap_or(self.tables);
        self
    }

    /// Dates the release, unless the job does.
    #[must_use]
    pub fn with_default_date(mut self, date: &str) -> Self {
        self.imprint.date_by_default(date);
        self
    }

    /// Gives what is asked next this number of seconds from now, in the place of `seconds` in
    /// `[limits]`; changes nothing without a number.
    #[must_use]
    pub fn with_seconds(mut self, seconds: Option<u32>) -> Self {
        if let Some(seconds) = seconds {
            self.limits.deadline = StopFlag::after(Duration::from_secs(seconds.into()));
        }
        self
    }

    /// The title.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What an audit is to find.
    #[must_use]
    pub fn target(&self) -> DisclosureTarget {
        self.target
    }

    /// When a class counts as disclosed.
    #[must_use]
    pub fn rule(&self) -> &DisclosureRule {
        &self.rule
    }

    /// How many classes are judged: what an audit reports as its progress.
    pub(super) fn classes(&self, scope: Scope) -> u64 {
        // At most the classes that `check_classes` lets through.
        classes(&self.problem, scope) as u64
    }

    /// Refuses a question with too many answers before the first is looked for.
    pub(super) fn check_classes(&self, scope: Scope) -> Result<(), JobError> {
        check_classes(&self.problem, scope, self.most_classes)
    }
}

/// Refuses more classes than a job allows.
pub(super) fn check_classes(problem: &UnknownTable, scope: Scope, most: u64) -> Result<(), JobError> {
    let classes = classes(problem, scope);
    if classes <= most as f64 {
        return Ok(());
    }
    Err(JobError::new("E0621", format!("there are {classes:.3e} classes to check; the limit is {most}")))
}

fn disclosed(
    spec: &ExactSpec,
    problem: &UnknownTable,
    hierarchies: &BTreeMap<usize, Hierarchy>,
) -> Result<DisclosedFacts, JobError> {
    let labels = LabelResolver { domain: &problem.domain, hierarchies };
    let publish = spec.publish.iter().enumerate().zip(problem.table.iter().cycle());
    let publish = publish.map(|((index, spec), table)| Fact::published(index, spec, &labels, table));
    let known = spec.known.iter().enumerate().map(|(index, spec)| Fact::known(index, spec, &labels));
    Ok(DisclosedFacts {
        margins: margins(&spec.margins, problem)?,
        publish: publish.collect::<Result<_, _>>()?,
        known: known.collect::<Result<_, _>>()?,
    })
}

fn margins(margins: &MarginsSpec, problem: &UnknownTable) -> Result<BTreeMap<AttrSet, f64>, JobError> {
    let listed = match margins {
        MarginsSpec::Named(NamedMargins::Axial) => {
            return Ok(problem.profile().iter().map(|axis| (AttrSet::single(axis), 1.0)).collect());
        }
        MarginsSpec::Sets(listed) => listed,
    };
    let mut seen = BTreeMap::new();
    for margin in listed {
        let (names, weight) = match margin {
            MarginSpec::Set(names) => (names, 1.0),
            MarginSpec::Weighted { set, weight } => (set, *weight),
        };
        let set = problem.domain.set_of(names).map_err(|error| domain_error("E0231", &problem.domain, &error))?;
        if !set.is_subset_of(problem.profile()) {
            return Err(JobError::new("E0231", "every margin includes the response: name only the other attributes"));
        }
        if !(weight > 0.0 && weight < f64::INFINITY) {
            return Err(JobError::new("E0231", "a weight must be finite and above 0"));
        }
        if seen.insert(set, weight).is_some() {
            return Err(JobError::new("E0231", format!("the margin {names:?} is listed twice")));
        }
    }
    Ok(seen)
}

fn hierarchies(
    texts: &BTreeMap<String, HierarchyText>,
    domain: &Domain,
) -> Result<BTreeMap<usize, Hierarchy>, JobError> {
    let mut hierarchies = BTreeMap::new();
    for (name, HierarchyText { shown, is_hrc, text }) in texts {
        let axis = domain.index_of(name).map_err(|error| domain_error("E0235", domain, &error))?;
        let tree = if *is_hrc { Hierarchy::from_hrc } else { Hierarchy::from_parents };
        let text = text.as_ref().map_err(JobError::clone)?;
        let hierarchy = tree(text, &domain.attributes()[axis]);
        hierarchies.insert(axis, hierarchy.map_err(|error| JobError::from(error).within(shown))?);
    }
    Ok(hierarchies)
}

/// How many classes are in scope, for all values of the response.
fn classes(problem: &UnknownTable, scope: Scope) -> f64 {
    let (domain, profile) = (&problem.domain, problem.profile());
    let sizes = || profile.iter().map(|axis| domain.cardinality(axis) as f64);
    let responses = problem.response.map_or(1.0, |response| domain.cardinality(response) as f64);
    let classes = match scope {
        Scope::Cells => sizes().product(),
        Scope::Pairs => {
            let (sum, squares) = sizes().fold((0.0, 0.0), |(sum, squares), k| (sum + k, squares + k * k));
            sum + (sum * sum - squares) / 2.0
        }
        _ => sizes().map(|k| k + 1.0).product::<f64>() - 1.0,
    };
    classes * responses
}
