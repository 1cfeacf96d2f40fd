//! The columns: what becomes of each, missing values, and who is one person.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::privacy_data::{AttributeSpec, DomainFile};
use disclosure_report::number::count;
use disclosure_report::{Amount, Bar, Bars};
use maud::{Markup, html};

use super::layout::{Step, blocks, owner_only, page as layout_page, revision, text};
use super::start::learn;
use crate::app::App;
use crate::attributes::wanted_domain;
use crate::choices::{Choices, Column, Treatment, Unit};
use crate::form::{Form, edges, invalid, number};
use crate::labels::pairs;
use crate::project::Opening;
use crate::reply::Reply;

/// Most categories of a column that are drawn.
const MOST_BARS: usize = 30;
/// Largest number of rows per person that can be entered.
const MOST_ROWS: usize = 100_000;

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let Some(opening) = project.opening() else { return Ok(Reply::SeeOther("")) };
    let domain = opening.domain()?;
    let choices = project.choices();
    let inside = html! {
        p.lead { "What becomes of each column. A category learnt from the data is listed because someone has it." }
        form method="post" action="columns" {
            (revision(&project))
            @for (number, column) in choices.columns.iter().enumerate() {
                (card(number, column, opening, domain))
            }
            (general(choices))
            p { button.main { "Keep, and go on to the tables" } }
        }
    };
    Ok(layout_page(&project, Step::Columns, &inside))
}

fn card(number: usize, column: &Column, opening: &Opening, domain: &DomainFile) -> Markup {
    let place = domain.attributes.iter().position(|attribute| attribute.name == column.name);
    let reason = opening.refused.iter().find(|(name, _)| *name == column.name).map(|(_, reason)| reason.as_str());
    let (kind, edges, bins) = match &column.treatment {
        Treatment::Values => ("values", String::new(), String::new()),
        Treatment::Bins(edges) => {
            ("bins", edges.iter().map(f64::to_string).collect::<Vec<_>>().join("; "), String::new())
        }
        Treatment::Quantiles(bins) => ("quantiles", String::new(), bins.to_string()),
        Treatment::Person => ("person", String::new(), String::new()),
        Treatment::LeftOut => ("out", String::new(), String::new()),
    };
    html! {
        fieldset.card {
            legend { (text(&column.name)) }
            @if let Some(attribute) = place.and_then(|place| domain.attributes.get(place)) {
                p.soft { "Type: " (kind_of(attribute)) @if attribute.missing.is_some() { ", with missing values" } }
            }
            @if let Some(reason) = reason { p.soft { "It cannot be an attribute as it is: " (reason) "." } }
            div.fields {
                label { "Treatment"
                    select name=(field("treatment", number)) {
                        @if reason.is_none() { option value="values" selected[kind == "values"] { "its values are categories" } }
                        option value="bins" selected[kind == "bins"] { "numbers in bins between edges" }
                        option value="quantiles" selected[kind == "quantiles"] { "numbers in bins with about \
                            equally many rows" }
                        option value="person" selected[kind == "person"] { "identifies the person" }
                        option value="out" selected[kind == "out"] { "left out" }
                    }
                }
                label.for-bins { "Edges, such as 0; 18; 65"
                    input name=(field("edges", number)) value=(edges) autocomplete="off" spellcheck="false";
                }
                label.for-quantiles { "Number of bins"
                    input name=(field("bins", number)) value=(bins) inputmode="numeric" autocomplete="off" size="6";
                }
            }
            @if let Some(place) = place {
                (histogram(opening, domain, column, place))
                p { a href={ "labels-" (number) } { "Names of the categories" span.hidden { " of " (text(&column.name)) } } @if !column.labels.is_empty() { span.soft { " (changed)" } } }
            }
        }
    }
}

fn all_labels(attribute: &AttributeSpec) -> Vec<String> {
    let schema = DomainFile::of(vec![attribute.clone()]).into_schema();
    schema.map(|schema| schema.domain().attributes()[0].labels().to_vec()).unwrap_or_default()
}

/// The name of a field of a column.
fn field(name: &str, number: usize) -> String {
    format!("{name}.{number}")
}

/// What a person calls a category, else its label.
fn named(column: &Column, written: Option<&(String, String)>, label: &str) -> String {
    let name = written.and_then(|(written, _)| column.labels.names.get(written));
    name.map_or_else(|| label.to_owned(), String::clone)
}

/// What the values of a column are, in words.
fn kind_of(attribute: &AttributeSpec) -> &'static str {
    match (&attribute.labels, attribute.size, &attribute.bins) {
        (_, _, Some(_)) => "numbers, in bins",
        (_, Some(_), _) => "integers from 0",
        (Some(labels), ..) if labels.iter().all(|label| number(label).is_some()) => "numbers, each a category",
        _ => "texts",
    }
}

