//! A stored release: a directory of files with a record, as the page reads it.
//!
//! The bytes of the target are the files one after the other, each after a line `== NAME`.

use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::page::{PageLimits, StoredRelease};

/// The line before a file.
pub(crate) const MARK: &[u8] = b"== ";

/// The files that the bytes stand for, in their order.
pub(crate) fn files_of(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match (line.strip_prefix(MARK), files.last_mut()) {
            (Some(name), _) => files.push((String::from_utf8_lossy(name).trim_end().to_owned(), Vec::new())),
            (None, Some((_, text))) => text.extend_from_slice(line),
            (None, None) => {}
        }
    }
    files
}

/// Reads the release, and lays out its page for both readers.
pub(crate) fn directory(bytes: &[u8]) -> bool {
    let limits = PageLimits { max_lines: 50, ..PageLimits::default() };
    let files = files_of(bytes).into_iter().fold(MemoryFiles::default(), |all, (name, text)| all.with(name, text));
    let Ok(release) = StoredRelease::read(&files, limits) else { return false };
    let page = release.page();
    let public = page.clone().public();
    assert!(!public.has_owner_sections(), "a public page has no section for the owner");
    let _ = disclosure_report::render(&page);
    true
}
