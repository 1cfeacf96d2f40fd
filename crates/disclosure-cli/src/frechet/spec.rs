//! SPEC.toml: what goes out, and what must not follow from it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use disclosure::core::param::{Delta, Epsilon};
use disclosure::core::{AttrSet, Domain};
use disclosure::frechet::hierarchy::Hierarchy;
use disclosure::frechet::{Basis, Limits, Loss, Noise, Policy, Scope, Target};
use privacy_data::{AttributeSpec, CsvOptions, DomainFile, Microdata, Schema, learn_domain, parse_toml, read_csv};
use serde::Deserialize;

use super::facts::{Fact, KnownSpec, Label, Names, PublishSpec};
use super::problem::{Problem, Told};
use crate::args::EncodingArg;
use crate::digest::sha256;
use crate::error::Failure;
use crate::files::{open, read_text, say};
use crate::progress;

/// The file as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecFile {
    title: Option<String>,
    data: Option<PathBuf>,
    count: Option<String>,
    #[serde(default)]
    encoding: EncodingArg,
    vote: Option<VoteSpec>,
    #[serde(default)]
    margins: MarginsSpec,
    #[serde(default)]
    publish: Vec<PublishSpec>,
    #[serde(default)]
    known: Vec<KnownSpec>,
    tau: u64,
    beta: Option<f64>,
    kappa: u64,
    #[serde(default = "all")]
    classes: Scope,
    target: Option<Target>,
    epsilon: Option<Epsilon>,
    delta: Option<Delta>,
    loss: Option<Loss>,
    #[serde(default)]
    decide_on: DecideOn,
    #[serde(default)]
    forbid: BTreeSet<Forbidden>,
    #[serde(default = "yes")]
    integer: bool,
    #[serde(default)]
    limits: LimitsSpec,
    #[serde(default)]
    hierarchy: BTreeMap<String, PathBuf>,
    domain: Option<PathBuf>,
    #[serde(default, rename = "attribute")]
    attributes: Vec<AttributeSpec>,
}

/// Whose counts are the table: those who voted so; without a value, every candidate at once.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VoteSpec {
    column: String,
    value: Option<Label>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected [[\"age\"], [\"age\", \"sex\"]] or \"axial\"")]
enum MarginsSpec {
    Named(NamedMargins),
    Sets(Vec<MarginSpec>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields, expecting = "expected [\"age\", \"sex\"] or {set = [\"age\"], weight = 2.0}")]
enum MarginSpec {
    Set(Vec<String>),
    Weighted { set: Vec<String>, weight: f64 },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NamedMargins {
    Axial,
}

impl Default for MarginsSpec {
    fn default() -> Self {
        Self::Sets(Vec::new())
    }
}

/// What a plan may not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Forbidden {
    Noise,
    Suppression,
    Merging,
}

/// What a plan looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DecideOn {
    #[default]
    PublicSizes,
    Counts,
}

/// What a plan may do.
#[derive(Debug)]
pub(super) struct Means {
    pub(super) basis: Basis,
    pub(super) noise: Option<Noise>,
    pub(super) suppress: bool,
    pub(super) merge: bool,
}

/// Work that may be done; what is left out is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsSpec {
    steps: Option<u64>,
    nodes: Option<u32>,
    super_cells: Option<usize>,
    rows: Option<usize>,
    classes: Option<u64>,
}

/// Most classes that are looked at.
const MOST_CLASSES: u64 = 1 << 20;

fn yes() -> bool {
    true
}

fn all() -> Scope {
    Scope::All
}

/// A vote that was checked.
#[derive(Clone, Debug)]
pub(super) struct Vote {
    /// The axis of the vote in the data.
    pub(super) axis: usize,
    /// The value that is counted.
    pub(super) level: Option<usize>,
}

