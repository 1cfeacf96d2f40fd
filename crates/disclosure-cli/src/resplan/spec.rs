//! SPEC.toml: what to release, under which budget.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use disclosure::core::accounting::Neighbours;
use disclosure::core::param::StdDev;
use disclosure::core::{AttrSet, Domain};
use disclosure::resplan::{NormOrder, Objective, PlanSpec, Strategy, Tilt, Workload};
use privacy_data::{AttributeSpec, parse_toml};
use serde::{Deserialize, Serialize};

use super::after::After;
use super::bases::Bases;
use super::budget::{Budget, PrivacySpec};
use super::job::{Columns, EncodingName, Job};
use crate::digest::sha256;
use crate::domains::Written;
use crate::error::{Failure, reject_job_fields};

/// The file as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpecFile {
    title: Option<String>,
    marginals: Option<Vec<MarginalSpec>>,
    up_to: Option<usize>,
    objective: Option<ObjectiveName>,
    strategy: Option<StrategyName>,
    #[serde(default)]
    noise: NoiseKind,
    neighbours: Option<Neighbours>,
    rows_per_person: Option<u32>,
    #[serde(default)]
    after: Vec<After>,
    count: Option<String>,
    encoding: Option<EncodingName>,
    privacy: Option<PrivacySpec>,
    domain: Option<PathBuf>,
    #[serde(default, rename = "attribute")]
    attributes: Vec<AttributeSpec>,
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
    fn objective(self) -> Result<Objective, Failure> {
        Ok(match self {
            Self::Name(NamedObjective::SumVariance) => Objective::SumVariance,
            Self::Name(NamedObjective::MaxVariance) => Objective::MaxVariance,
            Self::Norm { norm } => Objective::NormVariance(NormOrder::new(norm)?),
        })
    }
}

/// Which noise a spec asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NoiseKind {
    /// Exact integers: the noise of a release.
    #[default]
    Discrete,
    /// Floating point: simulation only.
    Continuous,
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
    fn strategy(self) -> Result<(Strategy, String), Failure> {
        let (strategy, name) = match self {
            Self::Name(NamedStrategy::Automatic) => (Strategy::Automatic, "automatic".to_owned()),
            Self::Name(NamedStrategy::Orthogonal) => (Strategy::Orthogonal, "orthogonal".to_owned()),
            Self::Name(NamedStrategy::Isotropic) => (Strategy::Isotropic, "isotropic".to_owned()),
            Self::Tilted { tilted } => (Strategy::Tilted(Tilt::new(tilted)?), format!("tilted-{tilted}")),
        };
        Ok((strategy, name))
    }
}

/// A spec that was checked: a job, and what its plan is made from.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) job: Job,
    pub(super) plan: PlanSpec,
}

/// What a job of this kind says of itself, and a part of another is told.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub(super) path: &'a Path,
    pub(super) title: String,
    /// The text of the spec, followed by that of its domain file.
    pub(super) text: String,
    /// Where files of bases are looked for.
    pub(super) directory: &'a Path,
    pub(super) columns: Columns,
    pub(super) budget: Budget,
    pub(super) neighbours: Neighbours,
    pub(super) rows_per_person: u32,
}

impl Spec {
    /// Checks the text of a spec; a domain file is looked for beside it, and files of bases beside what names them.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, Failure> {
        let mut file: SpecFile = parse_toml(text).map_err(|error| Failure::new("E0210", error.to_string()))?;
        let missing = |name: &str| Failure::new("E0210", format!("missing field `{name}`"));
        let neighbours = file.neighbours.ok_or_else(|| missing("neighbours"))?;
        let privacy = file.privacy.take().ok_or_else(|| missing("privacy"))?;
        let beside = path.parent().unwrap_or(Path::new(""));
        let one = || Failure::new("E0211", "give either [[attribute]] tables or domain = \"domain.toml\"");
        let is_written_twice = file.domain.is_some() && !file.attributes.is_empty();
        let domain = file.domain.as_deref().filter(|_| !is_written_twice);
        let attributes = if is_written_twice { &[] } else { file.attributes.as_slice() };
        let written = Written::read(beside, domain, attributes)?.ok_or_else(one)?;
        let title =
            || path.file_stem().map_or_else(|| "release".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let frame = Frame {
            path,
            title: file.title.take().unwrap_or_else(title),
            text: [text, &written.text].concat(),
            directory: &written.directory,
            columns: Columns::new(written.file, file.count.take(), file.encoding.unwrap_or_default())?,
            budget: Budget::of(&privacy, file.noise)?,
            neighbours,
            rows_per_person: file.rows_per_person.unwrap_or(1),
        };
        Self::within(frame, file)
    }

