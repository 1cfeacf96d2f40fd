//! Where a job writes: named files that appear together, or not at all.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disclosure::privacy_core::stop::StopFlag;
use privacy_data::storage::{StorageRef, system};
use privacy_data::{FileOptions, OutputDir};
use serde::Serialize;

use crate::digest::DigestWriter;
use crate::document::{FileDigest, json_of};
use crate::error::JobError;
use crate::lock::lock_of;

/// Writes the content of one file.
pub type WriteContent<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Takes named files and commits them once. Names have `/` between folders.
///
/// Until [`commit`](Sink::commit) nothing is visible; a sink that is dropped before leaves
/// nothing behind.
pub trait Sink {
    /// Writes one file piece by piece.
    ///
    /// # Errors
    /// E0103 and its kin when the file cannot be written; drop the sink then.
    fn write_with(&mut self, name: &str, write: WriteContent<'_>) -> Result<FileDigest, JobError>;

    /// Declares that a file, or a folder with everything in it, is for the owner of the data alone,
    /// before it is written. A sink that cannot keep it from others does nothing.
    fn keep_for_owner(&mut self, _name: &str) {}

    /// Makes all files visible. Nothing is written afterwards.
    ///
    /// # Errors
    /// E0103 and its kin: the place is then as it was before. E0121: it is the new one.
    fn commit(&mut self) -> Result<(), JobError>;

    /// Writes one file.
    ///
    /// # Errors
    /// As [`write_with`](Sink::write_with).
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<FileDigest, JobError> {
        self.write_with(name, &mut |file| file.write_all(bytes))
    }
}

/// Refuses a file that a job keeps, such as its ledger, or the lock of one, within the directory
/// that it makes: the file would be there first, and the directory not empty when the job is paid
/// for.
///
/// # Errors
/// E0111.
pub fn check_outside(output: &Path, kept: &[&Path]) -> Result<(), JobError> {
    let output = whole(output);
    match with_locks(kept).find(|path| whole(path).starts_with(&output)) {
        None => Ok(()),
        Some(path) => {
            let message = format!("{} is within the directory that the job makes", path.display());
            Err(JobError::new("E0111", message).next("name a file outside of it"))
        }
    }
}

/// Refuses an output in the place of a file that the job keeps or reads, such as its key, or of the
/// lock of one: the job would replace it, where it may replace a file at all.
///
/// # Errors
/// E0200.
pub fn check_apart(output: Option<&Path>, kept: &[&Path]) -> Result<(), JobError> {
    let Some(output) = output.map(whole) else { return Ok(()) };
    match with_locks(kept).find(|path| whole(path) == output) {
        None => Ok(()),
        Some(path) => {
            let message = format!("{} is both an output and a file that the job keeps or reads", path.display());
            Err(JobError::new("E0200", message).next("choose two files"))
        }
    }
}

/// Files that are kept, each with what says that somebody writes it.
fn with_locks(kept: &[&Path]) -> impl Iterator<Item = PathBuf> {
    kept.iter().flat_map(|path| [path.to_path_buf(), lock_of(path)])
}

/// A path from the root, its existing part without links.
fn whole(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
    known.map_or_else(|| path.clone(), |(part, real)| real.join(path.strip_prefix(part).unwrap_or(&path)))
}

/// Writes one JSON document to a sink.
///
/// # Errors
/// As [`Sink::write_with`].
pub fn write_json(sink: &mut dyn Sink, name: &str, document: &impl Serialize) -> Result<FileDigest, JobError> {
    sink.write(name, &json_of(document))
}

/// A sink whose files stand in a folder of another sink, which commits for it.
pub struct FolderSink<'a> {
    sink: &'a mut dyn Sink,
    folder: &'a str,
}

impl<'a> FolderSink<'a> {
    /// Files go to `folder` of `sink`.
    pub fn new(sink: &'a mut dyn Sink, folder: &'a str) -> Self {
        Self { sink, folder }
    }
}

impl std::fmt::Debug for FolderSink<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FolderSink").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Sink for FolderSink<'_> {
    fn write_with(&mut self, name: &str, write: WriteContent<'_>) -> Result<FileDigest, JobError> {
        let written = self.sink.write_with(&format!("{}/{name}", self.folder), write)?;
        Ok(FileDigest { name: name.to_owned(), ..written })
    }

    fn keep_for_owner(&mut self, name: &str) {
        self.sink.keep_for_owner(&format!("{}/{name}", self.folder));
    }

    fn commit(&mut self) -> Result<(), JobError> {
        Ok(())
    }
}

/// A sink that ends a job whose flag is set: nothing is written from then on, and nothing is
/// committed.
///
/// ```
/// use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
/// use disclosure_jobs::sink::{MemorySink, Sink, StoppableSink};
///
/// let stop = StopFlag::new();
/// let mut sink = StoppableSink::new(MemorySink::default(), stop.clone());
/// sink.write("a.csv", b"a\n")?;
/// stop.set(); // from a signal handler, another thread, a closed connection
/// assert!(sink.commit().is_err());
/// # Ok::<(), disclosure_jobs::error::JobError>(())
/// ```
pub struct StoppableSink<S> {
    sink: S,
    stop: StopFlag,
}

