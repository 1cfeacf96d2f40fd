//! Combinations that nobody has, as a spec declares them: labels that exclude each other, and
//! attributes that say in large what another says in detail.

use std::collections::BTreeMap;
use std::path::PathBuf;

use disclosure::privacy_core::{AttrSet, CountSource, Domain};
use privacy_data::{Microdata, fields_of_line};
use serde::Deserialize;
use synthetic_people::{PossibleCells, StructuralZero};

use crate::error::JobError;
use crate::input::{Files, read_text};

/// Most combinations that a spec may exclude: some 100 bytes each.
const MOST: usize = 1_000_000;

/// A label, or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a label, or a list of labels")]
pub(super) enum Labels {
    One(String),
    Several(Vec<String>),
}

impl Labels {
    fn each(&self) -> &[String] {
        match self {
            Self::One(label) => std::slice::from_ref(label),
            Self::Several(labels) => labels,
        }
    }
}

/// An attribute that follows from another one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HierarchySpec {
    /// The attribute in detail, such as a municipality.
    child: String,
    /// The attribute in large, such as a region.
    parent: String,
    /// The labels of the child within each label of the parent. Instead of `file`.
    groups: Option<BTreeMap<String, Vec<String>>>,
    /// A file with a line `child label,parent label` for each label of the child.
    file: Option<PathBuf>,
}

/// What a spec excludes, and the texts of the files that say so.
#[derive(Debug, Default)]
pub(super) struct Excluded {
    pub(super) zeros: Vec<StructuralZero>,
    pub(super) text: String,
}

impl Excluded {
    /// # Errors
    /// E0292 for what names no label of an attribute, an attribute twice, a hierarchy that leaves
    /// out a label of the child or has it twice, or more than a million combinations.
    pub(super) fn new(
        combinations: &[BTreeMap<String, Labels>],
        hierarchies: &[HierarchySpec],
        domain: &Domain,
        files: &dyn Files,
    ) -> Result<Self, JobError> {
        let mut excluded = Self::default();
        for combination in combinations {
            excluded.combination(combination, domain)?;
        }
        for hierarchy in hierarchies {
            excluded.hierarchy(hierarchy, domain, files)?;
        }
        Ok(excluded)
    }

    /// Every combination of the labels of some attributes.
    fn combination(&mut self, labels: &BTreeMap<String, Labels>, domain: &Domain) -> Result<(), JobError> {
        if labels.is_empty() {
            return Err(wrong("a structural zero names no attribute"));
        }
        let mut chosen: Vec<(usize, Vec<usize>)> = Vec::with_capacity(labels.len());
        for (name, labels) in labels {
            let attribute = attribute(domain, name)?;
            let categories = labels.each().iter().map(|label| category(domain, attribute, label));
            chosen.push((attribute, categories.collect::<Result<_, _>>()?));
        }
        chosen.sort_unstable();
        let number: f64 = chosen.iter().map(|(_, categories)| categories.len() as f64).product();
        self.check_room(number)?;
        let set: AttrSet = chosen.iter().map(|(attribute, _)| *attribute).collect();
        let all = chosen.iter().fold(vec![Vec::new()], |begun, (_, categories)| extended(&begun, categories));
        self.zeros.extend(all.into_iter().map(|categories| StructuralZero { set, categories }));
        Ok(())
    }

