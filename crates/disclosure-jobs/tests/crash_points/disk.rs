//! A disk in memory: what a process sees, what a power cut leaves of it, and one fault.
//!
//! A file has bytes, and bytes that were synced. A directory has names, names that were synced, and
//! the changes since then. A power cut keeps what was synced and any of the changes, in their order
//! but with any of them missing; of bytes that were not synced it keeps a part.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use disclosure_jobs::privacy_data::storage::{
    Claim, Entry, Held, Kind, NewFile, Opened, Retrying, Storage, StorageRef,
};

use super::faults::{Fault, Power, Verdict};

const ROOT: u64 = 0;

#[derive(Clone, Debug)]
enum Content {
    File { bytes: Vec<u8>, synced: Vec<u8> },
    Directory { names: BTreeMap<OsString, u64>, synced: BTreeMap<OsString, u64>, changes: Vec<Change> },
}

#[derive(Clone, Debug)]
enum Change {
    Put(OsString, u64),
    Take(OsString),
    Move(OsString, OsString, u64),
}

#[derive(Clone, Debug)]
struct Inode {
    content: Content,
    mode: u32,
}

impl Inode {
    fn entry(&self) -> Entry {
        let (kind, bytes) = match &self.content {
            Content::File { bytes, .. } => (Kind::File, bytes.len() as u64),
            Content::Directory { .. } => (Kind::Directory, 0),
        };
        Entry { kind, mode: Some(self.mode), owner: None, bytes }
    }
}

#[derive(Clone, Debug, Default)]
struct State {
    inodes: BTreeMap<u64, Inode>,
    locked: BTreeSet<u64>,
    next: u64,
    /// Operations of this process so far.
    operations: u64,
    fault: Option<Fault>,
    is_gone: bool,
}

/// A disk, and the process that uses it.
#[derive(Clone, Debug)]
pub(crate) struct Disk(Arc<Mutex<State>>);

fn directory() -> Inode {
    let content = Content::Directory { names: BTreeMap::new(), synced: BTreeMap::new(), changes: Vec::new() };
    Inode { content, mode: 0o755 }
}

fn gone() -> io::Error {
    io::Error::other("the process is gone")
}

fn missing() -> io::Error {
    ErrorKind::NotFound.into()
}

impl State {
    /// Counts an operation, and says whether it is carried out.
    fn step(&mut self) -> io::Result<Verdict> {
        if self.is_gone {
            return Err(gone());
        }
        let number = self.operations;
        self.operations += 1;
        let verdict = self.fault.map_or(Verdict::Done, |fault| fault.verdict(number));
        match verdict {
            Verdict::Refused(error) => return Err(io::Error::from_raw_os_error(error)),
            Verdict::Gone => {
                self.is_gone = true;
                return Err(gone());
            }
            _ => {}
        }
        Ok(verdict)
    }

    /// The answer to an operation that was carried out.
    fn answer<T>(&mut self, verdict: Verdict, value: T) -> io::Result<T> {
        match verdict {
            Verdict::Unanswered(error) => Err(io::Error::from_raw_os_error(error)),
            _ => Ok(value),
        }
    }

    fn find(&self, path: &Path) -> io::Result<u64> {
        path.components().try_fold(ROOT, |at, part| match part {
            Component::RootDir | Component::CurDir => Ok(at),
            Component::Normal(name) => self.names(at)?.get(name).copied().ok_or_else(missing),
            _ => Err(ErrorKind::InvalidInput.into()),
        })
    }

    fn names(&self, inode: u64) -> io::Result<&BTreeMap<OsString, u64>> {
        match &self.inodes[&inode].content {
            Content::Directory { names, .. } => Ok(names),
            Content::File { .. } => Err(ErrorKind::NotADirectory.into()),
        }
    }

    fn change(&mut self, parent: u64, change: Change) {
        let Some(Inode { content: Content::Directory { names, changes, .. }, .. }) = self.inodes.get_mut(&parent)
        else {
            unreachable!("the parent was looked up as a directory")
        };
        apply(names, &change);
        changes.push(change);
    }

    fn place(&self, path: &Path) -> io::Result<(u64, OsString)> {
        let (parent, name) = (path.parent().ok_or_else(missing)?, path.file_name().ok_or_else(missing)?);
        Ok((self.find(parent)?, name.to_owned()))
    }

    fn make(&mut self, path: &Path, inode: Inode) -> io::Result<u64> {
        let (parent, name) = self.place(path)?;
        if self.names(parent)?.contains_key(&name) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.next += 1;
        let number = self.next;
        self.inodes.insert(number, inode);
        self.change(parent, Change::Put(name, number));
        Ok(number)
    }
}

fn apply(names: &mut BTreeMap<OsString, u64>, change: &Change) {
    match change {
        Change::Put(name, inode) => drop(names.insert(name.clone(), *inode)),
        Change::Take(name) => drop(names.remove(name)),
        Change::Move(from, to, inode) => {
            names.remove(from);
            names.insert(to.clone(), *inode);
        }
    }
}

