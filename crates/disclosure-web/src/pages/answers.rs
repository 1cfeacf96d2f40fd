//! Randomised answers of the data: which columns, at which epsilon, and what the reports will say.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_report::number::{count, short, short_up};
use disclosure_report::{Cell, Column, Table};
use maud::{Markup, html};

use super::budget::{figure, live, or_note, percent};
use super::layout::{Step, blocks, owner_only, page as layout_page, revision, text};
use super::sets::ticked;
use crate::app::App;
use crate::attributes::wanted_attributes;
use crate::form::{Form, invalid};
use crate::parts::{Alone, Reports};
use crate::project::Project;
use crate::reply::Reply;
use crate::reports::ReportsPlan;
use crate::specs::is_reportable;

/// Largest epsilon of an answer.
const MOST_EPSILON: f64 = 20.0;

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let (Some(opening), Some(Alone::Reports(part))) = (project.opening(), &project.choices().alone) else {
        return Ok(Reply::SeeOther(if project.opening().is_some() { "ways" } else { "" }));
    };
    let attributes = wanted_attributes(opening, project.choices())?;
    let inside = html! {
        p.lead {
            "Each answer is randomised separately, and one report per row is published. Anyone who gets the \
                reports learns little about any row, but can estimate how many people gave each answer."
        }
        form method="post" action="answers" data-live="reports-plan" data-target="reports-plan" {
            (revision(&project))
            fieldset.card {
                legend { "Columns of a report" }
                div.choices {
                    @for (number, (_, attribute)) in attributes.iter().enumerate() {
                        @if is_reportable(attribute) {
                            label.box {
                                input type="checkbox" name="attribute" value=(number) checked[part.features.contains(&attribute.name)];
                                (text(&attribute.name))
                            }
                        }
                    }
                }
                p.soft { "Columns with bins, missing values or pooled categories have no list of answers, so they \
                    cannot be reported." }
                div.fields {
                    label { "Epsilon of each answer; the epsilons in a report add up"
                        input name="epsilon" value=(part.epsilon) inputmode="decimal" autocomplete="off" size="8" required;
                    }
                }
                p { button.main { "Keep, and go on" } }
            }
        }
        div id="reports-plan" data-revision=(project.revision()) { (or_note(shown(&project, part))) }
        p { a href="randomised" { "Which protocol to use, and how many people it needs" } }
    };
    Ok(layout_page(&project, Step::Answers, &inside))
}

/// What a form says of the reports.
fn part_of(project: &Project, form: &Form) -> Result<Reports, JobError> {
    let epsilon = form.number("epsilon")?;
    if !(epsilon > 0.0 && epsilon <= MOST_EPSILON) {
        return Err(invalid("epsilon", "must be a number above 0 and at most 20"));
    }
    Ok(Reports { features: ticked(project, form)?, epsilon })
}

/// Keeps the columns and the epsilon.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let part = part_of(&project, form)?;
    ReportsPlan::new(&project, &part)?;
    keep(app, form, part)?;
    Ok(Reply::SeeOther(Step::Answers.after(app.project().choices())))
}

fn keep(app: &Arc<App>, form: &Form, part: Reports) -> Result<Project, JobError> {
    app.choose(form, |choices| match &mut choices.alone {
        Some(Alone::Reports(own)) => {
            *own = part;
            Ok(())
        }
        _ => Err(invalid("ways", "the release has no randomised answers")),
    })
}

/// What the reports will say, as a part of the page; kept where the script says so.
pub(crate) fn plan(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let part = part_of(&app.snapshot(), form)?;
    if form.has("keep") {
        keep(app, form, part.clone())?;
    }
    let project = app.snapshot();
    Ok(live(&project, shown(&project, &part)))
}

fn shown(project: &Project, part: &Reports) -> Result<Markup, JobError> {
    if part.features.is_empty() {
        return Ok(html! { p { "Choose the columns of a report." } });
    }
    ReportsPlan::new(project, part).map(|found| view(&found, part))
}

/// What even odds between two answers become at most.
fn belief(epsilon: f64) -> String {
    percent(1.0 / (1.0 + (-epsilon).exp()))
}

fn view(found: &ReportsPlan, part: &Reports) -> Markup {
    let columns = [Column::words("column"), Column::numbers("answers"), Column::numbers("standard error, people")];
    let mut table = Table::new("Standard error of the number of people with a rare answer", columns);
    table.rows = found
        .columns
        .iter()
        .map(|(name, answers, error)| {
            vec![Cell::from(name.as_str()), count(*answers as f64).into(), short_up(*error).into()]
        })
        .collect();
    html! {
        div.figures aria-live="polite" {
            (figure("epsilon of a report", &short_up(found.epsilon), "all of its answers together"))
            (figure("a belief of 50 % becomes at most", &belief(found.epsilon), "about one row against another"))
            (figure("and about one answer", &belief(part.epsilon), &format!("with epsilon {}", short(part.epsilon))))
        }
        p { span.badge.good { "Guarantee" } " local differential privacy with epsilon " (short_up(found.epsilon)) " for each report." }
        @for words in &found.warnings { p.note.warning { (words) } }
        (owner_only(&html! { (blocks(&[table.into()])) p.soft { "That follows from the number of rows." } }))
    }
}
