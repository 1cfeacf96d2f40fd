//! Arrow columns to codes with a dictionary of texts: numbers as a CSV file spells them, no value
//! as the empty text.

use std::collections::HashMap;
use std::hash::Hash;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;
use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::privacy_data::{CodedColumn, CodedColumnBuilder};

/// A table of integers that are this close together is indexed by them.
const MOST_SLOTS: i64 = 1 << 20;
/// Texts whose codes are looked for first.
const RECENT: usize = 256;
/// Rows that are coded before the flag is looked at again.
const ROWS_BETWEEN_LOOKS: usize = 1 << 20;

/// The codes of a column.
///
/// # Errors
/// E0673 for a type that has no categories, E0108 for a set flag.
pub fn coded(name: &str, chunks: &[ArrayRef], stop: &StopFlag) -> Result<CodedColumn, JobError> {
    let mut column = CodedColumnBuilder::default();
    for chunk in chunks {
        // The labels of a dictionary are looked up again for each piece.
        let is_dictionary = matches!(chunk.data_type(), DataType::Dictionary(..));
        let piece = if is_dictionary { chunk.len() } else { ROWS_BETWEEN_LOOKS };
        for start in (0..chunk.len()).step_by(piece.max(1)) {
            if stop.is_set() {
                return Err(JobError::stopped());
            }
            add(&mut column, chunk.slice(start, piece.min(chunk.len() - start)).as_ref(), name)?;
        }
    }
    Ok(column.finish())
}

fn add(column: &mut CodedColumnBuilder, array: &dyn Array, name: &str) -> Result<(), JobError> {
    use DataType as T;
    match array.data_type() {
        T::Utf8 => texts(column, array.as_string::<i32>().iter()),
        T::LargeUtf8 => texts(column, array.as_string::<i64>().iter()),
        T::Utf8View => texts(column, array.as_string_view().iter()),
        T::Int8 => integers(column, array.as_primitive::<Int8Type>()),
        T::Int16 => integers(column, array.as_primitive::<Int16Type>()),
        T::Int32 => integers(column, array.as_primitive::<Int32Type>()),
        T::Int64 => integers(column, array.as_primitive::<Int64Type>()),
        T::UInt8 => integers(column, array.as_primitive::<UInt8Type>()),
        T::UInt16 => integers(column, array.as_primitive::<UInt16Type>()),
        T::UInt32 => integers(column, array.as_primitive::<UInt32Type>()),
        T::UInt64 => values(column, array.as_primitive::<UInt64Type>().iter(), |v| v.to_string()),
        T::Float32 => {
            floats(column, array.as_primitive::<Float32Type>().iter(), |bits| f32::from_bits(bits).to_string());
        }
        T::Float64 => doubles(column, array.as_primitive::<Float64Type>()),
        T::Decimal128(_, scale) => {
            values(column, array.as_primitive::<Decimal128Type>().iter(), |v| decimal(v, *scale));
        }
        T::Boolean => {
            values(column, array.as_boolean().iter(), |v| if v { "true".to_owned() } else { "false".to_owned() });
        }
        T::Date32 => values(column, array.as_primitive::<Date32Type>().iter(), day),
        T::Null => missing(column, array.len()),
        T::Dictionary(key, _) => dictionary(column, array, key, name)?,
        other => return Err(not_read(name, other)),
    }
    Ok(())
}

fn not_read(name: &str, kind: &DataType) -> JobError {
    let message = format!("column {name:?} has the type {kind}, which has no categories");
    JobError::new("E0673", message)
}

/// The day of a number of days since 1970.
fn day(days: i32) -> String {
    match Date32Type::to_naive_date_opt(days) {
        Some(date) => date.to_string(),
        None => days.to_string(),
    }
}

/// A decimal number without zeros behind its last digit, as other numbers are spelt.
fn decimal(units: i128, scale: i8) -> String {
    let digits = units.unsigned_abs().to_string();
    let sign = if units < 0 { "-" } else { "" };
    let Ok(places @ 1..) = usize::try_from(scale) else {
        let zeros = if units == 0 { 0 } else { usize::from(scale.unsigned_abs()) };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    };
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, part) = digits.split_at(digits.len() - places);
    match part.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        part => format!("{sign}{whole}.{part}"),
    }
}

