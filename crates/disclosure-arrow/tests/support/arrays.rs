//! Arrays that bytes choose, and the texts of their rows.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowNativeTypeOp, ArrowPrimitiveType, BinaryArray, BooleanArray, DictionaryArray,
    LargeStringArray, NullArray, PrimitiveArray, StringArray, StringViewArray,
};
use arrow_buffer::ArrowNativeType;
use fuzz_runner::Choices;

use super::texts::{of_day, of_decimal, of_f32, of_f64};

/// A column: an array for each batch, and the texts of all rows where its type has any.
pub(super) struct Column {
    pub(super) chunks: Vec<ArrayRef>,
    pub(super) texts: Option<Vec<String>>,
}

/// An array and the texts of its rows.
type Made = (ArrayRef, Option<Vec<String>>);

/// How many kinds of arrays there are, and how many of them are no dictionaries.
const KINDS: usize = 30;
const DICTIONARY: usize = 21;

/// The type of a column, which all of its arrays have.
#[derive(Clone, Copy)]
struct Kind {
    kind: usize,
    /// The kind of the entries of a dictionary.
    entries: usize,
    /// The scale of decimal numbers.
    scale: i8,
}

/// A column of a kind and of these lengths; each array is a slice of a longer one.
pub(super) fn column(choices: &mut Choices<'_>, lengths: &[usize]) -> Column {
    let scale = [0, 2, 9, 38, -3][choices.below(5)];
    let kind = Kind { kind: choices.below(KINDS), entries: choices.below(DICTIONARY), scale };
    let mut column = Column { chunks: Vec::new(), texts: Some(Vec::new()) };
    for &length in lengths {
        let (before, behind) = (choices.below(5), choices.below(3));
        let (array, texts) = array(choices, kind, before + length + behind);
        column.chunks.push(array.slice(before, length));
        column.texts = column.texts.zip(texts).map(|(mut all, texts)| {
            all.extend_from_slice(&texts[before..before + length]);
            all
        });
    }
    column
}

fn array(choices: &mut Choices<'_>, kind: Kind, rows: usize) -> Made {
    match kind.kind {
        0 => texts(choices, rows, |rows| Arc::new(StringArray::from_iter(rows))),
        1 => texts(choices, rows, |rows| Arc::new(LargeStringArray::from_iter(rows))),
        2 => texts(choices, rows, |rows| Arc::new(StringViewArray::from_iter(rows))),
        3 => integers::<Int8Type>(choices, rows),
        4 => integers::<Int16Type>(choices, rows),
        5 => integers::<Int32Type>(choices, rows),
        6 => integers::<Int64Type>(choices, rows),
        7 => integers::<UInt8Type>(choices, rows),
        8 => integers::<UInt16Type>(choices, rows),
        9 => integers::<UInt32Type>(choices, rows),
        10 => integers::<UInt64Type>(choices, rows),
        11 => primitives::<Float32Type>(choices, rows, |choices| double(choices) as f32, of_f32),
        12 | 13 => primitives::<Float64Type>(choices, rows, double, of_f64),
        14 => decimals(choices, rows, kind.scale),
        15 => primitives::<Date32Type>(choices, rows, day, of_day),
        16 => booleans(choices, rows),
        17 => (Arc::new(NullArray::new(rows)), Some(vec![String::new(); rows])),
        18 => unread(Arc::new(BinaryArray::from_iter_values((0..rows).map(|_| b"secret")))),
        19 => unread(Arc::new(PrimitiveArray::<TimestampSecondType>::new_null(rows))),
        20 => unread(Arc::new(PrimitiveArray::<Decimal256Type>::new_null(rows))),
        21 => dictionary::<Int8Type>(choices, rows, kind),
        22 => dictionary::<Int16Type>(choices, rows, kind),
        23 => dictionary::<Int32Type>(choices, rows, kind),
        24 => dictionary::<Int64Type>(choices, rows, kind),
        25 => dictionary::<UInt8Type>(choices, rows, kind),
        26 => dictionary::<UInt16Type>(choices, rows, kind),
        27 => dictionary::<UInt32Type>(choices, rows, kind),
        28 => dictionary::<UInt64Type>(choices, rows, kind),
        _ => dictionary_of_dictionaries(choices, rows, kind),
    }
}

/// An array of a type that has no categories.
fn unread(array: ArrayRef) -> Made {
    (array, None)
}

/// Which rows have a value: all, or as many as the bytes say.
fn present(choices: &mut Choices<'_>, rows: usize) -> Vec<bool> {
    let has_absent = choices.below(2) == 1;
    (0..rows).map(|_| !has_absent || choices.below(3) > 0).collect()
}

fn text(choices: &mut Choices<'_>) -> String {
    const PIECES: [&str; 6] = ["", "a", "é", "\0", "NA", "twelve bytes"];
    let piece = PIECES[choices.below(PIECES.len())].repeat(1 + choices.below(3));
    match choices.below(4) {
        0 => piece,
        _ => piece + &choices.below(4).to_string(),
    }
}

fn texts(choices: &mut Choices<'_>, rows: usize, array: fn(Vec<Option<String>>) -> ArrayRef) -> Made {
    let present = present(choices, rows);
    let texts: Vec<Option<String>> = present.iter().map(|&present| present.then(|| text(choices))).collect();
    let expected = texts.iter().map(|text| text.clone().unwrap_or_default()).collect();
    (array(texts), Some(expected))
}

