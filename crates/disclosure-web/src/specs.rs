//! The specifications of releases that go by themselves: synthetic rows, randomised answers.

use disclosure_jobs::JobError;
use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::privacy_data::{AttributeSpec, toml_text};

use crate::attributes::wanted_domain;
use crate::choices::Choices;
use crate::jobfile::{DOMAIN, float, incomplete, line, list, requested, unit};
use crate::labels::pairs;
use crate::parts::{Reports, SyntheticRows};
use crate::project::Project;

/// The specification of synthetic rows: what `disclosure adaptive` takes. `domain` is the name of
/// its domain file.
///
/// # Errors
/// E0706 for choices that are not complete yet.
pub(crate) fn rows_spec(choices: &Choices, part: &SyntheticRows, domain: &str) -> Result<String, JobError> {
    let mut spec = format!("title = {}\n", toml_text(choices.shown_title()));
    if !choices.owner.is_empty() {
        line(&mut spec, "owner", &toml_text(&choices.owner));
    }
    line(&mut spec, "domain", &toml_text(domain));
    if choices.is_latin1 {
        line(&mut spec, "encoding", "\"latin1\"");
    }
    spec += &requested(choices)?;
    spec += &unit(choices);
    for (key, number) in [("rounds", part.rounds), ("rows", part.rows)] {
        if let Some(number) = number {
            line(&mut spec, key, &number.to_string());
        }
    }
    line(&mut spec, "privacy", &format!("{{ rho = {} }}", float(part.rho)));
    Ok(spec)
}

/// The same with the domain file beside it, for a plan alone.
///
/// # Errors
/// As [`rows_spec`].
pub(crate) fn rows_plan(project: &Project, part: &SyntheticRows) -> Result<(String, MemoryFiles), JobError> {
    let opening = project.opening().ok_or_else(|| incomplete("open a file first"))?;
    let spec = rows_spec(project.choices(), part, DOMAIN)?;
    Ok((spec, MemoryFiles::default().with(DOMAIN, wanted_domain(opening, project.choices())?.to_toml())))
}

/// Whether a column can be reported: its answers are as they are written, two at least, and none
/// is missing or pooled.
pub(crate) fn is_reportable(attribute: &AttributeSpec) -> bool {
    attribute.bins.is_none() && attribute.missing.is_none() && attribute.other.is_none() && pairs(attribute).len() >= 2
}

/// The schema of randomised answers: what `disclosure ldp` takes.
///
/// # Errors
/// E0706 without a column; E0713 for one that cannot be reported.
pub(crate) fn reports_schema(project: &Project, part: &Reports) -> Result<String, JobError> {
    let (choices, opening) = (project.choices(), project.opening().ok_or_else(|| incomplete("open a file first"))?);
    let domain = wanted_domain(opening, choices)?;
    let mut schema = String::new();
    if choices.is_latin1 {
        line(&mut schema, "encoding", "\"latin1\"");
    }
    let features = domain.attributes.iter().filter(|attribute| part.features.contains(&attribute.name));
    let features: Vec<&AttributeSpec> = features.collect();
    if features.is_empty() {
        return Err(incomplete("choose the columns that are reported"));
    }
    for attribute in features {
        if !is_reportable(attribute) {
            let error = JobError::new("E0713", format!("column {:?} has no list of answers", attribute.name));
            return Err(error.next("leave it out, or make its values categories"));
        }
        let values: Vec<String> = pairs(attribute).into_iter().map(|(written, _)| written).collect();
        schema += "\n[[feature]]\n";
        line(&mut schema, "name", &toml_text(&attribute.name));
        line(&mut schema, "values", &list(&values));
        line(&mut schema, "protocol", if values.len() == 2 { "\"rr\"" } else { "\"ue\"" });
        line(&mut schema, "epsilon", &float(part.epsilon));
    }
    Ok(schema)
}
