//! The data: which file, and what was detected of it.

use std::path::Path;
use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::input::is_address;
use disclosure_report::number::count;
use maud::{Markup, html};

use super::job::after_start;
use super::layout::{Step, owner_only, page as layout_page, revision, text};
use crate::app::{App, Start};
use crate::attributes;
use crate::choices::{Choices, Noise, Relation};
use crate::data::Data;
use crate::folder::{Listing, is_of_engine};
use crate::form::{Form, invalid};
use crate::opening;
use crate::project::Project;
use crate::reply::Reply;

/// Longest address of a database, in bytes.
const LONGEST_ADDRESS: usize = 2000;

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
            "The workbench leads from a table with one row per person to a release. It shows what each choice \
                costs before any budget is spent, and gives you the job file that does the same on the command \
                line."
        }
        (files(app, &project, folder, &listing))
        (databases(app, &project))
    };
    Ok(layout_page(&project, Step::Data, &inside))
}

fn opened(project: &Project) -> Option<Markup> {
    let (opening, data) = (project.opening()?, project.choices().data.as_deref()?);
    let form = opening.form.as_deref().unwrap_or("fields separated by commas, decimal points");
    Some(owner_only(&html! {
        dl {
            dt { "Open" } dd {
                (text(data))
                @match &project.choices().relation {
                    None => {}
                    Some(Relation::Table(table)) => { ", table " (text(table)) }
                    Some(Relation::Query(query)) => { ", the rows of " code { (text(query)) } }
                }
            }
            dt { "Read as" } dd { (text(form)) }
            dt { "Rows" } dd { (count(opening.rows as f64)) }
            dt { "Columns" } dd { (project.choices().columns.len()) }
        }
        p { a.button href="columns" { "Go on to the columns" } }
    }))
}

/// The name of an entry of a folder, relative to the folder that is served.
fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn files(app: &App, project: &Project, folder: &str, listing: &Listing) -> Markup {
    let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
    html! {
        h2 { "Open a table" }
        p.soft {
            @if app.shell.openers.is_empty() { "CSV (also gzip and Zstandard) and XLSX files" }
            @else { "CSV (also gzip and Zstandard), XLSX, Parquet and Arrow files" }
            @if folder.is_empty() { " in the folder where the workbench was started." }
            @else { " in " (text(folder)) "." }
        }
        form method="post" action="folder" {
            ul.files {
                @if !folder.is_empty() {
                    li { button.quiet name="folder" value=(parent) { "↑ the folder above" } }
                }
                @for name in &listing.folders {
                    li { button.quiet name="folder" value=(below(folder, name)) { (text(name)) "/" } }
                }
            }
        }
        form method="post" action="open" {
            (revision(project))
            ul.files {
                @for (name, bytes) in &listing.files {
                    li {
                        @if is_of_engine(name) && app.shell.openers.is_empty() {
                            (text(name)) span.soft { " " (size(*bytes)) ": read by " code { "disclosure-sql serve" } }
                        } @else {
                            button name="data" value=(below(folder, name)) { "Open " (text(name)) }
                            span.soft { " " (size(*bytes)) }
                        }
                    }
                }
            }
        }
        @if !app.shell.openers.is_empty() && !folder.is_empty() && is_one_table(listing) {
            form method="post" action="open" {
                (revision(project))
                p { button name="data" value=(folder) { "Open this folder as one table" } }
            }
        }
        @if listing.files.is_empty() { p { "There are no tables here." } }
        @if listing.is_cut { p.soft { "Further entries are not listed." } }
    }
}

/// Whether a folder may be one table: files of an engine, or folders that name a column.
fn is_one_table(listing: &Listing) -> bool {
    listing.files.iter().any(|(name, _)| is_of_engine(name)) || listing.folders.iter().any(|name| name.contains('='))
}