impl Disk {
    /// A disk with nothing but the directory `/w`.
    pub(crate) fn new() -> Self {
        let state = State { inodes: BTreeMap::from([(ROOT, directory())]), ..State::default() };
        let disk = Self(Arc::new(Mutex::new(state)));
        disk.make_directory(Path::new("/w"), None).unwrap();
        disk.settle();
        disk
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Another disk with the same on it.
    pub(crate) fn copy(&self) -> Self {
        Self(Arc::new(Mutex::new(self.state().clone())))
    }

    /// The disk as the jobs use it.
    pub(crate) fn storage(&self) -> StorageRef {
        Arc::new(Retrying::new(self.clone()))
    }

    /// Begins a process that meets this fault, or none.
    pub(crate) fn begin(&self, fault: Option<Fault>) {
        let mut state = self.state();
        (state.operations, state.fault, state.is_gone) = (0, fault, false);
        state.locked.clear();
    }

    /// How many operations the process has asked for.
    pub(crate) fn operations(&self) -> u64 {
        self.state().operations
    }

    /// Makes everything durable: what a disk that is left alone does in the end.
    pub(crate) fn settle(&self) {
        for inode in self.state().inodes.values_mut() {
            match &mut inode.content {
                Content::File { bytes, synced } => synced.clone_from(bytes),
                Content::Directory { names, synced, changes } => {
                    synced.clone_from(names);
                    changes.clear();
                }
            }
        }
    }

    /// The power fails, and comes back.
    pub(crate) fn cut_power(&self, mut power: Power) {
        for inode in self.state().inodes.values_mut() {
            match &mut inode.content {
                Content::File { bytes, synced } => {
                    if bytes != synced {
                        *bytes = power.left_of(bytes, synced);
                    }
                }
                Content::Directory { names, synced, changes } => {
                    names.clone_from(synced);
                    changes.iter().filter(|_| power.keeps()).for_each(|change| apply(names, change));
                }
            }
        }
        self.settle();
    }

    /// Puts a file there, durably.
    pub(crate) fn put(&self, path: &str, bytes: &[u8]) {
        let mut file = self.make_file(Path::new(path), None).unwrap();
        file.write_all(bytes).unwrap();
        drop(file);
        self.settle();
    }

    /// The bytes of a file, if it is there.
    pub(crate) fn file(&self, path: &str) -> Option<Vec<u8>> {
        let state = self.state();
        match &state.inodes[&state.find(Path::new(path)).ok()?].content {
            Content::File { bytes, .. } => Some(bytes.clone()),
            Content::Directory { .. } => None,
        }
    }

    /// Every file at or below a path, by its name below it; nothing where nothing is.
    pub(crate) fn files(&self, path: &str) -> Option<BTreeMap<String, Vec<u8>>> {
        let state = self.state();
        let mut files = BTreeMap::new();
        gather(&state, state.find(Path::new(path)).ok()?, "", &mut files);
        Some(files)
    }

    pub(crate) fn mode(&self, path: &str) -> Option<u32> {
        let state = self.state();
        Some(state.inodes[&state.find(Path::new(path)).ok()?].mode)
    }
}

fn gather(state: &State, inode: u64, name: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    match &state.inodes[&inode].content {
        Content::File { bytes, .. } => drop(files.insert(name.to_owned(), bytes.clone())),
        Content::Directory { names, .. } => {
            for (entry, &inode) in names {
                let entry = entry.to_str().unwrap();
                gather(
                    state,
                    inode,
                    &if name.is_empty() { entry.to_owned() } else { format!("{name}/{entry}") },
                    files,
                );
            }
        }
    }
}

/// A file that is being written.
struct OpenFile {
    disk: Disk,
    inode: u64,
}

impl Write for OpenFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        let verdict = state.step();
        // A process that ends in a write, or a disk that fails in one, may have written a part.
        let written = match &verdict {
            Ok(Verdict::Done | Verdict::Unanswered(_)) => bytes.len(),
            Ok(_) => bytes.len().div_ceil(3),
            Err(_) if state.fault.is_some_and(Fault::tears) => bytes.len() / 2,
            Err(_) => 0,
        };
        let Some(Inode { content: Content::File { bytes: all, .. }, .. }) = state.inodes.get_mut(&self.inode) else {
            return verdict.map(|_| written);
        };
        all.extend_from_slice(&bytes[..written]);
        let verdict = verdict?;
        state.answer(verdict, written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewFile for OpenFile {
    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.state();
        let verdict = state.step()?;
        if let Some(Inode { content: Content::File { bytes, synced }, .. }) = state.inodes.get_mut(&self.inode) {
            synced.clone_from(bytes);
        }
        state.answer(verdict, ())
    }
}

#[derive(Debug)]
struct Lock {
    disk: Disk,
    inode: u64,
}

impl Held for Lock {}

impl Drop for Lock {
    fn drop(&mut self) {
        self.disk.state().locked.remove(&self.inode);
    }
}

impl Storage for Disk {
    fn resolve(&self, directory: &Path) -> io::Result<PathBuf> {
        let mut state = self.state();
        let verdict = state.step()?;
        state.find(directory)?;
        state.answer(verdict, directory.to_owned())
    }