/// A spec that was checked, with the table it is about.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) title: String,
    /// SHA-256 of the spec.
    pub(super) spec_sha256: String,
    pub(super) problem: Problem,
    pub(super) told: Told,
    pub(super) hierarchies: BTreeMap<usize, Hierarchy>,
    pub(super) means: Means,
    pub(super) policy: Policy,
    pub(super) target: Target,
    pub(super) limits: Limits,
    /// Most classes that are looked at.
    most_classes: u64,
}

impl Job {
    /// Checks a spec and reads its data; files that it names are looked for beside it.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = read_text(path)?;
        let file: SpecFile =
            parse_toml(&text).map_err(|error| Failure::new("E0210", error.to_string()).within(path))?;
        Self::of(path, sha256(text.as_bytes()), file).map_err(|failure| failure.within(path))
    }

    fn of(path: &Path, spec_sha256: String, file: SpecFile) -> Result<Self, Failure> {
        let beside = path.parent().unwrap_or(Path::new(""));
        let policy = policy_of(&file)?;
        let target = target_of(&file)?;
        let problem = match &file.data {
            Some(data) => {
                let schema = schema_of(beside, data, &file)?;
                let vote = file.vote.as_ref().map(|vote| vote_of(schema.domain(), vote)).transpose()?;
                Problem::of(&rows(beside, data, &schema, &file)?, vote.as_ref())?
            }
            None => Problem::unseen(unseen_domain(beside, &file)?)?,
        };
        let hierarchies = hierarchies(beside, &file.hierarchy, &problem.domain)?;
        let told = told(&file, &problem, &hierarchies)?;
        let means = means_of(&file)?;
        let stem = path.file_stem().map_or_else(|| "audit".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let (title, limits) = (file.title.unwrap_or(stem), file.limits.limits(file.integer));
        let most_classes = file.limits.classes.unwrap_or(MOST_CLASSES);
        Ok(Self { title, spec_sha256, problem, told, hierarchies, means, policy, target, limits, most_classes })
    }

    /// Refuses a question with too many answers before the first is looked for.
    pub(super) fn check_classes(&self, scope: Scope) -> Result<(), Failure> {
        let classes = classes(&self.problem, scope);
        if classes <= self.most_classes as f64 {
            return Ok(());
        }
        let message = format!("there are {classes:.3e} classes to look at, the limit is {}", self.most_classes);
        Err(Failure::new("E0621", message))
    }
}

fn policy_of(file: &SpecFile) -> Result<Policy, Failure> {
    if file.vote.is_some() && file.beta.is_none() {
        return Err(Failure::new("E0234", "a vote needs beta: its rate must stay possible on both sides"));
    }
    // Without a vote there are no rates, and no rate is compared.
    Ok(Policy::new(file.tau, file.beta.unwrap_or(0.5), file.kappa, file.classes)?)
}

fn target_of(file: &SpecFile) -> Result<Target, Failure> {
    match (file.target, &file.vote) {
        (Some(Target::Certified), None) => {
            Err(Failure::new("E0234", "target = \"certified\" is about rates, which take a vote"))
        }
        (Some(target), _) => Ok(target),
        (None, Some(_)) => Ok(Target::Certified),
        (None, None) => Ok(Target::Undisclosed),
    }
}

/// The attributes that are written down, in the spec or in the file that it names.
fn written(beside: &Path, file: &SpecFile) -> Result<Option<DomainFile>, Failure> {
    match &file.domain {
        Some(domain) if file.attributes.is_empty() => {
            let path = beside.join(domain);
            Ok(Some(DomainFile::load(&path).map_err(|error| Failure::from(error).within(&path))?))
        }
        Some(_) => Err(Failure::new("E0236", "give [[attribute]] tables or domain = \"domain.toml\", not both")),
        None if file.attributes.is_empty() => Ok(None),
        None => Ok(Some(DomainFile {
            learnt_from_data: false,
            domain_is_public: false,
            attributes: file.attributes.clone(),
            left_out: Vec::new(),
        })),
    }
}

