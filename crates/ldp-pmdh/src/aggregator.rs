//! The aggregator: reports in, counts out.

use crate::detail::StateDetail;
use crate::error::StateError;
use crate::kernel::Kernel;
use crate::slices::Slices;
use crate::sources::Sources;
use crate::state::State;
use crate::store::{MAX_ORDER, add_block, sets};
use crate::stream::StreamError;
use crate::tally::{Kept, Tally};
use ldp_client::{ReportError, ReportReader, Schema, bits};
use privacy_core::stop::StopFlag;

/// Counts reports, one after the other.
///
/// Columns that are stored are the support columns of the schema and, with sampled features, one
/// a feature for its coverage. The counts do not depend on the order of the reports, nor on how
/// they were divided between aggregators whose states were merged; the state also remembers which
/// streams it counted.
#[derive(Clone, Debug)]
pub struct Aggregator {
    schema: Schema,
    reader: ReportReader,
    detail: StateDetail,
    kernel: Kernel,
    max_bytes: f64,
    stop: StopFlag,
    reports: u64,
    counting: Counting,
    row: Vec<u64>,
    sources: Sources,
    allows_repeats: bool,
}

#[derive(Clone, Debug)]
enum Counting {
    Full(Vec<u64>),
    UpTo { order: usize, counts: Vec<u64>, block: Slices },
    Reports(Vec<u64>),
}

impl Aggregator {
    /// An aggregator of reports of this schema that takes no more memory than
    /// `max_bytes`, except for what reports that are kept take: see [`Aggregator::reserve`].
    ///
    /// # Errors
    /// [`StateError::TooManyColumns`], [`StateError::Order`] and [`StateError::TooLarge`], before
    /// memory is taken.
    pub fn new(schema: Schema, detail: StateDetail, max_bytes: f64) -> Result<Self, StateError> {
        let reader = ReportReader::new(&schema);
        let columns = reader.stored_columns();
        let needed = bytes_of(detail, columns)?;
        if needed > max_bytes {
            return Err(StateError::TooLarge { needed, limit: max_bytes });
        }
        let counting = match detail {
            StateDetail::Full => Counting::Full(vec![0; 1 << columns]),
            StateDetail::UpTo(order) => {
                let counts = vec![0; sets(columns, order).unwrap_or_default() as usize];
                Counting::UpTo { order, counts, block: Slices::block(columns) }
            }
            StateDetail::Reports => Counting::Reports(Vec::new()),
        };
        let row = vec![0; columns.div_ceil(64)];
        Ok(Self {
            schema,
            reader,
            detail,
            kernel: Kernel::best(),
            max_bytes,
            stop: StopFlag::never(),
            reports: 0,
            counting,
            row,
            sources: Sources::default(),
            allows_repeats: false,
        })
    }