    /// Checks what a spec asks for, within what is said around it.
    pub(super) fn within(frame: Frame<'_>, file: SpecFile) -> Result<Self, Failure> {
        let Frame { path, title, text, directory, columns, budget, neighbours, rows_per_person } = frame;
        let domain = columns.schema.domain().clone();
        let Bases { bases, names, texts } = Bases::read(directory, &columns.file.attributes, &domain)?;
        let (workload, bounds) = workload_of(&domain, file.marginals, file.up_to)?;
        let named = StrategyName::Name(NamedStrategy::Automatic);
        let (strategy, strategy_name) = file.strategy.unwrap_or(named).strategy()?;
        let job = Job {
            path: path.to_owned(),
            spec_sha256: sha256(&[text, texts].concat().into_bytes()),
            title,
            strategy: strategy_name,
            terms: budget.terms,
            columns,
            names,
            after: file.after.into_iter().collect(),
        };
        let objective = file.objective.map(ObjectiveName::objective).transpose()?.unwrap_or_default();
        let plan = PlanSpec {
            bases,
            strategy,
            objective,
            bounds,
            neighbours,
            rows_per_person,
            ..PlanSpec::new(domain, workload, budget.cost)
        };
        Ok(Self { job, plan })
    }
}

impl SpecFile {
    /// What a part of a job must leave to the job.
    pub(super) fn check_is_part(&self) -> Result<(), Failure> {
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
            Some((name, _)) => Err(Failure::new("E0243", format!("{name} belongs to [budget], which all parts share"))),
            None if self.noise == NoiseKind::Continuous => Err(continuous()),
            None => Ok(()),
        }
    }
}

/// The refusal of noise that protects nobody.
pub(super) fn continuous() -> Failure {
    Failure::new("E0214", "a release draws exact integer noise; noise = \"continuous\" is for simulation")
}

/// The marginals, and the bounds on the standard deviations of some.
fn workload_of(
    domain: &Domain,
    marginals: Option<Vec<MarginalSpec>>,
    up_to: Option<usize>,
) -> Result<(Workload, Vec<(AttrSet, StdDev)>), Failure> {
    let set_of = |names: &[String]| -> Result<AttrSet, Failure> {
        domain.set_of(names).map_err(|error| Failure::new("E0222", error.to_string()))
    };
    match (marginals, up_to) {
        (None, Some(order)) => Ok((Workload::UpTo(order), Vec::new())),
        (Some(marginals), None) => {
            let mut sets: Vec<(AttrSet, f64)> = Vec::with_capacity(marginals.len());
            let (mut seen, mut bounds) = (BTreeSet::new(), Vec::new());
            for marginal in &marginals {
                let (names, weight, max_sd) = match marginal {
                    MarginalSpec::Set(names) => (names, None, None),
                    MarginalSpec::Detailed { set, weight, max_sd } => (set, *weight, *max_sd),
                };
                let set = set_of(names)?;
                if !seen.insert(set) {
                    return Err(Failure::new("E0223", format!("the marginal {names:?} is listed twice")));
                }
                sets.push((set, weight.unwrap_or(1.0)));
                if let Some(sd) = max_sd {
                    let sd = StdDev::new(sd).map_err(|error| Failure::new("E0229", format!("max_sd: {error}")))?;
                    bounds.push((set, sd));
                }
            }
            Ok((Workload::Sets(sets), bounds))
        }
        _ => Err(Failure::new("E0211", "give either marginals = [[\"age\"]] or up_to = 2")),
    }
}
