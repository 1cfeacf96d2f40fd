//! The releases of the workbench: made by the job whose text is on the disk before it runs, and
//! read again with every digest.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use disclosure_jobs::JobError;
use disclosure_jobs::document::FileDigest;
use disclosure_jobs::input::Files;
use disclosure_jobs::observer::{Observer, during};
use disclosure_jobs::page::{PageLimits, ReleaseDirectory, StoredRelease};
use disclosure_jobs::privacy_data::storage::system;
use disclosure_jobs::privacy_data::{FileOptions, remove_if_there};
use disclosure_jobs::registry::{Registration, RegistryFile};
use disclosure_jobs::secret::read_secret;
use disclosure_jobs::sink::{DirectorySink, StoppableSink};

use crate::app::App;
use crate::command::COMMAND;
use crate::folder::Folder;
use crate::jobfile::{FILTERED, JobFile, file_names, job_file};
use crate::parts::Alone;
use crate::prepare::{Prepared, prepare};
use crate::project::Project;
use crate::reply::MOST_BYTES;
use crate::runner::Work;
use crate::{amounts, reports, synthetic};

/// Most lines of one list on the page of a release: the page stays below the largest answer.
const MOST_LINES: usize = 200;

/// Most bytes of a release that a page reads by itself.
const MOST_AT_ONCE: u64 = 8 << 20;
/// Most releases that are remembered once they were read.
const MOST_READ: usize = 8;

/// The folder of a release.
pub(crate) fn folder_of(folder: &Folder, number: u32) -> PathBuf {
    folder.workbench().join(format!("release-{number}"))
}

/// The numbers of the releases, the newest first. A link is no release: it may lead out.
pub(crate) fn numbers(folder: &Folder) -> Vec<u32> {
    let found = entries(folder).filter(|(_, entry)| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut numbers: Vec<u32> = found.map(|(number, _)| number).collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers
}

/// What has the name of a release, with its number.
fn entries(folder: &Folder) -> impl Iterator<Item = (u32, fs::DirEntry)> {
    let entries = fs::read_dir(folder.workbench()).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let number = entry.file_name().to_str()?.strip_prefix("release-")?.parse().ok()?;
        Some((number, entry))
    })
}

/// The number of the next release.
pub(crate) fn next_number(folder: &Folder) -> u32 {
    entries(folder).map(|(number, _)| number).max().map_or(1, |last: u32| last.saturating_add(1))
}

/// What a page with the button says of the next release, and no page after it was pressed: a
/// release that failed may have been charged, and leaves its number.
pub(crate) fn shown_number(app: &App) -> String {
    format!("{}-{}", next_number(&app.folder), app.attempts.load(Ordering::Relaxed))
}

/// Writes the job of the choices and carries it out: what `disclosure run` does with it. Returns
/// the number of the release. The page with the button said `shown` of it.
///
/// # Errors
/// E0707 for a page that was shown before another release was begun; as [`prepare`] and
/// [`disclosure_jobs::pipeline::Planned::release`]; those of files that cannot be written.
pub(crate) fn release(app: &App, project: &Project, shown: &str, work: &Work) -> Result<u32, JobError> {
    if shown != shown_number(app) {
        let error = JobError::new("E0707", "a release was begun after this page was loaded; nothing was spent again");
        return Err(error.next("look at the releases; to make another one, load the page again"));
    }
    app.attempts.fetch_add(1, Ordering::Relaxed);
    let number = next_number(&app.folder);
    let target = folder_of(&app.folder, number);
    let mut sink = StoppableSink::new(DirectorySink::create(&target)?, work.stop_flag());
    if let Some(alone) = &project.choices().alone {
        let text = job_file(project, number)?;
        write_job(&app.folder, number, &text)?;
        match alone {
            Alone::Rows(_) => synthetic::release(app, project, &text, number, &mut sink, work)?,
            Alone::Reports(_) => reports::release(app, project, &text, &mut sink, work)?,
            Alone::Amounts(_) => amounts::release(app, project, &text, number, &mut sink, work)?,
        }
        return Ok(number);
    }
    let Prepared { planned, mut ledger, mut rng, key, text } = prepare(app, project, number, work)?;
    planned.require_targets()?;
    write_job(&app.folder, number, &text)?;
    if let (Some(key), Some(claim)) = (&key, planned.claim()) {
        let registration = Registration::allowed(!has_drawn(&app.folder, number)?);
        RegistryFile::beside(key).admit(&read_secret(key)?, claim, registration)?;
    }
    let released = during(work, "drawing noise", || planned.release(&mut *ledger, &mut *rng))?;
    released.write(&mut sink, work)?;
    Ok(number)
}

/// Whether a release of the workbench was drawn under its key before: the key had a registry then.
/// A job that cannot be read may have been one that drew.
fn has_drawn(folder: &Folder, number: u32) -> Result<bool, JobError> {
    let files = ReleaseDirectory::open(folder.workbench())?;
    let is_filtered = |before: u32| {
        let job = read(&files, &file_names(before)[0]);
        job.map_or(true, |job| String::from_utf8_lossy(&job).lines().any(|line| line == FILTERED))
    };
    Ok(numbers(folder).into_iter().any(|before| before < number && is_filtered(before)))
}