/// How the columns of the data are read. Exact counts have no rule about where labels come from; a person is told.
fn schema_of(beside: &Path, data: &Path, file: &SpecFile) -> Result<Schema, Failure> {
    let mut columns = match written(beside, file)? {
        Some(written) => written,
        None if data == Path::new("-") => {
            return Err(Failure::new("E0236", "data from the standard input is read once: write [[attribute]] tables"));
        }
        None => learnt(&beside.join(data), file)?,
    };
    // Whoever did not vote so need not be told apart.
    if let Some(VoteSpec { column, value: Some(value) }) = &file.vote
        && !columns.attributes.iter().any(|attribute| attribute.name == *column)
    {
        let value = value.text();
        let other = Some(format!("not {value}"));
        columns.attributes.push(AttributeSpec { other, ..AttributeSpec::of_labels(column, [value]) });
    }
    Ok(columns.into_schema()?)
}

fn learnt(data: &Path, file: &SpecFile) -> Result<DomainFile, Failure> {
    let columns = learn_domain(open(data)?, &options(file)).map_err(|error| Failure::from(error).within(data))?;
    say("The categories were read off the data: a label is there because somebody has it. Write [[attribute]] tables \
         to say what could have been there.");
    if !columns.left_out.is_empty() {
        let places: Vec<String> = columns.left_out.iter().map(|left| left.position.to_string()).collect();
        say(&format!("Columns that are no categories were left out: {}.", places.join(", ")));
    }
    Ok(columns)
}

fn options(file: &SpecFile) -> CsvOptions {
    CsvOptions { encoding: file.encoding.into(), count_column: file.count.clone(), ..CsvOptions::default() }
}

fn rows(beside: &Path, data: &Path, schema: &Schema, file: &SpecFile) -> Result<Microdata, Failure> {
    let path = if data == Path::new("-") { data.to_owned() } else { beside.join(data) };
    let (reader, options) = (open(&path)?, options(file));
    let read = progress::during("reading", || read_csv(reader, schema, &options));
    read.map_err(|error| Failure::from(error).within(&path))
}

/// Without data, every number is in `known`.
fn unseen_domain(beside: &Path, file: &SpecFile) -> Result<Domain, Failure> {
    let has_margins = !matches!(&file.margins, MarginsSpec::Sets(sets) if sets.is_empty());
    if has_margins || !file.publish.is_empty() || file.vote.is_some() || file.count.is_some() {
        return Err(Failure::new("E0236", "margins, publish, vote and count take data = \"table.csv\""));
    }
    let columns = written(beside, file)?;
    let columns = columns.ok_or_else(|| Failure::new("E0236", "give data = \"table.csv\", or [[attribute]] tables"))?;
    Ok(columns.into_schema()?.domain().clone())
}

fn vote_of(domain: &Domain, vote: &VoteSpec) -> Result<Vote, Failure> {
    let axis = domain.index_of(&vote.column).map_err(|error| Failure::new("E0232", error.to_string()))?;
    let place = |value: &Label| {
        let value = value.text();
        let level = domain.attributes()[axis].labels().iter().position(|label| *label == value);
        level.ok_or_else(|| Failure::new("E0232", format!("the value of the vote is no label of {:?}", vote.column)))
    };
    if domain.len() < 2 {
        return Err(Failure::new("E0232", "there is no attribute besides the vote"));
    }
    Ok(Vote { axis, level: vote.value.as_ref().map(place).transpose()? })
}

fn told(file: &SpecFile, problem: &Problem, hierarchies: &BTreeMap<usize, Hierarchy>) -> Result<Told, Failure> {
    let names = Names { domain: &problem.domain, hierarchies };
    let publish = file.publish.iter().enumerate().zip(problem.table.iter().cycle());
    Ok(Told {
        margins: margins(&file.margins, problem)?,
        publish: publish.map(|((i, spec), table)| Fact::published(i, spec, &names, table)).collect::<Result<_, _>>()?,
        known: file.known.iter().enumerate().map(|(i, spec)| Fact::known(i, spec, &names)).collect::<Result<_, _>>()?,
    })
}

