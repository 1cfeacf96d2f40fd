//! Arrays that bytes choose, and the texts of their rows: what engines give.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{
    ArrayRef, BinaryArray, LargeStringArray, NullArray, PrimitiveArray, StringArray, StringViewArray, new_null_array,
};
use arrow_buffer::i256;
use arrow_schema::{DataType, Field};
use fuzz_runner::Choices;

use super::texts::{of_day, of_decimal, of_float, of_moment, of_time};
use super::values::*;

/// How many kinds of arrays there are, and how many of them are no dictionaries.
const KINDS: usize = 41;
const DICTIONARY: usize = 32;

/// What texts begin with.
const PIECES: [&str; 14] =
    ["", "a", "é", "e\u{301}", "\0", "NA", "twelve bytes", "7", "-3;", " 007;+", "0.5", "1e", " ", "2024-01-0"];

/// Zones, as columns name them, and how many minutes they are ahead.
const ZONES: [(Option<&str>, i64, &str); 5] = [
    (None, 0, ""),
    (Some("UTC"), 0, "Z"),
    (Some("+00:00"), 0, "Z"),
    (Some("+02:00"), 120, "+02:00"),
    (Some("-05:30"), -330, "-05:30"),
];

/// The type of a column, which all of its arrays have.
#[derive(Clone, Copy)]
struct Kind {
    kind: usize,
    /// The kind of the entries of a dictionary.
    entries: usize,
    /// Which scale decimal numbers have, or which zone moments have.
    variant: usize,
}

/// A column of a kind and of these lengths.
pub(super) fn column(choices: &mut Choices<'_>, lengths: &[usize]) -> Column {
    let kind =
        Kind { kind: choices.below(KINDS), entries: choices.below(DICTIONARY), variant: choices.below(ZONES.len()) };
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
        12 => primitives::<Float64Type>(choices, rows, double, |value| of_float(value, &format!("{value}"))),
        13 => decimals::<Decimal32Type>(choices, rows, kind.variant, |units| units as i32),
        14 => decimals::<Decimal64Type>(choices, rows, kind.variant, |units| units as i64),
        15 => decimals::<Decimal128Type>(choices, rows, kind.variant, |units| units),
        16 => decimals::<Decimal256Type>(choices, rows, kind.variant, i256::from_i128),
        17 => primitives::<Date32Type>(choices, rows, day, |days| or_stored(of_day(days.into()), days.into())),
        18 => primitives::<Date64Type>(choices, rows, |choices| moment(choices, 1_000), of_millis),
        19 => moments::<TimestampSecondType>(choices, rows, kind.variant, 1),
        20 => moments::<TimestampMillisecondType>(choices, rows, kind.variant, 1_000),
        21 => moments::<TimestampMicrosecondType>(choices, rows, kind.variant, 1_000_000),
        22 => moments::<TimestampNanosecondType>(choices, rows, kind.variant, 1_000_000_000),
        23 => times::<Time32SecondType>(choices, rows, 1, |time| time as i32),
        24 => times::<Time32MillisecondType>(choices, rows, 1_000, |time| time as i32),
        25 => times::<Time64MicrosecondType>(choices, rows, 1_000_000, |time| time),
        26 => times::<Time64NanosecondType>(choices, rows, 1_000_000_000, |time| time),
        27 => booleans(choices, rows),
        28 => (Arc::new(NullArray::new(rows)), Some(vec![String::new(); rows])),
        29 => unread(Arc::new(BinaryArray::from_iter_values((0..rows).map(|_| b"secret")))),
        30 => unread(Arc::new(PrimitiveArray::<DurationSecondType>::new_null(rows))),
        31 => unread(new_null_array(&DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))), rows)),
        32 => dictionary::<Int8Type>(choices, rows, kind),
        33 => dictionary::<Int16Type>(choices, rows, kind),
        34 => dictionary::<Int32Type>(choices, rows, kind),
        35 => dictionary::<Int64Type>(choices, rows, kind),
        36 => dictionary::<UInt8Type>(choices, rows, kind),
        37 => dictionary::<UInt16Type>(choices, rows, kind),
        38 => dictionary::<UInt32Type>(choices, rows, kind),
        39 => dictionary::<UInt64Type>(choices, rows, kind),
        _ => dictionary_of_dictionaries(choices, rows, kind),
    }
}

