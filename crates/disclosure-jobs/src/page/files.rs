//! The section about files: their digests, and how to verify them.

use disclosure_report::number::count;
use disclosure_report::{Block, Cell, Column, Section, Table, Tone};

use super::record::Entry;
use super::stored::StoredRelease;
use super::words::plural;

/// Every file with its digest. Files for the data owner, and a record that names them, are in a
/// subsection for the owner: nothing else states the digest of the record.
pub(super) fn section(release: &StoredRelease) -> Section {
    let entries = release.files.iter().map(|file| &file.entry);
    let (stay, leave): (Vec<&Entry>, Vec<&Entry>) = entries.partition(|entry| entry.stays);
    let record = (release.record_name.as_str(), release.record_sha256.as_str());
    let checked = format!(
        "{} had exactly these digests when this page was made. Digests cannot reveal a change that was also made in \
         the record and on this page: compare them with a copy from the source.",
        plural(leave.len(), "file", "files"),
    );
    let example = leave.first().map(|entry| entry.path.as_str()).filter(|path| is_plain(path));
    let example = example.unwrap_or(&release.record_name);
    let commands = format!("sha256sum {example}\ndisclosure report DIR -o report.html    # verifies all of them");
    let section = Section::new("Files").text(checked).with(Block::Code(commands));
    match stay.is_empty() {
        true => section.with(folded(&leave, Some(record))),
        false => section
            .with(folded(&leave, None))
            .subsection(Section::owner("Files for the data owner").with(folded(&stay, Some(record)))),
    }
}

/// Whether a path can stand in a command. Readers copy commands, and no path of a record may
/// become one by itself.
fn is_plain(path: &str) -> bool {
    path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte)) && !path.starts_with('-')
}

fn folded(entries: &[&Entry], record: Option<(&str, &str)>) -> Block {
    let table = table(entries, record);
    let summary = format!("{} with their digests", plural(table.rows.len(), "file", "files"));
    Block::Folded { summary, is_open: false, blocks: vec![table.into()] }
}

fn table(entries: &[&Entry], record: Option<(&str, &str)>) -> Table {
    let columns = [Column::words("file"), Column::numbers("bytes"), Column::words("SHA-256")];
    let mut table = Table::new("", columns);
    table.rows = entries.iter().map(|entry| row(&entry.path, count(entry.bytes as f64), &entry.sha256)).collect();
    table.rows.extend(record.map(|(name, digest)| row(name, String::new(), digest)));
    table
}

fn row(path: &str, bytes: String, digest: &str) -> Vec<Cell> {
    vec![Cell::from(path), Cell::from(bytes), Cell::toned(Tone::Machine, digest.to_ascii_lowercase())]
}
