//! The rows and the entities of many groups, side by side: what [`LcfState`](crate::LcfState) keeps
//! while it reads rows.

use std::sync::Arc;

use datafusion::arrow::array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, LargeBinaryArray, LargeBinaryBuilder, PrimitiveArray,
};
use datafusion::arrow::datatypes::{ArrowPrimitiveType, DataType};
use disclosure_jobs::JobError;
use disclosure_jobs::filter::LowCountFilter;
use lcf::{GroupState, Identifier, IdentifierField, IdentifierForm};

use crate::error::EngineError;
use crate::slab::Slab;
use crate::text::Texts;

/// Groups by their numbers.
pub(crate) struct Entities {
    filter: Arc<LowCountFilter>,
    fields: Arc<[IdentifierField]>,
    slab: Slab,
}

impl Entities {
    /// No group yet.
    pub(crate) fn new(filter: Arc<LowCountFilter>, fields: Arc<[IdentifierField]>) -> Self {
        let slab = Slab::new(GroupState::cap(&filter), fields.len());
        Self { filter, fields, slab }
    }

    /// The same without a group.
    pub(crate) fn none(&self) -> Self {
        Self::new(Arc::clone(&self.filter), Arc::clone(&self.fields))
    }

    /// Adds rows, a column of identifiers an argument, to the groups with these numbers, of which
    /// there are `total`; those alone that the condition of the query keeps.
    ///
    /// # Errors
    /// E0397 for identifiers that are not of their form, E0337 for a type that has no texts.
    pub(crate) fn add_rows(
        &mut self,
        columns: &[ArrayRef],
        groups: &[usize],
        condition: Option<&BooleanArray>,
        total: usize,
    ) -> Result<(), EngineError> {
        self.slab.grow(total);
        let is_kept = |row: usize| condition.is_none_or(|kept| kept.is_valid(row) && kept.value(row));
        // Also fetches the lines of all groups of the batch at once; the loop below waits for none.
        for (row, &group) in groups.iter().enumerate() {
            self.slab.add_rows(group, u64::from(is_kept(row)));
        }
        let (fields, filter) = (Arc::clone(&self.fields), Arc::clone(&self.filter));
        for (position, (field, column)) in fields.iter().zip(columns).enumerate() {
            let hasher = filter.hasher(position)?;
            let each = |row: usize, identifier: Identifier<'_>| {
                if !self.slab.is_saturated(groups[row], position) {
                    self.slab.insert(groups[row], position, identifier.hash(hasher));
                }
            };
            for_each_identifier(field, column, position, is_kept, each)?;
        }
        Ok(())
    }

    /// Adds states of parts of the groups with these numbers.
    ///
    /// # Errors
    /// E0375 for bytes that are no state of the filter, sealed under its secret.
    pub(crate) fn merge(
        &mut self,
        states: &LargeBinaryArray,
        groups: &[usize],
        total: usize,
    ) -> Result<(), EngineError> {
        self.slab.grow(total);
        self.slab.fetch(groups);
        for (state, &group) in states.iter().zip(groups) {
            let Some(state) = state else { continue };
            self.slab.merge(group, &GroupState::from_bytes(state, &self.filter)?)?;
        }
        Ok(())
    }

    /// The states of the first groups, which are forgotten; NULL for a group without a row.
    ///
    /// # Errors
    /// None: the sets are those of the filter.
    pub(crate) fn take(&mut self, groups: usize) -> Result<LargeBinaryArray, EngineError> {
        let mut states = LargeBinaryBuilder::new();
        self.slab.take(groups, &self.filter, |state| states.append_option(state))?;
        Ok(states.finish())
    }

    /// Memory, at most.
    pub(crate) fn bytes(&self) -> usize {
        self.slab.bytes()
    }
}

/// Calls `each` with the rows that are kept and their identifiers: none for NULL, several where a
/// field holds several.
fn for_each_identifier(
    field: &IdentifierField,
    column: &ArrayRef,
    position: usize,
    is_kept: impl Fn(usize) -> bool,
    mut each: impl FnMut(usize, Identifier<'_>),
) -> Result<(), EngineError> {
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
    let texts = Texts::new(column, &format!("argument {} of lcf_state", position + 1))?;
    let mut text = String::new();
    for row in (0..column.len()).filter(|&row| is_kept(row)) {
        text.clear();
        texts.write(row, &mut text);
        let added = field.for_each(&text, |identifier| {
            each(row, identifier.get());
            Ok(())
        });
        added.map_err(|error| match error {
            lcf::Error::NotAnInteger => {
                JobError::new("E0397", format!("argument {} of lcf_state: {error}", position + 1)).into()
            }
            error => EngineError::from(error),
        })?;
    }
    Ok(())
}

fn integers<T>(
    column: &PrimitiveArray<T>,
    is_kept: impl Fn(usize) -> bool,
    mut each: impl FnMut(usize, Identifier<'_>),
) -> Result<(), EngineError>
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
