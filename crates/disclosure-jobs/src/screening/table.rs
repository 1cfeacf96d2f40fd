//! An actual table, screened row by row.

use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

use disclosure::screen::{
    Covered, Estimate, IdenticalFeatures, Records, RowRisk, ScreenLimits, ScreenSpec, ScreenTargets, TableScreen,
    screen,
};
use label_attack::LabelSource;
use privacy_data::{CsvField, CsvWriter, Microdata};
use serde::{Deserialize, Serialize};

use super::attacks::{AttackEffort, attack};
use super::document::{
    ModelDocument, Predictions, ScreeningSchema, SimulationDocument, check_estimate, predicted_of_table,
};
use super::error::of_table;
use super::job::{ScreeningJob, stopped_by};
use super::quick::{QuickAttack, quick_attack};
use super::spec::ScreeningSpec;
use super::table_data::TableData;
use crate::error::JobError;
use crate::observer::{Observer, during};

/// Rows that the document lists; [`ScreenedTable::write_rows`] writes all of them.
const MOST_LISTED: usize = 10;
/// Most people times known columns of a table that quick attackers are asked about.
const MOST_QUICK: u64 = 20_000_000;

/// The screening of an actual table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableDocument {
    /// The model of a table like this one.
    #[serde(flatten)]
    pub model: ModelDocument,
    /// The name of the target.
    pub target: String,
    /// The names of the known columns.
    pub known: Vec<String>,
    /// The table as it is.
    pub realised: RealisedTable,
}

/// The table as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RealisedTable {
    /// Which numbers are exact, and which are a proxy.
    #[serde(rename = "kind")]
    pub about: String,
    /// The share of labels that a solver is expected to reconstruct: what quick attackers reached,
    /// at least `floor`; state evolution where the table is too large for them.
    pub estimate: Estimate,
    /// What quick attackers reached on simulated releases of the table; null where it is too large
    /// for them.
    #[serde(default)]
    pub attacked: Option<QuickAttack>,
    /// State evolution, which takes labels for independent of the known columns: a proxy.
    #[serde(default)]
    pub labels_independent: f64,
    /// Coverage and exposure of everybody.
    pub everybody: Covered,
    /// The same by class.
    pub classes: Vec<ClassCoverage>,
    /// Rows that nothing tells apart.
    pub identical_features: IdenticalFeatures,
    /// The most exposed rows.
    pub most_exposed: Vec<RowExposure>,
}

/// Coverage and exposure of the rows of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassCoverage {
    /// The label of the class.
    pub class: String,
    /// Its rows.
    #[serde(flatten)]
    pub covered: Covered,
}

/// A row by its number in the data: 1 is the first below the header.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowExposure {
    /// The number of the row.
    pub row: usize,
    /// Released counts of the row's own class that touch it.
    pub d_true: u64,
    /// Released counts of all classes that touch it.
    pub d_eff: u64,
    /// Evidence about the row's label.
    pub evidence: f64,
    /// Probability that a solver has the label right: a proxy.
    pub exposure: f64,
}

impl From<&RowRisk> for RowExposure {
    fn from(risk: &RowRisk) -> Self {
        let RowRisk { row, own, all, evidence, exposure, .. } = *risk;
        Self { row: row + 1, d_true: own, d_eff: all, evidence, exposure }
    }
}

/// A table that was read, and the release that is screened for it.
#[derive(Clone)]
pub struct TableScreening {
    job: ScreeningJob,
    /// The name of the data in messages; none in a section of a pipeline.
    source: Option<String>,
    data: TableData,
    records: Records,
    release: ScreenSpec,
}

impl std::fmt::Debug for TableScreening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableScreening").field("title", &self.job.title).finish_non_exhaustive()
    }
}

/// The screening of a table, with every row.
#[derive(Clone, Debug)]
pub struct ScreenedTable {
    /// The document.
    pub document: TableDocument,
    /// Every row, the most exposed first.
    pub rows: Vec<RowRisk>,
}

impl TableScreening {
    pub(super) fn new(
        job: ScreeningJob,
        source: Option<String>,
        data: TableData,
        records: Records,
        release: ScreenSpec,
    ) -> Self {
        Self { job, source, data, records, release }
    }

