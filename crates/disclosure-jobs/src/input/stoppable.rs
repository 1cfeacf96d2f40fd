//! Bytes that end once a flag is set.

use std::io::{self, Read};

use disclosure::privacy_core::stop::StopFlag;

/// A reader that fails once the flag is set. Readers of rows ask for some kilobytes at a time, so
/// they notice it within milliseconds.
pub(super) struct StoppableReader<'a, R> {
    pub(super) reader: R,
    pub(super) stop: &'a StopFlag,
}

impl<R: Read> Read for StoppableReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() { Err(io::Error::other("stopped")) } else { self.reader.read(buffer) }
    }
}
