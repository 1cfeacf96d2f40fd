//! The parts of a workbook: their sizes and their markup are checked before a reader unpacks them.

use std::io::{Cursor, Read};

use privacy_data::{MarkupCounts, MarkupError, MarkupScan};
use zip::{ZipArchive, ZipWriter};

use super::{refused, too_large};
use crate::error::JobError;

/// Largest workbook, by what its parts unpack to.
const MAX_UNPACKED: u64 = 1 << 31;

/// Packed bytes stand for at most as many unpacked ones. Deflate reaches 1,032. Sheets whose cells
/// say where they are reach 10 to 80; without that, a table in which every row is the same reaches
/// 260.
const MAX_RATIO: u64 = 300;

/// Unpacked bytes that are read in any case: within a tenth of a second.
const SMALL: u64 = 1 << 22;

/// Shared strings, beyond one for every cell, that a workbook may keep: programs leave those of
/// cells that were removed.
const UNUSED_STRINGS: u64 = 1 << 18;

/// Folders of parts that say nothing about cells, in small letters.
const SKIPPED: [&str; 6] = ["charts", "customxml", "docprops", "drawings", "externallinks", "pivotcache"];

/// A workbook whose parts are fit to be read.
pub(super) struct CheckedParts {
    /// An archive of those parts alone.
    pub(super) bytes: Vec<u8>,
    /// What they unpack to, in bytes.
    pub(super) unpacked: u64,
}

/// A part, by its place in the archive.
struct Part {
    index: usize,
    is_of_strings: bool,
    packed: u64,
    unpacked: u64,
}

/// Checks what a reader of sheets would unpack, and leaves the rest of the archive out.
///
/// # Errors
/// E0328 for what is no workbook, or a damaged one, E0324 for a text that is too long, E0661 for
/// more of anything than a workbook has.
pub(super) fn check_parts(bytes: Vec<u8>) -> Result<CheckedParts, JobError> {
    let archive = ZipArchive::new(Cursor::new(&bytes[..]));
    let mut archive = archive.map_err(|_| refused("the file is not a workbook (XLSX)"))?;
    let parts = parts_of(&mut archive, bytes.len() as u64)?;
    let unpacked = check_sizes(&parts)?;
    let mut cells = 0;
    for part in &parts {
        cells += scan(&mut archive, part, cells + UNUSED_STRINGS)?.cells;
    }
    let is_whole = parts.len() == archive.len();
    let kept = if is_whole { None } else { Some(archive_of(&mut archive, &parts)?) };
    Ok(CheckedParts { bytes: kept.unwrap_or(bytes), unpacked })
}

fn damaged<E>(_: E) -> JobError {
    refused("the workbook is damaged")
}

/// The parts that a reader of sheets may look at.
fn parts_of(archive: &mut ZipArchive<Cursor<&[u8]>>, file: u64) -> Result<Vec<Part>, JobError> {
    let mut parts = Vec::new();
    for index in 0..archive.len() {
        let Some(name) = archive.name_for_index(index) else { continue };
        let name = name.map_err(damaged)?.replace('\\', "/").to_ascii_lowercase();
        if is_read(&name) {
            let part = archive.by_index_raw(index).map_err(damaged)?;
            let (packed, unpacked) = (part.compressed_size(), part.size());
            parts.push(Part { index, is_of_strings: name.ends_with("sharedstrings.xml"), packed, unpacked });
        }
    }
    // The strings come behind the cells that they are held against.
    parts.sort_by_key(|part| part.is_of_strings);
    // Parts that lie over each other would be unpacked many times.
    let packed = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.packed));
    if packed > file { Err(damaged(())) } else { Ok(parts) }
}

fn is_read(name: &str) -> bool {
    let mut folders = name.split('/');
    let file = folders.next_back().unwrap_or_default();
    (file.ends_with(".xml") || file.ends_with(".rels")) && !folders.any(|folder| SKIPPED.contains(&folder))
}

/// Refuses what would unpack to far more than it is; the size of all parts.
fn check_sizes(parts: &[Part]) -> Result<u64, JobError> {
    let packed = parts.iter().map(|part| part.packed).sum();
    let unpacked = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.unpacked));
    if unpacked > MAX_UNPACKED {
        return Err(too_large("the workbook is larger than 2 GiB unpacked"));
    }
    if swells(packed, unpacked) || parts.iter().any(|part| swells(part.packed, part.unpacked)) {
        return Err(too_large("a part of the workbook unpacks to more than 300 times its size, as no sheet does"));
    }
    Ok(unpacked)
}

fn swells(packed: u64, unpacked: u64) -> bool {
    unpacked > SMALL && unpacked / MAX_RATIO > packed
}

