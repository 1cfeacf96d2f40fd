//! SPEC.toml: what to release, under which budget.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use disclosure::core::accounting::Neighbours;
use disclosure::core::param::StdDev;
use disclosure::core::{AttrSet, Domain};
use disclosure::resplan::{NormOrder, Objective, PlanSpec, Strategy, Tilt, Workload};
use privacy_data::{AttributeSpec, DomainFile, parse_toml};
use serde::{Deserialize, Serialize};

use super::after::After;
use super::bases::Bases;
use super::budget::{Budget, PrivacySpec};
use super::job::{Columns, EncodingName, Job};
use crate::digest::sha256;
use crate::error::Failure;
use crate::files::read_text;

/// The file as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecFile {
    title: Option<String>,
    marginals: Option<Vec<MarginalSpec>>,
    up_to: Option<usize>,
    objective: Option<ObjectiveName>,
    strategy: Option<StrategyName>,
    #[serde(default)]
    noise: NoiseKind,
    neighbours: Neighbours,
    #[serde(default = "one")]
    rows_per_person: u32,
    #[serde(default)]
    after: Vec<After>,
    count: Option<String>,
    #[serde(default)]
    encoding: EncodingName,
    privacy: PrivacySpec,
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
pub(super) enum NoiseKind {
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

fn one() -> u32 {
    1
}

impl Spec {
    /// Checks the text of a spec; a domain file is looked for beside it, and files of bases beside what names them.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, Failure> {
        let file: SpecFile = parse_toml(text).map_err(|error| Failure::new("E0210", error.to_string()))?;
        let written = Written::read(path, file.domain, file.attributes)?;
        let columns = Columns::new(written.file, file.count, file.encoding)?;
        let domain = columns.schema.domain().clone();
        let Bases { bases, names, texts } = Bases::read(&written.directory, &columns.file.attributes, &domain)?;
        let (workload, bounds) = workload_of(&domain, file.marginals, file.up_to)?;
        let budget = Budget::of(&file.privacy, file.noise)?;
        let named = StrategyName::Name(NamedStrategy::Automatic);
        let (strategy, strategy_name) = file.strategy.unwrap_or(named).strategy()?;
        let title =
            || path.file_stem().map_or_else(|| "release".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let job = Job {
            path: path.to_owned(),
            spec_sha256: sha256(&[text, &written.text, &texts].concat().into_bytes()),
            title: file.title.unwrap_or_else(title),
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
            neighbours: file.neighbours,
            rows_per_person: file.rows_per_person,
            ..PlanSpec::new(domain, workload, budget.cost)
        };
        Ok(Self { job, plan })
    }
}

/// The attributes of a spec, or those of its domain file.
struct Written {
    file: DomainFile,
    /// The text of the domain file; empty when there is none.
    text: String,
    /// Where files that the attributes name are looked for.
    directory: PathBuf,
}

impl Written {
    fn read(spec: &Path, domain: Option<PathBuf>, attributes: Vec<AttributeSpec>) -> Result<Self, Failure> {
        let beside = |path: &Path| path.parent().unwrap_or(Path::new("")).to_owned();
        match domain {
            Some(file) if attributes.is_empty() => {
                let path = beside(spec).join(file);
                let text = read_text(&path)?;
                let json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
                let parsed = if json { DomainFile::parse_json(&text) } else { DomainFile::parse(&text) };
                let file = parsed.map_err(|error| Failure::from(error).within(&path))?;
                Ok(Self { file, text, directory: beside(&path) })
            }
            None if !attributes.is_empty() => {
                let file =
                    DomainFile { learnt_from_data: false, domain_is_public: false, attributes, left_out: Vec::new() };
                Ok(Self { file, text: String::new(), directory: beside(spec) })
            }
            _ => Err(Failure::new("E0211", "give either [[attribute]] tables or domain = \"domain.toml\"")),
        }
    }
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
