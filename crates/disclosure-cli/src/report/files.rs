//! The section on files: what there is, with digests, and how to compare them.

use disclosure_report::{Audience, Block, Cell, Column, Section, Table, Tone};

use super::directory::{Directory, Entry};
use super::record::several;
use crate::display::count;

/// Every file with its digest; those that stay, and a record that names them, in a section for the owner of the data. Nothing
/// else holds the digest of the record.
pub(super) fn section(directory: &Directory, entries: &[Entry]) -> Section {
    let (stay, leave): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|entry| entry.stays);
    let record = (directory.name, directory.record_sha256());
    let is_whole = stay.is_empty();
    let checked = format!(
        "{} had exactly these digests when this page was made. Whoever changes a file, its record and this page alike is not \
         found out by digests: compare with a copy from the source.",
        several(leave.len(), "file", "files"),
    );
    // Words of a command are copied: no path of a record may become one by itself.
    let is_plain = |path: &&str| {
        path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte)) && !path.starts_with('-')
    };
    let example = leave.first().map(|entry| entry.path.as_str()).filter(is_plain).unwrap_or(directory.name);
    let how = format!("sha256sum {example}\ndisclosure report DIR -o report.html    # compares all of them");
    let mut section = Section::new("Files").with(Block::Text(checked)).with(Block::Code(how));
    section.blocks.push(table(&leave, is_whole.then_some(&record)).into());
    if !is_whole {
        let stay = Section::new("Files that stay").with(table(&stay, Some(&record)));
        section.sections.push(Section { audience: Audience::Owner, ..stay });
    }
    section
}

fn table(entries: &[&Entry], record: Option<&(&str, String)>) -> Table {
    let row = |path: &str, bytes: String, digest: &str| {
        vec![Cell::from(path), Cell::from(bytes), Cell::toned(Tone::Machine, digest)]
    };
    let files =
        entries.iter().map(|entry| row(&entry.path, count(entry.bytes as f64), &entry.sha256.to_ascii_lowercase()));
    Table {
        caption: "Every file, with its SHA-256".to_owned(),
        columns: vec![Column::words("file"), Column::numbers("bytes"), Column::words("SHA-256")],
        row_names: 1,
        rows: files.chain(record.map(|(name, digest)| row(name, String::new(), digest))).collect(),
        left_out: None,
    }
}
