//! `disclosure report DIR -o FILE`: the story of a release on one page.
//!
//! A directory is known by its record, `manifest.json` or `release.json`. Nothing is shown before it was compared with its digest.

mod args;
mod directory;
mod error;
mod record;
mod sheet;
mod tables;

mod attacks;
mod contents;
mod files;
mod frechet;
mod resplan;
mod review;
mod run;

pub(crate) use args::ReportArgs;

use std::path::Path;

use disclosure_report::{Page, render};
use privacy_data::write_atomic;
use serde::Serialize;

use crate::digest::sha256;
use crate::error::Failure;
use crate::files::{print, print_json, say};
use crate::progress;
use directory::Directory;
use error::ReportError;

/// What was written, for programs.
#[derive(Serialize)]
struct Written {
    schema: &'static str,
    title: String,
    record: String,
    public: bool,
    /// Whether the page has sections that must stay where the data are.
    has_owner_sections: bool,
    files_checked: usize,
    bytes: usize,
    sha256: String,
}

/// Reads a release, compares every file with its digest, writes the page.
pub(crate) fn run(args: &ReportArgs) -> Result<(), Failure> {
    let is_printed = args.output == Path::new("-");
    if is_printed && args.json {
        return Err(Failure::new(
            "E0200",
            "the page and --json cannot both go to the standard output: name a file with -o",
        ));
    }
    let (written, html) = progress::during("reading", || write(args))?;
    if is_printed {
        print(html.as_bytes())?;
        if written.has_owner_sections {
            say("The page holds sections that must stay where the data are; --public leaves them out.");
        }
        return Ok(());
    }
    check_place(args, written.has_owner_sections)?;
    write_atomic(&args.output, html.as_bytes())?;
    if args.json {
        return print_json(&written);
    }
    let kept = match (written.has_owner_sections, args.public) {
        (true, _) => "\nIt holds sections that must stay where the data are; --public leaves them out.",
        (false, true) => "\nWhat must stay where the data are was left out.",
        (false, false) => "",
    };
    let files = written.files_checked;
    say(&format!("Wrote {}. All {files} files are as the record says.{kept}", args.output.display()));
    Ok(())
}

/// The page replaces no file of the release, and what must stay does not go where things leave.
fn check_place(args: &ReportArgs, has_owner_sections: bool) -> Result<(), Failure> {
    let parent = args.output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(root), Ok(parent)) = (args.directory.canonicalize(), parent.canonicalize()) else { return Ok(()) };
    let is_page = args.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html"));
    let leaves = parent.starts_with(root.join("release"));
    match parent.starts_with(&root) && (!is_page || has_owner_sections && leaves) {
        true => {
            Err(Failure::new("E0200", "the page would join or replace files of the release: name a file elsewhere"))
        }
        false => Ok(()),
    }
}

/// The page as text.
fn write(args: &ReportArgs) -> Result<(Written, String), Failure> {
    let mut directory = Directory::open(&args.directory, args.max_lines as usize)?;
    let page = page(&mut directory, args.public).map_err(|error| error.within(&args.directory))?;
    let html = render(&page);
    let written = Written {
        schema: "disclosure.report/1",
        title: page.title.clone(),
        record: directory.schema.clone(),
        public: args.public,
        has_owner_sections: page.has_owner_sections(),
        files_checked: directory.checked,
        bytes: html.len(),
        sha256: sha256(html.as_bytes()),
    };
    Ok((written, html))
}

fn page(directory: &mut Directory, public: bool) -> Result<Page, ReportError> {
    let page = match directory.schema.as_str() {
        resplan::SCHEMA => resplan::page(directory)?,
        frechet::SCHEMA => frechet::page(directory)?,
        run::SCHEMA | run::RELEASE_SCHEMA => run::page(directory)?,
        _ => return Err(ReportError::OtherRecord),
    };
    Ok(if public { page.public() } else { page })
}
