//! Survivors that are named, with the reason why no test notices them: `xtask/survivors.toml`.
//!
//! A mutant is named by its file and by what is printed of it, without the line. Where a file has
//! several of one name, it is listed as often as it survives.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::{Mutant, areas, mutants, sources};
use crate::tidy::Breach;
use crate::workspace::{self, Error};

const LIST: &str = "xtask/survivors.toml";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Survivors {
    survivors: Vec<Group>,
}

/// Survivors of one reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    reason: String,
    mutants: Vec<String>,
}

impl Survivors {
    pub(super) fn read(root: &Path) -> Result<Self, Error> {
        let path = root.join(LIST);
        toml::from_str(&workspace::read(&path)?).map_err(|source| Error::Toml { path, source: Box::new(source) })
    }

    /// How often each name is listed.
    pub(super) fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for name in self.survivors.iter().flat_map(|group| &group.mutants) {
            *counts.entry(name.as_str()).or_insert(0) += 1;
        }
        counts
    }

    /// What is wrong with the list, `all` being the mutants that there are.
    pub(super) fn problems(&self, all: &[Mutant]) -> Vec<String> {
        let mut exist: BTreeMap<String, usize> = BTreeMap::new();
        all.iter().for_each(|mutant| *exist.entry(name(mutant)).or_insert(0) += 1);
        let gone = self.counts().into_iter().filter_map(|(name, listed)| {
            let found = exist.get(name).copied().unwrap_or(0);
            (found < listed).then(|| format!("lists {listed} of {found} mutants `{name}`"))
        });
        let is_sentence = |group: &&Group| group.reason.ends_with('.') && !group.mutants.is_empty();
        let bare = self.survivors.iter().filter(|group| !is_sentence(group));
        gone.chain(bare.map(|group| format!("`{}` is no sentence, or has no mutant", group.reason))).collect()
    }
}

/// What names a mutant.
pub(super) fn name(mutant: &Mutant) -> String {
    format!("{}: {}", mutant.file, mutant.change.shown)
}

/// Names of mutants that are gone: their lines have changed, so that they are run again.
pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut all = Vec::new();
    for area in areas::areas(root, None)? {
        all.extend(mutants(&sources(root, &area, &[])?));
    }
    let problems = Survivors::read(root)?.problems(&all);
    Ok(problems.into_iter().map(|problem| Breach::new(LIST, problem)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants::Source;
    use crate::mutants::places::places;

    fn all() -> Vec<Mutant> {
        let text = "fn f(a: u8) { g(a < 1); g(a < 1); g(a == 2) }".to_owned();
        let found = places(&text).unwrap();
        mutants(&[Source { path: "a.rs".to_owned(), text, places: found, first: 0 }])
    }

    fn listed(reason: &str, names: &[&str]) -> Survivors {
        let mutants = names.iter().map(|name| (*name).to_owned()).collect();
        Survivors { survivors: vec![Group { reason: reason.to_owned(), mutants }] }
    }

    #[test]
    fn a_mutant_is_listed_as_often_as_it_exists() {
        let all = all();
        let names: Vec<String> = all.iter().map(name).collect();
        let twice = names.iter().filter(|name| names.iter().filter(|other| other == name).count() == 2);
        let twice: Vec<&str> = twice.map(String::as_str).collect();
        assert!(twice.len() >= 2 && twice[0].starts_with("a.rs: `<` becomes"), "{names:?}");
        assert!(listed("It is so.", &twice).problems(&all).is_empty());
        let thrice = [twice[0]; 3];
        assert_eq!(listed("It is so.", &thrice).problems(&all).len(), 1);
        assert_eq!(listed("It is so.", &["a.rs: another"]).problems(&all).len(), 1);
    }

    #[test]
    fn a_reason_is_a_sentence_about_something() {
        let all = all();
        let one = name(&all[0]);
        assert_eq!(listed("effort", &[&one]).problems(&all).len(), 1);
        assert_eq!(listed("It is so.", &[]).problems(&all).len(), 1);
    }
}
