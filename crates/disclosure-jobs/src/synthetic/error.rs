//! What a model refuses, in the words of a job.

use disclosure::privacy_core::{AttrSet, Domain};
use synthetic_people::Error;

use crate::error::JobError;

/// An error of the model, with the names of the attributes that it is about.
pub(super) fn named(error: Error, domain: &Domain) -> JobError {
    match error {
        Error::TooWide { clique, cells, limit } => {
            let names = quoted(clique, domain);
            let message = format!(
                "the planned marginals connect {names}, which needs a table of {cells:.3e} cells; the limit is {limit:.3e}"
            );
            JobError::new("E0681", message)
        }
        Error::NothingPossible => JobError::new("E0287", "the structural zeros exclude every combination of labels"),
        error => JobError::new("E0363", error.to_string()),
    }
}

fn quoted(set: AttrSet, domain: &Domain) -> String {
    let names: Vec<String> = domain.names(set).map(|name| format!("{name:?}")).collect();
    names.join(", ")
}
