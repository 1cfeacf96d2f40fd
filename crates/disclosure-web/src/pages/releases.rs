//! The releases: their pages, their files, and the job of each.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::page::StoredRelease;
use disclosure_report::number::count;
use disclosure_report::render;
use maud::{Markup, html};

use super::failure;
use super::layout::{Step, page as layout_page, text};
use crate::app::App;
use crate::folder::WORKBENCH;
use crate::form::Form;
use crate::jobfile::{command, file_names};
use crate::releases::{file, numbers, stored};
use crate::reply::Reply;

/// Most files that are listed.
const MOST_FILES: usize = 300;
/// Most releases that are listed.
const MOST_RELEASES: usize = 100;

/// The page: the newest release with its files, and the others.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let numbers = numbers(&app.folder);
    let inside = match numbers.split_first() {
        None => html! { p { "No release was made yet." } },
        Some((newest, others)) => html! {
            (release(app, *newest))
            @if !others.is_empty() {
                h2 { "Earlier releases" }
                p { "Their costs add up." }
                ul.files {
                    @for number in others.iter().take(MOST_RELEASES) { li { "Release " (number) " " (reports(*number)) } }
                }
            }
        },
    };
    Ok(layout_page(&project, Step::Releases, &inside))
}

fn release(app: &Arc<App>, number: u32) -> Markup {
    match stored(&app.folder, number) {
        Err(error) => failure::note(&error),
        Ok(stored) => html! {
            p.note.good {
                "Release " (number) " is complete: all " (stored.files_checked()) " files are as the record says. It is in "
                code { (WORKBENCH) "/release-" (number) } "; only its folder " code { "release" } " may leave."
            }
            p { (reports(number)) }
            h2 { "The same from the command line" }
            pre { code { (command(app.project().choices(), number)) } }
            (files(number, &stored))
        },
    }
}

/// Buttons to the page of a release.
fn reports(number: u32) -> Markup {
    html! {
        form.inline method="post" action="report" target="_blank" {
            input type="hidden" name="number" value=(number);
            button name="public" value="1" { "The page that may leave" }
            " "
            button name="owner" value="1" { "The page for the owner" }
        }
    }
}

fn files(number: u32, stored: &StoredRelease) -> Markup {
    let entries = stored.files.iter().map(|stored| &stored.entry).enumerate();
    let behind = stored.files.len();
    html! {
        h2 { "Files" }
        form method="post" action="download" {
            input type="hidden" name="number" value=(number);
            ul.files {
                @for (place, name) in file_names(number).iter().enumerate() {
                    li { (file_button(behind + place, name, None, true)) }
                }
                @for (index, entry) in entries.take(MOST_FILES) {
                    li { (file_button(index, &entry.path, Some(entry.bytes), entry.stays)) }
                }
            }
        }
        @if behind > MOST_FILES { p.soft { "and " (behind - MOST_FILES) " more in the folder" } }
    }
}

fn file_button(index: usize, name: &str, bytes: Option<u64>, stays: bool) -> Markup {
    html! {
        button.quiet name="file" value=(index) { "Download " (text(name)) }
        @if let Some(bytes) = bytes { span.soft { " " (count(bytes as f64)) " bytes" } }
        @if stays { " " span.badge.bad { "Stays where the data are" } }
    }
}

/// The page of a release as a document of its own.
pub(crate) fn report(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let stored = stored(&app.folder, number_of(form)?)?;
    let page = if form.has("owner") { stored.page() } else { stored.page().public() };
    Ok(Reply::Document(render(&page)))
}

/// A file of a release.
pub(crate) fn download(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let index = form.whole("file", 0..=1_000_000)?;
    let (name, bytes) = file(&app.folder, number_of(form)?, index)?;
    Ok(Reply::Download { name, bytes })
}

fn number_of(form: &Form) -> Result<u32, JobError> {
    Ok(u32::try_from(form.whole("number", 0..=1_000_000)?).unwrap_or(u32::MAX))
}
