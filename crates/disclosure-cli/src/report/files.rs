//! The section on files: what there is, with digests, and how to compare them.

use disclosure_report::{Block, Cell, Column, Section, Table, Tone};

use super::directory::{Directory, Entry};
use super::record::several;
use crate::display::count;

/// Every file with its digest. The record itself is the last: nothing else holds its digest.
pub(super) fn section(directory: &Directory, entries: &[Entry]) -> Section {
    let row = |path: &str, bytes: String, digest: String| {
        vec![Cell::from(path), Cell::from(bytes), Cell::toned(Tone::Machine, digest)]
    };
    let files =
        entries.iter().map(|entry| row(&entry.path, count(entry.bytes as f64), entry.sha256.to_ascii_lowercase()));
    let table = Table {
        caption: "Every file of the release, with its SHA-256".to_owned(),
        columns: vec![Column::words("file"), Column::numbers("bytes"), Column::words("SHA-256")],
        row_names: 1,
        rows: files.chain([row(directory.name, String::new(), directory.record_sha256())]).collect(),
        left_out: None,
    };
    let checked = format!(
        "{} had exactly these digests when this page was made. {} holds them too; its own digest is here alone. \
         Whoever changes a file, the record and this page alike is not found out by digests: compare with a copy from the source.",
        several(entries.len(), "file", "files"),
        directory.name,
    );
    let example = entries.first().map_or(directory.name, |entry| entry.path.as_str());
    let how = format!("sha256sum {example}\ndisclosure report DIR -o report.html    # compares all of them");
    Section::new("Files").with(Block::Text(checked)).with(Block::Code(how)).with(table)
}