    /// The same, counting with this kernel: the same counts, at another speed.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// The same, stopped by this flag: calls that count many reports look at it between two
    /// blocks of reports.
    #[must_use]
    pub fn with_stop(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// The same, counting a stream again that was counted before.
    #[must_use]
    pub fn allowing_repeats(mut self) -> Self {
        self.allows_repeats = true;
        self
    }

    /// Says what the reports that were pushed came from, by a digest of it: the state remembers
    /// it, so that it is noticed when the same is counted again, here or in a state that is merged
    /// with this one. Streams say it themselves.
    ///
    /// # Errors
    /// [`StateError::Repeated`] for a source that was there before, unless repeats are allowed: its
    /// reports are counted, so throw the aggregator away.
    pub fn add_source(&mut self, digest: [u8; 32]) -> Result<(), StateError> {
        if self.sources.add(digest) || self.allows_repeats { Ok(()) } else { Err(StateError::Repeated) }
    }

    /// The schema of the reports.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Checks that this many more reports can be kept. Only [`StateDetail::Reports`] takes memory
    /// for each.
    ///
    /// # Errors
    /// [`StateError::TooLarge`].
    pub fn reserve(&self, reports: u64) -> Result<(), StateError> {
        if !matches!(self.counting, Counting::Reports(_)) {
            return Ok(());
        }
        // Rows in a vector that doubles, their order while they are sorted, and their bit
        // strings.
        let bytes = (24 * self.row.len() + 16) as f64;
        let needed = (self.reports as f64 + reports as f64) * bytes;
        if needed > self.max_bytes { Err(StateError::TooLarge { needed, limit: self.max_bytes }) } else { Ok(()) }
    }

    /// Counts a report.
    ///
    /// # Errors
    /// [`ReportError`] if no client of the schema makes such a report; nothing is counted then.
    pub fn push(&mut self, report: &[u8]) -> Result<(), ReportError> {
        self.row.fill(0);
        self.reader.read(report, &mut self.row)?;
        self.count_row();
        Ok(())
    }

    /// Counts reports that stand one after the other.
    ///
    /// # Errors
    /// [`StreamError::Report`] for the first report that is refused; those before it are counted.
    /// A last report that is not complete has the wrong width. [`StreamError::Stopped`] once the
    /// flag is set.
    pub fn push_all(&mut self, reports: &[u8]) -> Result<(), StreamError> {
        let bytes = self.reader.report_bytes();
        // A look at the flag costs as much as a short report: one in 256 is soon enough. A wide
        // report takes some milliseconds, since it counts pairs of columns.
        let columns = self.schema().columns().len().max(1);
        let between_looks = ((1 << 18) / columns.saturating_mul(columns)).clamp(1, 256);
        for (position, report) in reports.chunks(bytes).enumerate() {
            if position % between_looks == 0 && self.stop.is_set() {
                return Err(StreamError::Stopped);
            }
            self.push(report).map_err(|error| StreamError::Report { position: position as u64, error })?;
        }
        Ok(())
    }

    /// Counts the support bits of a report that was randomised elsewhere: the columns of the
    /// schema in order, then, with sampled features, one bit per feature for its coverage.
    ///
    /// # Errors
    /// As [`Aggregator::push`]; [`ReportError::Width`] counts bits here.
    pub fn push_support(&mut self, support: &[bool]) -> Result<(), ReportError> {
        let expected = self.reader.stored_columns();
        if support.len() != expected {
            return Err(ReportError::Width { expected, got: support.len() });
        }
        self.row.fill(0);
        let row = &mut self.row;
        support.iter().enumerate().filter(|(_, bit)| **bit).for_each(|(i, _)| bits::set(row, i));
        self.reader.check_support(&self.row)?;
        self.count_row();
        Ok(())
    }

    fn count_row(&mut self) {
        self.reports += 1;
        match &mut self.counting {
            Counting::Full(histogram) => histogram[self.row[0] as usize] += 1,
            // One by one, bits of a sparse row are fewer than the words of a transposed one.
            Counting::UpTo { order: 1, counts, .. } if is_sparse(&self.row) => add_bits(&self.row, counts),
            Counting::UpTo { order, counts, block } => {
                if block.push(&self.row) {
                    add_block(block, self.reader.stored_columns(), *order, self.kernel, counts);
                    block.clear();
                }
            }
            Counting::Reports(rows) => rows.extend_from_slice(&self.row),
        }
    }

    /// The counts.
    ///
    /// # Errors
    /// [`StateError::TooManyReports`].
    pub fn finish(self) -> Result<State, StateError> {
        let columns = self.reader.stored_columns();
        let kept = match self.counting {
            Counting::Full(histogram) => Kept::Full(histogram),
            Counting::UpTo { order, mut counts, mut block } => {
                if block.rows() > 0 {
                    block.settle();
                    add_block(&block, columns, order, self.kernel, &mut counts);
                }
                Kept::UpTo { order, counts }
            }
            Counting::Reports(rows) => Kept::Reports(Slices::sorted(rows, columns)),
        };
        let tally = Tally::new(self.schema.digest(), columns, self.reports, kept)?;
        State::new(Tally { sources: self.sources, ..tally }, &self.schema)
    }

    /// What it keeps.
    #[must_use]
    pub fn detail(&self) -> StateDetail {
        self.detail
    }
}

/// Whether a row has at most one bit in 32.
fn is_sparse(row: &[u64]) -> bool {
    row.iter().map(|word| word.count_ones() as usize).sum::<usize>() <= 2 * row.len()
}

/// Adds one to the count of every bit that is set.
fn add_bits(row: &[u64], counts: &mut [u64]) {
    for (counts, &word) in counts.chunks_mut(64).zip(row) {
        let mut rest = word;
        while rest != 0 {
            counts[rest.trailing_zeros() as usize] += 1;
            rest &= rest - 1;
        }
    }
}

/// Bytes that an aggregator takes before any report.
fn bytes_of(detail: StateDetail, columns: usize) -> Result<f64, StateError> {
    match detail {
        // The histogram, and its sums over supersets once they are asked for.
        StateDetail::Full if columns <= crate::detail::MAX_FULL_COLUMNS => Ok(16.0 * (1_u64 << columns) as f64),
        StateDetail::Full => Err(StateError::TooManyColumns { limit: crate::detail::MAX_FULL_COLUMNS, columns }),
        StateDetail::UpTo(order) if (1..=MAX_ORDER).contains(&order) => {
            // A block, and its copy below a third column.
            let counts = sets(columns, order).map_or(f64::INFINITY, |sets| 8.0 * sets as f64);
            Ok(counts + 2.0 * Slices::block_bytes(columns))
        }
        StateDetail::UpTo(got) => Err(StateError::Order { got }),
        StateDetail::Reports => Ok(0.0),
    }
}
