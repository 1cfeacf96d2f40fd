//! The releases: their pages, their files, and the job of each.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::page::StoredRelease;
use disclosure_report::number::count;
use disclosure_report::render;
use maud::{Markup, html};

use super::failure;
use super::job::after_start;
use super::layout::{Step, page as layout_page, text};
use crate::app::App;
use crate::folder::WORKBENCH;
use crate::form::Form;
use crate::releases::{command_of, file, job_names, numbers, stored, verify as read_again};
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
    match stored(app, number) {
        Err(error) if error.has_code("E0716") => unread(number),
        Err(error) => failure::note(&error),
        Ok(stored) => html! {
            p.note.good {
                "Release " (number) " is complete: all " (stored.files_checked()) " files are as the record says. It is in "
                code { (WORKBENCH) "/release-" (number) }
                @match stored.files.iter().any(|file| file.entry.stays) {
                    true => { "; only its folder " code { "release" } " may leave." }
                    false => { "; all of it may leave." }
                }
            }
            p { (reports(number)) }
            @if let Some(command) = command_of(&app.folder, number) {
                h2 { "The same from the command line" }
                pre { code { (text(&command)) } }
            }
            (files(app, number, &stored))
        },
    }
}

/// A large release that was not read yet.
fn unread(number: u32) -> Markup {
    html! {
        p.note { "Release " (number) " is large: its files are compared with their digests before anything is shown." }
        form method="post" action="verify" {
            input type="hidden" name="number" value=(number);
            p { button.main { "Read release " (number) } }
        }
    }
}

/// Reads a release as a job.
pub(crate) fn verify(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let (handed, number) = (Arc::clone(app), number_of(form)?);
    let work = app.runner.start("Reading the release.", "releases", move |work| read_again(&handed, number, work))?;
    Ok(after_start(&work))
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

fn files(app: &App, number: u32, stored: &StoredRelease) -> Markup {
    let entries = stored.files.iter().map(|stored| &stored.entry).enumerate();
    let behind = stored.files.len();
    html! {
        h2 { "Files" }
        form method="post" action="download" {
            input type="hidden" name="number" value=(number);
            ul.files {
                @for (place, name) in job_names(&app.folder, number).iter().enumerate() {
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
        @if stays { " " span.badge.bad { "For the data owner only" } }
    }
}

/// The page of a release as a document of its own.
pub(crate) fn report(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let number = number_of(form)?;
    let stored = match stored(app, number) {
        Err(error) if error.has_code("E0716") => return verify(app, form),
        stored => stored?,
    };
    let page = if form.has("owner") { stored.page() } else { stored.page().public() };
    Ok(Reply::Document(render(&page)))
}

/// A file of a release.
pub(crate) fn download(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let index = form.whole("file", 0..=1_000_000)?;
    let (name, bytes) = file(app, number_of(form)?, index)?;
    Ok(Reply::Download { name, bytes })
}

fn number_of(form: &Form) -> Result<u32, JobError> {
    Ok(u32::try_from(form.whole("number", 0..=1_000_000)?).unwrap_or(u32::MAX))
}