fn texts<'a>(column: &mut CodedColumnBuilder, rows: impl Iterator<Item = Option<&'a str>>) {
    let mut recent = [None; RECENT];
    let codes: Vec<u32> = rows.map(|text| text_code(column, &mut recent, text.unwrap_or_default())).collect();
    column.extend(codes);
}

/// The code of a text: most are among those that were seen shortly before. Only where one is looked
/// for depends on the text, so texts that meet in one place are slow and never wrong.
fn text_code(column: &mut CodedColumnBuilder, recent: &mut [Option<u32>; RECENT], text: &str) -> u32 {
    let bytes = text.as_bytes();
    let slot = (end_of(bytes) + 7 * bytes.first().map_or(0, |&byte| usize::from(byte))) % RECENT;
    match recent[slot].filter(|&code| column.text_of(code) == Some(text)) {
        Some(code) => code,
        None => {
            let code = column.code_of(text);
            recent[slot] = Some(code);
            code
        }
    }
}

/// A number that follows from the length and the last bytes of a text.
fn end_of(bytes: &[u8]) -> usize {
    bytes.iter().rev().take(4).fold(bytes.len(), |all, &byte| all * 31 + usize::from(byte))
}

/// Values with their texts, a text a distinct value.
fn values<K: Copy + Eq + Hash>(
    column: &mut CodedColumnBuilder,
    rows: impl Iterator<Item = Option<K>>,
    text: impl Fn(K) -> String,
) {
    let mut known: HashMap<Option<K>, u32> = HashMap::new();
    let mut last = None;
    let codes: Vec<u32> = rows
        .map(|value| match last {
            Some((same, code)) if same == value => code,
            _ => {
                let code =
                    *known.entry(value).or_insert_with(|| column.code_of(&value.map_or_else(String::new, &text)));
                last = Some((value, code));
                code
            }
        })
        .collect();
    column.extend(codes);
}

/// Integers: by the hash of their values, or where they are close together by their place.
fn integers<T>(column: &mut CodedColumnBuilder, array: &PrimitiveArray<T>)
where
    T: ArrowPrimitiveType,
    T::Native: Into<i64> + Ord,
{
    let present = array.values();
    let (low, high) = match array.null_count() {
        0 => (present.iter().min().copied(), present.iter().max().copied()),
        _ => (array.iter().flatten().min(), array.iter().flatten().max()),
    };
    let Some((low, high)) = low.zip(high).map(|(low, high)| (low.into(), high.into())) else {
        return missing(column, array.len());
    };
    if high.checked_sub(low).is_none_or(|width| width >= MOST_SLOTS) {
        return values(column, array.iter().map(|value| value.map(Into::into)), |value: i64| value.to_string());
    }
    let mut slots = Slots::new(low, high);
    match array.null_count() {
        0 => {
            present.iter().for_each(|&value| slots.see(place(low, value.into())));
            let codes = slots.codes(column, false);
            column.extend_mapped(present.iter().map(|&value| place(low, value.into())), &codes);
        }
        _ => {
            array.iter().flatten().for_each(|value| slots.see(place(low, value.into())));
            let codes = slots.codes(column, true);
            let absent = codes.len() - 1;
            let places = array.iter().map(|value| value.map_or(absent, |value| place(low, value.into())));
            column.extend_mapped(places, &codes);
        }
    }
}

fn floats(column: &mut CodedColumnBuilder, rows: impl Iterator<Item = Option<f32>>, text: impl Fn(u32) -> String) {
    values(column, rows.map(|value| value.filter(|value| !value.is_nan()).map(f32::to_bits)), text);
}

fn doubles(column: &mut CodedColumnBuilder, array: &PrimitiveArray<Float64Type>) {
    let range = numbers(array).try_fold(None, |range: Option<(i64, i64)>, value| match value {
        None => Some(range),
        Some(value) => {
            let own = whole(value)?;
            Some(Some(range.map_or((own, own), |(low, high)| (low.min(own), high.max(own)))))
        }
    });
    match range {
        Some(None) => missing(column, array.len()),
        Some(Some((low, high))) if high - low < MOST_SLOTS => {
            let mut slots = Slots::new(low, high);
            numbers(array).flatten().for_each(|value| slots.see(place(low, value as i64)));
            let codes = slots.codes(column, true);
            let absent = codes.len() - 1;
            let places = numbers(array).map(|value| value.map_or(absent, |value| place(low, value as i64)));
            column.extend_mapped(places, &codes);
        }
        _ => {
            values(column, numbers(array).map(|value| value.map(f64::to_bits)), |bits| {
                f64::from_bits(bits).to_string()
            });
        }
    }
}

