//! The specification of a screening as it is written, and what it says by itself.

use std::path::PathBuf;

use disclosure::screen::{
    Classes, Column, Error, Records, ScreenGrid, ScreenSpec, ScreenTargets, Suppression, TargetLevel, UniformNoise,
};
use privacy_data::{AttributeSpec, CsvOptions, parse_toml};
use serde::{Deserialize, Serialize};

use super::error::of_table;
use crate::error::{JobError, reject_job_fields};
use crate::input::EncodingName;

/// Most points of a grid, and most thresholds: each threshold sums the coverage again, seconds
/// where columns are many.
const MOST_POINTS: usize = 10_000;
const MOST_THRESHOLDS: usize = 100;

/// A release of noisy class counts, and the table that it is about. Unknown fields are refused.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScreeningSpec {
    /// Name of the release for people; the name of the file by default.
    pub(super) title: Option<String>,
    /// How many rows the model has, 2 to 2^53.
    rows: Option<u64>,
    /// The known columns of the model: the number of values of each, or the frequencies of its
    /// values.
    cardinalities: Option<Vec<ColumnSpec>>,
    /// The classes of the label: their number, or their shares.
    classes: Option<ClassesSpec>,
    /// Counts below this are suppressed.
    suppress_below: u64,
    /// Which count is compared: `class-count` (the default) or `group-size`.
    #[serde(default)]
    suppress: SuppressedBy,
    /// Noise is uniform on the integers from minus this to this.
    noise: u64,
    /// Whether noised counts are clamped at 0.
    #[serde(default)]
    clamp: bool,
    /// Most known columns of a released query; all by default.
    max_order: Option<usize>,
    /// Whether the query without known columns is released (the default).
    #[serde(default = "yes")]
    empty_query: bool,
    /// The share of rows in the accuracy statement.
    alpha: Option<f64>,
    /// The failure probability of the accuracy statement.
    beta: Option<f64>,
    /// The error rate of the accuracy interval.
    gamma: Option<f64>,
    /// The largest share of labels that a solver may be expected to reconstruct.
    target_accuracy: Option<f64>,
    /// How far below `target_accuracy` every figure must stay; 0 by default.
    pub(super) margin: Option<f64>,
    /// The settings that `search` compares.
    grid: Option<GridSpec>,
    /// The label, in a table; its last attribute by default.
    pub(super) target: Option<String>,
    /// The known columns of a table; all others by default.
    pub(super) known: Option<Vec<String>>,
    /// The column with counts, if a line stands for several rows.
    pub(super) count: Option<String>,
    /// How the data spell text: `utf-8` (the default) or `latin1`.
    encoding: Option<EncodingName>,
    /// A domain file beside the specification, instead of `[[attribute]]` tables.
    pub(super) domain: Option<PathBuf>,
    /// The attributes of the data, instead of a domain file.
    #[serde(default, rename = "attribute")]
    pub(super) attributes: Vec<AttributeSpec>,
}

/// How many values a known column has, or how often each occurs.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number of values, or the list of their frequencies")]
enum ColumnSpec {
    Uniform(u64),
    Frequencies(Vec<f64>),
}

/// How many classes the target has, or the share of each.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number of classes, or the list of their shares")]
enum ClassesSpec {
    Equal(usize),
    Shares(Vec<f64>),
}

/// The count that is compared with the threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuppressedBy {
    /// The count of a class.
    #[default]
    ClassCount,
    /// The number of rows that match the query, whatever their class.
    GroupSize,
}

/// Settings to be compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GridSpec {
    /// The thresholds that are compared.
    suppress_below: Vec<u64>,
    /// The noise that is compared.
    noise: Vec<u32>,
}

fn yes() -> bool {
    true
}

impl ScreeningSpec {
    /// Reads a specification.
    ///
    /// # Errors
    /// E0210 for a text that is not TOML, a field that is missing or unknown, or a value of
    /// another type.
    pub fn parse(text: &str) -> Result<Self, JobError> {
        parse_toml(text).map_err(|error| JobError::new("E0210", error.to_string()))
    }

    /// Refuses what a section of a pipeline leaves to the pipeline.
    pub(super) fn check_section(&self) -> Result<(), JobError> {
        reject_job_fields(&[
            ("title", self.title.is_some()),
            ("count", self.count.is_some()),
            ("encoding", self.encoding.is_some()),
            ("domain", self.domain.is_some()),
            ("[[attribute]]", !self.attributes.is_empty()),
        ])?;
        match self.is_described() || self.grid.is_some() {
            true => Err(JobError::new(
                "E0243",
                "rows, cardinalities, classes and grid describe a model; leave them out for an actual table",
            )),
            false => Ok(()),
        }
    }

