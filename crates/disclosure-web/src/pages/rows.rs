//! Synthetic rows: their budget, and what is known before it is spent, live.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::budget::EpsilonAtDelta;
use disclosure_report::number::{count, short, short_up};
use maud::{Markup, html};

use super::budget::{bytes, figure, live, or_note, percent, rho_of, slider};
use super::layout::{Step, page as layout_page, revision, text};
use super::ways::or_empty;
use crate::app::App;
use crate::form::{Form, invalid};
use crate::parts::{Alone, SyntheticRows};
use crate::project::Project;
use crate::reply::Reply;
use crate::synthetic::RowsTradeOff;

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let (Some(_), Some(Alone::Rows(part))) = (project.opening(), &project.choices().alone) else {
        return Ok(Reply::SeeOther(if project.opening().is_some() { "ways" } else { "" }));
    };
    let inside = html! {
        p.lead {
            "Rows that resemble the data but describe no real person. They are fitted to the tables that you \
                chose; the tables to measure are selected under the budget, where a model of the earlier ones \
                errs most."
        }
        form method="post" action="rows" data-live="rows-trade-off" data-target="trade-off" {
            (revision(&project))
            fieldset.card {
                legend { "Budget of selection and noise together" }
                div.fields {
                    (slider(part.rho))
                    label { "Largest number of rounds; leave empty for 16 per attribute"
                        input name="rounds" value=(or_empty(part.rounds)) inputmode="numeric" autocomplete="off" size="8";
                    }
                    label { "Number of rows; leave empty for the measured number of people"
                        input name="rows" value=(or_empty(part.rows)) inputmode="numeric" autocomplete="off" size="10";
                    }
                }
                p { button { "Keep" } " " a.button.main href=(Step::Rows.after(project.choices())) { "Go on" } }
            }
        }
        div id="trade-off" data-revision=(project.revision()) { (or_note(shown(&project, part))) }
    };
    Ok(layout_page(&project, Step::Rows, &inside))
}

/// What a form says of the rows.
fn part_of(form: &Form) -> Result<SyntheticRows, JobError> {
    Ok(SyntheticRows {
        rho: rho_of(form)?,
        rounds: optional(form, "rounds", 100_000)?,
        rows: optional(form, "rows", 100_000_000)?,
    })
}

/// A whole number from 1; `None` for an empty field.
fn optional(form: &Form, name: &str, most: usize) -> Result<Option<u32>, JobError> {
    match form.text(name) {
        "" => Ok(None),
        _ => {
            let number = form.whole(name, 1..=most)?;
            u32::try_from(number).map(Some).map_err(|_| invalid(name, "is out of range"))
        }
    }
}

/// Keeps the budget.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    keep(app, form, part_of(form)?)?;
    Ok(Reply::SeeOther("rows"))
}

fn keep(app: &Arc<App>, form: &Form, part: SyntheticRows) -> Result<Project, JobError> {
    app.choose(form, |choices| match &mut choices.alone {
        Some(Alone::Rows(own)) => {
            *own = part;
            Ok(())
        }
        _ => Err(invalid("ways", "the release has no synthetic rows")),
    })
}

/// The trade-off at a budget, as a part of the page; kept where the script says so.
pub(crate) fn trade_off(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let part = part_of(form)?;
    if form.has("keep") {
        keep(app, form, part.clone())?;
    }
    let project = app.snapshot();
    Ok(live(&project, shown(&project, &part)))
}

fn shown(project: &Project, part: &SyntheticRows) -> Result<Markup, JobError> {
    RowsTradeOff::new(project, part).map(|found| view(&found))
}

fn view(found: &RowsTradeOff) -> Markup {
    let plan = &found.plan;
    let epsilons: Vec<String> = plan.epsilon_at_delta.iter().map(EpsilonAtDelta::statement).collect();
    html! {
        div aria-live="polite" {
            div.figures {
                (figure("an attacker guesses right", &percent(found.guess), "at most, whether one person is in the data; 50 % is chance"))
                (figure("first tables", &format!("± {}", short(1.96 * plan.first_sd)), "counts, 95 % of the numbers; later ones have less noise"))
                (figure("tables to choose from", &count(plan.candidates as f64), &format!("at most {} rounds, {} of memory", count(f64::from(plan.rounds)), bytes(plan.memory_bytes))))
            }
            p { span.badge.good { "Guarantee" } " " (text(&plan.promise.guarantee)) @for words in &epsilons { ", " (words) } }
        }
        @for words in &found.warnings { p.note.warning { (words) } }
        h2 { "What is known before the run" }
        dl {
            dt { "To be accurate" } dd { (count(plan.marginals.len() as f64)) " tables" }
            dt { "First choices" } dd { "with epsilon " (short_up(plan.first_epsilon)) " each" }
            dt { "Model" } dd { "at most " (count(plan.model_cells)) " cells" }
            dt { "Known afterwards" } dd { "which tables were measured, and how far the rows are at most from every table of the job: on the page of the release" }
            dt { "Never known" } dd { "how far the rows are from tables that the job does not name" }
        }
    }
}