    /// The screening of a pipeline's rows under its section.
    ///
    /// # Errors
    /// E0243 for fields that belong to the pipeline, E0252 to E0254 for what is out of range or
    /// not there.
    pub fn of_section(
        spec: ScreeningSpec,
        title: &str,
        rows: Rc<Microdata>,
        observer: &dyn Observer,
    ) -> Result<Self, JobError> {
        spec.check_section()?;
        spec.targets()?;
        spec.target_accuracy()?;
        let data = TableData::of_rows(&spec, rows, observer)?;
        let records = data.records()?;
        let release = spec.release_of(&records)?;
        Ok(Self::new(ScreeningJob::of_section(spec, title), None, data, records, release))
    }

    /// The name of the label that is attacked.
    #[must_use]
    pub fn target(&self) -> &str {
        self.data.target()
    }

    /// The largest share of the labels that a solver may get right.
    #[must_use]
    pub fn target_accuracy(&self) -> Option<f64> {
        self.job.spec.target_accuracy().ok().flatten().map(|target| target.get())
    }

    /// The rule of the release, in words.
    #[must_use]
    pub fn rule(&self) -> String {
        let (below, noise) = (self.release.suppression().below(), self.release.noise().half_width);
        let order = self.release.max_order();
        format!(
            "all counts over at most {order} known columns, with counts below {below} withheld and noise from −{noise} \
             to {noise}"
        )
    }

    /// Screens the table: what a solver is expected to reconstruct of it.
    ///
    /// # Errors
    /// E0631 and E0632 beyond the limits.
    pub fn screen(&self, limits: &ScreenLimits, observer: &dyn Observer) -> Result<ScreenedTable, JobError> {
        let limits = stopped_by(limits, observer);
        let screened = during(observer, "screening", || self.screened(&limits));
        let (model, table) = self.within_job(screened)?;
        let (estimate, attacked) = self.estimate(table.estimate, observer)?;
        let rows = table.ranked();
        Ok(ScreenedTable { document: self.document(model, &table, estimate, attacked, &rows), rows })
    }

    fn screened(&self, limits: &ScreenLimits) -> Result<(ModelDocument, TableScreen), JobError> {
        let target = self.job.spec.target_accuracy()?;
        let model = screen(&self.release, &self.job.spec.targets()?, limits).map_err(of_table)?;
        let table = TableScreen::of(&self.records, &self.release, limits).map_err(of_table)?;
        let mut model = ModelDocument::of(self.job.title.clone(), &self.release, model, target);
        model.schema = ScreeningSchema::Table;
        Ok((model, table))
    }

    /// The estimate for this table: what quick attackers reach, where they can be asked.
    fn estimate(
        &self,
        by_evolution: Estimate,
        observer: &dyn Observer,
    ) -> Result<(Estimate, Option<QuickAttack>), JobError> {
        // A column of one class has nothing to attack.
        let is_single = self.release.classes().shares().iter().filter(|&&share| share > 0.0).count() < 2;
        let cells = self.release.rows().saturating_mul(self.data.known().count() as u64);
        if is_single || cells > MOST_QUICK {
            return Ok((by_evolution, None));
        }
        let world = self.data.world(&self.release, MOST_QUICK).map_err(|error| self.within_source(error))?;
        let attacked = quick_attack(world, &self.release, observer)?;
        let accuracy = |quick: QuickAttack| quick.strongest.accuracy.mean.max(by_evolution.floor);
        let accuracy = attacked.map_or(by_evolution.accuracy, accuracy);
        let mut estimate = by_evolution;
        estimate.accuracy = accuracy;
        Ok((estimate, attacked))
    }

    fn document(
        &self,
        mut model: ModelDocument,
        table: &TableScreen,
        estimate: Estimate,
        attacked: Option<QuickAttack>,
        rows: &[RowRisk],
    ) -> TableDocument {
        model.keeps_target_accuracy = model.target_accuracy.map(|target| estimate.accuracy <= target.get());
        model.promise = predicted_of_table();
        let class = |(class, covered): (&str, &Covered)| ClassCoverage { class: class.to_owned(), covered: *covered };
        TableDocument {
            model,
            target: self.data.target().to_owned(),
            known: self.data.known().map(str::to_owned).collect(),
            realised: RealisedTable {
                about: "exact coverage and a proxy estimate, computed from the data: keep them as confidential as the \
                     data"
                    .to_owned(),
                estimate,
                attacked,
                labels_independent: table.estimate.accuracy,
                everybody: table.everybody,
                classes: self.data.classes().iter().zip(&table.classes).map(class).collect(),
                identical_features: table.identical,
                most_exposed: rows.iter().take(MOST_LISTED).map(RowExposure::from).collect(),
            },
        }
    }