    fn look_at(&self, path: &Path) -> io::Result<Entry> {
        let mut state = self.state();
        let verdict = state.step()?;
        let entry = state.inodes[&state.find(path)?].entry();
        state.answer(verdict, entry)
    }

    fn read_link(&self, _: &Path) -> io::Result<PathBuf> {
        Err(ErrorKind::InvalidInput.into())
    }

    fn names_in(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        let mut state = self.state();
        let verdict = state.step()?;
        let names = state.names(state.find(directory)?)?.keys().cloned().collect();
        state.answer(verdict, names)
    }

    fn read(&self, path: &Path, at_most: u64) -> io::Result<Opened> {
        let mut state = self.state();
        let verdict = state.step()?;
        let inode = &state.inodes[&state.find(path)?];
        let entry = inode.entry();
        let bytes = match &inode.content {
            Content::File { bytes, .. } if bytes.len() as u64 <= at_most => bytes.clone(),
            _ => Vec::new(),
        };
        state.answer(verdict, Opened { entry, bytes })
    }

    fn make_directory(&self, path: &Path, mode: Option<u32>) -> io::Result<()> {
        let mut state = self.state();
        let verdict = state.step()?;
        state.make(path, Inode { mode: mode.unwrap_or(0o755), ..directory() })?;
        state.answer(verdict, ())
    }

    fn make_file(&self, path: &Path, mode: Option<u32>) -> io::Result<Box<dyn NewFile>> {
        let mut state = self.state();
        let verdict = state.step()?;
        let content = Content::File { bytes: Vec::new(), synced: Vec::new() };
        let inode = state.make(path, Inode { content, mode: mode.unwrap_or(0o644) })?;
        state.answer(verdict, ())?;
        Ok(Box::new(OpenFile { disk: self.clone(), inode }))
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        let mut state = self.state();
        let verdict = state.step()?;
        let inode = state.find(path)?;
        state.inodes.get_mut(&inode).unwrap().mode = mode;
        state.answer(verdict, ())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.state().find(to).is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.rename(from, to)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        let verdict = state.step()?;
        let ((parent, from), (other, to)) = (state.place(from)?, state.place(to)?);
        assert_eq!(parent, other, "outputs are renamed within their directory");
        let inode = *state.names(parent)?.get(&from).ok_or_else(missing)?;
        if let Some(&there) = state.names(parent)?.get(&to) {
            match state.names(there) {
                Ok(names) if !names.is_empty() => return Err(ErrorKind::DirectoryNotEmpty.into()),
                Ok(_) if state.names(inode).is_err() => return Err(ErrorKind::IsADirectory.into()),
                Err(_) if state.names(inode).is_ok() => return Err(ErrorKind::NotADirectory.into()),
                _ => {}
            }
        }
        state.change(parent, Change::Move(from, to, inode));
        state.answer(verdict, ())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let children: Vec<OsString> = {
            let state = self.state();
            state
                .find(path)
                .and_then(|inode| state.names(inode))
                .map(|n| n.keys().cloned().collect())
                .unwrap_or_default()
        };
        // The way of a real one: file by file, and the directory at the end.
        children.iter().try_for_each(|name| self.remove(&path.join(name)))?;
        let mut state = self.state();
        let verdict = state.step()?;
        let (parent, name) = state.place(path)?;
        state.names(parent)?.get(&name).ok_or_else(missing)?;
        state.change(parent, Change::Take(name));
        state.answer(verdict, ())
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        let verdict = state.step()?;
        let inode = state.find(path)?;
        if let Content::Directory { names, synced, changes } = &mut state.inodes.get_mut(&inode).unwrap().content {
            synced.clone_from(names);
            changes.clear();
        }
        state.answer(verdict, ())
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        let mut state = self.state();
        let verdict = state.step()?;
        let inode = state.find(path)?;
        if !state.locked.insert(inode) {
            return Ok(Claim::Taken);
        }
        // An answer that is lost gives no handle, and so no lock.
        if let Verdict::Unanswered(_) = verdict {
            state.locked.remove(&inode);
        }
        state.answer(verdict, ())?;
        Ok(Claim::Held(Box::new(Lock { disk: self.clone(), inode })))
    }

    fn lock_file(&self, path: &Path) -> io::Result<Option<Box<dyn Held>>> {
        let mut state = self.state();
        let verdict = state.step()?;
        let inode = match state.find(path) {
            Ok(inode) => inode,
            Err(_) => {
                let content = Content::File { bytes: Vec::new(), synced: Vec::new() };
                state.make(path, Inode { content, mode: 0o644 })?
            }
        };
        if let Verdict::Unanswered(_) = verdict {
            return state.answer(verdict, None);
        }
        if !state.locked.insert(inode) {
            return Ok(None);
        }
        Ok(Some(Box::new(Lock { disk: self.clone(), inode })))
    }
}
