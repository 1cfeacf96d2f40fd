//! Identifiers of entities in a column.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;
use disclosure_jobs::JobError;
use lcf::{Identifier, IdentifierField, IdentifierForm};

use crate::text::Texts;

/// Calls `each` with the rows that are kept and their identifiers: none for NULL, several where a
/// field holds several. `name` is what messages call the column.
///
/// # Errors
/// E0397 for identifiers that are not of their form, E0337 for a type that has no texts.
pub fn for_each_identifier(
    field: &IdentifierField,
    column: &ArrayRef,
    name: &str,
    is_kept: impl Fn(usize) -> bool,
    mut each: impl FnMut(usize, Identifier<'_>),
) -> Result<(), JobError> {
    // An integer by its type needs no text, unless some stand for nobody.
    if field.form == IdentifierForm::Integer && field.null.is_empty() && field.separator.is_none() {
        match column.data_type() {
            DataType::Int8 => return integers::<Int8Type>(column.as_primitive(), is_kept, each),
            DataType::Int16 => return integers::<Int16Type>(column.as_primitive(), is_kept, each),
            DataType::Int32 => return integers::<Int32Type>(column.as_primitive(), is_kept, each),
            DataType::Int64 => return integers::<Int64Type>(column.as_primitive(), is_kept, each),
            DataType::UInt8 => return integers::<UInt8Type>(column.as_primitive(), is_kept, each),
            DataType::UInt16 => return integers::<UInt16Type>(column.as_primitive(), is_kept, each),
            DataType::UInt32 => return integers::<UInt32Type>(column.as_primitive(), is_kept, each),
            DataType::UInt64 => return integers::<UInt64Type>(column.as_primitive(), is_kept, each),
            _ => {}
        }
    }
    let texts = Texts::new(column, name)?;
    let mut text = String::new();
    for row in (0..column.len()).filter(|&row| is_kept(row)) {
        text.clear();
        texts.write(row, &mut text);
        let added = field.for_each(&text, |identifier| {
            each(row, identifier.get());
            Ok(())
        });
        added.map_err(|error| match error {
            lcf::Error::NotAnInteger => JobError::new("E0397", format!("{name}: {error}")),
            error => JobError::from(error),
        })?;
    }
    Ok(())
}

fn integers<T>(
    column: &PrimitiveArray<T>,
    is_kept: impl Fn(usize) -> bool,
    mut each: impl FnMut(usize, Identifier<'_>),
) -> Result<(), JobError>
where
    T: ArrowPrimitiveType,
    T::Native: Into<i128>,
{
    let has_null = column.null_count() > 0;
    for (row, &value) in column.values().iter().enumerate() {
        if is_kept(row) && !(has_null && column.is_null(row)) {
            each(row, Identifier::Integer(value.into()));
        }
    }
    Ok(())
}
