//! Which columns are attributes, and what their categories are.

use disclosure_jobs::JobError;
use disclosure_jobs::privacy_data::DomainFile;

use crate::choices::{Choices, Column, Treatment};
use crate::project::Opening;

/// The columns of an opening, with what the person said of those that were there before. A column
/// that cannot be an attribute is left out.
pub(crate) fn columns(opening: &Opening, before: &[Column]) -> Result<Vec<Column>, JobError> {
    let domain = opening.domain()?;
    let names = domain.attributes.iter().map(|attribute| (&attribute.name, Treatment::Values));
    let refused = opening.refused.iter().filter(|(name, _)| !name.is_empty());
    let names = names.chain(refused.map(|(name, _)| (name, Treatment::LeftOut)));
    Ok(names
        .map(|(name, default)| {
            let before = before.iter().find(|column| column.name == *name).cloned();
            let (known, labels) = before.map(|column| (column.treatment, column.labels)).unzip();
            // What cannot be values stays out, whatever was said.
            let treatment = match (known, &default) {
                (Some(Treatment::Values), Treatment::LeftOut) | (None, _) => default,
                (Some(treatment), _) => treatment,
            };
            Column { name: name.clone(), treatment, labels: labels.unwrap_or_default() }
        })
        .collect())
}

/// The attributes that the person wants: those that were learnt, without columns that are left out
/// or say who is the same person.
///
/// # Errors
/// Those of a project file that somebody changed; E0706 when no attribute is left.
pub(crate) fn wanted_domain(opening: &Opening, choices: &Choices) -> Result<DomainFile, JobError> {
    let mut domain = opening.domain()?;
    domain.domain_is_public = choices.is_public;
    domain.attributes.retain(|attribute| is_attribute(choices, &attribute.name));
    for attribute in &mut domain.attributes {
        if let Some(column) = choices.columns.iter().find(|column| column.name == attribute.name) {
            *attribute = column.labels.applied_to(std::mem::take(attribute));
        }
    }
    match domain.attributes.is_empty() {
        true => Err(JobError::new("E0706", "no column is an attribute: keep at least one")),
        false => Ok(domain),
    }
}

/// Whether a column is an attribute.
pub(crate) fn is_attribute(choices: &Choices, name: &str) -> bool {
    let column = choices.columns.iter().find(|column| column.name == name);
    column.is_some_and(|column| !matches!(column.treatment, Treatment::Person | Treatment::LeftOut))
}