    /// Every label of the child with every label of the parent but its own.
    fn hierarchy(&mut self, spec: &HierarchySpec, domain: &Domain, files: &dyn Files) -> Result<(), JobError> {
        let (child, parent) = (attribute(domain, &spec.child)?, attribute(domain, &spec.parent)?);
        if child == parent {
            return Err(wrong(&format!("{:?} is its own parent", spec.child)));
        }
        let (children, parents) = (domain.cardinality(child), domain.cardinality(parent));
        self.check_room((children * (parents - 1)) as f64)?;
        let mut parent_of: Vec<Option<usize>> = vec![None; children];
        for (label, within) in self.pairs(spec, files)? {
            let place = &mut parent_of[category(domain, child, &label)?];
            if place.replace(category(domain, parent, &within)?).is_some() {
                return Err(wrong(&format!("label {label:?} of {:?} occurs twice in the hierarchy", spec.child)));
            }
        }
        let set = AttrSet::single(child).with(parent);
        for (category, own) in parent_of.into_iter().enumerate() {
            let Some(own) = own else {
                let label = &domain.attributes()[child].labels()[category];
                return Err(wrong(&format!("label {label:?} of {:?} is not in the hierarchy", spec.child)));
            };
            let others = (0..parents).filter(|&other| other != own);
            self.zeros.extend(others.map(|other| StructuralZero {
                set,
                categories: if child < parent { vec![category, other] } else { vec![other, category] },
            }));
        }
        Ok(())
    }

    /// Labels of the child, each with its label of the parent.
    fn pairs(&mut self, spec: &HierarchySpec, files: &dyn Files) -> Result<Vec<(String, String)>, JobError> {
        match (&spec.groups, &spec.file) {
            (Some(groups), None) => {
                let pairs = groups
                    .iter()
                    .flat_map(|(parent, children)| children.iter().map(|child| (child.clone(), parent.clone())));
                Ok(pairs.collect())
            }
            (None, Some(file)) => {
                let text = read_text(files, file)?;
                let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
                let pairs = lines.map(|(number, line)| match fields_of_line(line).as_deref() {
                    Ok([child, parent]) => Ok((child.clone(), parent.clone())),
                    _ => Err(wrong(&format!("line {} does not consist of a label and its parent", number + 1))
                        .within(&files.shown(file))),
                });
                let pairs = pairs.collect::<Result<_, JobError>>()?;
                self.text += &text;
                Ok(pairs)
            }
            _ => Err(wrong("a hierarchy needs either groups or a file")),
        }
    }

    fn check_room(&self, more: f64) -> Result<(), JobError> {
        match self.zeros.len() as f64 + more <= MOST as f64 {
            true => Ok(()),
            false => Err(wrong("structural zeros and hierarchies exclude more than a million combinations")),
        }
    }
}

/// Every list with every one of these categories at its end.
fn extended(lists: &[Vec<usize>], categories: &[usize]) -> Vec<Vec<usize>> {
    let pairs = lists.iter().flat_map(|list| categories.iter().map(move |category| (list, category)));
    pairs.map(|(list, category)| list.iter().chain([category]).copied().collect()).collect()
}

fn wrong(message: &str) -> JobError {
    JobError::new("E0292", message)
}

fn attribute(domain: &Domain, name: &str) -> Result<usize, JobError> {
    let found = domain.attributes().iter().position(|attribute| attribute.name() == name);
    found.ok_or_else(|| wrong(&format!("{name:?} is not an attribute")))
}

fn category(domain: &Domain, attribute: usize, label: &str) -> Result<usize, JobError> {
    let named = &domain.attributes()[attribute];
    let found = named.labels().iter().position(|known| known == label);
    found.ok_or_else(|| wrong(&format!("{label:?} is not a label of {:?}", named.name())))
}

/// How many rows have a combination that nobody should have, for the owner alone.
pub(super) fn impossible_rows(rows: &Microdata, possible: &PossibleCells) -> Result<u64, JobError> {
    // A row may contradict several zeros: the largest table of them is a bound from below.
    let mut most = 0;
    for set in possible.sets() {
        let tables = rows.marginals(&[set]).map_err(|error| JobError::new("E0613", error.to_string()))?;
        let Some((table, cells)) = tables.first().zip(possible.within(set)) else { continue };
        let impossible = table.cells().iter().zip(cells).filter(|(_, is_possible)| !is_possible);
        most = most.max(impossible.map(|(count, _)| *count).sum());
    }
    Ok(most)
}
