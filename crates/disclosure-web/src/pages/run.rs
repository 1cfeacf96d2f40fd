//! The run: what will be done, under which promise, and the button that spends the budget.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::accounting::Neighbours;
use disclosure_report::Block;
use maud::{Markup, html};

use super::failure;
use super::job::after_start;
use super::layout::{Step, blocks, page as layout_page, revision, text};
use crate::app::App;
use crate::choices::Choices;
use crate::command::command;
use crate::form::{Form, invalid};
use crate::jobfile::job_text;
use crate::parts::Alone;
use crate::releases::{next_number, release, shown_number, verify};
use crate::reply::Reply;

/// Longest title and name of an owner, in characters.
const LONGEST: usize = 200;

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    if project.opening().is_none() {
        return Ok(Reply::SeeOther(""));
    }
    let choices = project.choices();
    let number = next_number(&app.folder);
    let job = job_text(&project, number);
    let inside = html! {
        p.lead { "The guarantees of the release, and the job that creates it." }
        (promises(choices))
        form method="post" action="run" {
            (revision(&project))
            // Pressed twice, it is one release.
            input type="hidden" name="number" value=(shown_number(app));
            fieldset.card {
                legend { "Title" }
                div.fields {
                    label { "Title of the release" input name="title" value=(choices.title) maxlength=(LONGEST) placeholder=(choices.shown_title()) autocomplete="off"; }
                    label { "Who is responsible for it" input name="owner" value=(choices.owner) maxlength=(LONGEST) autocomplete="off"; }
                }
                p { button name="keep" value="1" { "Keep" } }
            }
            @match &job {
                Ok(_) if !choices.is_public && choices.is_noised() => {
                    p.note.warning {
                        "The categories were learnt from the data. Confirm on the page of the " a href="columns" { "columns" }
                        " that their list may be known to anybody; until then, a release with noise is refused."
                    }
                }
                Ok(_) => {
                    p { button.main name="release" value="1" { "Release" } " " span.soft { "draws the noise and writes the files: it cannot be taken back." } }
                }
                Err(error) => (failure::note(error)),
            }
        }
        @if let Ok(job) = &job {
            h2 { "The same from the command line" }
            pre { code { (text(&command(choices, number))) } }
            details {
                summary { "The job file" }
                (blocks(&[Block::Code(job.clone())]))
            }
        }
    };
    Ok(layout_page(&project, Step::Run, &inside))
}

fn promises(choices: &Choices) -> Markup {
    let unit = match (choices.person().is_some(), choices.unit.rows_per_person) {
        (false, 1) => "a row of the data".to_owned(),
        (_, rows) => format!("a person with at most {rows} rows"),
    };
    let relation =
        if choices.unit.neighbours == Neighbours::Replace { "replaced by another" } else { "added or removed" };
    html! {
        @match &choices.alone {
            Some(Alone::Rows(part)) => div.promise.good {
                p.subject { "Synthetic rows" }
                p.statement { span.badge.good { "Guarantee" } " " (part.rho) "-zCDP for the choice of tables and the noise together" }
                dl {
                    dt { "Protects" } dd { (unit) ", " (relation) }
                    dt { "Against" } dd { "anyone who sees the whole release, whatever else they know" }
                    dt { "Not covered" } dd { "how far the rows are from tables that the job does not name; other releases from the same data, whose costs add up" }
                }
            },
            Some(Alone::Reports(part)) => div.promise.good {
                p.subject { "Randomised answers" }
                p.statement { span.badge.good { "Guarantee" } " local differential privacy, epsilon " (part.epsilon) " for each of " (part.features.len()) " answers" }
                dl {
                    dt { "Protects" } dd { "all answers in a row of the data" }
                    dt { "Against" } dd { "anyone who gets the reports" }
                    dt { "Not covered" } dd { "other reports about the same people, whose epsilons add up; anyone who holds these data" }
                }
            },
            Some(Alone::Amounts(part)) => div.promise.good {
                p.subject { "Table of amounts" }
                p.statement {
                    span.badge.good { "Guarantee" } " no sensitive cell is bounded more closely than the rule allows: "
                    @if let Some(percent) = part.p_percent { "p % with p = " (percent) }
                    @if part.p_percent.is_some() && part.min_frequency.is_some() { "; " }
                    @if let Some(least) = part.min_frequency { "at least " (least) " respondents" }
                }
                dl {
                    dt { "Protects" } dd { "the amount of a respondent in a cell" }
                    dt { "Against" } dd { "readers, and " @if part.coalition == 2 { "any two respondents together" } @else { "every respondent" } ", who also know their own amounts" }
                    dt { "Not covered" } dd { "differential privacy: exact sums have none; which cells are withheld depends on the amounts; other tables about the same respondents" }
                }
            },
            None => {}
        }
        @if let Some(noise) = &choices.noise {
            div.promise.good {
                p.subject { "Tables with noise" }
                p.statement { span.badge.good { "Guarantee" } " at most " (noise.rho) "-zCDP" }
                dl {
                    dt { "Protects" } dd { (unit) ", " (relation) }
                    dt { "Against" } dd { "anyone who sees the whole release, whatever else they know" }
                    dt { "Not covered" } dd { "what follows about groups of people; errors of the data; other releases from the same data, whose costs add up" }
                }
            }
        }
        @if let Some(exact) = &choices.exact {
            div.promise.good {
                p.subject { "Exact tables" }
                p.statement { span.badge.good { "Guarantee" } " no cell is known to within " (exact.min_interval_width) " from the published numbers" }
                dl {
                    dt { "Against" } dd { "anyone who knows these numbers and nothing else about the table" }
                    dt { "Not covered" } dd { "differential privacy: exact numbers have none; an attacker who knows most of the people" }
                }
            }
        }
        @if let Some(filter) = &choices.filter {
            div.promise.good {
                p.subject { "Groups" }
                p.statement { span.badge.good { "Guarantee" } " no group of at most " (filter.bound) " people is shown" }
                p.statement { span.badge.plain { "Calibration" } " what the decision about a group discloses \
                    about one person has known odds" }
                dl { dt { "Not covered" } dd { "several publications with other keys: keep the key file as long \
                    as the data" } }
            }
        }
    }
}

/// Keeps the title, and starts the release where that was asked for.
pub(crate) fn start(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let [title, owner] = ["title", "owner"].map(|name| form.text(name).to_owned());
    if title.chars().count() > LONGEST || owner.chars().count() > LONGEST {
        return Err(invalid("title", "has at most 200 characters"));
    }
    let project = app.choose(form, |choices| {
        (choices.title, choices.owner) = (title, owner);
        Ok(())
    })?;
    if !form.has("release") {
        return Ok(Reply::SeeOther("run"));
    }
    let (handed, number) = (Arc::clone(app), form.text("number").to_owned());
    let work = app.runner.start("Making the release.", "releases", move |work| {
        let number = release(&handed, &project, &number, work)?;
        // A release is there: a stop from here on leaves it, and its page reads it when it is asked for.
        verify(&handed, number, work).or(Ok(()))
    })?;
    Ok(after_start(&work))
}