impl<S: Sink> StoppableSink<S> {
    /// Writes to `sink` until `stop` is set.
    pub fn new(sink: S, stop: StopFlag) -> Self {
        Self { sink, stop }
    }

    fn check(&self) -> Result<(), JobError> {
        if self.stop.is_set() { Err(JobError::stopped()) } else { Ok(()) }
    }
}

impl<S> std::fmt::Debug for StoppableSink<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoppableSink").field("stop", &self.stop).finish_non_exhaustive()
    }
}

impl<S: Sink> Sink for StoppableSink<S> {
    fn write_with(&mut self, name: &str, write: WriteContent<'_>) -> Result<FileDigest, JobError> {
        self.check()?;
        let stop = &self.stop;
        let written = self.sink.write_with(name, &mut |file| write(&mut StoppableWriter { file, stop }));
        // A write that the flag ended is no failure of the disk.
        self.check().and(written)
    }

    fn keep_for_owner(&mut self, name: &str) {
        self.sink.keep_for_owner(name);
    }

    fn commit(&mut self) -> Result<(), JobError> {
        self.check()?;
        self.sink.commit()
    }
}

struct StoppableWriter<'a> {
    file: &'a mut dyn Write,
    stop: &'a StopFlag,
}

impl Write for StoppableWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stop.is_set() { Err(io::Error::other("stopped")) } else { self.file.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A directory of the file system, which appears in one step.
#[derive(Debug)]
pub struct DirectorySink(Option<OutputDir>);

impl DirectorySink {
    /// Prepares a directory that will be at `target`; nothing is there until the commit.
    ///
    /// # Errors
    /// E0111 to E0114 for a target that cannot be used, E0103 when its parent cannot be written.
    pub fn create(target: &Path) -> Result<Self, JobError> {
        Self::create_on(&system(), target)
    }

    /// The same on another storage than the file system of the machine.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_on(storage: &StorageRef, target: &Path) -> Result<Self, JobError> {
        Ok(Self(Some(OutputDir::create_on(storage, target)?)))
    }
}

impl Sink for DirectorySink {
    fn write_with(&mut self, name: &str, write: WriteContent<'_>) -> Result<FileDigest, JobError> {
        let directory = self.0.as_mut().ok_or_else(committed)?;
        let mut folders: Vec<&str> = name.split('/').collect();
        let last = folders.pop().unwrap_or_default();
        directory.enter(&folders)?;
        let mut digest = None;
        directory.write_with(last, |file| {
            let mut file = DigestWriter::new(file);
            write(&mut file)?;
            digest = Some(file.finish());
            Ok(())
        })?;
        let (sha256, bytes) = digest.expect("a file that was written has a digest");
        Ok(FileDigest { name: name.to_owned(), sha256, bytes })
    }

    /// Files have mode 0600 and folders 0700 where the system has modes.
    fn keep_for_owner(&mut self, name: &str) {
        if let Some(directory) = &mut self.0 {
            directory.keep_for_owner(name);
        }
    }

    fn commit(&mut self) -> Result<(), JobError> {
        Ok(self.0.take().ok_or_else(committed)?.commit()?)
    }
}

fn committed() -> JobError {
    JobError::new("E0103", "the output was committed already")
}

/// One file of the file system, which appears in one step by the first write: there is nothing to
/// commit.
#[derive(Debug)]
pub struct FileSink {
    storage: StorageRef,
    target: PathBuf,
    options: FileOptions,
    is_written: bool,
}

impl FileSink {
    /// The file at `target`; the names of what is written do not matter.
    ///
    /// # Errors
    /// E0117 for a file that is there and may not be replaced; E0103, E0112 to E0114 for a target
    /// that cannot be used.
    pub fn new(target: &Path, options: FileOptions) -> Result<Self, JobError> {
        Self::new_on(&system(), target, options)
    }

    /// The same on another storage than the file system of the machine.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn new_on(storage: &StorageRef, target: &Path, options: FileOptions) -> Result<Self, JobError> {
        options.check_on(storage, target)?;
        Ok(Self { storage: Arc::clone(storage), target: target.to_owned(), options, is_written: false })
    }
}

impl Sink for FileSink {
    fn write_with(&mut self, name: &str, write: WriteContent<'_>) -> Result<FileDigest, JobError> {
        if std::mem::replace(&mut self.is_written, true) {
            return Err(JobError::new("E0116", "a single file was already written"));
        }
        let mut digest = None;
        self.options.write_on(&self.storage, &self.target, |file| {
            let mut file = DigestWriter::new(file);
            write(&mut file)?;
            digest = Some(file.finish());
            Ok(())
        })?;
        let (sha256, bytes) = digest.expect("a file that was written has a digest");
        Ok(FileDigest { name: name.to_owned(), sha256, bytes })
    }

    fn commit(&mut self) -> Result<(), JobError> {
        Ok(())
    }
}

