//! The releases of the workbench: made by the job whose text is on the disk before it runs, and
//! read again with every digest.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use disclosure_jobs::JobError;
use disclosure_jobs::input::{FileSystem, Files};
use disclosure_jobs::observer::{Observer, during};
use disclosure_jobs::page::{PageLimits, ReleaseDirectory, StoredRelease};
use disclosure_jobs::privacy_data::FileOptions;
use disclosure_jobs::registry::{Registration, RegistryFile};
use disclosure_jobs::secret::read_secret;
use disclosure_jobs::sink::{DirectorySink, StoppableSink};

use crate::app::App;
use crate::folder::Folder;
use crate::jobfile::{JobFile, file_names};
use crate::prepare::{Prepared, prepare};
use crate::project::Project;
use crate::reply::MOST_BYTES;
use crate::runner::Work;

/// Most lines of one list on the page of a release: the page stays below the largest answer.
const MOST_LINES: usize = 200;

/// The folder of a release.
pub(crate) fn folder_of(folder: &Folder, number: u32) -> PathBuf {
    folder.workbench().join(format!("release-{number}"))
}

/// The numbers of the releases, the newest first.
pub(crate) fn numbers(folder: &Folder) -> Vec<u32> {
    let entries = fs::read_dir(folder.workbench()).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut numbers: Vec<u32> = names.filter_map(|name| name.strip_prefix("release-")?.parse().ok()).collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers
}

/// The number of the next release.
pub(crate) fn next_number(folder: &Folder) -> u32 {
    numbers(folder).first().map_or(1, |last| last + 1)
}

/// Writes the job of the choices and carries it out: what `disclosure run` does with it. Returns
/// the number of the release.
///
/// # Errors
/// As [`prepare`] and [`disclosure_jobs::pipeline::Planned::release`]; those of files that cannot
/// be written.
pub(crate) fn release(app: &App, project: &Project, work: &Work) -> Result<u32, JobError> {
    let number = next_number(&app.folder);
    let target = folder_of(&app.folder, number);
    let mut sink = StoppableSink::new(DirectorySink::create(&target)?, work.stop_flag());
    let Prepared { planned, mut ledger, mut rng, key, text } = prepare(app, project, number, work)?;
    planned.require_targets()?;
    write_job(&app.folder, number, &text)?;
    if let (Some(key), Some(claim)) = (&key, planned.claim()) {
        RegistryFile::beside(key).admit(&read_secret(key)?, claim, Registration::IfNone)?;
    }
    let released = during(work, "drawing noise", || planned.release(&mut *ledger, &mut *rng))?;
    released.write(&mut sink, work)?;
    Ok(number)
}

/// Writes the job of a release and its domain, for the owner alone.
fn write_job(folder: &Folder, number: u32, text: &JobFile) -> Result<(), JobError> {
    let options = FileOptions { for_owner: true, replaces: true };
    for (name, text) in file_names(number).iter().zip([&text.job, &text.domain]) {
        options.write_with(&folder.workbench().join(name), |file| file.write_all(text.as_bytes()))?;
    }
    Ok(())
}

/// Reads a release, and compares every file with its digest.
///
/// # Errors
/// E0703 for a release that is not there; as [`StoredRelease::read`].
pub(crate) fn stored(folder: &Folder, number: u32) -> Result<StoredRelease, JobError> {
    if !numbers(folder).contains(&number) {
        return Err(JobError::new("E0703", "no release has this number"));
    }
    let files = ReleaseDirectory::open(folder_of(folder, number))?;
    StoredRelease::read(&files, PageLimits { max_lines: MOST_LINES, ..PageLimits::default() })
}

/// A file of a release, by its index in the record; the job and its domain follow behind.
///
/// # Errors
/// E0703 for an index without a file, E0711 for a file that is larger than an answer.
pub(crate) fn file(folder: &Folder, number: u32, index: usize) -> Result<(String, Vec<u8>), JobError> {
    let release = stored(folder, number)?;
    let Some(stored) = release.files.get(index) else {
        let names = file_names(number);
        let behind = names.get(index - release.files.len());
        let name = behind.ok_or_else(|| JobError::new("E0703", "the release has no such file"))?;
        return Ok((name.clone(), read(&FileSystem::new(folder.workbench()), name)?));
    };
    let files = ReleaseDirectory::open(folder_of(folder, number))?;
    Ok((download_name(number, &stored.entry.path), read(&files, &stored.entry.path)?))
}

fn read(files: &dyn Files, name: &str) -> Result<Vec<u8>, JobError> {
    let mut bytes = Vec::new();
    let shown = files.shown(Path::new(name));
    let file = files.open(Path::new(name))?;
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|source| JobError::reading(&shown, &source))?;
    match bytes.len() > MOST_BYTES {
        true => Err(JobError::new("E0711", "the file is larger than an answer of the workbench").within(&shown)),
        false => Ok(bytes),
    }
}

/// What a browser calls a file: no name of a column can act on a header or on a file system.
fn download_name(number: u32, path: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = path.chars().map(plain).collect();
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
