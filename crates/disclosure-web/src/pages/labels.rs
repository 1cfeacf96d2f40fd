//! The categories of one column: what tables call them, those that were not seen, and those
//! that are pooled.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::privacy_data::AttributeSpec;
use maud::{Markup, html};

use super::layout::{Step, owner_only, page as layout_page, revision, text};
use crate::app::App;
use crate::attributes::wanted_domain;
use crate::choices::Column;
use crate::form::{Form, invalid};
use crate::labels::{Labels, OTHER, pairs};
use crate::project::Project;
use crate::reply::Reply;

/// Most categories of one column that are added.
const MOST_ADDED: usize = 1000;
/// Longest name of a category, in characters.
const LONGEST: usize = 200;

/// The column of a page, with its attribute as it was learnt.
///
/// # Errors
/// E0704 for a column that is no attribute.
fn column_of(project: &Project, form: &Form) -> Result<(usize, Column, AttributeSpec), JobError> {
    let number = form.whole("column", 0..=10_000)?;
    let column = project.choices().columns.get(number).ok_or_else(no_attribute)?;
    let domain = project.opening().ok_or_else(no_attribute)?.domain()?;
    let attribute = domain.attributes.iter().find(|attribute| attribute.name == column.name);
    Ok((number, column.clone(), attribute.ok_or_else(no_attribute)?.clone()))
}

fn no_attribute() -> JobError {
    invalid("column", "is no attribute")
}

/// The page.
pub(crate) fn page(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    if project.opening().is_none() {
        return Ok(Reply::SeeOther(""));
    }
    let Ok((number, column, attribute)) = column_of(&project, form) else {
        return Ok(Reply::SeeOther("columns"));
    };
    let inside = html! {
        p.lead { "What tables call the categories of " (text(&column.name)) ". The data are still read as they \
            are written." }
        form method="post" action={ "labels-" (number) } {
            (revision(&project))
            (owner_only(&categories(&column.labels, &attribute)))
            @if attribute.bins.is_none() { (unseen(&column.labels)) }
            p { button.main { "Keep, and go back to the columns" } " " a.button href="columns" { "Back" } }
        }
    };
    Ok(layout_page(&project, Step::Columns, &inside))
}

fn categories(labels: &Labels, attribute: &AttributeSpec) -> Markup {
    let can_pool = attribute.bins.is_none();
    html! {
        fieldset.card {
            legend { "Names" }
            @for (place, (written, name)) in pairs(attribute).iter().enumerate() {
                div.fields.label-line {
                    label.wide-field {
                        span { (text(written)) }
                        input name={ "name." (place) } value=(labels.names.get(written).unwrap_or(name))
                            maxlength=(LONGEST) dir="auto" autocomplete="off" spellcheck="false";
                    }
                    @if can_pool {
                        label.box {
                            input type="checkbox" name="pool" value=(place) checked[labels.pooled.contains(written)];
                            "pool into " (OTHER)
                        }
                    }
                }
            }
            p.soft { "An empty field keeps the category as it is written. Pool categories of very few people: \
                their presence in the list can disclose that someone is in the data." }
        }
    }
}

fn unseen(labels: &Labels) -> Markup {
    html! {
        fieldset.card {
            legend { "Categories that exist but do not occur in the data" }
            label { "One per line, spelled as in the data"
                textarea name="added" rows="4" dir="auto" spellcheck="false" { (labels.added.join("\n")) }
            }
            p.soft { "A list that also has categories of no one in the data discloses less about the people in it." }
        }
    }
}

/// Keeps what was said of the categories.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let (number, column, attribute) = column_of(&project, form)?;
    let labels = labels_of(form, &column.labels, &attribute)?;
    app.choose(form, |choices| {
        if let Some(column) = choices.columns.get_mut(number) {
            column.labels = labels;
        }
        // Two categories of one name are refused here, and not by a release.
        match project.opening() {
            Some(opening) => wanted_domain(opening, choices)?.into_schema().map(|_| ()).map_err(JobError::from),
            None => Ok(()),
        }
    })?;
    Ok(Reply::SeeOther("columns"))
}

/// What a form says of the categories of an attribute.
fn labels_of(form: &Form, before: &Labels, attribute: &AttributeSpec) -> Result<Labels, JobError> {
    let mut labels = Labels::default();
    for (place, (written, name)) in pairs(attribute).into_iter().enumerate() {
        let field = form.text(&format!("name.{place}"));
        check_length(field)?;
        let shown = before.names.get(&written).unwrap_or(&name);
        // A browser takes line breaks out of a field: what it cannot show was not changed.
        let new = match field {
            "" => written.clone(),
            field if field == as_field(shown) => shown.clone(),
            field => field.to_owned(),
        };
        if new != name {
            labels.names.insert(written.clone(), new);
        }
        if form.all("pool").any(|pooled| pooled.parse() == Ok(place)) {
            labels.pooled.insert(written);
        }
    }
    for line in form.text("added").lines().map(str::trim).filter(|line| !line.is_empty()) {
        check_length(line)?;
        if !labels.added.iter().any(|added| added == line) {
            labels.added.push(line.to_owned());
        }
    }
    match labels.added.len() > MOST_ADDED {
        true => Err(invalid("added", "has more than 1000 categories")),
        false => Ok(labels),
    }
}

fn check_length(name: &str) -> Result<(), JobError> {
    match name.chars().count() > LONGEST {
        true => Err(invalid("name", "has at most 200 characters")),
        false => Ok(()),
    }
}

/// A text as a field of a form sends it back.
fn as_field(text: &str) -> String {
    text.replace(['\r', '\n'], "").trim().to_owned()
}
