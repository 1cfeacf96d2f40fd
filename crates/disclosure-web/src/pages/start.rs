//! The data: which file, and what was detected of it.

use std::path::Path;
use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_report::number::count;
use maud::{Markup, html};

use super::job::after_start;
use super::layout::{Step, owner_only, page as layout_page, revision, text};
use crate::app::App;
use crate::choices::{Choices, Noise};
use crate::folder::Listing;
use crate::form::Form;
use crate::opening;
use crate::project::Project;
use crate::reply::Reply;

/// The first page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    in_folder(app, "")
}

/// The first page with another folder.
pub(crate) fn list(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    in_folder(app, form.verbatim("folder"))
}

fn in_folder(app: &Arc<App>, folder: &str) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let listing = app.folder.list(folder)?;
    let inside = html! {
        @if let Some(opened) = opened(&project) { (opened) }
        p.lead {
            "This takes a table with a row for each person to a release: it shows what each choice costs before \
             anything is spent, and ends with the job file that does the same from the command line."
        }
        (files(&project, folder, &listing))
    };
    Ok(layout_page(&project, Step::Data, &inside))
}

fn opened(project: &Project) -> Option<Markup> {
    let (opening, data) = (project.opening()?, project.choices().data.as_deref()?);
    let form = opening.form.as_deref().unwrap_or("fields separated by commas, decimal points");
    Some(owner_only(&html! {
        dl {
            dt { "Open" } dd { (text(data)) }
            dt { "Read as" } dd { (text(form)) }
            dt { "Rows" } dd { (count(opening.rows as f64)) }
            dt { "Columns" } dd { (project.choices().columns.len()) }
        }
        p { a.button href="columns" { "Go on to the columns" } }
    }))
}

fn files(project: &Project, folder: &str, listing: &Listing) -> Markup {
    let below = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
    html! {
        h2 { "Open a table" }
        p.soft {
            "CSV (gzip and Zstandard too) and XLSX files"
            @if folder.is_empty() { " in the folder that the workbench was started in." }
            @else { " in " (text(folder)) "." }
        }
        form method="post" action="folder" {
            ul.files {
                @if !folder.is_empty() {
                    li { button.quiet name="folder" value=(parent) { "↑ the folder above" } }
                }
                @for name in &listing.folders {
                    li { button.quiet name="folder" value=(below(name)) { (text(name)) "/" } }
                }
            }
        }
        form method="post" action="open" {
            (revision(project))
            ul.files {
                @for (name, bytes) in &listing.files {
                    li {
                        button name="data" value=(below(name)) { "Open " (text(name)) }
                        span.soft { " " (size(*bytes)) }
                    }
                }
            }
        }
        @if listing.files.is_empty() { p { "No table is here." } }
        @if listing.is_cut { p.soft { "More entries are not listed." } }
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.0} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Opens a file: a job that is seldom long.
pub(crate) fn open(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let name = form.verbatim("data").to_owned();
    app.folder.file(&name)?;
    // An older page may not open a file over newer choices.
    app.choose(form, |_| Ok(()))?;
    let choices = Choices { noise: Some(Noise::default()), data: Some(name), ..Choices::default() };
    learn(app, choices)
}

/// Opens the data that the command names.
///
/// # Errors
/// E0703 for data that are not below the folder.
pub(crate) fn open_at_start(app: &Arc<App>, data: &Path) -> Result<(), JobError> {
    let name = app.folder.name_of(data)?;
    if app.project().choices().data.as_deref() == Some(&name) && app.project().opening().is_some() {
        return Ok(());
    }
    learn(app, Choices { data: Some(name), ..Choices::default() })?;
    Ok(())
}

/// Reads the data of some choices, and makes them the choices: a job.
///
/// # Errors
/// E0703 for data that are not below the folder, E0708 while another job is under way.
pub(crate) fn learn(app: &Arc<App>, mut choices: Choices) -> Result<Reply, JobError> {
    let name = choices.data.clone().unwrap_or_default();
    let path = app.folder.file(&name)?;
    let handed = Arc::clone(app);
    let work = app.runner.start("Reading the data.", "columns", move |work| {
        let opening = opening::open(&path, &name, &choices, work)?;
        choices.columns = opening::columns(&opening, &choices.columns)?;
        handed.conclude(|project| {
            choices.opened = Some(project.add_opening(opening));
            project.apply(choices);
            Ok(())
        })
    })?;
    Ok(after_start(&work))
}

/// Goes back to the state before.
pub(crate) fn undo(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    moved(app, form, Project::undo)
}

/// Goes on to the state after.
pub(crate) fn redo(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    moved(app, form, Project::redo)
}

fn moved(app: &Arc<App>, form: &Form, step: fn(&mut Project)) -> Result<Reply, JobError> {
    app.change(form, |project| {
        step(project);
        Ok(())
    })?;
    let is_open = app.project().opening().is_some();
    let page = Step::known_address(form.text("page")).filter(|(step, _)| is_open || !step.needs_data());
    Ok(Reply::SeeOther(page.map_or("", |(_, address)| address)))
}
