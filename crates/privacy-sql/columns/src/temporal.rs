//! Dates and times as ISO 8601 has them; those that no calendar has as the integers that stand for
//! them.

use std::fmt::Write;
use std::ops::RangeInclusive;

use arrow_array::types::{
    Date32Type, Date64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, cast::AsArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, TimeUnit};

/// The integer that stands for the value of a row.
type Stored = fn(&dyn Array, usize) -> i64;

/// The dates or times of one column.
pub(crate) struct Temporal<'a> {
    column: &'a ArrayRef,
    formatter: ArrayFormatter<'a>,
    stored: Stored,
    /// The integers that may stand for a value.
    range: RangeInclusive<i64>,
}

impl<'a> Temporal<'a> {
    /// The dates or times of a column; none for other types, and for a time zone that is not known.
    pub(crate) fn new(column: &'a ArrayRef) -> Option<Self> {
        let (stored, range) = stored_and_range(column.data_type())?;
        let formatter = ArrayFormatter::try_new(column.as_ref(), &FormatOptions::new()).ok()?;
        Some(Self { column, formatter, stored, range })
    }

    /// Writes the value of a row that has one.
    pub(crate) fn write(&self, row: usize, text: &mut String) -> std::fmt::Result {
        let stored = (self.stored)(self.column, row);
        let start = text.len();
        if !self.range.contains(&stored) || self.formatter.value(row).write(text).is_err() {
            text.truncate(start);
            return write!(text, "{stored}");
        }
        // A date in milliseconds is a date; should it have a time of day, then this stays.
        if *self.column.data_type() == DataType::Date64 && text.ends_with("T00:00:00") {
            text.truncate(text.len() - "T00:00:00".len());
        }
        Ok(())
    }
}

/// How the integers of a type are read, and which of them Arrow allows. The calendar of the
/// formatter ends earlier; but of a time of day it takes no notice of the highest bits.
fn stored_and_range(kind: &DataType) -> Option<(Stored, RangeInclusive<i64>)> {
    const DAY: i64 = 86_400;
    let all = i64::MIN..=i64::MAX;
    Some(match kind {
        DataType::Date32 => (value::<Date32Type>, all),
        DataType::Date64 => (value::<Date64Type>, all),
        DataType::Time32(TimeUnit::Second) => (value::<Time32SecondType>, 0..=DAY - 1),
        DataType::Time32(_) => (value::<Time32MillisecondType>, 0..=DAY * 1_000 - 1),
        DataType::Time64(TimeUnit::Microsecond) => (value::<Time64MicrosecondType>, 0..=DAY * 1_000_000 - 1),
        DataType::Time64(_) => (value::<Time64NanosecondType>, 0..=DAY * 1_000_000_000 - 1),
        DataType::Timestamp(TimeUnit::Second, _) => (value::<TimestampSecondType>, all),
        DataType::Timestamp(TimeUnit::Millisecond, _) => (value::<TimestampMillisecondType>, all),
        DataType::Timestamp(TimeUnit::Microsecond, _) => (value::<TimestampMicrosecondType>, all),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => (value::<TimestampNanosecondType>, all),
        _ => return None,
    })
}

fn value<T: ArrowPrimitiveType<Native: Into<i64>>>(column: &dyn Array, row: usize) -> i64 {
    column.as_primitive::<T>().value(row).into()
}
