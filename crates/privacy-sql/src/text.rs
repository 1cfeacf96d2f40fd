//! A value as the text that a file would have: what a schema codes, whatever the type.
//!
//! Integers in digits, floating-point numbers as the shortest decimal that reads back, dates as ISO
//! 8601 has them, `true` and `false`; NULL is the empty field.

use std::fmt::Write;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::error::{EngineError, unreadable_type};

/// The texts of one column of a batch.
pub(crate) enum Texts<'a> {
    Utf8(&'a ArrayRef, fn(&ArrayRef, usize) -> &str),
    Float64(&'a ArrayRef),
    Float32(&'a ArrayRef),
    Other(&'a ArrayRef, ArrayFormatter<'a>),
    Null,
}

impl<'a> Texts<'a> {
    /// The texts of a column.
    ///
    /// # Errors
    /// E0337 for lists, structures and bytes, which are no texts.
    pub(crate) fn new(column: &'a ArrayRef, name: &str) -> Result<Self, EngineError> {
        Ok(match column.data_type() {
            DataType::Null => Self::Null,
            DataType::Utf8 => Self::Utf8(column, |column, row| column.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => Self::Utf8(column, |column, row| column.as_string::<i64>().value(row)),
            DataType::Utf8View => Self::Utf8(column, |column, row| column.as_string_view().value(row)),
            DataType::Float64 => Self::Float64(column),
            DataType::Float32 => Self::Float32(column),
            kind if is_readable(kind) => {
                let formatter = ArrayFormatter::try_new(column.as_ref(), &FormatOptions::new());
                Self::Other(column, formatter.map_err(|_| unreadable_type(name))?)
            }
            _ => return Err(unreadable_type(name)),
        })
    }

    /// Writes the text of a row behind what `text` has; nothing for NULL.
    pub(crate) fn write(&self, row: usize, text: &mut String) {
        // A String takes everything, and the types were checked.
        let _ = match self {
            Self::Null => Ok(()),
            Self::Utf8(column, _) | Self::Float64(column) | Self::Float32(column) | Self::Other(column, _)
                if column.is_null(row) =>
            {
                Ok(())
            }
            Self::Utf8(column, value) => text.write_str(value(column, row)),
            Self::Float64(column) => write!(text, "{}", column.as_primitive::<Float64Type>().value(row)),
            Self::Float32(column) => write!(text, "{}", column.as_primitive::<Float32Type>().value(row)),
            Self::Other(_, formatter) => write!(text, "{}", formatter.value(row)),
        };
    }
}

/// Whether values of a type have a text of their own.
pub(crate) fn is_readable(kind: &DataType) -> bool {
    match kind {
        DataType::Null | DataType::Boolean | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) | DataType::Time32(_) | DataType::Time64(_) => {
            true
        }
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..) => true,
        DataType::Float32 | DataType::Float64 => true,
        DataType::Dictionary(_, values) => is_readable(values),
        kind => kind.is_integer(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{
        BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array, Int64Array,
        StringArray, StringViewArray, UInt64Array,
    };
    use datafusion::arrow::datatypes::Int32Type;

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
    fn bytes_are_no_text() {
        let column: ArrayRef = Arc::new(BinaryArray::from(vec![&b"secret"[..]]));
        let error = Texts::new(&column, "x").err().unwrap().to_job();
        assert!(error.has_code("E0337") && !error.message().contains("secret"));
    }
}
