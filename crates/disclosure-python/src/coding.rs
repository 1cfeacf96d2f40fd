//! Arrow columns to codes with a dictionary of texts: numbers as a CSV file spells them, no value
//! as the empty text.

use std::collections::HashMap;
use std::hash::Hash;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::privacy_data::{CodedColumn, CodedColumnBuilder};

/// A table of integers that are this close together is indexed by them.
const MOST_SLOTS: i64 = 1 << 20;

/// The codes of a column.
///
/// # Errors
/// E0673 for a type that has no categories, E0108 for a set flag.
pub(crate) fn coded(name: &str, chunks: &[ArrayRef], stop: &StopFlag) -> Result<CodedColumn, JobError> {
    let mut column = CodedColumnBuilder::default();
    for chunk in chunks {
        if stop.is_set() {
            return Err(JobError::stopped());
        }
        add(&mut column, chunk.as_ref(), name)?;
    }
    Ok(column.finish())
}

fn add(column: &mut CodedColumnBuilder, array: &dyn Array, name: &str) -> Result<(), JobError> {
    use DataType as T;
    match array.data_type() {
        T::Utf8 => texts(column, array.as_string::<i32>().iter()),
        T::LargeUtf8 => texts(column, array.as_string::<i64>().iter()),
        T::Utf8View => texts(column, array.as_string_view().iter()),
        T::Int8 => integers(column, array.as_primitive::<Int8Type>().iter().map(|v| v.map(i64::from))),
        T::Int16 => integers(column, array.as_primitive::<Int16Type>().iter().map(|v| v.map(i64::from))),
        T::Int32 => integers(column, array.as_primitive::<Int32Type>().iter().map(|v| v.map(i64::from))),
        T::Int64 => integers(column, array.as_primitive::<Int64Type>().iter()),
        T::UInt8 => integers(column, array.as_primitive::<UInt8Type>().iter().map(|v| v.map(i64::from))),
        T::UInt16 => integers(column, array.as_primitive::<UInt16Type>().iter().map(|v| v.map(i64::from))),
        T::UInt32 => integers(column, array.as_primitive::<UInt32Type>().iter().map(|v| v.map(i64::from))),
        T::UInt64 => values(column, array.as_primitive::<UInt64Type>().iter(), |v| v.to_string()),
        T::Float32 => {
            floats(column, array.as_primitive::<Float32Type>().iter(), |bits| f32::from_bits(bits).to_string());
        }
        T::Float64 => doubles(column, array.as_primitive::<Float64Type>().iter()),
        T::Boolean => {
            values(column, array.as_boolean().iter(), |v| if v { "true".to_owned() } else { "false".to_owned() });
        }
        T::Date32 => values(column, array.as_primitive::<Date32Type>().iter(), day),
        T::Null => {
            let missing = column.code_of("");
            column.extend((0..array.len()).map(|_| missing));
        }
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

fn texts<'a>(column: &mut CodedColumnBuilder, rows: impl Iterator<Item = Option<&'a str>>) {
    let codes: Vec<u32> = rows.map(|text| column.code_of(text.unwrap_or_default())).collect();
    column.extend(codes);
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

fn integers(column: &mut CodedColumnBuilder, rows: impl Iterator<Item = Option<i64>> + Clone) {
    let mut range: Option<(i64, i64)> = None;
    let mut any_missing = false;
    for value in rows.clone() {
        match value {
            Some(value) => range = Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value)))),
            None => any_missing = true,
        }
    }
    let (low, high) = range.unwrap_or((0, 0));
    if high.checked_sub(low).is_none_or(|width| width >= MOST_SLOTS) {
        return values(column, rows, |value| value.to_string());
    }
    let missing = if any_missing { column.code_of("") } else { 0 };
    // The range is shorter than a million: the casts keep the place.
    let place = |value: i64| (value - low) as usize;
    let mut seen = vec![false; place(high) + 1];
    rows.clone().flatten().for_each(|value| seen[place(value)] = true);
    let codes: Vec<u32> = (low..=high)
        .zip(seen)
        .map(|(value, seen)| if seen && range.is_some() { column.code_of(&value.to_string()) } else { 0 })
        .collect();
    column.extend(rows.map(|value| value.map_or(missing, |value| codes[place(value)])));
}

fn floats(column: &mut CodedColumnBuilder, rows: impl Iterator<Item = Option<f32>>, text: impl Fn(u32) -> String) {
    values(column, rows.map(|value| value.filter(|value| !value.is_nan()).map(f32::to_bits)), text);
}

fn doubles(column: &mut CodedColumnBuilder, rows: impl Iterator<Item = Option<f64>>) {
    let bits = rows.map(|value| value.filter(|value| !value.is_nan()).map(f64::to_bits));
    values(column, bits, |bits| f64::from_bits(bits).to_string());
}

fn dictionary(column: &mut CodedColumnBuilder, array: &dyn Array, key: &DataType, name: &str) -> Result<(), JobError> {
    let own = array.as_any_dictionary();
    // The dictionary is a column of its own, whose row is the key.
    let mut entries = CodedColumnBuilder::default();
    add(&mut entries, own.values().as_ref(), name)?;
    let entries = entries.finish();
    let codes: Vec<u32> = entries.row_texts().map(|text| column.code_of(text)).collect();
    let missing = if array.null_count() > 0 { column.code_of("") } else { 0 };
    macro_rules! keys {
        ($($kind:ident => $data:ident),*) => {
            match key {
                $(DataType::$kind => column.extend(
                    array.as_dictionary::<$data>().keys().iter().map(|key| key.map_or(missing, |key| codes[key as usize])),
                ),)*
                other => return Err(not_read(name, other)),
            }
        };
    }
    keys!(Int8 => Int8Type, Int16 => Int16Type, Int32 => Int32Type, Int64 => Int64Type,
          UInt8 => UInt8Type, UInt16 => UInt16Type, UInt32 => UInt32Type, UInt64 => UInt64Type);
    Ok(())
}
