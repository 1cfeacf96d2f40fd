//! Which columns are attributes, and what their categories are.

use std::borrow::Cow;

use disclosure_jobs::JobError;
use disclosure_jobs::privacy_data::{AttributeSpec, DomainFile};

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
    let wanted = wanted_attributes(opening, choices)?;
    let learnt = opening.domain()?;
    let mut domain = DomainFile::of(wanted.into_iter().map(|(_, attribute)| attribute.into_owned()).collect());
    (domain.learnt_from_data, domain.domain_is_public) = (learnt.learnt_from_data, choices.is_public);
    Ok(domain)
}

/// The same attributes, each with its place among those that were learnt. Labels are copied only
/// where a person changed them.
///
/// # Errors
/// As [`wanted_domain`].
pub(crate) fn wanted_attributes<'a>(
    opening: &'a Opening,
    choices: &Choices,
) -> Result<Vec<(usize, Cow<'a, AttributeSpec>)>, JobError> {
    let mut wanted = Vec::new();
    for (place, attribute) in opening.domain()?.attributes.iter().enumerate() {
        let column = choices.columns.iter().find(|column| column.name == attribute.name);
        let Some(column) = column.filter(|column| is_chosen(column)) else { continue };
        wanted.push((
            place,
            match column.labels.is_empty() {
                true => Cow::Borrowed(attribute),
                false => Cow::Owned(column.labels.applied_to(attribute.clone())),
            },
        ));
    }
    match wanted.is_empty() {
        true => Err(JobError::new("E0706", "no column is an attribute; keep at least one")),
        false => Ok(wanted),
    }
}

/// The same attributes by their names, with their numbers of categories.
///
/// # Errors
/// As [`wanted_domain`]; those of categories that cannot be.
pub(crate) fn sizes(opening: &Opening, choices: &Choices) -> Result<Vec<(String, usize)>, JobError> {
    let wanted = wanted_attributes(opening, choices)?.into_iter();
    let sized = wanted.map(|(place, attribute)| match (attribute, opening.counts.get(place)) {
        (Cow::Borrowed(attribute), Some(counts)) => Ok((attribute.name.clone(), counts.len())),
        (attribute, _) => {
            let name = attribute.name.clone();
            let schema = DomainFile::of(vec![attribute.into_owned()]).into_schema()?;
            Ok((name, schema.domain().cardinality(0)))
        }
    });
    sized.collect()
}

/// A domain of as many categories, without their labels: for plans of which figures alone are
/// shown.
///
/// # Errors
/// As [`sizes`].
pub(crate) fn sized_domain(opening: &Opening, choices: &Choices) -> Result<DomainFile, JobError> {
    let sizes = sizes(opening, choices)?.into_iter();
    let mut domain = DomainFile::of(sizes.map(|(name, size)| AttributeSpec::of_size(name, size)).collect());
    (domain.learnt_from_data, domain.domain_is_public) = (opening.domain()?.learnt_from_data, choices.is_public);
    Ok(domain)
}

/// Whether a column is an attribute.
pub(crate) fn is_attribute(choices: &Choices, name: &str) -> bool {
    let column = choices.columns.iter().find(|column| column.name == name);
    column.is_some_and(is_chosen)
}

fn is_chosen(column: &Column) -> bool {
    !matches!(column.treatment, Treatment::Person | Treatment::LeftOut)
}
