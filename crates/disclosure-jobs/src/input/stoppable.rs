//! Bytes that are counted as they are read, and end once a flag is set.

use std::io::{self, Read};

use disclosure::privacy_core::stop::StopFlag;

/// A reader that reports its bytes to the progress of a flag, and fails once the flag is set.
/// Readers of rows ask for some kilobytes at a time, so they notice it within milliseconds.
pub struct StoppableReader<R> {
    reader: R,
    stop: StopFlag,
}

impl<R> StoppableReader<R> {
    /// Reads from `reader` until `stop` is set.
    pub fn new(reader: R, stop: StopFlag) -> Self {
        Self { reader, stop }
    }
}

impl<R> std::fmt::Debug for StoppableReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoppableReader").finish_non_exhaustive()
    }
}

impl<R: Read> Read for StoppableReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() {
            return Err(io::Error::other("stopped"));
        }
        self.reader.read(buffer).inspect(|&bytes| self.stop.advance(bytes as u64))
    }
}
