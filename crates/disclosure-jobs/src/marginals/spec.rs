//! SPEC.toml, or a section of a job: what to release, and under which budget.

use std::collections::BTreeMap;
use std::path::PathBuf;

use disclosure::privacy_core::Domain;
use disclosure::privacy_core::accounting::Neighbours;
use disclosure::resplan::{NormOrder, Objective, QueryBasis, Strategy, Tilt};
use privacy_data::{AttributeSpec, TableFormat};
use serde::{Deserialize, Serialize};

use super::workload::{Asked, MarginalSpec, WeightsSpec, WorkloadKeys};
use crate::budget::{NoiseKind, PrivacySpec};
use crate::error::{JobError, reject_job_fields};
use crate::input::EncodingName;
use crate::persons::ExcessRows;

/// A spec as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Name of the release for people; the name of the file by default.
    pub(super) title: Option<String>,
    /// Who answers for the release: shown on its page.
    pub(super) owner: Option<String>,
    /// The date of the release, as people write it; the day on which it is made by default.
    pub(super) date: Option<String>,
    /// The marginals to release: sets of attributes, `[]` the total, and families of sets. Instead
    /// of `up_to`.
    marginals: Option<Vec<MarginalSpec>>,
    /// Every set of at most this number of attributes, the total among them. Instead of
    /// `marginals`.
    up_to: Option<usize>,
    /// How much the tables count: `by-cells` (the default), every answer alike; `by-tables`, every
    /// table alike; `equal-error`, one error for all tables; or a factor for each of some tables,
    /// by the names of their attributes with commas between them, `""` for the total.
    weights: Option<WeightsSpec>,
    /// The largest standard deviation of an answer of some tables, in counts, by the names of
    /// their attributes; `""` is the total.
    #[serde(default)]
    max_sd: BTreeMap<String, f64>,
    /// What the noise minimises: `sum-variance` (the default), `max-variance`, or `{norm = 2}` of
    /// the mean variances.
    objective: Option<ObjectiveName>,
    /// How residual queries are chosen: `joint` (the default) is the best of all where the
    /// attributes have few cells together, and else as `automatic` (the default of a section of a
    /// job of `run`), which finds the best for each attribute; the others are for comparison.
    strategy: Option<StrategyName>,
    /// `discrete` (the default) draws exact integers; `continuous` is for `plan` and `simulate`.
    #[serde(default)]
    pub(super) noise: NoiseKind,
    /// Which two tables must look alike: `add-remove` or `replace`. Required outside of a
    /// pipeline.
    pub(super) neighbours: Option<Neighbours>,
    /// Most rows of one person, 1 by default; the cost grows with its square.
    pub(super) rows_per_person: Option<u32>,
    /// The column that says who is the same person: at most `rows_per_person` rows of each are
    /// counted, and all rows of a person are the unit of the promise. It need not be an attribute.
    pub(super) person: Option<String>,
    /// What becomes of the rows of a person beyond `rows_per_person`: `drop` (the default) leaves
    /// some out, `refuse` ends with an error.
    pub(super) excess_rows: Option<ExcessRows>,
    /// Further tables made from the noisy ones: `nonnegative`, `rounded`.
    #[serde(default, rename = "after")]
    pub(super) adjustments: Vec<Adjustment>,
    /// How the tables are written: `csv` (the default) or `parquet`.
    #[serde(default)]
    pub(super) tables: TableFormat,
    /// The column with counts, if a line stands for several rows.
    pub(super) count: Option<String>,
    /// How the data spell text: `utf-8` (the default) or `latin1`.
    pub(super) encoding: Option<EncodingName>,
    /// The budget. Required outside of a pipeline.
    pub(super) privacy: Option<PrivacySpec>,
    /// A domain file beside the specification, instead of `[[attribute]]` tables.
    pub(super) domain: Option<PathBuf>,
    /// The attributes of the data, instead of a domain file.
    #[serde(default, rename = "attribute")]
    pub(super) attributes: Vec<AttributeSpec>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields, expecting = "expected \"sum-variance\", \"max-variance\" or {norm = 2}")]
