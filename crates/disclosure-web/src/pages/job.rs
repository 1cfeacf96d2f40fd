//! The page of a job that is under way: its stage, its progress, and a button that stops it.

use std::sync::Arc;
use std::time::Duration;

use disclosure_jobs::JobError;
use maud::{Markup, html};

use super::failure;
use super::layout::{document, text};
use crate::app::App;
use crate::form::Form;
use crate::reply::Reply;
use crate::runner::{Status, Work};

/// How long an answer waits for the end of a job that it started.
const SHORT: Duration = Duration::from_millis(120);

/// The page that follows the start of a job: its own, or that of its result if it is short.
pub(crate) fn after_start(work: &Work) -> Reply {
    work.wait(SHORT);
    match work.status().outcome {
        Some(Ok(())) => Reply::SeeOther(work.next_page),
        _ => Reply::SeeOther("job"),
    }
}

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let inside = match app.runner.current() {
        Some(work) => html! {
            div id="status" data-poll="status" aria-live="polite" { (state(&work)) }
            noscript { p { a href="job" { "Look again" } } }
        },
        None => html! { p { "No job is running." } p { a.button href="./" { "To the data" } } },
    };
    Ok(document(Some(&project), None, "Work", &inside))
}

/// The state of the job, as a part of its page.
pub(crate) fn status(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    Ok(Reply::Html(match app.runner.current() {
        Some(work) => state(&work),
        None => html! { p data-next="./" { "No job is running." } },
    }))
}

/// Asks the job to stop.
pub(crate) fn stop(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    if let Some(work) = app.runner.current() {
        work.stop();
        work.wait(SHORT);
    }
    Ok(Reply::SeeOther("job"))
}

fn state(work: &Work) -> Markup {
    let status = work.status();
    match &status.outcome {
        None => running(work, &status),
        Some(Ok(())) => html! {
            p data-next=(work.next_page) { "Done in " (seconds(status.elapsed)) "." }
            p { a.button href=(work.next_page) { "Go on" } }
            (notes(&status))
        },
        Some(Err(error)) => html! {
            p data-ended { "It ended after " (seconds(status.elapsed)) "." }
            (failure::note(error))
            (notes(&status))
            p { a.button href={ "./" (work.next_page) } { "Back" } }
        },
    }
}

fn running(work: &Work, status: &Status) -> Markup {
    let percent = status.share.map(|share| (share * 100.0).floor());
    html! {
        p { (work.what) }
        @match percent {
            Some(percent) => progress max="100" value=(percent) aria-label="progress of the stage" {},
            None => progress max="100" aria-label="progress of the stage" {},
        }
        p.soft {
            @if status.stage.is_empty() { "starting" } @else { (text(&status.stage)) }
            @if let Some(percent) = percent { ": " (percent) " %" }
            ", " (seconds(status.elapsed))
        }
        (notes(status))
        form method="post" action="stop" { button { "Stop" } }
    }
}

fn notes(status: &Status) -> Markup {
    html! {
        @if !status.notes.is_empty() {
            ul { @for note in &status.notes { li { (text(note)) } } }
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