/// A number of 32 bits in its own digits, which are fewer than those of 64.
fn of_f32(value: f32) -> String {
    let text = format!("{value}");
    let read: f32 = text.parse().expect("a number reads back");
    assert!(read.to_bits() == value.to_bits() || (read.is_nan() && value.is_nan()), "{text} is not {value:?}");
    text
}

/// The text, or the integer that stands for a value that no calendar has.
fn or_stored(text: Option<String>, stored: i64) -> String {
    text.unwrap_or_else(|| stored.to_string())
}

/// Decimal numbers whose units may have more digits than the precision of their column.
fn decimals<T: DecimalType>(
    choices: &mut Choices<'_>,
    rows: usize,
    variant: usize,
    native: impl Fn(i128) -> T::Native,
) -> Made
where
    T::Native: ToString,
{
    let most = i8::try_from(T::MAX_PRECISION).expect("at most 76 digits");
    let scale = [0, 2, most / 2, most, -3][variant];
    let value = |choices: &mut Choices<'_>| {
        native(match choices.below(3) {
            0 => choices.below(201) as i128 - 100,
            1 => (choices.below(21) as i128 - 10) * 100_000_000,
            _ => choices.bits() as i128,
        })
    };
    let text = |value: T::Native| of_decimal(&value.to_string(), scale.into());
    let (array, texts) = typed::<T>(choices, rows, value, text);
    let precision = if scale < 3 { 3 } else { T::MAX_PRECISION };
    (Arc::new(array.with_precision_and_scale(precision, scale).expect("a scale of the precision")), Some(texts))
}

/// A moment in parts of a second: of a day at midnight, close to it, or anywhere.
fn moment(choices: &mut Choices<'_>, parts_of_second: i64) -> i64 {
    let midnight = (i64::from(day(choices))).wrapping_mul(86_400).wrapping_mul(parts_of_second);
    match choices.below(4) {
        0 | 1 => midnight,
        2 => midnight.wrapping_add(choices.bits() as u16 as i64 - 0x8000),
        _ => choices.bits() as i64,
    }
}

/// A date that is counted in milliseconds; should it have a time of day, then with this.
fn of_millis(millis: i64) -> String {
    let text = or_stored(of_moment(millis, 1_000, 0), millis);
    text.strip_suffix("T00:00:00").map(str::to_owned).unwrap_or(text)
}

fn moments<T: ArrowTimestampType>(choices: &mut Choices<'_>, rows: usize, variant: usize, parts: i64) -> Made {
    let (zone, minutes, suffix) = ZONES[variant];
    let text = |count| or_stored(of_moment(count, parts, minutes).map(|text| text + suffix), count);
    let (array, texts) = typed::<T>(choices, rows, |choices| moment(choices, parts), text);
    (Arc::new(array.with_timezone_opt(zone)), Some(texts))
}

/// Times of day in parts of a second, and numbers that are none.
fn times<T: ArrowPrimitiveType>(
    choices: &mut Choices<'_>,
    rows: usize,
    parts: i64,
    native: impl Fn(i64) -> T::Native,
) -> Made
where
    T::Native: Into<i64>,
{
    let value = |choices: &mut Choices<'_>| {
        native(match choices.below(5) {
            0 => choices.below(86_400 / 1_800) as i64 * 1_800 * parts,
            1 => (choices.bits() as u64 % (86_400 * parts as u64)) as i64,
            2 => 86_400 * parts - 2 + choices.below(4) as i64,
            // More seconds than 32 bits hold.
            3 => (choices.below(5) as i64 - 2).wrapping_mul(parts << 32) + choices.below(200) as i64,
            _ => choices.bits() as i64,
        })
    };
    let text = |value: T::Native| match value.into() {
        time if (0..86_400 * parts).contains(&time) => of_time(time * (1_000_000_000 / parts)),
        time => time.to_string(),
    };
    primitives::<T>(choices, rows, value, text)
}

/// Keys into an array of the kind of its entries.
fn dictionary<K: ArrowDictionaryKeyType>(choices: &mut Choices<'_>, rows: usize, kind: Kind) -> Made {
    let entries = Kind { kind: kind.entries, ..kind };
    keys_into::<K>(choices, rows, |choices, rows| array(choices, entries, rows))
}

fn dictionary_of_dictionaries(choices: &mut Choices<'_>, rows: usize, kind: Kind) -> Made {
    let (values, texts): (ArrayRef, _) = dictionary::<UInt8Type>(choices, 5, kind);
    keyed::<Int16Type>(choices, rows, &values, texts)
}