    /// How the data are read.
    pub(super) fn csv_options(&self) -> CsvOptions {
        CsvOptions {
            encoding: self.encoding.unwrap_or_default().into(),
            count_column: self.count.clone(),
            ..CsvOptions::default()
        }
    }

    /// Whether a table is described.
    pub(super) fn is_described(&self) -> bool {
        self.rows.is_some() || self.cardinalities.is_some() || self.classes.is_some()
    }

    fn suppression(&self) -> Suppression {
        match self.suppress {
            SuppressedBy::ClassCount => Suppression::ClassCount(self.suppress_below),
            SuppressedBy::GroupSize => Suppression::GroupSize(self.suppress_below),
        }
    }

    pub(super) fn noise(&self) -> Result<UniformNoise, JobError> {
        let half_width = u32::try_from(self.noise).map_err(|_| Error::Noise { half_width: self.noise })?;
        Ok(UniformNoise { half_width, is_clamped: self.clamp })
    }

    /// Which queries are answered.
    fn with_queries(&self, spec: ScreenSpec) -> Result<ScreenSpec, JobError> {
        let spec = match self.max_order {
            Some(order) => spec.with_max_order(order)?,
            None => spec,
        };
        Ok(if self.empty_query { spec } else { spec.without_empty_query()? })
    }

    /// The release of a table, under the rule of the specification.
    pub(super) fn release_of(&self, records: &Records) -> Result<ScreenSpec, JobError> {
        self.with_queries(records.model(self.suppression(), self.noise()?).map_err(of_table)?)
    }

    /// The release of the table that is described.
    pub(super) fn described_release(&self) -> Result<ScreenSpec, JobError> {
        let (Some(rows), Some(columns), Some(classes)) = (self.rows, &self.cardinalities, &self.classes) else {
            return Err(JobError::new("E0251", "the model requires rows, cardinalities and classes"));
        };
        let columns = columns.iter().enumerate().map(|(number, column)| {
            column.law().map_err(|error| JobError::from(error).in_section(&format!("column {}", number + 1)))
        });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let classes = match classes {
            ClassesSpec::Equal(classes) => Classes::equal(*classes)?,
            ClassesSpec::Shares(shares) => Classes::with_shares(shares)?,
        };
        self.with_queries(ScreenSpec::new(rows, columns, classes, self.suppression(), self.noise()?)?)
    }

    /// The levels of the source's statements.
    pub(super) fn targets(&self) -> Result<ScreenTargets, JobError> {
        let default = ScreenTargets::default();
        Ok(ScreenTargets {
            alpha: level("alpha", self.alpha)?.unwrap_or(default.alpha),
            beta: level("beta", self.beta)?.unwrap_or(default.beta),
            gamma: level("gamma", self.gamma)?.unwrap_or(default.gamma),
        })
    }

    /// The largest share of the labels that a solver may be expected to reconstruct, less the
    /// margin.
    pub(super) fn target_accuracy(&self) -> Result<Option<TargetLevel>, JobError> {
        let margin = self.margin.unwrap_or(0.0);
        if !(0.0..1.0).contains(&margin) {
            return Err(JobError::new("E0253", "margin must be at least 0 and below 1"));
        }
        match (level("target_accuracy", self.target_accuracy)?, margin > 0.0) {
            (Some(target), true) => level("target_accuracy less margin", Some(target.get() - margin)),
            (target, _) => Ok(target),
        }
    }

    /// Settings to be compared.
    pub(super) fn grid(&self) -> Result<ScreenGrid, JobError> {
        let Some(GridSpec { suppress_below, noise }) = &self.grid else { return Ok(ScreenGrid::default()) };
        let points = suppress_below.len().saturating_mul(noise.len());
        if !(1..=MOST_POINTS).contains(&points) || suppress_below.len() > MOST_THRESHOLDS {
            let thresholds = suppress_below.len();
            return Err(JobError::new(
                "E0256",
                format!("the grid has {points} combinations over {thresholds} thresholds"),
            ));
        }
        Ok(ScreenGrid { suppress_below: suppress_below.clone(), noise: noise.clone() })
    }
}

impl ColumnSpec {
    fn law(&self) -> Result<Column, Error> {
        match self {
            Self::Uniform(cardinality) => Column::uniform(*cardinality),
            Self::Frequencies(frequencies) => Column::with_frequencies(frequencies),
        }
    }
}

fn level(name: &'static str, written: Option<f64>) -> Result<Option<TargetLevel>, JobError> {
    Ok(written.map(|level| TargetLevel::new(name, level)).transpose()?)
}
