//! SPEC.toml as it is written, and what it says by itself.

use std::path::{Path, PathBuf};

use disclosure::screen::{Classes, Column, Error, Level, Noise, Records, ScreenSpec, Suppression, Targets};
use privacy_data::{AttributeSpec, parse_toml};
use serde::Deserialize;

use crate::args::EncodingArg;
use crate::error::{Failure, reject_job_fields};
use crate::files::read_text;
use disclosure_jobs::screening::of_table;

/// Most places of a grid, and most thresholds: each of those takes the coverage anew, seconds where columns are many.
const MOST_PLACES: usize = 10_000;
const MOST_THRESHOLDS: usize = 100;

/// The file as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpecFile {
    pub(super) title: Option<String>,
    pub(super) rows: Option<u64>,
    pub(super) cardinalities: Option<Vec<ColumnSpec>>,
    pub(super) classes: Option<ClassesSpec>,
    suppress_below: u64,
    #[serde(default)]
    suppress: SuppressSpec,
    noise: u64,
    #[serde(default)]
    clamp: bool,
    max_order: Option<usize>,
    #[serde(default = "yes")]
    empty_query: bool,
    alpha: Option<f64>,
    beta: Option<f64>,
    gamma: Option<f64>,
    target_accuracy: Option<f64>,
    grid: Option<GridSpec>,
    pub(super) target: Option<String>,
    pub(super) known: Option<Vec<String>>,
    pub(super) count: Option<String>,
    pub(super) encoding: Option<EncodingArg>,
    pub(super) domain: Option<PathBuf>,
    #[serde(default, rename = "attribute")]
    pub(super) attributes: Vec<AttributeSpec>,
}

/// How many values a known column has, or how often each occurs.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number of values, or the list of their frequencies")]
pub(super) enum ColumnSpec {
    Uniform(u64),
    Frequencies(Vec<f64>),
}

/// How many classes the target has, or the share of each.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number of classes, or the list of their shares")]
pub(super) enum ClassesSpec {
    Equal(usize),
    Shares(Vec<f64>),
}

/// What suppression looks at.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SuppressSpec {
    #[default]
    ClassCount,
    GroupSize,
}

/// Settings to be compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GridSpec {
    suppress_below: Vec<u64>,
    noise: Vec<u32>,
}

fn yes() -> bool {
    true
}

impl SpecFile {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = read_text(path)?;
        parse_toml(&text).map_err(|error| Failure::new("E0210", error.to_string()).within(path))
    }

    /// What a part of a job must leave to the job.
    pub(super) fn check_is_part(&self) -> Result<(), Failure> {
        reject_job_fields(&[
            ("title", self.title.is_some()),
            ("count", self.count.is_some()),
            ("encoding", self.encoding.is_some()),
            ("domain", self.domain.is_some()),
            ("[[attribute]]", !self.attributes.is_empty()),
        ])?;
        match self.is_described() || self.grid.is_some() {
            true => Err(Failure::new(
                "E0243",
                "rows, cardinalities, classes and grid describe a table; this one has its own",
            )),
            false => Ok(()),
        }
    }

    /// The release of a table, under the rule of the spec.
    pub(super) fn of_records(&self, records: &Records) -> Result<ScreenSpec, Failure> {
        self.with_queries(records.model(self.suppression(), self.noise()?).map_err(of_table)?)
    }

    /// What the release is called.
    pub(super) fn title(&self, path: &Path) -> String {
        let stem =
            || path.file_stem().map_or_else(|| "screening".to_owned(), |stem| stem.to_string_lossy().into_owned());
        self.title.clone().unwrap_or_else(stem)
    }

    /// Whether a table is described.
    pub(super) fn is_described(&self) -> bool {
        self.rows.is_some() || self.cardinalities.is_some() || self.classes.is_some()
    }

    pub(super) fn suppression(&self) -> Suppression {
        match self.suppress {
            SuppressSpec::ClassCount => Suppression::ClassCount(self.suppress_below),
            SuppressSpec::GroupSize => Suppression::GroupSize(self.suppress_below),
        }
    }

    pub(super) fn noise(&self) -> Result<Noise, Failure> {
        let half_width = u32::try_from(self.noise).map_err(|_| Error::Noise { half_width: self.noise })?;
        Ok(Noise { half_width, is_clamped: self.clamp })
    }

    /// Which queries are answered.
    pub(super) fn with_queries(&self, spec: ScreenSpec) -> Result<ScreenSpec, Failure> {
        let spec = match self.max_order {
            Some(order) => spec.with_max_order(order)?,
            None => spec,
        };
        Ok(if self.empty_query { spec } else { spec.without_empty_query()? })
    }

    /// The release of a table that is described.
    pub(super) fn model(&self) -> Result<ScreenSpec, Failure> {
        let (Some(rows), Some(columns), Some(classes)) = (self.rows, &self.cardinalities, &self.classes) else {
            return Err(Failure::new("E0251", "the model takes rows, cardinalities and classes"));
        };
        let column = |(number, column): (usize, &ColumnSpec)| {
            let column = match column {
                ColumnSpec::Uniform(cardinality) => Column::uniform(*cardinality),
                ColumnSpec::Frequencies(frequencies) => Column::with_frequencies(frequencies),
            };
            column.map_err(|error| Failure::from(error).in_section(&format!("column {}", number + 1)))
        };
        let columns = columns.iter().enumerate().map(column).collect::<Result<Vec<_>, _>>()?;
        let classes = match classes {
            ClassesSpec::Equal(classes) => Classes::equal(*classes)?,
            ClassesSpec::Shares(shares) => Classes::with_shares(shares)?,
        };
        self.with_queries(ScreenSpec::new(rows, columns, classes, self.suppression(), self.noise()?)?)
    }

    /// What statements are about.
    pub(super) fn targets(&self) -> Result<Targets, Failure> {
        let default = Targets::default();
        let level = |name, written: Option<f64>, default| written.map_or(Ok(default), |level| Level::new(name, level));
        Ok(Targets {
            alpha: level("alpha", self.alpha, default.alpha)?,
            beta: level("beta", self.beta, default.beta)?,
            gamma: level("gamma", self.gamma, default.gamma)?,
        })
    }

    /// The most that a solver may be expected to get right.
    pub(super) fn target_accuracy(&self) -> Result<Option<Level>, Failure> {
        Ok(self.target_accuracy.map(|target| Level::new("target_accuracy", target)).transpose()?)
    }

    /// Settings to be compared.
    pub(super) fn grid(&self) -> Result<disclosure::screen::Grid, Failure> {
        let Some(GridSpec { suppress_below, noise }) = &self.grid else {
            return Ok(disclosure::screen::Grid::default());
        };
        let places = suppress_below.len().saturating_mul(noise.len());
        if !(1..=MOST_PLACES).contains(&places) || suppress_below.len() > MOST_THRESHOLDS {
            let thresholds = suppress_below.len();
            return Err(Failure::new("E0256", format!("the grid has {places} places over {thresholds} thresholds")));
        }
        Ok(disclosure::screen::Grid { suppress_below: suppress_below.clone(), noise: noise.clone() })
    }
}
