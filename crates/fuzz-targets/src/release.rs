//! A stored release: a directory of files with a record, as the page reads it.
//!
//! The bytes of the target are the files one after the other, each after a line `== NAME`.

use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::page::{PageLimits, StoredRelease};

/// The line before a file.
const MARK: &[u8] = b"== ";

/// The directory that the bytes stand for.
fn files(bytes: &[u8]) -> MemoryFiles {
    let mut all = MemoryFiles::default();
    let mut file: Option<(String, Vec<u8>)> = None;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match (line.strip_prefix(MARK), &mut file) {
            (Some(name), _) => {
                let name = String::from_utf8_lossy(name).trim_end().to_owned();
                all = file.replace((name, Vec::new())).into_iter().fold(all, |all, (name, text)| all.with(name, text));
            }
            (None, Some((_, text))) => text.extend_from_slice(line),
            (None, None) => {}
        }
    }
    file.into_iter().fold(all, |all, (name, text)| all.with(name, text))
}

/// Reads the release, and lays out its page for both readers.
pub(crate) fn directory(bytes: &[u8]) -> bool {
    let limits = PageLimits { max_lines: 50, ..PageLimits::default() };
    let Ok(release) = StoredRelease::read(&files(bytes), limits) else { return false };
    let page = release.page();
    let public = page.clone().public();
    assert!(!public.has_owner_sections(), "a public page has no section for the owner");
    let _ = disclosure_report::render(&page);
    true
}
