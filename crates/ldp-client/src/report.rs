//! The layout of a report in bits.
//!
//! Fields of the features in order, then - with sampled features - one bit per feature that says
//! whether the report covers it, then zeros to the next byte. Bit `i` is bit `i mod 8` of byte
//! `i / 8`; numbers have their least bit first. A field holds what [`crate::feature`] lists: bits
//! of values, a symbol, or a seed and a bucket. The field of a feature that is not covered is
//! zero.
//!
//! A report of a parity schema is the number of its question in as many bits as these take, then
//! the answer. Stored are a bit for each question, the answer, then one for each, whether the
//! report is about it.

use crate::bits::{bit, load, number, set};
use crate::error::ReportError;
use crate::feature::{Protocol, SEED_BITS, bits_below};
use crate::hash::bucket;
use crate::parity::Parities;
use crate::schema::Schema;

/// Where the fields of a report are, and how it is read.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    /// First bit of the coverage, if features are sampled.
    coverage: Option<usize>,
    features_per_person: usize,
    bits: usize,
    stored_columns: usize,
    /// Whether the bits of a report are its support bits as they are.
    is_plain: bool,
    /// The questions of a parity schema, and in how many bits one is written.
    parities: Option<(Parities, usize)>,
}

/// The field of one feature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) protocol: Protocol,
    pub(crate) values: u32,
    pub(crate) first_bit: usize,
    pub(crate) bits: usize,
    first_column: usize,
}

impl Layout {
    pub(crate) fn of(schema: &Schema) -> Self {
        let (mut fields, mut first_bit) = (Vec::with_capacity(schema.features().len()), 0);
        for (position, feature) in schema.features().iter().enumerate() {
            let (bits, values) = (feature.bits(), feature.attribute().cardinality() as u32);
            let first_column = schema.columns_of(position).start;
            fields.push(Field { protocol: feature.protocol(), values, first_bit, bits, first_column });
            first_bit += bits;
        }
        let parities = schema.parities().map(|parities| (parities, bits_below(parities.questions() as u64)));
        let coverage = (schema.is_sampled() && parities.is_none()).then_some(first_bit);
        let covering = if coverage.is_some() { fields.len() } else { 0 };
        let is_bits =
            |field: &Field| field.supported().is_none() && !matches!(field.protocol, Protocol::LocalHashing { .. });
        Self {
            is_plain: fields.iter().all(is_bits),
            fields,
            coverage,
            features_per_person: schema.features_per_person(),
            bits: parities.map_or(first_bit + covering, |(_, width)| width + 1),
            stored_columns: parities
                .map_or(schema.columns().len() + covering, |(parities, _)| 2 * parities.questions()),
            parities,
        }
    }

    /// Bytes of every report.
    pub(crate) fn bytes(&self) -> usize {
        self.bits.div_ceil(8)
    }

    /// The fields, in the order of the features.
    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The questions of a parity schema, and in how many bits one is written.
    pub(crate) fn parities(&self) -> Option<(Parities, usize)> {
        self.parities
    }

    /// First bit of the coverage, if features are sampled.
    pub(crate) fn coverage(&self) -> Option<usize> {
        self.coverage
    }

    /// Columns that are stored: the support columns, and one per feature for its coverage if
    /// features are sampled.
    pub(crate) fn stored_columns(&self) -> usize {
        self.stored_columns
    }

    /// Reads a report into `row`, its stored bits as words, which must be zero; `words` is room
    /// for its bits.
    pub(crate) fn read(&self, report: &[u8], words: &mut [u64], row: &mut [u64]) -> Result<(), ReportError> {
        if report.len() != self.bytes() {
            return Err(ReportError::Width { expected: self.bytes(), got: report.len() });
        }
        load(report, words);
        if !self.bits.is_multiple_of(64) && words[self.bits / 64] >> (self.bits % 64) != 0 {
            return Err(ReportError::Padding);
        }
        if let Some((parities, width)) = self.parities {
            let question = number(words, 0, width) as usize;
            if question >= parities.questions() {
                return Err(ReportError::Question);
            }
            set(row, parities.questions() + question);
            if bit(words, width) {
                set(row, question);
            }
            return Ok(());
        }
        let covered = self.check_coverage(words)?;
        if self.is_plain {
            row.copy_from_slice(&words[..row.len()]);
            return Ok(());
        }
        for (feature, field) in self.fields.iter().enumerate() {
            if covered.is_none_or(|first| bit(words, first + feature)) {
                field.support(words, row).map_err(|()| ReportError::Symbol { feature })?;
            }
        }
        if let Some(first) = covered {
            let first_column = self.stored_columns - self.fields.len();
            (0..self.fields.len()).filter(|i| bit(words, first + i)).for_each(|i| set(row, first_column + i));
        }
        Ok(())
    }

    /// Checks that as many features are covered as the schema says, and that the fields of the
    /// others are zero.
    fn check_coverage(&self, words: &[u64]) -> Result<Option<usize>, ReportError> {
        let Some(first) = self.coverage else { return Ok(None) };
        let mut covered = 0;
        for (feature, field) in self.fields.iter().enumerate() {
            if bit(words, first + feature) {
                covered += 1;
            } else if !field.is_zero(words) {
                return Err(ReportError::NotCovered { feature });
            }
        }
        let expected = self.features_per_person;
        if covered == expected { Ok(Some(first)) } else { Err(ReportError::Coverage { expected }) }
    }

