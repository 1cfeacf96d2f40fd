//! The page of a failure: what is wrong, and what to do.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::error::explanation;
use maud::{Markup, html};

use super::layout::{document, text};
use crate::app::App;
use crate::form::Form;
use crate::reply::Reply;

/// A failure as a note, with its code and the next step.
pub(crate) fn note(error: &JobError) -> Markup {
    html! {
        div.note.bad role="alert" {
            p { strong { (error.code()) } " " (text(error.message())) }
            @if let Some(next) = error.next_step() { p { "Next: " (text(next)) } }
            @if let Some(words) = explanation(error.code()) {
                details { summary { "Why this is refused" } p { (words) } }
            }
        }
    }
}

/// The answer to a request that failed: a page, or a part of one where the script asked for that.
pub(crate) fn reply(app: &Arc<App>, form: &Form, error: &JobError) -> Reply {
    if form.has("fragment") {
        return Reply::Html(note(error));
    }
    let project = app.snapshot();
    let inside = html! {
        (note(error))
        p { "Nothing was changed, drawn or spent." }
        p { a.button href="./" { "Back to the data" } }
    };
    document(Some(&project), None, "Not done", &inside)
}
