//! A CSV file to groups.

use std::path::Path;

use disclosure::core::prf::EntityHasher;
use disclosure::lcf::{Identifier, LabelledGroups, LabelledTable, LowCountFilter, RowGroup};
use privacy_data::{DataError, Defect, TextRow, TextRows};

use super::spec::{AidColumn, Form, SpecFile};
use crate::error::Failure;
use crate::files::open;

/// The groups of a file, for a filter.
pub(super) fn read_groups(spec: &SpecFile, data: &Path, filter: &LowCountFilter) -> Result<LabelledTable, Failure> {
    grouped(spec, data, filter).map_err(|failure| failure.within(data))
}

fn grouped(spec: &SpecFile, data: &Path, filter: &LowCountFilter) -> Result<LabelledTable, Failure> {
    let (aids, by) = (spec.aid_columns(), spec.group_by.len());
    let columns = spec.group_by.iter().chain(aids.iter().map(|aid| &aid.column));
    let mut rows = TextRows::new(open(data)?, columns, &spec.csv())?;
    let mut groups = LabelledGroups::new(&spec.group_by, filter, spec.group_limits());
    let mut any = false;
    while let Some(row) = rows.advance()? {
        any = true;
        let mut group = groups.row((0..by).map(|column| row.field(column)))?;
        for (column, aid) in aids.iter().enumerate() {
            aid.add(&row, by + column, &mut group, (column, filter.hasher(column)))?;
        }
    }
    match any {
        true => Ok(groups.into_table()),
        false => Err(Failure::new("E0302", Defect::NoRows.to_string())),
    }
}

impl AidColumn {
    /// Adds the identifiers of a field to the group of its row.
    fn add(
        &self,
        row: &TextRow<'_>,
        field: usize,
        group: &mut RowGroup<'_>,
        (column, hasher): (usize, &EntityHasher),
    ) -> Result<(), DataError> {
        let mut one = |text: &str| {
            if text.is_empty() || self.null.contains(text) {
                return Ok(());
            }
            match self.form {
                Form::Auto => group.insert_with(column, || Identifier::of_text(text).hash(hasher)),
                Form::Text => group.insert_with(column, || hasher.hash_str(text)),
                // Looked at whether it matters or not: a file is read or refused whatever is in its groups.
                Form::Integer => {
                    let integer: i128 = text.parse().map_err(|_| row.error(field, Defect::NotAnInteger))?;
                    group.insert_with(column, || Identifier::Integer(integer).hash(hasher));
                }
            }
            Ok(())
        };
        match self.separator {
            Some(separator) => row.field(field).split(separator).try_for_each(one),
            None => one(row.field(field)),
        }
    }
}
