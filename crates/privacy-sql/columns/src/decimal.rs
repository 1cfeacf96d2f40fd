//! Decimal numbers with all digits of their scale.

use std::fmt::{Display, Write};

use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, cast::AsArray};
use arrow_schema::DataType;

/// The decimal numbers of one column.
pub(crate) struct Decimals<'a> {
    column: &'a ArrayRef,
    /// Writes the units of a row, as an integer.
    units: fn(&dyn Array, usize, &mut String) -> std::fmt::Result,
    /// How many of the digits of the units are behind the point; how many zeros follow them, if
    /// negative.
    scale: i8,
}

impl<'a> Decimals<'a> {
    /// The decimal numbers of a column; none for other types.
    pub(crate) fn new(column: &'a ArrayRef) -> Option<Self> {
        let (units, scale): (fn(&dyn Array, usize, &mut String) -> _, _) = match *column.data_type() {
            DataType::Decimal32(_, scale) => (write_units::<Decimal32Type>, scale),
            DataType::Decimal64(_, scale) => (write_units::<Decimal64Type>, scale),
            DataType::Decimal128(_, scale) => (write_units::<Decimal128Type>, scale),
            DataType::Decimal256(_, scale) => (write_units::<Decimal256Type>, scale),
            _ => return None,
        };
        Some(Self { column, units, scale })
    }

    /// Writes the value of a row that has one. The formatter of Arrow cuts off the digits that the
    /// precision of the column has no place for, which would be another number.
    pub(crate) fn write(&self, row: usize, text: &mut String) -> std::fmt::Result {
        let start = text.len();
        (self.units)(self.column, row, text)?;
        let digits = start + usize::from(text[start..].starts_with('-'));
        let places = usize::from(self.scale.unsigned_abs());
        if self.scale > 0 {
            let absent = (places + 1).saturating_sub(text.len() - digits);
            text.insert_str(digits, &"0".repeat(absent));
            text.insert(text.len() - places, '.');
        } else if text[digits..] != *"0" {
            text.extend(std::iter::repeat_n('0', places));
        }
        Ok(())
    }
}

fn write_units<T: ArrowPrimitiveType<Native: Display>>(
    column: &dyn Array,
    row: usize,
    text: &mut String,
) -> std::fmt::Result {
    write!(text, "{}", column.as_primitive::<T>().value(row))
}