/// Where the address of a database is typed, or what reads one.
fn databases(app: &App, project: &Project) -> Markup {
    if app.shell.openers.is_empty() {
        return html! {
            p.soft { "Parquet and Arrow files and databases are read by another program, with the same pages: " code { "disclosure-sql serve" } "." }
        };
    }
    html! {
        h2 { "Or connect to a database" }
        form method="post" action="connect" {
            (revision(project))
            fieldset.card {
                legend { "PostgreSQL" }
                div.fields {
                    label.wide-field { "Address, without a password, or a service"
                        input name="address" placeholder="postgres://user@localhost:5432/base" autocomplete="off" spellcheck="false" required;
                    }
                    label { "Table" input name="table" placeholder="people" autocomplete="off" spellcheck="false"; }
                    label.wide-field { "or a query" input name="query" placeholder="SELECT age, sex FROM people" autocomplete="off" spellcheck="false"; }
                }
                p.soft { "Passwords are read from ~/.pgpass or the file named by PGPASSFILE, and services from \
                    ~/.pg_service.conf. Do not enter a password here." }
                p { button { "Connect" } }
            }
        }
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
    if is_address(Path::new(&name)) {
        return Err(invalid("data", "is the name of a file"));
    }
    start_with(app, form, Choices { noise: Some(Noise::default()), data: Some(name), ..Choices::default() })
}

/// Opens a table or a query of a database.
pub(crate) fn connect(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let address = form.text("address").to_owned();
    if !is_address(Path::new(&address)) || address.len() > LONGEST_ADDRESS || address.chars().any(char::is_control) {
        return Err(invalid(
            "address",
            "must have the form postgres://user@localhost:5432/base or postgres:///?service=NAME",
        ));
    }
    let relation = relation(form.text("table"), form.text("query"))?
        .ok_or_else(|| invalid("table", "name a table, or write a query"))?;
    let (data, relation) = (Some(address), Some(relation));
    start_with(app, form, Choices { noise: Some(Noise::default()), data, relation, ..Choices::default() })
}

/// Opens the data of new choices.
fn start_with(app: &Arc<App>, form: &Form, choices: Choices) -> Result<Reply, JobError> {
    // Refused before anything is kept: a name outside of the folder, an address with a password.
    Data::of(app, &choices)?;
    // An older page may not open a file over newer choices.
    app.choose(form, |_| Ok(()))?;
    learn(app, choices)
}

/// What is read of a database, from two texts of which one at most is not empty.
fn relation(table: &str, query: &str) -> Result<Option<Relation>, JobError> {
    match (table, query) {
        ("", "") => Ok(None),
        (table, "") => Ok(Some(Relation::Table(table.to_owned()))),
        ("", query) => Ok(Some(Relation::Query(query.to_owned()))),
        _ => Err(invalid("table", "name a table, or write a query, but not both")),
    }
}

/// Opens the data that the command names: below the folder, or at an address.
///
/// # Errors
/// E0703 for data that are not below the folder; E0714 for an address with a password; E0715 for
/// data that this program cannot read; E0725 for an address without a table or a query.
pub(crate) fn open_at_start(app: &Arc<App>, start: Start<'_>) -> Result<(), JobError> {
    let address = start.data.to_str().filter(|_| is_address(start.data));
    let name = match address {
        Some(address) => address.to_owned(),
        None => app.folder.name_of(start.data)?,
    };
    let relation = relation(start.table.unwrap_or_default().trim(), start.query.unwrap_or_default().trim())?;
    let choices = Choices { data: Some(name), relation, ..Choices::default() };
    Data::of(app, &choices)?;
    if address.is_some() && choices.relation.is_none() {
        let error = JobError::new("E0725", "the address names a database, but no table or query");
        return Err(error.next("add --table NAME, or --query with the SELECT statement whose rows are the data"));
    }
    let project = app.snapshot();
    let kept = project.choices();
    if project.opening().is_some() && (&kept.data, &kept.relation) == (&choices.data, &choices.relation) {
        return Ok(());
    }
    learn(app, choices)?;
    Ok(())
}

/// Reads the data of some choices, and makes them the choices: a job.
///
/// # Errors
/// E0703 for data that are not below the folder, E0708 while another job is under way.
pub(crate) fn learn(app: &Arc<App>, mut choices: Choices) -> Result<Reply, JobError> {
    let data = Data::of(app, &choices)?;
    let handed = Arc::clone(app);
    let work = app.runner.start("Reading the data.", "columns", move |work| {
        let opening = opening::open(&handed, &data, &choices, work)?;
        choices.columns = attributes::columns(&opening, &choices.columns)?;
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