/// The values of a column, without those that are not numbers.
fn numbers(array: &PrimitiveArray<Float64Type>) -> impl ExactSizeIterator<Item = Option<f64>> {
    array.iter().map(|value| value.filter(|value| !value.is_nan()))
}

/// The place of a value in a range, which is shorter than a million: the cast keeps it.
fn place(low: i64, value: i64) -> usize {
    (value - low) as usize
}

/// A number without a fraction whose text is that of an integer: not one with the sign of -0.
fn whole(value: f64) -> Option<i64> {
    let is_whole = value.fract() == 0.0 && value.abs() < 9e15 && value.to_bits() != (-0.0_f64).to_bits();
    is_whole.then_some(value as i64)
}

/// Nobody has a value.
fn missing(column: &mut CodedColumnBuilder, rows: usize) {
    let code = column.code_of("");
    column.extend_mapped(std::iter::repeat_n(0, rows), &[code]);
}

/// The integers from a least to a largest one, and which of them some row has.
struct Slots {
    low: i64,
    seen: Vec<bool>,
}

impl Slots {
    fn new(low: i64, high: i64) -> Self {
        Self { low, seen: vec![false; (high - low) as usize + 1] }
    }

    fn see(&mut self, place: usize) {
        self.seen[place] = true;
    }

    /// The code of every place; behind them that of no value, where there may be one.
    fn codes(self, column: &mut CodedColumnBuilder, with_missing: bool) -> Vec<u32> {
        let mut codes: Vec<u32> = Vec::with_capacity(self.seen.len() + 1);
        let mut known = 0;
        // With an end: a range without one computes the number behind the largest.
        for (value, seen) in (self.low..=i64::MAX).zip(self.seen) {
            // No row looks at the code of a place that nobody has.
            known = if seen { column.code_of(&value.to_string()) } else { known };
            codes.push(known);
        }
        if with_missing {
            codes.push(column.code_of(""));
        }
        codes
    }
}

fn dictionary(column: &mut CodedColumnBuilder, array: &dyn Array, key: &DataType, name: &str) -> Result<(), JobError> {
    let own = array.as_any_dictionary();
    // The dictionary is a column of its own, whose row is the key.
    let mut entries = CodedColumnBuilder::default();
    add(&mut entries, own.values().as_ref(), name)?;
    let entries = entries.finish();
    let mut codes: Vec<u32> = entries.row_texts().map(|text| column.code_of(text)).collect();
    let (absent, has_missing) = (codes.len(), array.null_count() > 0);
    if has_missing || codes.is_empty() {
        codes.push(column.code_of(""));
    }
    macro_rules! keys {
        ($($kind:ident => $data:ident),*) => {
            match key {
                $(DataType::$kind => {
                    let keys = array.as_dictionary::<$data>().keys();
                    match has_missing {
                        false => column.extend_mapped(keys.values().iter().map(|&key| key as usize), &codes),
                        true => column.extend_mapped(keys.iter().map(|key| key.map_or(absent, |key| key as usize)), &codes),
                    }
                })*
                other => return Err(not_read(name, other)),
            }
        };
    }
    keys!(Int8 => Int8Type, Int16 => Int16Type, Int32 => Int32Type, Int64 => Int64Type,
          UInt8 => UInt8Type, UInt16 => UInt16Type, UInt32 => UInt32Type, UInt64 => UInt64Type);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::Int64Array;

    use super::*;

    fn texts(array: Int64Array) -> Vec<String> {
        let column = coded("x", &[Arc::new(array)], &StopFlag::new()).expect("integers are read");
        column.row_texts().map(str::to_owned).collect()
    }

    #[test]
    fn the_largest_and_the_smallest_integers_are_read() {
        let (low, high) = (i64::MIN.to_string(), i64::MAX.to_string());
        assert_eq!(texts(Int64Array::from(vec![i64::MAX, i64::MAX - 1])), [high.as_str(), "9223372036854775806"]);
        assert_eq!(texts(Int64Array::from(vec![Some(i64::MAX), None])), [high.as_str(), ""]);
        assert_eq!(texts(Int64Array::from(vec![i64::MIN, i64::MIN])), [low.as_str(), &low]);
        assert_eq!(texts(Int64Array::from(vec![i64::MIN, i64::MAX])), [low, high]);
    }
}
