//! SPEC.toml, or a section of a job: what to release, and under which budget.

use std::collections::BTreeSet;
use std::path::PathBuf;

use disclosure::privacy_core::accounting::Neighbours;
use disclosure::privacy_core::param::StdDev;
use disclosure::privacy_core::{AttrSet, Domain};
use disclosure::resplan::{NormOrder, Objective, Strategy, Tilt, Workload};
use privacy_data::AttributeSpec;
use serde::{Deserialize, Serialize};

use crate::budget::{NoiseKind, PrivacySpec};
use crate::error::{JobError, reject_job_fields};
use crate::input::{EncodingName, domain_error};

/// A spec as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Name of the release for people; the name of the file by default.
    pub(super) title: Option<String>,
    /// The marginals to release, each a set of attributes; `[]` is the total. Instead of `up_to`.
    marginals: Option<Vec<MarginalSpec>>,
    /// Every set of at most this number of attributes, the total among them. Instead of
    /// `marginals`.
    up_to: Option<usize>,
    /// What the noise minimises: `sum-variance` (the default), `max-variance`, or `{norm = 2}` of
    /// the mean variances.
    objective: Option<ObjectiveName>,
    /// How residual queries are chosen: `automatic` (the default) finds the best; the others are
    /// for comparison.
    strategy: Option<StrategyName>,
    /// `discrete` (the default) draws exact integers; `continuous` is for `plan` and `simulate`.
    #[serde(default)]
    pub(super) noise: NoiseKind,
    /// Which two tables must look alike: `add-remove` or `replace`. Required outside of a
    /// pipeline.
    pub(super) neighbours: Option<Neighbours>,
    /// Most rows of one person, 1 by default; the cost grows with its square.
    pub(super) rows_per_person: Option<u32>,
    /// Further tables made from the noisy ones: `nonnegative`, `rounded`.
    #[serde(default, rename = "after")]
    pub(super) adjustments: Vec<Adjustment>,
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

#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected [\"age\", \"sex\"] or {set = [\"age\"], weight = 2.0, max_sd = 5.0}"
)]
enum MarginalSpec {
    Set(Vec<String>),
    Detailed {
        set: Vec<String>,
        weight: Option<f64>,
        /// No answer may have a larger standard deviation, in counts.
        max_sd: Option<f64>,
    },
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
    expecting = "expected \"automatic\", \"orthogonal\", \"isotropic\" or {tilted = 1.0}"
)]
enum StrategyName {
    Name(NamedStrategy),
    Tilted { tilted: f64 },
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NamedStrategy {
    Automatic,
    Orthogonal,
    Isotropic,
}

impl StrategyName {
    /// The strategy, and what it is called in reports.
    fn strategy(self) -> Result<(Strategy, String), JobError> {
        let (strategy, name) = match self {
            Self::Name(NamedStrategy::Automatic) => (Strategy::Automatic, "automatic".to_owned()),
            Self::Name(NamedStrategy::Orthogonal) => (Strategy::Orthogonal, "orthogonal".to_owned()),
            Self::Name(NamedStrategy::Isotropic) => (Strategy::Isotropic, "isotropic".to_owned()),
            Self::Tilted { tilted } => (Strategy::Tilted(Tilt::new(tilted)?), format!("tilted-{tilted}")),
        };
        Ok((strategy, name))
    }
}

impl Spec {
    /// Refuses what a section of a job must leave to the job.
    pub(super) fn check_is_section(&self) -> Result<(), JobError> {
        reject_job_fields(&[
            ("title", self.title.is_some()),
            ("count", self.count.is_some()),
            ("encoding", self.encoding.is_some()),
            ("domain", self.domain.is_some()),
            ("[[attribute]]", !self.attributes.is_empty()),
        ])?;
        let given = [
            ("privacy", self.privacy.is_some()),
            ("neighbours", self.neighbours.is_some()),
            ("rows_per_person", self.rows_per_person.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => {
                Err(JobError::new("E0243", format!("{name} belongs to [budget], which all parts share")))
            }
            None if self.noise == NoiseKind::Continuous => Err(continuous_noise()),
            None => Ok(()),
        }
    }

    /// What is made small, for a domain.
    pub(super) fn objective(&self) -> Result<Objective, JobError> {
        Ok(self.objective.map(ObjectiveName::objective).transpose()?.unwrap_or_default())
    }

    /// The strategy, and what it is called in documents.
    pub(super) fn strategy(&self) -> Result<(Strategy, String), JobError> {
        self.strategy.unwrap_or(StrategyName::Name(NamedStrategy::Automatic)).strategy()
    }

    /// The marginals, and the bounds on the standard deviations of some.
    pub(super) fn workload(&self, domain: &Domain) -> Result<(Workload, Vec<(AttrSet, StdDev)>), JobError> {
        match (&self.marginals, self.up_to) {
            (None, Some(order)) => Ok((Workload::UpTo(order), Vec::new())),
            (Some(marginals), None) => listed(marginals, domain),
            _ => Err(JobError::new("E0211", "give either marginals = [[\"age\"]] or up_to = 2")),
        }
    }
}

/// The refusal of noise that protects nobody.
pub(super) fn continuous_noise() -> JobError {
    JobError::new("E0214", "a release draws exact integer noise; noise = \"continuous\" is for simulation")
}

/// The marginals of a list, each once.
fn listed(marginals: &[MarginalSpec], domain: &Domain) -> Result<(Workload, Vec<(AttrSet, StdDev)>), JobError> {
    let mut sets: Vec<(AttrSet, f64)> = Vec::with_capacity(marginals.len());
    let (mut seen, mut bounds) = (BTreeSet::new(), Vec::new());
    for marginal in marginals {
        let (names, weight, max_sd) = match marginal {
            MarginalSpec::Set(names) => (names, None, None),
            MarginalSpec::Detailed { set, weight, max_sd } => (set, *weight, *max_sd),
        };
        let set = domain.set_of(names).map_err(|error| domain_error("E0222", domain, &error))?;
        if !seen.insert(set) {
            return Err(JobError::new("E0223", format!("the marginal {names:?} is listed twice")));
        }
        sets.push((set, weight.unwrap_or(1.0)));
        if let Some(sd) = max_sd {
            let sd = StdDev::new(sd).map_err(|error| JobError::new("E0229", format!("max_sd: {error}")))?;
            bounds.push((set, sd));
        }
    }
    Ok((Workload::Sets(sets), bounds))
}
