//! A screening job: a specification that was read, before any data.

use std::path::{Path, PathBuf};

use disclosure::screen::{ScreenLimits, ScreenTargets, screen};

use super::attacks::{AttackEffort, attack_model};
use super::document::{ModelDocument, Predictions, SimulationDocument};
use super::spec::ScreeningSpec;
use super::table::TableScreening;
use super::table_data::TableData;
use crate::error::JobError;
use crate::input::{DataSource, Files};
use crate::observer::{Observer, during};

/// A specification, with its name for messages and its title.
#[derive(Clone, Debug)]
pub struct ScreeningJob {
    pub(super) spec: ScreeningSpec,
    name: PathBuf,
    pub(super) title: String,
}

impl ScreeningJob {
    /// Reads a specification; messages call it `name`, whose stem is the title where the
    /// specification gives none.
    ///
    /// # Errors
    /// As [`ScreeningSpec::parse`].
    pub fn parse(text: &str, name: &Path) -> Result<Self, JobError> {
        let spec = ScreeningSpec::parse(text).map_err(|error| error.within(name))?;
        let stem =
            || name.file_stem().map_or_else(|| "screening".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let title = spec.title.clone().unwrap_or_else(stem);
        Ok(Self { spec, name: name.to_owned(), title })
    }

    /// The same, with another margin below the target where one is given.
    #[must_use]
    pub fn with_margin(mut self, margin: Option<f64>) -> Self {
        self.spec.margin = margin.or(self.spec.margin);
        self
    }

    /// The same error, naming the specification.
    pub(super) fn within<T>(&self, result: Result<T, impl Into<JobError>>) -> Result<T, JobError> {
        result.map_err(|error| error.into().within(&self.name))
    }

    /// Refuses levels and targets that are out of range, before any data are read.
    ///
    /// # Errors
    /// E0253 for levels, E0252 for noise out of range.
    pub fn check(&self) -> Result<(), JobError> {
        self.within(self.spec.targets())?;
        self.within(self.spec.noise())?;
        self.check_target()
    }

    /// Refuses a target that is out of range.
    ///
    /// # Errors
    /// E0253 for a `target_accuracy` that is not strictly between 0 and 1.
    pub fn check_target(&self) -> Result<(), JobError> {
        self.within(self.spec.target_accuracy()).map(drop)
    }

    /// Screens the described table by closed forms.
    ///
    /// # Errors
    /// E0251 to E0253 for a description that is incomplete or out of range, E0631 beyond the
    /// limits.
    pub fn screen_model(&self, limits: &ScreenLimits, observer: &dyn Observer) -> Result<ModelDocument, JobError> {
        let spec = self.within(self.spec.described_release())?;
        let (targets, target) = (self.within(self.spec.targets())?, self.within(self.spec.target_accuracy())?);
        let limits = stopped_by(limits, observer);
        let report = self.within(during(observer, "screening", || screen(&spec, &targets, &limits)))?;
        Ok(ModelDocument::of(self.title.clone(), &spec, report, target))
    }

    /// Draws tables like the described one, releases them, and attacks their labels.
    ///
    /// # Errors
    /// As [`screen_model`](Self::screen_model), E0635 and E0636 for attacks beyond the limits.
    pub fn simulate_model(
        &self,
        limits: &ScreenLimits,
        effort: AttackEffort,
        observer: &dyn Observer,
    ) -> Result<SimulationDocument, JobError> {
        let target = self.within(self.spec.target_accuracy())?;
        let spec = self.within(self.spec.described_release())?;
        let model = self.within(screen(&spec, &ScreenTargets::default(), &stopped_by(limits, observer)))?;
        let predicted = Predictions { estimate: model.estimate, expected_accuracy: model.proxy.expected_accuracy };
        let attacks = self.within(attack_model(&spec, effort, observer))?;
        Ok(SimulationDocument::new(self.title.clone(), &spec, predicted, attacks, target))
    }

    /// Reads an actual table to be screened in place of the described one.
    ///
    /// # Errors
    /// Those of data that cannot be read or do not fit, E0254 for columns that are not there.
    pub fn read_table(
        &self,
        files: &dyn Files,
        source: &dyn DataSource,
        observer: &dyn Observer,
    ) -> Result<TableScreening, JobError> {
        self.within(self.spec.noise())?;
        if self.spec.is_described() {
            observer.note(
                "rows, cardinalities and classes in the specification are ignored, because the table determines them.",
            );
        }
        let data = TableData::read(&self.spec, files, source, observer)?;
        let records = data.records().map_err(|error| error.within(Path::new(&source.name())))?;
        let release = self.within(self.spec.release_of(&records))?;
        Ok(TableScreening::new(self.clone(), Some(source.name()), data, records, release))
    }

    /// A job that is a section of a pipeline: errors name no file, and the rows were read
    /// already.
    pub(super) fn of_section(spec: ScreeningSpec, title: &str) -> Self {
        Self { spec, name: PathBuf::new(), title: title.to_owned() }
    }

    /// Whether this is a section of a pipeline.
    pub(super) fn is_section(&self) -> bool {
        self.name.as_os_str().is_empty()
    }
}

/// The limits, with the flag that stops the job.
pub(super) fn stopped_by(limits: &ScreenLimits, observer: &dyn Observer) -> ScreenLimits {
    ScreenLimits { stop: observer.stop_flag(), ..limits.clone() }
}