fn margins(margins: &MarginsSpec, problem: &Problem) -> Result<BTreeMap<AttrSet, f64>, Failure> {
    let listed = match margins {
        MarginsSpec::Named(NamedMargins::Axial) => {
            return Ok(problem.profile().iter().map(|axis| (AttrSet::single(axis), 1.0)).collect());
        }
        MarginsSpec::Sets(listed) => listed,
    };
    let mut seen = BTreeMap::new();
    for margin in listed {
        let (names, weight) = match margin {
            MarginSpec::Set(names) => (names, 1.0),
            MarginSpec::Weighted { set, weight } => (set, *weight),
        };
        let set = problem.domain.set_of(names).map_err(|error| Failure::new("E0231", error.to_string()))?;
        if !set.is_subset_of(problem.profile()) {
            return Err(Failure::new("E0231", "every margin has the vote: name the other attributes alone"));
        }
        if !(weight > 0.0 && weight < f64::INFINITY) {
            return Err(Failure::new("E0231", "a weight must be finite and above 0"));
        }
        if seen.insert(set, weight).is_some() {
            return Err(Failure::new("E0231", format!("the margin {names:?} is listed twice")));
        }
    }
    Ok(seen)
}

fn means_of(file: &SpecFile) -> Result<Means, Failure> {
    if file.epsilon.is_none() && (file.delta.is_some() || file.loss.is_some()) {
        return Err(Failure::new("E0234", "delta and loss are about noise, which takes epsilon"));
    }
    let loss = file.loss.unwrap_or(Loss::Variance);
    let may = |what| !file.forbid.contains(&what);
    Ok(Means {
        basis: match file.decide_on {
            DecideOn::PublicSizes => Basis::PublicSizes,
            DecideOn::Counts => Basis::Counts,
        },
        noise: file.epsilon.filter(|_| may(Forbidden::Noise)).map(|epsilon| Noise { epsilon, delta: file.delta, loss }),
        suppress: may(Forbidden::Suppression),
        merge: may(Forbidden::Merging),
    })
}

fn hierarchies(
    beside: &Path,
    files: &BTreeMap<String, PathBuf>,
    domain: &Domain,
) -> Result<BTreeMap<usize, Hierarchy>, Failure> {
    let read = |(name, file): (&String, &PathBuf)| {
        let axis = domain.index_of(name).map_err(|error| Failure::new("E0235", error.to_string()))?;
        let (path, attribute) = (beside.join(file), &domain.attributes()[axis]);
        let text = read_text(&path)?;
        let is_hrc = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("hrc"));
        let tree = if is_hrc { Hierarchy::from_hrc } else { Hierarchy::from_parents };
        Ok((axis, tree(&text, attribute).map_err(|error| Failure::from(error).within(&path))?))
    };
    files.iter().map(read).collect()
}

impl LimitsSpec {
    fn limits(&self, integer: bool) -> Limits {
        let default = Limits::default();
        Limits {
            steps: self.steps.unwrap_or(default.steps),
            nodes: if integer { self.nodes.unwrap_or(default.nodes) } else { 0 },
            super_cells: self.super_cells.unwrap_or(default.super_cells),
            rows: self.rows.unwrap_or(default.rows),
        }
    }
}

/// How many classes are in scope, candidates apart.
fn classes(problem: &Problem, scope: Scope) -> f64 {
    let (domain, profile) = (&problem.domain, problem.profile());
    let sizes = || profile.iter().map(|axis| domain.cardinality(axis) as f64);
    let candidates = problem.candidates.map_or(1.0, |vote| domain.cardinality(vote) as f64);
    let classes = match scope {
        Scope::Cells => sizes().product(),
        Scope::Pairs => {
            let (sum, squares) = sizes().fold((0.0, 0.0), |(sum, squares), k| (sum + k, squares + k * k));
            sum + (sum * sum - squares) / 2.0
        }
        _ => sizes().map(|k| k + 1.0).product::<f64>() - 1.0,
    };
    classes * candidates
}
