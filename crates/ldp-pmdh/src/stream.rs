//! Reports and states as streams of bytes: a header, then what it announces and nothing more.

use std::collections::BTreeSet;
use std::io::{self, Read};

use ldp_client::{FormatError, REPORTS_HEADER_BYTES, ReportError, ReportsHeader};
use sha2::{Digest, Sha256};

use crate::aggregator::Aggregator;
use crate::detail::StateDetail;
use crate::error::StateError;
use crate::tally::{STATE_HEADER_BYTES, Tally};

/// Bytes of reports that are read at a time.
const BATCH_BYTES: usize = 1 << 16;

/// Why a stream was not counted, or a state not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The stream itself failed.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// The stream is not of this schema, is cut or too long, or would not fit the memory.
    #[error(transparent)]
    State(#[from] StateError),
    /// No client of the schema makes this report; those before it are counted.
    #[error("report {}: {error}", position + 1)]
    Report {
        /// Position in the stream, from 0; the message counts from 1.
        position: u64,
        /// What is wrong with it.
        error: ReportError,
    },
    /// The call was stopped.
    #[error("stopped before the end")]
    Stopped,
}

impl From<FormatError> for StreamError {
    fn from(error: FormatError) -> Self {
        Self::State(error.into())
    }
}

impl Aggregator {
    /// Counts a stream of reports with its header, as it is read: how many they were.
    ///
    /// # Errors
    /// [`StreamError`]; the reports before the first one that is refused are counted.
    /// [`StateError::Repeated`] for a stream of the same reports as one before: it is counted, so
    /// throw the aggregator away.
    pub fn push_stream(&mut self, stream: &mut dyn Read) -> Result<u64, StreamError> {
        let mut header = Vec::new();
        fill(stream, &mut header, REPORTS_HEADER_BYTES)?;
        let header = ReportsHeader::parse(&header, self.schema())?;
        self.reserve(header.reports())?;
        let width = header.report_bytes();
        let per_batch = (BATCH_BYTES / width).max(1) as u64;
        let (mut counted, mut batch, mut content) = (0, Vec::new(), Sha256::new());
        while counted < header.reports() {
            let wanted = per_batch.min(header.reports() - counted);
            batch.clear();
            fill(stream, &mut batch, wanted as usize * width)?;
            if batch.len() < wanted as usize * width {
                return Err(wrong_length(&header, counted * width as u64 + batch.len() as u64).into());
            }
            self.push_all(&batch).map_err(|error| later(error, counted))?;
            content.update(&batch);
            counted += wanted;
        }
        batch.clear();
        fill(stream, &mut batch, 1)?;
        match batch.is_empty() {
            true if counted > 0 => self.seen_mut().add(content.finalize().into()).map(|()| counted).map_err(Into::into),
            true => Ok(counted),
            false => Err(wrong_length(&header, counted * width as u64 + 1).into()),
        }
    }
}

/// The same error, of a report that stands so much later in the stream.
fn later(error: StreamError, by: u64) -> StreamError {
    match error {
        StreamError::Report { position, error } => StreamError::Report { position: position + by, error },
        other => other,
    }
}

/// Reads up to `bytes` bytes, fewer only at the end.
fn fill(stream: &mut dyn Read, buffer: &mut Vec<u8>, bytes: usize) -> io::Result<()> {
    stream.take(bytes as u64).read_to_end(buffer).map(drop)
}

fn wrong_length(header: &ReportsHeader, got: u64) -> FormatError {
    let around = REPORTS_HEADER_BYTES as u64;
    let expected = header.reports().saturating_mul(header.report_bytes() as u64).saturating_add(around);
    FormatError::Length { expected, got: got.saturating_add(around) }
}

impl Tally {
    /// Reads a state without its schema, in at most `max_bytes` of memory: its header says how
    /// long it is before the rest is read. The state, and how many bytes it had.
    ///
    /// # Errors
    /// [`StreamError::Read`] and [`StreamError::State`].
    pub fn read_from(stream: &mut dyn Read, max_bytes: f64) -> Result<(Self, u64), StreamError> {
        let mut bytes = Vec::new();
        fill(stream, &mut bytes, STATE_HEADER_BYTES)?;
        let expected = Self::file_bytes(&bytes)?;
        // The bytes, and what is made of them.
        let needed = 2.0 * expected as f64;
        if needed > max_bytes {
            return Err(StateError::TooLarge { needed, limit: max_bytes }.into());
        }
        // One byte more, so that a file that is too long is not taken for a sound one.
        stream.take(expected + 1 - STATE_HEADER_BYTES as u64).read_to_end(&mut bytes)?;
        Ok((Self::from_bytes(&bytes)?, expected))
    }
}

/// Adds states up as they are read.
#[derive(Debug)]
pub struct TallyMerger {
    merged: Option<Tally>,
    max_bytes: f64,
    held: f64,
    seen: Seen,
}

/// Digests of what was counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    digests: BTreeSet<[u8; 32]>,
    allows_repeats: bool,
}

impl Seen {
    pub(crate) fn allow_repeats(&mut self) {
        self.allows_repeats = true;
    }

    /// Remembers some content.
    ///
    /// # Errors
    /// [`StateError::Repeated`] if it was there before.
    fn add(&mut self, digest: [u8; 32]) -> Result<(), StateError> {
        if self.digests.insert(digest) || self.allows_repeats { Ok(()) } else { Err(StateError::Repeated) }
    }
}

impl TallyMerger {
    /// A sum of no states, which will take no more memory than `max_bytes`.
    #[must_use]
    pub fn new(max_bytes: f64) -> Self {
        Self { merged: None, max_bytes, held: 0.0, seen: Seen::default() }
    }

    /// The same, adding a state again that was added before.
    #[must_use]
    pub fn allowing_repeats(mut self) -> Self {
        self.seen.allow_repeats();
        self
    }

    /// Adds the state in a stream.
    ///
    /// # Errors
    /// As [`Tally::read_from`] and [`Tally::merge`]; [`StateError::Repeated`] for a state with
    /// reports that was added before.
    pub fn add_stream(&mut self, stream: &mut dyn Read) -> Result<(), StreamError> {
        let (next, bytes) = Tally::read_from(stream, self.max_bytes - self.held)?;
        // Counts of nothing are all alike, and add nothing.
        if next.reports() > 0 {
            self.seen.add(Sha256::digest(next.to_bytes()).into())?;
        }
        // Counts are added where they are; reports pile up, and are sorted with a copy.
        self.held += if next.detail() == StateDetail::Reports { 5.0 * bytes as f64 } else { 0.0 };
        match &mut self.merged {
            None => self.merged = Some(next),
            Some(sum) => sum.merge(&next)?,
        }
        Ok(())
    }

    /// The sum; `None` if nothing was added.
    #[must_use]
    pub fn finish(self) -> Option<Tally> {
        self.merged
    }
}
