//! A value as the text that a file would have: what a schema codes, whatever the type.
//!
//! Integers in digits, floating-point numbers as the shortest decimal that reads back, decimal
//! numbers with all digits of their scale, dates as ISO 8601 has them, `true` and `false`; NULL is
//! the empty field. An entry of a dictionary has the text that it has outside of one.

use std::fmt::Write;

use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, cast::AsArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;
use disclosure_jobs::JobError;

use crate::decimal::Decimals;
use crate::temporal::Temporal;

/// The texts of one column of a batch.
pub struct Texts<'a> {
    column: &'a dyn Array,
    values: Values<'a>,
}

/// How the values of a column are written.
enum Values<'a> {
    Null,
    Boolean,
    Utf8(fn(&dyn Array, usize) -> &str),
    Float64,
    Float32,
    Integer(ArrayFormatter<'a>),
    Decimal(Decimals<'a>),
    Temporal(Temporal<'a>),
    /// The position of the entry of every row, and the texts of the entries.
    Dictionary(Vec<usize>, Box<Texts<'a>>),
}

impl<'a> Texts<'a> {
    /// The texts of a column; `name` is what messages call it.
    ///
    /// # Errors
    /// E0337 for lists, structures and bytes, which are no texts.
    pub fn new(column: &'a ArrayRef, name: &str) -> Result<Self, JobError> {
        let values = Values::new(column, name)?.ok_or_else(|| unreadable_type(name))?;
        Ok(Self { column: column.as_ref(), values })
    }

    /// Writes the text of a row behind what `text` has; nothing for NULL.
    ///
    /// # Panics
    /// If the column has no such row.
    #[inline]
    pub fn write(&self, row: usize, text: &mut String) {
        if self.column.is_null(row) {
            return;
        }
        // A String takes everything, and what no formatter takes is written as an integer.
        let _ = match &self.values {
            Values::Null => Ok(()),
            Values::Boolean => write!(text, "{}", self.column.as_boolean().value(row)),
            Values::Utf8(value) => text.write_str(value(self.column, row)),
            Values::Float64 => write!(text, "{}", self.column.as_primitive::<Float64Type>().value(row)),
            Values::Float32 => write!(text, "{}", self.column.as_primitive::<Float32Type>().value(row)),
            Values::Integer(formatter) => write!(text, "{}", formatter.value(row)),
            Values::Decimal(decimals) => decimals.write(row, text),
            Values::Temporal(temporal) => temporal.write(row, text),
            Values::Dictionary(entries, texts) => {
                texts.write(entries[row], text);
                Ok(())
            }
        };
    }
}

impl<'a> Values<'a> {
    /// How the values of a column are written; none for lists, structures and bytes.
    fn new(column: &'a ArrayRef, name: &str) -> Result<Option<Self>, JobError> {
        Ok(Some(match column.data_type() {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Boolean,
            DataType::Utf8 => Self::Utf8(|column, row| column.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => Self::Utf8(|column, row| column.as_string::<i64>().value(row)),
            DataType::Utf8View => Self::Utf8(|column, row| column.as_string_view().value(row)),
            DataType::Float64 => Self::Float64,
            DataType::Float32 => Self::Float32,
            DataType::Dictionary(..) => Self::dictionary(column, name)?,
            kind if kind.is_integer() => {
                let formatter = ArrayFormatter::try_new(column.as_ref(), &FormatOptions::new());
                return Ok(formatter.ok().map(Self::Integer));
            }
            kind if kind.is_decimal() => return Ok(Decimals::new(column).map(Self::Decimal)),
            _ => return Ok(Temporal::new(column).map(Self::Temporal)),
        }))
    }

    /// Each entry of a dictionary is written as it would be outside of one.
    fn dictionary(column: &'a ArrayRef, name: &str) -> Result<Self, JobError> {
        let dictionary = column.as_any_dictionary();
        let texts = Texts::new(dictionary.values(), name)?;
        // Without an entry every row is NULL.
        let entries = if dictionary.values().is_empty() { Vec::new() } else { dictionary.normalized_keys() };
        Ok(Self::Dictionary(entries, Box::new(texts)))
    }
}

/// Values of this column are lists, structures or bytes.
#[must_use]
pub fn unreadable_type(name: &str) -> JobError {
    JobError::new("E0337", format!("column {name:?}: values of this type are neither labels nor numbers"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray, Float64Array,
        Int64Array, StringArray, StringViewArray, Time64MicrosecondArray, TimestampSecondArray, UInt64Array,
    };

    use super::*;

    fn texts(column: impl Array + 'static) -> Vec<String> {
        let column: ArrayRef = Arc::new(column);
        let texts = Texts::new(&column, "x").unwrap();
        let text = |row| {
            let mut text = String::new();
            texts.write(row, &mut text);
            text
        };
        (0..column.len()).map(text).collect()
    }

    #[test]
    fn every_type_has_the_text_of_a_file() {
        assert_eq!(texts(Int64Array::from(vec![Some(-3), None, Some(i64::MAX)])), ["-3", "", "9223372036854775807"]);
        assert_eq!(texts(UInt64Array::from(vec![u64::MAX])), ["18446744073709551615"]);
        assert_eq!(texts(Float64Array::from(vec![Some(1.0), Some(0.1), None, Some(-0.5)])), ["1", "0.1", "", "-0.5"]);
        assert_eq!(texts(BooleanArray::from(vec![Some(true), Some(false), None])), ["true", "false", ""]);
        assert_eq!(texts(StringArray::from(vec![Some("a,\"b"), None])), ["a,\"b", ""]);
        assert_eq!(texts(StringViewArray::from(vec!["é", "a text longer than twelve bytes"]))[1].len(), 31);
        assert_eq!(texts(Date32Array::from(vec![0, 20_000])), ["1970-01-01", "2024-10-04"]);
        let decimals = Decimal128Array::from(vec![150]).with_precision_and_scale(5, 2).unwrap();
        assert_eq!(texts(decimals), ["1.50"]);
        let coded: DictionaryArray<Int32Type> = [Some("x"), None, Some("x")].into_iter().collect();
        assert_eq!(texts(coded), ["x", "", "x"]);
    }

    #[test]
    fn an_entry_of_a_dictionary_has_the_text_that_it_has_outside() {
        let values: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 1e16, f64::NAN]));
        let expected = ["1", "10000000000000000", "NaN"];
        assert_eq!(texts(Arc::clone(&values)), expected);
        let coded = DictionaryArray::<Int32Type>::new(vec![0, 1, 2].into(), values);
        assert_eq!(texts(coded.clone()), expected);
        assert_eq!(texts(DictionaryArray::<Int32Type>::new(vec![0, 1, 2].into(), Arc::new(coded))), expected);
        let none = DictionaryArray::<Int32Type>::new(vec![None, None].into(), Arc::new(Float64Array::new_null(0)));
        assert_eq!(texts(none), ["", ""]);
    }

    #[test]
    fn decimals_have_all_their_digits() {
        let decimals = |units: Vec<i128>, precision, scale| {
            texts(Decimal128Array::from(units).with_precision_and_scale(precision, scale).unwrap())
        };
        assert_eq!(decimals(vec![150, -5, 0, 1_234_567], 5, 2), ["1.50", "-0.05", "0.00", "12345.67"]);
        assert_eq!(decimals(vec![12, -7, 0], 5, -3), ["12000", "-7000", "0"]);
        assert_eq!(decimals(vec![i128::MIN], 38, 0), [i128::MIN.to_string()]);
    }

    #[test]
    fn dates_and_times_that_no_calendar_has_are_integers() {
        assert_eq!(texts(Date32Array::from(vec![i32::MAX, -1])), ["2147483647", "1969-12-31"]);
        let millis = vec![0, -86_400_000, 1, i64::MIN];
        assert_eq!(
            texts(Date64Array::from(millis)),
            ["1970-01-01", "1969-12-31", "1970-01-01T00:00:00.001", "-9223372036854775808"]
        );
        // The lowest 32 bits of its seconds are those of midnight.
        let times = Time64MicrosecondArray::from(vec![0, (1_i64 << 32) * 1_000_000, -1]);
        assert_eq!(texts(times), ["00:00:00", "4294967296000000", "-1"]);
    }

    #[test]
    fn time_zones_have_the_offset_of_their_day() {
        let of_zone = |zone: &str| texts(TimestampSecondArray::from(vec![0, 1_720_000_000]).with_timezone(zone));
        assert_eq!(of_zone("UTC"), ["1970-01-01T00:00:00Z", "2024-07-03T09:46:40Z"]);
        assert_eq!(of_zone("Europe/Berlin"), ["1970-01-01T01:00:00+01:00", "2024-07-03T11:46:40+02:00"]);
        let unknown: ArrayRef = Arc::new(TimestampSecondArray::from(vec![0]).with_timezone("Moon/Tycho"));
        assert!(Texts::new(&unknown, "x").err().unwrap().has_code("E0337"));
    }

    #[test]
    fn bytes_are_no_text() {
        let column: ArrayRef = Arc::new(BinaryArray::from(vec![&b"secret"[..]]));
        let error = Texts::new(&column, "x").err().unwrap();
        assert!(error.has_code("E0337") && !error.message().contains("secret"));
    }
}