enum ObjectiveName {
    Name(NamedObjective),
    Norm { norm: f64 },
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NamedObjective {
    SumVariance,
    MaxVariance,
}

impl ObjectiveName {
    fn objective(self) -> Result<Objective, JobError> {
        Ok(match self {
            Self::Name(NamedObjective::SumVariance) => Objective::SumVariance,
            Self::Name(NamedObjective::MaxVariance) => Objective::MaxVariance,
            Self::Norm { norm } => Objective::NormVariance(NormOrder::new(norm)?),
        })
    }
}

/// What else is made of a measurement, beside its unbiased tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjustment {
    /// Cells of at least 0 that still add up to each other.
    Nonnegative,
    /// Non-negative cells in whole numbers.
    Rounded,
}

impl Adjustment {
    /// What the names of its files begin with.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nonnegative => "nonnegative",
            Self::Rounded => "rounded",
        }
    }
}

/// How residual queries are chosen.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected \"automatic\", \"joint\", \"orthogonal\", \"isotropic\" or {tilted = 1.0}"
)]
enum StrategyName {
    Name(NamedStrategy),
    Tilted { tilted: f64 },
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NamedStrategy {
    Automatic,
    Joint,
    Orthogonal,
    Isotropic,
}

impl StrategyName {
    /// The strategy, and what it is called in reports.
    fn strategy(self) -> Result<(Strategy, String), JobError> {
        let (strategy, name) = match self {
            Self::Name(NamedStrategy::Automatic) => (Strategy::Automatic, "automatic".to_owned()),
            Self::Name(NamedStrategy::Joint) => (Strategy::Joint, "joint".to_owned()),
            Self::Name(NamedStrategy::Orthogonal) => (Strategy::Orthogonal, "orthogonal".to_owned()),
            Self::Name(NamedStrategy::Isotropic) => (Strategy::Isotropic, "isotropic".to_owned()),
            Self::Tilted { tilted } => (Strategy::Tilted(Tilt::new(tilted)?), format!("tilted-{tilted}")),
        };
        Ok((strategy, name))
    }
}

impl Spec {
    /// The spec as a section of a job: refused for what it must leave to the job, with a strategy
    /// for each attribute, since a pipeline attacks what each table measures by itself.
    pub(super) fn section(self) -> Result<Self, JobError> {
        self.check_is_section()?;
        Ok(Self { strategy: self.strategy.or(Some(StrategyName::Name(NamedStrategy::Automatic))), ..self })
    }

    fn check_is_section(&self) -> Result<(), JobError> {
        reject_job_fields(&[
            ("title", self.title.is_some()),
            ("owner", self.owner.is_some()),
            ("date", self.date.is_some()),
            ("count", self.count.is_some()),
            ("encoding", self.encoding.is_some()),
            ("tables", self.tables != TableFormat::Csv),
            ("domain", self.domain.is_some()),
            ("[[attribute]]", !self.attributes.is_empty()),
        ])?;
        let given = [
            ("privacy", self.privacy.is_some()),
            ("neighbours", self.neighbours.is_some()),
            ("rows_per_person", self.rows_per_person.is_some()),
            ("person", self.person.is_some()),
            ("excess_rows", self.excess_rows.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => {
                Err(JobError::new("E0243", format!("{name} belongs to [budget], which all parts share")))
            }
            None if self.noise == NoiseKind::Continuous => Err(continuous_noise()),
            None if matches!(self.strategy, Some(StrategyName::Name(NamedStrategy::Joint))) => {
                let message = "strategy = \"joint\" is only used by `disclosure resplan`, because the attacks of `run` use what each table measures separately; leave it out";
                Err(JobError::new("E0243", message))
            }
            None => Ok(()),
        }
    }

    /// The strategy, and what it is called in documents.
    pub(super) fn strategy(&self) -> Result<(Strategy, String), JobError> {
        self.strategy.unwrap_or(StrategyName::Name(NamedStrategy::Joint)).strategy()
    }

    /// The marginals, the bounds on the standard deviations of some, and what is made small.
    pub(super) fn asked(&self, domain: &Domain, bases: &[QueryBasis]) -> Result<Asked, JobError> {
        let keys = WorkloadKeys {
            marginals: self.marginals.as_deref(),
            up_to: self.up_to,
            weights: self.weights.as_ref(),
            max_sd: &self.max_sd,
            objective: self.objective.map(ObjectiveName::objective).transpose()?,
        };
        keys.asked(domain, bases)
    }
}

/// The refusal of noise that protects nobody.
pub(super) fn continuous_noise() -> JobError {
    JobError::new("E0214", "noise = \"continuous\" is for simulation only; a release draws exact integer noise")
}
