//! The job: parsed, loaded, planned.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use disclosure::magnitude::{
    AttackLimits, MagnitudeTable, SensitivityRule, Share, SuppressionPlan, SuppressionProblem, plan,
};
use privacy_data::parse_toml;

use crate::amounts::labels::HierarchyText;
use crate::amounts::read::read_table;
use crate::amounts::spec::AmountsSpec;
use crate::error::JobError;
use crate::input::{DataSource, DeclaredDomain, Files, FormatSpec, SourceSpec, TextLabels, read_text};
use crate::observer::{Observer, during};

/// A table of amounts to be protected, checked against the files that it names.
#[derive(Debug)]
pub struct Job {
    spec: AmountsSpec,
    /// The data as the job names them.
    data: PathBuf,
    labels: TextLabels,
    title: String,
    rule: SensitivityRule,
    known_within: Option<Share>,
    hierarchies: BTreeMap<String, HierarchyText>,
}

impl Job {
    /// Parses a job and reads the files that it names, but not its data. `default_title` is for a
    /// job without a title.
    ///
    /// # Errors
    /// E0210 for text that is no specification, E0246 for a rule that cannot be; those of files
    /// that cannot be read.
    pub fn parse(text: &str, default_title: &str, files: &dyn Files) -> Result<Self, JobError> {
        let mut spec: AmountsSpec = parse_toml(text).map_err(|error| JobError::new("E0210", error.to_string()))?;
        SourceSpec::apply(spec.source.take(), &mut spec.data, &mut spec.format)?;
        let data = spec.data.clone().ok_or_else(|| JobError::new("E0210", "missing field `data`"))?;
        spec.check()?;
        let mut hierarchies = BTreeMap::new();
        for (name, file) in &spec.hierarchy {
            if !spec.axes.contains(name) {
                return Err(JobError::new("E0235", format!("hierarchy {name:?} does not belong to an axis")));
            }
            let is_hrc = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("hrc"));
            let text = HierarchyText { shown: files.shown(file), is_hrc, text: read_text(files, file)? };
            hierarchies.insert(name.clone(), text);
        }
        let declared = DeclaredDomain::read(files, spec.domain.as_deref(), &spec.attributes)?;
        let labels = TextLabels::new(&spec.axes, declared.as_ref().map(|declared| &declared.file))?;
        let rule = spec.rule.rule(spec.coalition)?;
        let known_within = spec.known_within.map(|percent| Share::of_percent("known_within", percent)).transpose()?;
        let title = spec.title.clone().unwrap_or_else(|| default_title.to_owned());
        Ok(Self { spec, data, labels, title, rule, known_within, hierarchies })
    }

    /// The name of the data as the job gives it: a path relative to the job, or `-` for a stream.
    #[must_use]
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The form of the data as the job declares it.
    #[must_use]
    pub fn format(&self) -> &FormatSpec {
        &self.spec.format
    }

    /// Reads the data and adds up the table.
    ///
    /// # Errors
    /// Those of data that cannot be read; E0319 and E0348 for fields without an amount; E0235 for
    /// labels that a hierarchy does not have; E0246 for a cell under `keep` that does not exist;
    /// E0640 for a table that is too large.
    pub fn load(self, source: &dyn DataSource, observer: &dyn Observer) -> Result<LoadedJob, JobError> {
        let table = during(observer, "reading", || read_table(&self.spec, &self.labels, &self.hierarchies, source))?;
        let keep = keep(&self.spec, &table)?;
        let default = AttackLimits::default();
        let limits = AttackLimits { steps: self.spec.steps.unwrap_or(default.steps), stop: observer.stop_flag() };
        Ok(LoadedJob { job: self, table, keep, limits })
    }
}

/// The cells that must be published.
fn keep(spec: &AmountsSpec, table: &MagnitudeTable) -> Result<BTreeSet<usize>, JobError> {
    let mut cells = BTreeSet::new();
    for (index, labels) in spec.keep.iter().enumerate() {
        let refusal = || {
            let words = "does not name a cell: give one label for every axis, or the label of totals";
            JobError::new("E0246", format!("keep {}: {words}", index + 1))
        };
        if labels.len() != spec.axes.len() {
            return Err(refusal());
        }
        let mut nodes = Vec::new();
        for axis in table.cube().axes() {
            let label = labels.get(axis.name()).ok_or_else(refusal)?;
            nodes.push(axis.nodes().iter().position(|node| node.label == *label).ok_or_else(refusal)?);
        }
        cells.insert(table.cube().cell_of(&nodes));
    }
    Ok(cells)
}

/// A job with its table.
#[derive(Debug)]
pub struct LoadedJob {
    job: Job,
    table: MagnitudeTable,
    keep: BTreeSet<usize>,
    limits: AttackLimits,
}

/// What a plan is asked for besides.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanOptions {
    /// Also proves both ends of the interval of every withheld cell.
    pub certificates: bool,
}

/// A table with a pattern that was attacked and holds.
#[derive(Debug)]
pub struct Planned {
    pub(super) loaded: LoadedJob,
    pub(super) plan: SuppressionPlan,
}

impl LoadedJob {
    /// Finds the cells to withhold, and lets readers and respondents attack what is left.
    ///
    /// # Errors
    /// E0440 for a sensitive cell that cannot be protected, E0441 if the attackers found something,
    /// E0640 beyond a limit.
    pub fn plan(self, observer: &dyn Observer) -> Result<Planned, JobError> {
        let plan = during(observer, "planning", || plan(&self.problem())).map_err(|error| self.named(error))?;
        Ok(Planned { loaded: self, plan })
    }

    /// The refusal, with the labels of the cell that it is about.
    fn named(&self, error: disclosure::magnitude::Error) -> JobError {
        use disclosure::magnitude::Error as E;
        let (E::Unprotectable { cell } | E::KeptSensitive { cell }) = error else { return error.into() };
        let cube = self.table.cube();
        let place =
            if cell < cube.cells() { cube.labels_of(cell).join(", ") } else { "a sum of withheld cells".to_owned() };
        let words = match error {
            E::KeptSensitive { .. } => "is sensitive, but listed in keep",
            _ => "cannot be protected as the rule requires, even if all other cells are withheld",
        };
        JobError::new("E0440", format!("{place}: {words}"))
    }

    pub(super) fn problem(&self) -> SuppressionProblem<'_> {
        SuppressionProblem {
            cost: self.job.spec.cost,
            keep: self.keep.clone(),
            known_within: self.job.known_within,
            limits: self.limits.clone(),
            ..SuppressionProblem::new(&self.table, &self.job.rule)
        }
    }

    pub(super) fn spec(&self) -> &AmountsSpec {
        &self.job.spec
    }

    pub(super) fn table(&self) -> &MagnitudeTable {
        &self.table
    }

    /// The title.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.job.title
    }
}