/// The categories of a column with their rows: a view for the owner.
fn histogram(opening: &Opening, domain: &DomainFile, column: &Column, place: usize) -> Markup {
    let Some(counts) = opening.counts.get(place) else { return html! {} };
    let Some(attribute) = domain.attributes.get(place) else { return html! {} };
    let written = pairs(attribute);
    let labels = match written.len() == counts.len() {
        true => written.iter().take(MOST_BARS).map(|(_, name)| name.clone()).collect(),
        // Missing values and pooled categories have labels of their own.
        false => all_labels(attribute),
    };
    let bars = labels.iter().zip(counts).enumerate().take(MOST_BARS).map(|(place, (label, &rows))| Bar {
        label: named(column, written.get(place), label),
        amount: Amount::Exact(rows as f64),
        shown: count(rows as f64),
    });
    let chart = Bars { title: "Rows of each category".to_owned(), axis: "rows".to_owned(), bars: bars.collect() };
    let more = counts.len().saturating_sub(MOST_BARS);
    html! {
        details {
            summary { (counts.len()) @if counts.len() == 1 { " category" } @else { " categories" } ", with their rows" }
            (owner_only(&html! {
                (blocks(&[chart.into()]))
                @if more > 0 { p.soft { "and " (more) " more" } }
            }))
        }
    }
}

fn general(choices: &Choices) -> Markup {
    let is_replace = choices.unit.neighbours == Neighbours::Replace;
    html! {
        h2 { "All columns" }
        fieldset.card {
            legend { "Missing values" }
            div.fields {
                label { "Texts that mark missing values, in addition to the empty field, separated by commas"
                    input name="missing" value=(choices.missing.join(", ")) autocomplete="off" spellcheck="false";
                }
                label.box { input type="checkbox" name="latin1" value="1" checked[choices.is_latin1]; "The file \
                    is encoded in Latin-1 instead of UTF-8" }
            }
        }
        fieldset.card {
            legend { "What is protected" }
            div.fields {
                label { "Neighbouring tables differ by"
                    select name="neighbours" {
                        option value="add-remove" selected[!is_replace] { "a person who is added or removed" }
                        option value="replace" selected[is_replace] { "a person who is replaced; the number of rows is public" }
                    }
                }
                label { "Largest number of rows per person"
                    input name="rows_per_person" value=(choices.unit.rows_per_person) inputmode="numeric" size="6" required;
                }
            }
        }
        fieldset.card {
            legend { "Names and labels" }
            label.box {
                input type="checkbox" name="public" value="1" checked[choices.is_public];
                "I have checked all categories above: their list may be known to anybody, regardless of who is in \
                    the data."
            }
            p.soft { "A list learnt from the data can disclose that someone is in the data. Without your \
                confirmation, nothing with noise is released." }
        }
    }
}

/// Keeps what was chosen; reads the data again if that changes the categories.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let before = app.snapshot();
    let mut choices = before.choices().clone();
    for (number, column) in choices.columns.iter_mut().enumerate() {
        column.treatment = treatment(form, number)?;
    }
    if choices.columns.iter().filter(|column| column.treatment == Treatment::Person).count() > 1 {
        return Err(invalid("treatment", "at most one column can identify the person"));
    }
    choices.missing =
        form.text("missing").split(',').map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned).collect();
    choices.is_latin1 = form.has("latin1");
    choices.is_public = form.has("public");
    let neighbours = if form.text("neighbours") == "replace" { Neighbours::Replace } else { Neighbours::AddRemove };
    let rows_per_person = form.whole("rows_per_person", 1..=MOST_ROWS)?;
    choices.unit = Unit { neighbours, rows_per_person: u32::try_from(rows_per_person).unwrap_or(u32::MAX) };
    // Refused here, and not after the data were read again.
    app.choose(form, |_| Ok(()))?;
    if learnt_by(&choices) != learnt_by(before.choices()) {
        return learn(app, choices);
    }
    if let Some(opening) = before.opening() {
        wanted_domain(opening, &choices)?.into_schema()?;
    }
    app.choose(form, |current| {
        *current = choices;
        Ok(())
    })?;
    Ok(Reply::SeeOther("tables"))
}

fn treatment(form: &Form, number: usize) -> Result<Treatment, JobError> {
    Ok(match form.text(&field("treatment", number)) {
        "values" => Treatment::Values,
        "bins" => Treatment::Bins(edges(form.text(&field("edges", number)))?),
        "quantiles" => Treatment::Quantiles(form.whole(&field("bins", number), 2..=1000)?),
        "person" => Treatment::Person,
        "out" => Treatment::LeftOut,
        _ => return Err(invalid("treatment", "is not in the list")),
    })
}

/// What of the choices decides which categories are learnt.
fn learnt_by(choices: &Choices) -> (bool, Vec<String>, Vec<(String, Treatment)>) {
    let binned = choices.columns.iter().filter(|c| matches!(c.treatment, Treatment::Bins(_) | Treatment::Quantiles(_)));
    let binned = binned.map(|column| (column.name.clone(), column.treatment.clone()));
    (choices.is_latin1, choices.missing.clone(), binned.collect())
}