/// Files in memory.
///
/// ```
/// use disclosure_jobs::sink::{MemorySink, Sink};
///
/// let mut sink = MemorySink::default();
/// sink.write("tables/age.csv", b"age,value\n")?;
/// assert!(sink.files().is_empty()); // nothing is visible before the commit
/// sink.commit()?;
/// assert_eq!(sink.files()["tables/age.csv"], b"age,value\n");
/// # Ok::<(), disclosure_jobs::error::JobError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemorySink {
    partial: BTreeMap<String, Vec<u8>>,
    files: BTreeMap<String, Vec<u8>>,
}

impl MemorySink {
    /// The files that were committed, by their names.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }
}

impl Sink for MemorySink {
    fn write_with(&mut self, name: &str, write: WriteContent<'_>) -> Result<FileDigest, JobError> {
        if self.partial.contains_key(name) {
            return Err(JobError::new("E0116", "a file with this name was already written to the output"));
        }
        let mut bytes = Vec::new();
        let written = write(&mut bytes);
        written.map_err(|source| JobError::new("E0103", format!("could not write {name}: {source}")))?;
        let digest = FileDigest::of_bytes(name, &bytes);
        self.partial.insert(name.to_owned(), bytes);
        Ok(digest)
    }

    fn commit(&mut self) -> Result<(), JobError> {
        self.files.append(&mut self.partial);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(sink: &mut dyn Sink) -> [FileDigest; 2] {
        let first = sink.write("a.csv", b"abc").unwrap();
        let second = FolderSink::new(sink, "deep/er").write("b.csv", b"").unwrap();
        [first, second]
    }

    #[test]
    fn a_directory_and_memory_hold_the_same_files() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("out");
        let (mut directory, mut memory) = (DirectorySink::create(&target).unwrap(), MemorySink::default());
        assert_eq!(fill(&mut directory), fill(&mut memory));
        assert!(!target.exists() && memory.files().is_empty(), "nothing is visible before the commit");
        directory.commit().unwrap();
        memory.commit().unwrap();
        for (name, bytes) in memory.files() {
            assert_eq!(&std::fs::read(target.join(name)).unwrap(), bytes);
        }
        assert_eq!(memory.files().keys().collect::<Vec<_>>(), ["a.csv", "deep/er/b.csv"]);
        assert!(directory.write("c", b"").is_err() && directory.commit().is_err());
    }

    #[test]
    fn a_single_file_is_written_once_and_whole() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("a.json");
        let mut sink = FileSink::new(&target, FileOptions::default()).unwrap();
        let digest = sink.write("a", b"abc").unwrap();
        assert_eq!((std::fs::read(&target).unwrap(), digest), (b"abc".to_vec(), FileDigest::of_bytes("a", b"abc")));
        assert!(sink.write("a", b"x").unwrap_err().has_code("E0116"));
        assert!(FileSink::new(&target, FileOptions::default()).unwrap_err().has_code("E0117"));
        let mut again = FileSink::new(&target, FileOptions { replaces: true, ..FileOptions::default() }).unwrap();
        again.write("a", b"new").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_for_the_owner_cannot_be_read_by_others() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("out");
        let mut sink = StoppableSink::new(DirectorySink::create(&target).unwrap(), StopFlag::never());
        sink.keep_for_owner("review");
        sink.keep_for_owner("manifest.json");
        let names = ["review/audit.json", "review/deep/er.json", "manifest.json", "release/a.csv"];
        names.iter().for_each(|name| drop(sink.write(name, b"x").unwrap()));
        sink.commit().unwrap();
        let mode = |name: &str| std::fs::metadata(target.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode("review"), mode("review/deep")], [0o700; 2]);
        assert_eq!([mode(names[0]), mode(names[1]), mode(names[2])], [0o600; 3]);
        // What may leave has the mode that the umask gives, as any new file has.
        let other = place.path().join("other");
        std::fs::write(&other, b"x").unwrap();
        let of_new_file = std::fs::metadata(&other).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(names[3]), of_new_file);
    }

    #[test]
    fn a_name_is_written_once() {
        let mut memory = MemorySink::default();
        memory.write("a", b"1").unwrap();
        assert!(memory.write("a", b"2").unwrap_err().has_code("E0116"));
    }

    #[test]
    fn a_set_flag_ends_a_write_in_its_middle_and_commits_nothing() {
        let stop = StopFlag::new();
        let mut sink = StoppableSink::new(MemorySink::default(), stop.clone());
        sink.write("a", b"1").unwrap();
        let mut pieces = 0;
        let ended = sink.write_with("b", &mut |file| {
            for _ in 0..100 {
                file.write_all(b"2")?;
                pieces += 1;
                stop.set();
            }
            Ok(())
        });
        assert!(ended.unwrap_err().has_code("E0108") && pieces == 1);
        assert!(sink.write("c", b"3").unwrap_err().has_code("E0108"));
        assert!(sink.commit().unwrap_err().has_code("E0108") && sink.sink.files().is_empty());
    }

    #[test]
    fn a_sink_that_is_dropped_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let mut sink = DirectorySink::create(&place.path().join("out")).unwrap();
        sink.write("a", b"1").unwrap();
        drop(sink);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