    /// Checks support bits that were randomised elsewhere: as many values as are shown, no bit of
    /// a feature that is not covered.
    pub(crate) fn check_support(&self, row: &[u64]) -> Result<(), ReportError> {
        if let Some((parities, _)) = self.parities {
            let questions = parities.questions();
            let mut about = (0..questions).filter(|question| bit(row, questions + question));
            let (Some(question), None) = (about.next(), about.next()) else { return Err(ReportError::Question) };
            let mut answers = (0..questions).filter(|&answered| bit(row, answered));
            return if answers.all(|answered| answered == question) { Ok(()) } else { Err(ReportError::Question) };
        }
        let first = self.coverage.map(|_| self.stored_columns - self.fields.len());
        let (mut covered, mut ends) = (0, self.fields.iter().skip(1).map(|field| field.first_column));
        for (feature, field) in self.fields.iter().enumerate() {
            let end = ends.next().unwrap_or(first.unwrap_or(self.stored_columns));
            let supported = (field.first_column..end).filter(|&column| bit(row, column)).count();
            let is_covered = first.is_none_or(|first| bit(row, first + feature));
            covered += usize::from(is_covered);
            if !is_covered && supported > 0 {
                return Err(ReportError::NotCovered { feature });
            }
            if is_covered && field.supported().is_some_and(|expected| supported != expected) {
                return Err(ReportError::Symbol { feature });
            }
        }
        let expected = self.features_per_person;
        if covered == expected { Ok(()) } else { Err(ReportError::Coverage { expected }) }
    }
}

impl Field {
    /// How many values every report supports, where that is always the same.
    fn supported(&self) -> Option<usize> {
        self.protocol.supported(self.values as usize)
    }

    fn is_zero(&self, words: &[u64]) -> bool {
        (0..self.bits).step_by(64).all(|from| number(words, self.first_bit + from, (self.bits - from).min(64)) == 0)
    }

    /// Sets the support bits of the field in `row`.
    fn support(&self, words: &[u64], row: &mut [u64]) -> Result<(), ()> {
        match self.protocol {
            Protocol::SubsetSelection { size, .. } => {
                let shown = (0..self.bits).filter(|i| bit(words, self.first_bit + i));
                let count = shown.map(|i| set(row, self.first_column + i)).count();
                if count != size as usize {
                    return Err(());
                }
            }
            _ if self.supported() == Some(1) => {
                let symbol = number(words, self.first_bit, self.bits);
                if symbol >= u64::from(self.values) {
                    return Err(());
                }
                set(row, self.first_column + symbol as usize);
            }
            Protocol::LocalHashing { buckets, .. } => {
                let seed = number(words, self.first_bit, SEED_BITS as usize);
                let shown = number(words, self.first_bit + SEED_BITS as usize, self.bits - SEED_BITS as usize);
                if shown >= u64::from(buckets) {
                    return Err(());
                }
                let supported = (0..self.values).filter(|&value| u64::from(bucket(seed, value, buckets)) == shown);
                supported.for_each(|value| set(row, self.first_column + value as usize));
            }
            _ => {
                let supported = (0..self.bits).filter(|i| bit(words, self.first_bit + i));
                supported.for_each(|i| set(row, self.first_column + i));
            }
        }
        Ok(())
    }
}

/// Reads reports, as the collector does: the support bits of each, checked.
///
/// Stored columns are the support columns of the schema in order, then, with sampled features,
/// one a feature that says whether the report covers it; of a parity schema one a question, its
/// answer, then one a question that says whether the report is about it.
#[derive(Clone, Debug)]
pub struct ReportReader {
    layout: Layout,
    /// Room for the bits of one report.
    words: Vec<u64>,
}

impl ReportReader {
    /// A reader of reports under this schema.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        let layout = Layout::of(schema);
        Self { words: vec![0; layout.bytes().div_ceil(8)], layout }
    }

    /// Bytes of every report.
    #[must_use]
    pub fn report_bytes(&self) -> usize {
        self.layout.bytes()
    }

    /// How many columns a report is stored in.
    #[must_use]
    pub fn stored_columns(&self) -> usize {
        self.layout.stored_columns()
    }

    /// Sets the stored bits of a report in `row`, which must be zero and have a bit for each
    /// stored column.
    ///
    /// # Errors
    /// [`ReportError`] if no client of the schema makes such a report.
    ///
    /// # Panics
    /// If `row` is too short.
    pub fn read(&mut self, report: &[u8], row: &mut [u64]) -> Result<(), ReportError> {
        self.layout.read(report, &mut self.words, row)
    }

    /// Checks stored bits that were randomised elsewhere: exactly one symbol of a generalised
    /// response, no bit of a feature that is not covered.
    ///
    /// # Errors
    /// [`ReportError::NotCovered`], [`ReportError::Symbol`] and [`ReportError::Coverage`].
    ///
    /// # Panics
    /// If `row` is too short.
    pub fn check_support(&self, row: &[u64]) -> Result<(), ReportError> {
        self.layout.check_support(row)
    }
}
