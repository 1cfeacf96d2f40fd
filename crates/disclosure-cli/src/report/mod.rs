//! `disclosure report DIR -o FILE`: the account of a release on one page.

mod args;

pub(crate) use args::ReportArgs;

use std::path::Path;

use disclosure_jobs::digest::sha256;
use disclosure_jobs::observer::during;
use disclosure_jobs::page::{PageLimits, ReleaseDirectory, StoredRelease};
use disclosure_report::render;
use serde::Serialize;

use crate::error::Failure;
use crate::files::{print, print_json, say};
use crate::observer::Terminal;

/// What was written, for programs.
#[derive(Serialize)]
struct ReportDocument {
    schema: &'static str,
    title: String,
    record: String,
    public: bool,
    /// Whether the page has sections for the data owner.
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
            "the page and --json cannot both go to standard output; name a file with -o",
        ));
    }
    let (document, html) = during(&Terminal, "reading", || page(args))?;
    if is_printed {
        print(html.as_bytes())?;
        if document.has_owner_sections {
            say("The page contains sections for the owner of the data only; --public leaves them out.");
        }
        return Ok(());
    }
    check_output(args, document.has_owner_sections)?;
    let file = match document.has_owner_sections {
        true => args.write.owner_file(&args.output)?,
        false => args.write.file(&args.output)?,
    };
    file.write(html.as_bytes())?;
    if args.json {
        return print_json(&document);
    }
    say_written(args, &document);
    Ok(())
}

fn say_written(args: &ReportArgs, document: &ReportDocument) {
    let kept = match (document.has_owner_sections, args.public) {
        (true, _) => "\nThe page contains sections for the owner of the data only; --public leaves them out.",
        (false, true) => "\nThe sections for the owner of the data were left out.",
        (false, false) => "",
    };
    let files = document.files_checked;
    say(&format!("Wrote {}. All {files} files match their recorded digests.{kept}", args.output.display()));
}

/// Refuses a page that would replace a file of the release, or that would put what is for the
/// owner among the files that leave.
fn check_output(args: &ReportArgs, has_owner_sections: bool) -> Result<(), Failure> {
    let parent = args.output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(root), Ok(parent)) = (args.directory.canonicalize(), parent.canonicalize()) else { return Ok(()) };
    let is_page = args.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html"));
    let leaves = parent.starts_with(root.join("release"));
    match parent.starts_with(&root) && (!is_page || has_owner_sections && leaves) {
        true => Err(Failure::new(
            "E0200",
            "the page would be among the files of the release or replace one; name a file outside the release",
        )),
        false => Ok(()),
    }
}

/// The page as text.
fn page(args: &ReportArgs) -> Result<(ReportDocument, String), Failure> {
    let files = ReleaseDirectory::open(&args.directory)?;
    let limits = PageLimits { max_lines: args.max_lines as usize, ..PageLimits::default() };
    let release = StoredRelease::read(&files, limits).map_err(|failure| failure.within(&args.directory))?;
    let page = if args.public { release.page().public() } else { release.page() };
    let html = render(&page);
    let document = ReportDocument {
        schema: "disclosure.report/1",
        title: page.title.clone(),
        record: release.record.schema().to_owned(),
        public: args.public,
        has_owner_sections: page.has_owner_sections(),
        files_checked: release.files_checked(),
        bytes: html.len(),
        sha256: sha256(html.as_bytes()),
    };
    Ok((document, html))
}
