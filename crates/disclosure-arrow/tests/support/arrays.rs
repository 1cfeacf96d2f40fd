//! Arrays that bytes choose, and the texts of their rows: what the reader is given.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{BinaryArray, LargeStringArray, NullArray, PrimitiveArray, StringArray, StringViewArray};
use fuzz_runner::Choices;

use super::texts::{of_day, of_decimal, of_f32, of_f64};
use super::values::*;

/// How many kinds of arrays there are, and how many of them are no dictionaries.
const KINDS: usize = 30;
const DICTIONARY: usize = 21;

/// What texts begin with.
const PIECES: [&str; 6] = ["", "a", "é", "\0", "NA", "twelve bytes"];

/// The type of a column, which all of its arrays have.
#[derive(Clone, Copy)]
struct Kind {
    kind: usize,
    /// The kind of the entries of a dictionary.
    entries: usize,
    /// The scale of decimal numbers.
    scale: i8,
}

/// A column of a kind and of these lengths.
pub(super) fn column(choices: &mut Choices<'_>, lengths: &[usize]) -> Column {
    let scale = [0, 2, 9, 38, -3][choices.below(5)];
    let kind = Kind { kind: choices.below(KINDS), entries: choices.below(DICTIONARY), scale };
    slices(choices, lengths, |choices, rows| array(choices, kind, rows))
}

fn array(choices: &mut Choices<'_>, kind: Kind, rows: usize) -> Made {
    match kind.kind {
        0 => texts(choices, rows, &PIECES, |rows| Arc::new(StringArray::from_iter(rows))),
        1 => texts(choices, rows, &PIECES, |rows| Arc::new(LargeStringArray::from_iter(rows))),
        2 => texts(choices, rows, &PIECES, |rows| Arc::new(StringViewArray::from_iter(rows))),
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

fn decimals(choices: &mut Choices<'_>, rows: usize, scale: i8) -> Made {
    let value = |choices: &mut Choices<'_>| match choices.below(3) {
        0 => choices.below(201) as i128 - 100,
        1 => (choices.below(21) as i128 - 10).saturating_mul(10_i128.pow(u32::from(scale.unsigned_abs()))),
        _ => choices.bits() as i128,
    };
    let (array, texts) = typed::<Decimal128Type>(choices, rows, value, |value| of_decimal(value, scale));
    (Arc::new(array.with_precision_and_scale(38, scale).expect("38 digits hold every scale")), Some(texts))
}

/// Keys into an array of the kind of its entries.
fn dictionary<K: ArrowDictionaryKeyType>(choices: &mut Choices<'_>, rows: usize, kind: Kind) -> Made {
    let entries = Kind { kind: kind.entries, ..kind };
    keys_into::<K>(choices, rows, |choices, rows| array(choices, entries, rows))
}

fn dictionary_of_dictionaries(choices: &mut Choices<'_>, rows: usize, kind: Kind) -> Made {
    let (values, texts) = dictionary::<UInt8Type>(choices, 5, kind);
    keyed::<Int16Type>(choices, rows, &values, texts)
}
