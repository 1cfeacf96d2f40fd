//! The rows and the entities of many groups, side by side: what [`LcfState`](crate::LcfState) keeps
//! while it reads rows.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, LargeBinaryArray, LargeBinaryBuilder};
use disclosure_jobs::filter::LowCountFilter;
use lcf::{GroupState, Identifier, IdentifierField};
use privacy_sql_columns::for_each_identifier;

use crate::error::EngineError;
use crate::slab::Slab;

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
            let name = format!("argument {} of lcf_state", position + 1);
            for_each_identifier(field, column, &name, is_kept, each)?;
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