/// Values of a type with their texts; what is absent has a value as well, which nobody may see.
fn primitives<T: ArrowPrimitiveType>(
    choices: &mut Choices<'_>,
    rows: usize,
    value: impl Fn(&mut Choices<'_>) -> T::Native,
    text: impl Fn(T::Native) -> String,
) -> Made {
    let present = present(choices, rows);
    let values: Vec<T::Native> = present.iter().map(|_| value(choices)).collect();
    let texts = values.iter().zip(&present).map(|(&value, &present)| if present { text(value) } else { String::new() });
    let texts = texts.collect();
    let nulls = present.contains(&false).then(|| present.into());
    (Arc::new(PrimitiveArray::<T>::new(values.into(), nulls)), Some(texts))
}

/// Integers that are close together, at the ends of their type, or anywhere.
fn integers<T: ArrowPrimitiveType>(choices: &mut Choices<'_>, rows: usize) -> Made
where
    T::Native: ArrowNativeTypeOp + ToString,
{
    let place = choices.below(4);
    let value = |choices: &mut Choices<'_>| match place {
        0 => T::Native::usize_as(choices.below(7)),
        1 => T::Native::MIN_TOTAL_ORDER.add_wrapping(T::Native::usize_as(choices.below(7))),
        2 => T::Native::MAX_TOTAL_ORDER.sub_wrapping(T::Native::usize_as(choices.below(7))),
        _ => T::Native::usize_as(choices.bits() as usize),
    };
    primitives::<T>(choices, rows, value, |value| value.to_string())
}

fn double(choices: &mut Choices<'_>) -> f64 {
    const ENDS: [f64; 9] = [0.0, -0.0, 1e15, -9e15, 1e300, f64::NAN, f64::INFINITY, f64::MIN, 5e-324];
    match choices.below(4) {
        0 => choices.below(9) as f64 - 4.0,
        1 => (choices.below(99) as f64) / 8.0,
        2 => ENDS[choices.below(ENDS.len())],
        _ => f64::from_bits(choices.bits() as u64),
    }
}

fn day(choices: &mut Choices<'_>) -> i32 {
    match choices.below(4) {
        0 => choices.below(256) as i32,
        1 => i32::MAX - choices.below(9) as i32,
        2 => i32::MIN + choices.below(9) as i32,
        _ => choices.bits() as i32,
    }
}

fn decimals(choices: &mut Choices<'_>, rows: usize, scale: i8) -> Made {
    let value = |choices: &mut Choices<'_>| match choices.below(3) {
        0 => choices.below(201) as i128 - 100,
        1 => (choices.below(21) as i128 - 10).saturating_mul(10_i128.pow(u32::from(scale.unsigned_abs()))),
        _ => choices.bits() as i128,
    };
    let text = |value| of_decimal(value, scale);
    let (array, texts) = primitives::<Decimal128Type>(choices, rows, value, text);
    let array = array.as_any().downcast_ref::<PrimitiveArray<Decimal128Type>>().expect("decimals were made").clone();
    (Arc::new(array.with_precision_and_scale(38, scale).expect("38 digits hold every scale")), texts)
}

fn booleans(choices: &mut Choices<'_>, rows: usize) -> Made {
    let present = present(choices, rows);
    let values: Vec<bool> = present.iter().map(|_| choices.below(2) == 1).collect();
    let texts =
        values.iter().zip(&present).map(|(value, &present)| if present { value.to_string() } else { "".into() });
    let texts = texts.collect();
    (Arc::new(BooleanArray::new(values.into(), Some(present.into()))), Some(texts))
}

/// Keys into an array of another kind, which has a slice of its own.
fn dictionary<K: ArrowDictionaryKeyType>(choices: &mut Choices<'_>, rows: usize, kind: Kind) -> Made {
    let (before, entries) = (choices.below(3), choices.below(9));
    let (values, texts) = array(choices, Kind { kind: kind.entries, ..kind }, before + entries);
    keyed::<K>(choices, rows, &values.slice(before, entries), texts.map(|texts| texts[before..].to_vec()))
}

fn dictionary_of_dictionaries(choices: &mut Choices<'_>, rows: usize, kind: Kind) -> Made {
    let (values, texts) = dictionary::<UInt8Type>(choices, 5, kind);
    keyed::<Int16Type>(choices, rows, &values, texts)
}

/// An array of keys; all are absent where there is nothing to be had.
fn keyed<K: ArrowDictionaryKeyType>(
    choices: &mut Choices<'_>,
    rows: usize,
    values: &ArrayRef,
    texts: Option<Vec<String>>,
) -> Made {
    let mut present = present(choices, rows);
    if values.is_empty() {
        present.fill(false);
    }
    let places: Vec<usize> = present.iter().map(|_| choices.below(values.len())).collect();
    // The key of an absent row points nowhere.
    let key = |(&place, &present): (&usize, &bool)| K::Native::usize_as(if present { place } else { 127 });
    let keys: Vec<K::Native> = places.iter().zip(&present).map(key).collect();
    let text = |texts: Vec<String>| -> Vec<String> {
        let row = |(&place, &present): (&usize, &bool)| if present { texts[place].clone() } else { String::new() };
        places.iter().zip(&present).map(row).collect()
    };
    let texts = texts.map(text);
    let keys = PrimitiveArray::<K>::new(keys.into(), Some(present.into()));
    (Arc::new(DictionaryArray::new(keys, Arc::clone(values))), texts)
}
