//! Exact tables: which, and when a cell counts as disclosed.

use std::sync::Arc;

use disclosure_jobs::JobError;
use maud::{Markup, html};

use super::layout::{Step, page as layout_page, revision};
use super::sets::{adding, change, removable, ticked};
use crate::app::App;
use crate::attributes::sizes;
use crate::choices::Choices;
use crate::form::{Form, invalid};
use crate::jobfile::wanted;
use crate::parts::{DecideOn, Exact};
use crate::reply::Reply;

/// Most exact tables.
const MOST_MARGINS: usize = 100;
/// Largest width and size that can be asked for.
const MOST: usize = 1_000_000;

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let (Some(opening), Some(exact)) = (project.opening(), &project.choices().exact) else {
        return Ok(Reply::SeeOther(if project.opening().is_some() { "ways" } else { "" }));
    };
    let attributes = sizes(opening, project.choices())?;
    let inside = html! {
        p.lead {
            "Tables without noise. From all of them together, an attacker can compute bounds for every cell. A \
                cell that is known too closely is exposed; the check says why, and withholds what would expose \
                it."
        }
        form method="post" action="exact" {
            (revision(&project))
            fieldset.card {
                legend { "When a cell is disclosed" }
                div.fields {
                    label { "Its count is known to within this many"
                        input name="min_interval_width" value=(exact.min_interval_width) inputmode="numeric" size="6" required;
                    }
                    label { "Smallest number of people that a number may count"
                        input name="min_frequency" value=(exact.min_frequency) inputmode="numeric" size="6" required;
                    }
                }
                fieldset.plain {
                    legend { "What decides which numbers are published" }
                    @for (own, name, title, meaning) in DecideOn::ALL {
                        label.box {
                            input type="radio" name="decide_on" value=(name) checked[exact.decide_on == own];
                            span { strong { (title) } ": " (meaning) }
                        }
                    }
                }
                p { button name="rule" value="1" { "Keep" } }
            }
            (chosen(project.choices(), exact))
            (adding("Add an exact table of these attributes", &attributes))
        }
        p { a.button.main href=(Step::Exact.after(project.choices())) { "Go on" } }
    };
    Ok(layout_page(&project, Step::Exact, &inside))
}

fn chosen(choices: &Choices, exact: &Exact) -> Markup {
    let sets: Vec<&[String]> = wanted(choices, &exact.margins).collect();
    html! {
        @if !sets.is_empty() {
            h2 { "Exact tables" }
            (removable(&sets))
        }
    }
}

/// What a form names as that which decides; what was chosen before where it names nothing.
fn decide_on(form: &Form, before: DecideOn) -> Result<DecideOn, JobError> {
    match form.text("decide_on") {
        "" => Ok(before),
        name => DecideOn::of_name(name).ok_or_else(|| invalid("decide_on", "is not in the list")),
    }
}

/// Keeps what decides, from the page of the check.
pub(crate) fn decide(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    app.choose(form, |choices| {
        let exact = choices.exact.as_mut().ok_or_else(|| invalid("decide_on", "the release has no exact tables"))?;
        exact.decide_on = decide_on(form, exact.decide_on)?;
        Ok(())
    })?;
    Ok(Reply::SeeOther("check"))
}

/// Keeps what was chosen.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let min_interval_width = form.whole("min_interval_width", 0..=MOST)? as u64;
    let min_frequency = form.whole("min_frequency", 0..=MOST)? as u64;
    let added = form.has("add").then(|| ticked(&project, form)).transpose()?;
    app.choose(form, |choices| {
        let mut exact = choices.exact.clone().unwrap_or_default();
        (exact.min_interval_width, exact.min_frequency) = (min_interval_width, min_frequency);
        exact.decide_on = decide_on(form, exact.decide_on)?;
        let shown: Vec<Vec<String>> = wanted(choices, &exact.margins).map(<[String]>::to_vec).collect();
        change(&mut exact.margins, &shown, added, form, MOST_MARGINS)?;
        choices.exact = Some(exact);
        Ok(())
    })?;
    Ok(Reply::SeeOther("exact"))
}
