//! All rules of the workspace, in one list.

use std::fmt;

use crate::workspace::{self, Error, Workspace};
use crate::{
    api, arrows, circles, closures, crate_counts, documents, fixtures, links, manifests, mutants::survivors, pages,
    shell, test_programs, words,
};

/// A place where a rule of the workspace is broken, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Breach {
    pub(crate) place: String,
    pub(crate) problem: String,
}

impl Breach {
    pub(crate) fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into() }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

pub(crate) fn all(workspace: &Workspace) -> Result<Vec<Breach>, Error> {
    let mut breaches = arrows::breaches(&workspace.members);
    let page = workspace::read(&workspace.root.join(arrows::PAGE))?;
    breaches.extend(arrows::differences(&workspace.members, &page));
    breaches.extend(circles::breaches(&workspace.root)?);
    breaches.extend(closures::breaches(&workspace.root)?);
    breaches.extend(manifests::breaches(&workspace.members));
    breaches.extend(survivors::breaches(&workspace.root)?);
    breaches.extend(test_programs::breaches(&workspace.root, &workspace.members)?);
    breaches.extend(fixtures::breaches(&workspace.root)?);
    breaches.extend(links::breaches(&workspace.root)?);
    breaches.extend(pages::breaches(&workspace.root)?);
    breaches.extend(api::breaches(&workspace.root)?);
    breaches.extend(crate_counts::breaches(&workspace.root)?);
    breaches.extend(shell::breaches(&workspace.root)?);
    breaches.extend(documents::breaches(&workspace.root)?);
    breaches.extend(words::breaches(&workspace.root)?);
    Ok(breaches)
}
