//! SPEC.toml: what to release, under which budget.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use disclosure::core::accounting::Neighbours;
use disclosure::core::{AttrSet, Domain, Provenance};
use disclosure::resplan::{NormOrder, Objective, PlanSpec, Workload};
use privacy_data::{AttributeSpec, BasisSpec, CsvOptions, DomainFile, Encoding, Schema, parse_toml};
use serde::{Deserialize, Serialize};

use super::budget::{Budget, PrivacySpec};
use super::outputs::COLUMNS;
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
    #[serde(default)]
    noise: NoiseKind,
    neighbours: Neighbours,
    #[serde(default = "one")]
    rows_per_person: u32,
    count: Option<String>,
    #[serde(default)]
    encoding: EncodingName,
    privacy: PrivacySpec,
    domain: Option<PathBuf>,
    #[serde(default, rename = "attribute")]
    attributes: Vec<AttributeSpec>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields, expecting = "expected [\"age\", \"sex\"] or {set = [\"age\"], weight = 2.0}")]
enum MarginalSpec {
    Set(Vec<String>),
    Weighted { set: Vec<String>, weight: f64 },
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

#[derive(Debug, Default, Deserialize)]
enum EncodingName {
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    #[serde(rename = "latin1")]
    Latin1,
}

/// A spec that was checked.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) path: PathBuf,
    /// SHA-256 of the spec, followed by its domain file if it has one.
    pub(super) sha256: String,
    pub(super) title: String,
    pub(super) schema: Schema,
    pub(super) csv: CsvOptions,
    pub(super) noise: NoiseKind,
    pub(super) budget: Budget,
    pub(super) plan: PlanSpec,
}

fn one() -> u32 {
    1
}

impl Spec {
    /// Reads and checks a spec; a domain file is looked for beside it.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = read_text(path)?;
        Self::parse(path, &text).map_err(|failure| failure.within(path))
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Failure> {
        let file: SpecFile = parse_toml(text).map_err(|error| Failure::new("E0210", error.to_string()))?;
        let (schema, domain_text) = schema_of(path, file.domain, file.attributes)?;
        let domain = schema.domain().clone();
        if let Some(name) = domain.names(domain.all()).find(|name| COLUMNS.contains(name)) {
            return Err(Failure::new("E0215", format!("attribute {name:?} has the name of a column of the outputs")));
        }
        let workload = workload_of(&domain, file.marginals, file.up_to)?;
        let budget = Budget::of(&file.privacy, file.noise)?;
        let encoding = match file.encoding {
            EncodingName::Utf8 => Encoding::Utf8,
            EncodingName::Latin1 => Encoding::Latin1,
        };
        let name = path.file_stem().map_or_else(|| "release".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Ok(Self {
            path: path.to_owned(),
            sha256: sha256(&[text.as_bytes(), domain_text.as_bytes()].concat()),
            title: file.title.unwrap_or(name),
            schema,
            csv: CsvOptions { encoding, count_column: file.count, ..CsvOptions::default() },
            noise: file.noise,
            plan: PlanSpec {
                domain,
                workload,
                objective: file.objective.map(ObjectiveName::objective).transpose()?.unwrap_or_default(),
                budget: budget.cost,
                neighbours: file.neighbours,
                rows_per_person: file.rows_per_person,
            },
            budget,
        })
    }
}

/// The attributes of the spec, or those of its domain file, whose text is returned as well.
fn schema_of(
    spec: &Path,
    domain: Option<PathBuf>,
    attributes: Vec<AttributeSpec>,
) -> Result<(Schema, String), Failure> {
    let (attributes, provenance, text) = match domain {
        Some(file) if attributes.is_empty() => {
            let file = spec.parent().unwrap_or(Path::new("")).join(file);
            let text = read_text(&file)?;
            let json = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
            let parsed = if json { DomainFile::parse_json(&text) } else { DomainFile::parse(&text) };
            let domain = parsed.map_err(|error| Failure::from(error).within(&file))?;
            let provenance = domain.provenance();
            (domain.attributes, provenance, text)
        }
        None if !attributes.is_empty() => (attributes, Provenance::Public, String::new()),
        _ => return Err(Failure::new("E0211", "give either [[attribute]] tables or domain = \"domain.toml\"")),
    };
    let identity = BasisSpec::Name("identity".to_owned());
    if let Some(other) = attributes.iter().find(|a| a.basis.as_ref().is_some_and(|basis| *basis != identity)) {
        return Err(Failure::new("E0213", format!("attribute {:?}: the basis is identity", other.name)));
    }
    Ok((Schema::new(attributes, provenance)?, text))
}

fn workload_of(
    domain: &Domain,
    marginals: Option<Vec<MarginalSpec>>,
    up_to: Option<usize>,
) -> Result<Workload, Failure> {
    let set_of = |names: &[String]| -> Result<AttrSet, Failure> {
        domain.set_of(names).map_err(|error| Failure::new("E0222", error.to_string()))
    };
    match (marginals, up_to) {
        (None, Some(order)) => Ok(Workload::UpTo(order)),
        (Some(marginals), None) => {
            let mut sets: Vec<(AttrSet, f64)> = Vec::with_capacity(marginals.len());
            let mut seen = BTreeSet::new();
            for marginal in &marginals {
                let (names, weight) = match marginal {
                    MarginalSpec::Set(names) => (names, 1.0),
                    MarginalSpec::Weighted { set, weight } => (set, *weight),
                };
                let set = set_of(names)?;
                if !seen.insert(set) {
                    return Err(Failure::new("E0223", format!("the marginal {names:?} is listed twice")));
                }
                sets.push((set, weight));
            }
            Ok(Workload::Sets(sets))
        }
        _ => Err(Failure::new("E0211", "give either marginals = [[\"age\"]] or up_to = 2")),
    }
}
