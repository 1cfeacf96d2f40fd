//! The layout of a report in bits.
//!
//! Fields of the features in order, then - with sampled features - one bit a feature that says whether the report covers
//! it, then zeros to the next byte. Bit `i` is bit `i mod 8` of byte `i / 8`; numbers have their least bit first. A field
//! holds what [`crate::feature`] lists: bits of values, a symbol, or a seed and a bucket. The field of a feature that is
//! not covered is zero.

use crate::error::ReportError;
use crate::feature::{Protocol, SEED_BITS};
use crate::hash::bucket;
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
        let coverage = schema.is_sampled().then_some(first_bit);
        let covering = if coverage.is_some() { fields.len() } else { 0 };
        let is_bits =
            |protocol| !matches!(protocol, Protocol::GeneralisedResponse { .. } | Protocol::LocalHashing { .. });
        Self {
            is_plain: fields.iter().all(|field| is_bits(field.protocol)),
            fields,
            coverage,
            features_per_person: schema.features_per_person(),
            bits: first_bit + covering,
            stored_columns: schema.columns().len() + covering,
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

    /// First bit of the coverage, if features are sampled.
    pub(crate) fn coverage(&self) -> Option<usize> {
        self.coverage
    }

    /// Columns that are stored: the support columns, and one a feature for its coverage if features are sampled.
    pub(crate) fn stored_columns(&self) -> usize {
        self.stored_columns
    }

    /// Reads a report into `row`, its stored bits as words, which must be zero; `words` is room for its bits.
    pub(crate) fn read(&self, report: &[u8], words: &mut [u64], row: &mut [u64]) -> Result<(), ReportError> {
        if report.len() != self.bytes() {
            return Err(ReportError::Width { expected: self.bytes(), got: report.len() });
        }
        load(report, words);
        if !self.bits.is_multiple_of(64) && words[self.bits / 64] >> (self.bits % 64) != 0 {
            return Err(ReportError::Padding);
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

    /// Checks that as many features are covered as the schema says, and that the fields of the others are zero.
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

    /// Checks support bits that were randomised elsewhere: one symbol of a generalised response, no bit of a feature that
    /// is not covered.
    pub(crate) fn check_support(&self, row: &[u64]) -> Result<(), ReportError> {
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
            if is_covered && matches!(field.protocol, Protocol::GeneralisedResponse { .. }) && supported != 1 {
                return Err(ReportError::Symbol { feature });
            }
        }
        let expected = self.features_per_person;
        if covered == expected { Ok(()) } else { Err(ReportError::Coverage { expected }) }
    }
}

impl Field {
    fn is_zero(&self, words: &[u64]) -> bool {
        (0..self.bits).step_by(64).all(|from| number(words, self.first_bit + from, (self.bits - from).min(64)) == 0)
    }

    /// Sets the support bits of the field in `row`.
    fn support(&self, words: &[u64], row: &mut [u64]) -> Result<(), ()> {
        match self.protocol {
            Protocol::GeneralisedResponse { .. } => {
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

/// Bytes as words, least first; words beyond the bytes are zero.
pub(crate) fn load(bytes: &[u8], words: &mut [u64]) {
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
        *word = match chunk.try_into() {
            Ok(whole) => u64::from_le_bytes(whole),
            Err(_) => chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
    }
}

pub(crate) fn bit(words: &[u64], i: usize) -> bool {
    words[i / 64] >> (i % 64) & 1 == 1
}

pub(crate) fn set(words: &mut [u64], i: usize) {
    words[i / 64] |= 1 << (i % 64);
}

/// `width` bits from bit `first`, `1..=64` of them.
fn number(words: &[u64], first: usize, width: usize) -> u64 {
    let (word, shift) = (first / 64, first % 64);
    let low = words[word] >> shift;
    let high = if shift + width > 64 { words[word + 1] << (64 - shift) } else { 0 };
    (low | high) & (u64::MAX >> (64 - width))
}

/// Writes a bit of bytes that are zero there.
#[inline]
pub(crate) fn write_bit(bytes: &mut [u8], i: usize, bit: bool) {
    bytes[i / 8] |= u8::from(bit) << (i % 8);
}

/// Writes `width` bits of `value` at bit `first` of bytes that are zero there.
pub(crate) fn write(bytes: &mut [u8], first: usize, width: usize, value: u64) {
    let (mut at, mut rest, mut left) = (first, value, width);
    while left > 0 {
        let (shift, taken) = (at % 8, left.min(8 - at % 8));
        bytes[at / 8] |= ((rest << shift) & 0xff) as u8;
        rest >>= taken;
        at += taken;
        left -= taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(first in 0_usize..130, width in 1_usize..=64, value: u64) {
            let value = value & (u64::MAX >> (64 - width));
            let (mut bytes, mut words) = ([0_u8; 25], [0; 4]);
            write(&mut bytes, first, width, value);
            load(&bytes, &mut words);
            prop_assert_eq!(number(&words, first, width), value);
            let others = (0..200).filter(|i| !(first..first + width).contains(i));
            prop_assert!(others.into_iter().all(|i| !bit(&words, i)));
        }
    }
}
