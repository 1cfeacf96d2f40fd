//! Bytes that stay in memory once they were read.

use std::cell::RefCell;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::unchanged::FirstState;
use crate::error::JobError;

/// Bytes that are read ahead at most.
const PIECE: u64 = 1 << 16;

/// A snapshot of a file or a stream, taken while it is read for the first time: what is wrong with
/// its first rows is found before the others are in memory.
pub(super) struct Snapshot {
    held: Vec<u8>,
    /// What follows; `None` once all is held.
    rest: Option<Box<dyn Read>>,
    /// The number of bytes in all, 0 where it is not known.
    size: u64,
    limit: u64,
    /// The file that is read, and what it was at first.
    file: Option<(PathBuf, Rc<FirstState>)>,
    /// Why the bytes are not those of one file at one time.
    changed: Option<JobError>,
}

impl Snapshot {
    /// A snapshot of at most `limit` bytes, of which none was read.
    pub(super) fn new(rest: Box<dyn Read>, size: u64, limit: u64) -> Self {
        Self { held: Vec::new(), rest: Some(rest), size, limit, file: None, changed: None }
    }

    /// The same of a file, which is compared with what it was behind its last byte.
    pub(super) fn of_file(self, name: &Path, first: &Rc<FirstState>) -> Self {
        Self { file: Some((name.to_owned(), Rc::clone(first))), ..self }
    }

    /// The refusal of a file that changed while it was read.
    pub(super) fn changed(&self) -> Option<JobError> {
        self.changed.clone()
    }

    pub(super) fn size(&self) -> u64 {
        if self.rest.is_some() { self.size } else { self.held.len() as u64 }
    }

    /// Whether there are more bytes than the limit.
    pub(super) fn is_too_large(&self) -> bool {
        self.held.len() as u64 > self.limit
    }

    /// Holds the next piece.
    fn read_on(&mut self) -> io::Result<()> {
        let Some(rest) = &mut self.rest else { return self.unless_changed() };
        // One byte beyond the limit shows that there are more.
        let room = self.limit.saturating_add(1) - self.held.len() as u64;
        if rest.take(room.min(PIECE)).read_to_end(&mut self.held)? == 0 {
            self.rest = None;
            self.changed = self.file.take().and_then(|(name, first)| first.check_read(&name).err());
        }
        self.unless_changed()
    }

    fn unless_changed(&self) -> io::Result<()> {
        if self.changed.is_some() { Err(io::Error::other("the file has changed")) } else { Ok(()) }
    }
}

/// A reader of a snapshot, from its first byte.
pub(super) struct SnapshotReader {
    snapshot: Rc<RefCell<Snapshot>>,
    position: usize,
}

impl SnapshotReader {
    pub(super) fn new(snapshot: &Rc<RefCell<Snapshot>>) -> Self {
        Self { snapshot: Rc::clone(snapshot), position: 0 }
    }
}

impl Read for SnapshotReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut snapshot = self.snapshot.borrow_mut();
        if self.position == snapshot.held.len() && !snapshot.is_too_large() {
            snapshot.read_on()?;
        }
        if snapshot.is_too_large() {
            return Err(io::Error::other("the snapshot is full"));
        }
        let read = (&snapshot.held[self.position..]).read(buffer)?;
        self.position += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(reader: impl Read + 'static, limit: u64) -> Rc<RefCell<Snapshot>> {
        Rc::new(RefCell::new(Snapshot::new(Box::new(reader), 0, limit)))
    }

    fn all(snapshot: &Rc<RefCell<Snapshot>>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        SnapshotReader::new(snapshot).read_to_end(&mut bytes).map(|_| bytes)
    }

    #[test]
    fn every_reader_sees_all_bytes_wherever_another_one_ended() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|number| number as u8).collect();
        let snapshot = snapshot(io::Cursor::new(bytes.clone()), 200_000);
        let mut first = SnapshotReader::new(&snapshot);
        first.read_exact(&mut [0; 70_000]).unwrap();
        assert_eq!(snapshot.borrow().held.len(), 2 * PIECE as usize, "no more than what is asked for, and a piece");
        assert!(all(&snapshot).unwrap() == bytes && all(&snapshot).unwrap() == bytes);
        let mut rest = Vec::new();
        first.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, bytes[70_000..]);
        assert_eq!(snapshot.borrow().size(), 200_000);
    }

    #[test]
    fn what_is_beyond_the_limit_is_not_read() {
        let snapshot = snapshot(io::repeat(b'x'), 100_000);
        for _ in 0..2 {
            assert!(all(&snapshot).is_err());
            assert_eq!(snapshot.borrow().held.len(), 100_001);
        }
    }
}
