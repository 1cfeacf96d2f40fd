//! Values that bytes choose, with their texts: what arrays of every kind are made of.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, ArrowNativeTypeOp, ArrowPrimitiveType, BooleanArray, DictionaryArray, PrimitiveArray,
    types::ArrowDictionaryKeyType,
};
use arrow_buffer::ArrowNativeType;
use fuzz_runner::Choices;

/// A column: an array for each batch, and the texts of all rows where its type has any.
pub(super) struct Column {
    pub(super) chunks: Vec<ArrayRef>,
    pub(super) texts: Option<Vec<String>>,
}

/// An array and the texts of its rows.
pub(super) type Made = (ArrayRef, Option<Vec<String>>);

/// A column of these lengths; each array is a slice of a longer one.
pub(super) fn slices(
    choices: &mut Choices<'_>,
    lengths: &[usize],
    array: impl Fn(&mut Choices<'_>, usize) -> Made,
) -> Column {
    let mut column = Column { chunks: Vec::new(), texts: Some(Vec::new()) };
    for &length in lengths {
        let (before, behind) = (choices.below(5), choices.below(3));
        let (array, texts) = array(choices, before + length + behind);
        column.chunks.push(array.slice(before, length));
        column.texts = column.texts.zip(texts).map(|(mut all, texts)| {
            all.extend_from_slice(&texts[before..before + length]);
            all
        });
    }
    column
}

/// An array of a type that has no categories.
pub(super) fn unread(array: ArrayRef) -> Made {
    (array, None)
}

/// Which rows have a value: all, or as many as the bytes say.
fn present(choices: &mut Choices<'_>, rows: usize) -> Vec<bool> {
    let has_absent = choices.below(2) == 1;
    (0..rows).map(|_| !has_absent || choices.below(3) > 0).collect()
}

fn text(choices: &mut Choices<'_>, pieces: &[&str]) -> String {
    let piece = pieces[choices.below(pieces.len())].repeat(1 + choices.below(3));
    match choices.below(4) {
        0 => piece,
        _ => piece + &choices.below(4).to_string(),
    }
}

/// Texts that begin with one of these.
pub(super) fn texts(
    choices: &mut Choices<'_>,
    rows: usize,
    pieces: &[&str],
    array: fn(Vec<Option<String>>) -> ArrayRef,
) -> Made {
    let present = present(choices, rows);
    let texts: Vec<Option<String>> = present.iter().map(|&present| present.then(|| text(choices, pieces))).collect();
    let expected = texts.iter().map(|text| text.clone().unwrap_or_default()).collect();
    (array(texts), Some(expected))
}

/// Values of a type with their texts; what is absent has a value as well, which nobody may see.
pub(super) fn typed<T: ArrowPrimitiveType>(
    choices: &mut Choices<'_>,
    rows: usize,
    value: impl Fn(&mut Choices<'_>) -> T::Native,
    text: impl Fn(T::Native) -> String,
) -> (PrimitiveArray<T>, Vec<String>) {
    let present = present(choices, rows);
    let values: Vec<T::Native> = present.iter().map(|_| value(choices)).collect();
    let texts = values.iter().zip(&present).map(|(&value, &present)| if present { text(value) } else { String::new() });
    let texts = texts.collect();
    let nulls = present.contains(&false).then(|| present.into());
    (PrimitiveArray::new(values.into(), nulls), texts)
}

/// As [`typed`], of a type that has no parameter.
pub(super) fn primitives<T: ArrowPrimitiveType>(
    choices: &mut Choices<'_>,
    rows: usize,
    value: impl Fn(&mut Choices<'_>) -> T::Native,
    text: impl Fn(T::Native) -> String,
) -> Made {
    let (array, texts) = typed::<T>(choices, rows, value, text);
    (Arc::new(array), Some(texts))
}

/// Integers that are close together, at the ends of their type, or anywhere.
pub(super) fn integers<T: ArrowPrimitiveType>(choices: &mut Choices<'_>, rows: usize) -> Made
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

pub(super) fn double(choices: &mut Choices<'_>) -> f64 {
    const ENDS: [f64; 9] = [0.0, -0.0, 1e15, -9e15, 1e300, f64::NAN, f64::INFINITY, f64::MIN, 5e-324];
    match choices.below(4) {
        0 => choices.below(9) as f64 - 4.0,
        1 => (choices.below(99) as f64) / 8.0,
        2 => ENDS[choices.below(ENDS.len())],
        _ => f64::from_bits(choices.bits() as u64),
    }
}

pub(super) fn day(choices: &mut Choices<'_>) -> i32 {
    match choices.below(4) {
        0 => choices.below(256) as i32,
        1 => i32::MAX - choices.below(9) as i32,
        2 => i32::MIN + choices.below(9) as i32,
        _ => choices.bits() as i32,
    }
}

pub(super) fn booleans(choices: &mut Choices<'_>, rows: usize) -> Made {
    let present = present(choices, rows);
    let values: Vec<bool> = present.iter().map(|_| choices.below(2) == 1).collect();
    let texts =
        values.iter().zip(&present).map(|(value, &present)| if present { value.to_string() } else { "".into() });
    let texts = texts.collect();
    (Arc::new(BooleanArray::new(values.into(), Some(present.into()))), Some(texts))
}

/// Keys into an array that has a slice of its own.
pub(super) fn keys_into<K: ArrowDictionaryKeyType>(
    choices: &mut Choices<'_>,
    rows: usize,
    array: impl Fn(&mut Choices<'_>, usize) -> Made,
) -> Made {
    let (before, entries) = (choices.below(3), choices.below(9));
    let (values, texts) = array(choices, before + entries);
    keyed::<K>(choices, rows, &values.slice(before, entries), texts.map(|texts| texts[before..].to_vec()))
}

/// An array of keys; all are absent where there is nothing to be had.
pub(super) fn keyed<K: ArrowDictionaryKeyType>(
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
