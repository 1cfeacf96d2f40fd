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
use lcf::{EntityCount, EntitySet, GroupState, Identifier, IdentifierField, IdentifierForm};

use crate::error::EngineError;
use crate::text::Texts;

/// Memory of a member of a set that has memory of its own: vectors are up to half empty.
const BYTES_A_MEMBER: usize = 16;

/// Groups by their numbers.
pub(crate) struct Entities {
    filter: Arc<LowCountFilter>,
    fields: Arc<[IdentifierField]>,
    cap: u32,
    rows: Vec<u64>,
    /// The sets of a group stand together, one for each column of identifiers.
    sets: Vec<EntitySet>,
    /// Members of all sets that were added.
    members: usize,
}

impl Entities {
    /// No group yet.
    pub(crate) fn new(filter: Arc<LowCountFilter>, fields: Arc<[IdentifierField]>) -> Self {
        let cap = GroupState::cap(&filter);
        Self { filter, fields, cap, rows: Vec::new(), sets: Vec::new(), members: 0 }
    }

    /// The same without a group.
    pub(crate) fn none(&self) -> Self {
        Self::new(Arc::clone(&self.filter), Arc::clone(&self.fields))
    }

    fn grow(&mut self, groups: usize) {
        self.rows.resize(groups, 0);
        self.sets.resize(groups * self.fields.len(), EntitySet::new(self.cap));
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
        self.grow(total);
        let is_kept = |row: usize| condition.is_none_or(|kept| kept.is_valid(row) && kept.value(row));
        for (row, &group) in groups.iter().enumerate() {
            self.rows[group] += u64::from(is_kept(row));
        }
        let (fields, filter) = (Arc::clone(&self.fields), Arc::clone(&self.filter));
        for (position, (field, column)) in fields.iter().zip(columns).enumerate() {
            let hasher = filter.hasher(position)?;
            let each = |row: usize, identifier: Identifier<'_>| {
                let set = &mut self.sets[groups[row] * fields.len() + position];
                if !set.is_saturated() {
                    let before = set.distinct();
                    set.insert(identifier.hash(hasher));
                    self.members += usize::from(set.distinct() != before);
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
        self.grow(total);
        for (state, &group) in states.iter().zip(groups) {
            let Some(state) = state else { continue };
            let state = GroupState::from_bytes(state, &self.filter)?;
            self.rows[group] = self.rows[group].saturating_add(state.rows);
            let columns = self.fields.len();
            for (set, other) in self.sets[group * columns..].iter_mut().zip(&state.sets) {
                set.merge(other)?;
                self.members += match other.distinct() {
                    EntityCount::Exactly(members) => members as usize,
                    EntityCount::AtLeast(_) => 0,
                };
            }
        }
        Ok(())
    }

    /// The states of the first groups, which are forgotten; NULL for a group without a row.
    ///
    /// # Errors
    /// None: the sets are those of the filter.
    pub(crate) fn take(&mut self, groups: usize) -> Result<LargeBinaryArray, EngineError> {
        let groups = groups.min(self.rows.len());
        let columns = self.fields.len();
        let mut states = LargeBinaryBuilder::with_capacity(groups, groups * 72);
        let sets = self.sets.chunks(columns.max(1));
        for (&rows, sets) in self.rows[..groups].iter().zip(sets) {
            match rows {
                0 => states.append_null(),
                rows => states.append_value(GroupState::bytes_of(rows, sets, &self.filter)?),
            }
        }
        self.rows.drain(..groups);
        self.sets.drain(..groups * columns);
        if self.rows.is_empty() {
            *self = self.none();
        }
        Ok(states.finish())
    }

    /// Memory, at most.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<u64>()
            + self.sets.capacity() * size_of::<EntitySet>()
            + self.members * BYTES_A_MEMBER
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