    /// Releases the table under the rule and attacks its labels; beside it stand the predictions of
    /// a screening that need no attack.
    ///
    /// # Errors
    /// E0635 and E0636 for attacks beyond the limits.
    pub fn attack(
        &self,
        screened: &ScreenedTable,
        effort: AttackEffort,
        observer: &dyn Observer,
    ) -> Result<SimulationDocument, JobError> {
        let TableDocument { model, realised, .. } = &screened.document;
        let expected_accuracy = model.proxy.expected_accuracy;
        // Beside an attack stands what needs none.
        let mut estimate = realised.estimate;
        estimate.accuracy = realised.labels_independent;
        self.attacked(Predictions { estimate, expected_accuracy }, effort, observer)
    }

    /// Predicts, releases the table under the rule, and attacks its labels.
    ///
    /// # Errors
    /// As [`screen`](Self::screen) and [`attack`](Self::attack).
    pub fn simulate(
        &self,
        limits: &ScreenLimits,
        effort: AttackEffort,
        observer: &dyn Observer,
    ) -> Result<SimulationDocument, JobError> {
        let limits = stopped_by(limits, observer);
        let estimate = TableScreen::of(&self.records, &self.release, &limits).map_err(of_table)?.estimate;
        let model = self.within_job(screen(&self.release, &ScreenTargets::default(), &limits))?;
        let expected_accuracy = model.proxy.expected_accuracy;
        self.attacked(Predictions { estimate, expected_accuracy }, effort, observer)
    }

    fn attacked(
        &self,
        predicted: Predictions,
        effort: AttackEffort,
        observer: &dyn Observer,
    ) -> Result<SimulationDocument, JobError> {
        let world = self.data.world(&self.release, effort.max_entries).map_err(|error| self.within_source(error))?;
        let attacks = attack(&LabelSource::Table(world), &self.release, effort, observer)?;
        let (title, target) = (self.job.title.clone(), self.job.spec.target_accuracy()?);
        Ok(SimulationDocument::new(title, &self.release, predicted, attacks, target).of_table())
    }

    fn within_job<T>(&self, result: Result<T, impl Into<JobError>>) -> Result<T, JobError> {
        if self.job.is_section() { result.map_err(Into::into) } else { self.job.within(result) }
    }

    fn within_source(&self, error: JobError) -> JobError {
        match &self.source {
            Some(source) => error.within(Path::new(source)),
            None => error,
        }
    }
}

impl ScreenedTable {
    /// Refuses a target, which a prediction can miss and cannot show to be kept: attacks on actual
    /// tables reached far more than predicted.
    ///
    /// # Errors
    /// E0415 when the estimate is above `target_accuracy`; E0417 for any other target.
    pub fn check_target(&self) -> Result<(), JobError> {
        check_estimate(self.document.realised.estimate, self.document.model.target_accuracy)?;
        match self.document.model.target_accuracy {
            None => Ok(()),
            Some(_) => {
                let message = "a prediction cannot show that an actual table meets target_accuracy";
                Err(JobError::new("E0417", message)
                    .next("run disclosure screen simulate SPEC DATA --seed 1, which attacks the table"))
            }
        }
    }

    /// Writes every row as CSV, the most exposed first.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write_rows(&self, out: impl Write) -> io::Result<()> {
        let mut csv = CsvWriter::new(out, ["row", "d_true", "d_eff", "evidence", "exposure"])?;
        for risk in &self.rows {
            let RowExposure { row, d_true, d_eff, evidence, exposure } = risk.into();
            let integers = [row as u64, d_true, d_eff].map(CsvField::from);
            csv.line(integers.into_iter().chain([evidence, exposure].map(CsvField::from)))?;
        }
        Ok(())
    }
}