/// Unpacks a part once, some kilobytes at a time.
fn scan(archive: &mut ZipArchive<Cursor<&[u8]>>, part: &Part, max_strings: u64) -> Result<MarkupCounts, JobError> {
    let mut scan = MarkupScan::default();
    // The size that it claims was checked: a byte more, and the claim is wrong.
    let mut left = part.unpacked;
    let mut reader = archive.by_index(part.index).map_err(damaged)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = reader.read(&mut buffer).map_err(damaged)?;
        if read == 0 {
            return scan.finish().map_err(unfit);
        }
        left = left.checked_sub(read as u64).ok_or(()).map_err(damaged)?;
        scan.feed(&buffer[..read]).map_err(unfit)?;
        // Room for the claimed strings is made before any of them is read.
        let counts = scan.counts();
        if counts.strings.max(counts.claimed_strings) > max_strings {
            return Err(too_large("the workbook has many more shared strings than cells"));
        }
    }
}

fn unfit(error: MarkupError) -> JobError {
    match error {
        MarkupError::TextTooLong => JobError::new("E0324", error.to_string()),
        MarkupError::TooManyRows | MarkupError::TooManyFormats | MarkupError::TooManyParts => {
            too_large(error.to_string())
        }
        _ => refused(error.to_string()),
    }
}

/// An archive of some parts, packed as they are: what was not checked cannot be read.
fn archive_of(archive: &mut ZipArchive<Cursor<&[u8]>>, parts: &[Part]) -> Result<Vec<u8>, JobError> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for part in parts {
        let raw = archive.by_index_raw(part.index).map_err(damaged)?;
        writer.raw_copy_file(raw).map_err(damaged)?;
    }
    Ok(writer.finish().map_err(damaged)?.into_inner())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in parts {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(text.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    /// An archive with other four bytes at `offset` of the first entry of its central directory.
    fn with_field(mut archive: Vec<u8>, offset: usize, value: u32) -> Vec<u8> {
        let entry = archive.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
        archive[entry + offset..][..4].copy_from_slice(&value.to_le_bytes());
        archive
    }

    fn code(bytes: Vec<u8>) -> &'static str {
        check_parts(bytes).map(|_| ()).unwrap_err().code()
    }

    #[test]
    fn what_says_nothing_about_cells_is_left_out_unread() {
        let damaged = "<a></b>";
        let sheet = ("xl/worksheets/sheet1.xml", "<a><c/></a>");
        let others = ["xl\\Drawings\\d.xml", "xl/media/i.png", "docProps/app.xml"].map(|name| (name, damaged));
        let all = [&others[..], &[sheet]].concat();
        let checked = check_parts(archive(&all)).unwrap();
        let mut kept = ZipArchive::new(Cursor::new(checked.bytes)).unwrap();
        assert_eq!((kept.len(), checked.unpacked), (1, 11));
        let mut text = String::new();
        kept.by_name(sheet.0).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, sheet.1);
        assert_eq!(code(archive(&[("xl/media/i.xml", damaged)])), "E0328");
    }

    #[test]
    fn sizes_that_are_not_those_of_the_parts_are_refused() {
        let (packed_size, size) = (20, 24);
        let text = format!("<a>{}</a>", "<row/>".repeat(10_000));
        let bytes = archive(&[("a.xml", &text)]);
        assert!(check_parts(bytes.clone()).is_ok());
        assert_eq!(code(with_field(bytes.clone(), size, 1000)), "E0328");
        assert_eq!(code(with_field(bytes.clone(), packed_size, 1 << 20)), "E0328");
        assert_eq!(code(with_field(bytes, size, u32::MAX - 1)), "E0661");
        assert_eq!(code(b"PK\x03\x04".to_vec()), "E0328");
    }

    #[test]
    fn strings_may_be_left_over_from_cells_but_not_without_end() {
        let strings = |number: u64| format!("<sst>{}</sst>", "<si/>".repeat(number as usize));
        let book = |number, cells: &str| archive(&[("xl/sharedStrings.xml", &strings(number)), ("a.xml", cells)]);
        assert!(check_parts(book(UNUSED_STRINGS, "<a/>")).is_ok());
        assert_eq!(code(book(UNUSED_STRINGS + 2, "<a><c/></a>")), "E0661");
        assert!(check_parts(book(UNUSED_STRINGS + 2, "<a><c/><c/></a>")).is_ok());
        let claim = format!("<sst uniqueCount='{}'/>", 1_u64 << 40);
        assert_eq!(code(archive(&[("xl/sharedStrings.xml", &claim)])), "E0661");
    }

    #[test]
    fn only_what_no_sheet_reaches_is_too_much() {
        assert!(!swells(1, SMALL) && !swells(1 << 20, 300 << 20));
        assert!(swells(1, SMALL + 1) && swells(1 << 20, 302 << 20));
    }
}