/// Writes the job of a release and its domain, for the owner alone.
fn write_job(folder: &Folder, number: u32, text: &JobFile) -> Result<(), JobError> {
    let options = FileOptions { for_owner: true, replaces: true };
    for (name, text) in file_names(number).iter().zip([&text.job, &text.domain]) {
        let path = folder.workbench().join(name);
        if text.is_empty() {
            // That of a release that was not made.
            remove_if_there(&system(), &path)?;
            continue;
        }
        options.write_with(&path, |file| file.write_all(text.as_bytes()))?;
    }
    Ok(())
}

/// The names of the job of a release and of its domain file, as far as they are there.
pub(crate) fn job_names(folder: &Folder, number: u32) -> Vec<String> {
    let mut names = file_names(number).to_vec();
    names.retain(|name| fs::symlink_metadata(folder.workbench().join(name)).is_ok_and(|found| found.is_file()));
    names
}

/// The command that makes a release again, as its job file has it.
pub(crate) fn command_of(folder: &Folder, number: u32) -> Option<String> {
    let bytes = read(&ReleaseDirectory::open(folder.workbench()).ok()?, &file_names(number)[0]).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    text.lines().take(2).find_map(|line| line.strip_prefix(COMMAND)).map(str::to_owned)
}

/// A release whose files are as its record says: one that was read before, or a small one, which is
/// read now.
///
/// # Errors
/// E0703 for a release that is not there, E0716 for a large one that was not read yet; as
/// [`StoredRelease::read`].
pub(crate) fn stored(app: &App, number: u32) -> Result<Arc<StoredRelease>, JobError> {
    let known = app.read.lock().unwrap_or_else(PoisonError::into_inner).get(&number).cloned();
    match known {
        Some(known) if numbers(&app.folder).contains(&number) => Ok(known),
        _ if size(&folder_of(&app.folder, number)) <= MOST_AT_ONCE => Ok(Arc::new(read_whole(&app.folder, number)?)),
        _ => Err(JobError::new(
            "E0716",
            "the release is large, and its files have not been compared with their \
                digests yet",
        )
        .next("read the release first; reading can be stopped")),
    }
}

/// Reads a release, compares every file with its digest, and remembers it.
///
/// # Errors
/// As [`stored`].
pub(crate) fn verify(app: &App, number: u32, work: &Work) -> Result<(), JobError> {
    let release = during(work, "comparing digests", || read_whole(&app.folder, number))?;
    let mut read = app.read.lock().unwrap_or_else(PoisonError::into_inner);
    while read.len() >= MOST_READ {
        read.pop_first();
    }
    read.insert(number, Arc::new(release));
    Ok(())
}

fn read_whole(folder: &Folder, number: u32) -> Result<StoredRelease, JobError> {
    if !numbers(folder).contains(&number) {
        return Err(JobError::new("E0703", "no release has this number"));
    }
    let files = ReleaseDirectory::open(folder_of(folder, number))?;
    StoredRelease::read(&files, PageLimits { max_lines: MOST_LINES, ..PageLimits::default() })
}

/// The bytes of all files of a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| size_of(&entry)).sum()
}

fn size_of(entry: &fs::DirEntry) -> u64 {
    match entry.metadata() {
        Ok(found) if found.is_dir() => size(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    }
}

/// A file of a release, by its index in the record; the job and its domain follow behind.
///
/// # Errors
/// As [`stored`]; E0703 for an index without a file, E0711 for a file that is larger than an
/// answer, E0717 for one that is no longer what the record says.
pub(crate) fn file(app: &App, number: u32, index: usize) -> Result<(String, Vec<u8>), JobError> {
    let (release, folder) = (stored(app, number)?, &app.folder);
    let Some(stored) = release.files.get(index) else {
        let names = job_names(folder, number);
        let behind = names.get(index - release.files.len());
        let name = behind.ok_or_else(|| JobError::new("E0703", "the release has no such file"))?;
        return Ok((name.clone(), read(&ReleaseDirectory::open(folder.workbench())?, name)?));
    };
    let files = ReleaseDirectory::open(folder_of(folder, number))?;
    let bytes = read(&files, &stored.entry.path)?;
    match FileDigest::of_bytes("", &bytes).sha256.eq_ignore_ascii_case(&stored.entry.sha256) {
        true => Ok((download_name(number, &stored.entry.path), bytes)),
        false => Err(JobError::new("E0717", "the file no longer matches the record of its release")),
    }
}

fn read(files: &dyn Files, name: &str) -> Result<Vec<u8>, JobError> {
    let mut bytes = Vec::new();
    let shown = files.shown(Path::new(name));
    let file = files.open(Path::new(name))?;
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|source| JobError::reading(&shown, &source))?;
    match bytes.len() > MOST_BYTES {
        true => {
            Err(JobError::new("E0711", "the file is larger than the limit for a response of the workbench")
                .within(&shown))
        }
        false => Ok(bytes),
    }
}

/// What a browser calls a file: no name of a column can act on a header or on a file system.
fn download_name(number: u32, path: &str) -> String {
    let name: String = path.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    format!("release-{number}-{}", name.trim_start_matches(['.', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_downloads_have_nothing_that_acts() {
        assert_eq!(download_name(2, "release/noisy/t01_a.csv"), "release-2-release-noisy-t01-a.csv");
        assert_eq!(download_name(1, "../\"\r\n;é/x.csv"), "release-1-x.csv");
    }
}
