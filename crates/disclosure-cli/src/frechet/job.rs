//! A spec that was checked, with the table it is about.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use disclosure::core::{AttrSet, Domain};
use disclosure::frechet::hierarchy::Hierarchy;
use disclosure::frechet::{DisclosureRule, DisclosureTarget, Limits, Scope};
use privacy_data::parse_toml;

use super::columns::{rows, schema_of, unseen_domain, vote_of};
use super::facts::{Fact, Label, Names};
use super::problem::{Problem, Told};
use super::spec::{MarginSpec, MarginsSpec, Means, NamedMargins, SpecFile};
use crate::digest::sha256;
use crate::error::Failure;
use crate::files::read_text;

/// Most classes that are looked at.
const MOST_CLASSES: u64 = 1 << 20;

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
    pub(super) policy: DisclosureRule,
    pub(super) target: DisclosureTarget,
    pub(super) limits: Limits,
    /// What is counted, where it is not everybody.
    pub(super) counted: Option<Counted>,
    /// Most classes that are looked at.
    most_classes: u64,
}

/// Which people are counted: those with a value of a column; of each value, where there is none.
#[derive(Clone, Debug, serde::Serialize)]
pub(super) struct Counted {
    column: String,
    value: Option<String>,
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
        let problem = match &file.data {
            Some(data) => {
                let schema = schema_of(beside, data, &file)?;
                let vote = file.vote.as_ref().map(|vote| vote_of(schema.domain(), vote)).transpose()?;
                Problem::of(&rows(beside, data, &schema, &file)?, vote.as_ref())?
            }
            None => Problem::unseen(unseen_domain(beside, &file)?)?,
        };
        let stem = path.file_stem().map_or_else(|| "audit".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Self::about(problem, beside, (file.title.clone().unwrap_or(stem), spec_sha256), &file)
    }

    /// The job that a spec asks for about a table; with its title, and the digest of the spec.
    pub(super) fn about(
        problem: Problem,
        beside: &Path,
        (title, spec_sha256): (String, String),
        file: &SpecFile,
    ) -> Result<Self, Failure> {
        let (policy, target) = (file.policy()?, file.target()?);
        let hierarchies = hierarchies(beside, &file.hierarchy, &problem.domain)?;
        let told = told(file, &problem, &hierarchies)?;
        let means = file.means()?;
        let (limits, most_classes) = (file.limits(), file.limits.classes.unwrap_or(MOST_CLASSES));
        let counted = file
            .vote
            .as_ref()
            .map(|vote| Counted { column: vote.column.clone(), value: vote.value.as_ref().map(Label::text) });
        Ok(Self {
            title,
            spec_sha256,
            problem,
            told,
            hierarchies,
            means,
            policy,
            target,
            limits,
            counted,
            most_classes,
        })
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
