//! The specifications of releases that go by themselves: synthetic rows, randomised answers,
//! tables of amounts.

use disclosure_jobs::JobError;
use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::privacy_data::{AttributeSpec, toml_text};

use crate::attributes::{is_attribute, sized_domain, wanted_attributes};
use crate::choices::{Choices, Relation};
use crate::command::beside_job;
use crate::jobfile::{DOMAIN, float, incomplete, line, list, requested, unit};
use crate::labels::pairs;
use crate::parts::{Amounts, Reports, SyntheticRows};
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

/// The same with a domain file beside it, for a plan alone: without labels.
///
/// # Errors
/// As [`rows_spec`].
pub(crate) fn rows_plan(project: &Project, part: &SyntheticRows) -> Result<(String, MemoryFiles), JobError> {
    let opening = project.opening().ok_or_else(|| incomplete("open a file first"))?;
    let spec = rows_spec(project.choices(), part, DOMAIN)?;
    Ok((spec, MemoryFiles::default().with(DOMAIN, sized_domain(opening, project.choices())?.to_toml())))
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
    let attributes = wanted_attributes(opening, choices)?;
    let mut schema = String::new();
    if choices.is_latin1 {
        line(&mut schema, "encoding", "\"latin1\"");
    }
    let features = attributes.iter().map(|(_, attribute)| attribute.as_ref());
    let features: Vec<&AttributeSpec> = features.filter(|own| part.features.contains(&own.name)).collect();
    if features.is_empty() {
        return Err(incomplete("choose the columns to report"));
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

/// The job of a table of amounts: what `disclosure magnitude` takes. `domain` is the name of its
/// domain file.
///
/// # Errors
/// E0706 for choices that are not complete yet.
pub(crate) fn amounts_spec(project: &Project, part: &Amounts, domain: &str) -> Result<String, JobError> {
    let choices = project.choices();
    if part.axes.is_empty() || !part.axes.iter().all(|name| is_attribute(choices, name)) {
        return Err(incomplete("choose the columns that define the table of amounts"));
    }
    if part.amount.is_empty() || part.axes.contains(&part.amount) {
        return Err(incomplete("choose an amount column that is not among the columns of the table"));
    }
    if part.p_percent.is_none() && part.min_frequency.is_none() {
        return Err(incomplete("choose when a cell is sensitive"));
    }
    let mut spec = format!("title = {}\n", toml_text(choices.shown_title()));
    line(&mut spec, "data", &toml_text(&beside_job(choices.data.as_deref().unwrap_or_default())));
    if let Some(format) = format_of(project) {
        line(&mut spec, "format", &format);
    }
    if choices.is_latin1 {
        line(&mut spec, "encoding", "\"latin1\"");
    }
    line(&mut spec, "domain", &toml_text(domain));
    line(&mut spec, "axes", &list(&part.axes));
    line(&mut spec, "amount", &toml_text(&part.amount));
    line(&mut spec, "decimals", &part.decimals.to_string());
    if let Some(person) = choices.person() {
        line(&mut spec, "respondent", &toml_text(person));
    }
    line(&mut spec, "coalition", &part.coalition.to_string());
    spec += "\n[rule]\n";
    if let Some(percent) = part.p_percent {
        line(&mut spec, "p_percent", &float(percent));
    }
    if let Some(least) = part.min_frequency {
        line(&mut spec, "min_frequency", &least.to_string());
    }
    Ok(spec)
}

/// The form of the data: amounts with a decimal mark other than a point are declared.
fn format_of(project: &Project) -> Option<String> {
    let found = project.opening().and_then(|opening| opening.form.as_deref());
    let decimal = found.filter(|form| form.contains("decimal commas")).map(|_| "decimal = \",\"".to_owned());
    let relation = project.choices().relation.as_ref().map(|relation| match relation {
        Relation::Table(table) => format!("table = {}", toml_text(table)),
        Relation::Query(query) => format!("query = {}", toml_text(query)),
    });
    let parts: Vec<String> = decimal.into_iter().chain(relation).collect();
    (!parts.is_empty()).then(|| format!("{{ {} }}", parts.join(", ")))
}
