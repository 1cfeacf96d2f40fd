//! A CSV file to groups.
//!
//! Where rows are the entities, a row is what stands in it, under the names of all columns, and which of its identical copies
//! it is. So the order of lines and of columns does not matter, copies count by themselves, one row more or less is one
//! entity more or less of every group it is in, and the same rows draw alike in every table made of the file. A file with
//! another column, or a row that was edited, has other entities.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use disclosure::core::prf::EntityHasher;
use disclosure::lcf::{Identifier, LabelledGroups, LabelledTable, LowCountFilter, RowGroup};
use privacy_data::{DataError, Defect, Microdata, TextRow, TextRows};

use super::spec::{AidColumn, Form, SpecFile};
use crate::error::Failure;
use crate::files::open;

/// Bytes that a row takes while rows are entities: its hash and its copies in an ordered map that is half full.
const BYTES_A_ROW: u64 = 32;

/// The groups of a file, for a filter: columns as texts.
pub(super) fn read_groups(spec: &SpecFile, data: &Path, filter: &LowCountFilter) -> Result<LabelledTable, Failure> {
    grouped(spec, open(data)?, &By::Text, filter).map_err(|failure| failure.within(data))
}

/// The groups of rows that were coded, for a filter: attributes by their labels. `data` is the file that they were read from.
pub(super) fn group_coded(
    spec: &SpecFile,
    data: &[u8],
    rows: &Microdata,
    filter: &LowCountFilter,
) -> Result<LabelledTable, Failure> {
    let of = |name: &String| {
        let place = rows.domain().index_of(name).map_err(|error| Failure::new("E0273", error.to_string()))?;
        Ok((rows.domain().attributes()[place].labels(), rows.codes(place).collect()))
    };
    let columns = spec.group_by.iter().map(of).collect::<Result<_, Failure>>()?;
    grouped(spec, data, &By::Codes(columns), filter)
}

/// Where the labels of a row are.
enum By<'a> {
    /// In the first columns of its text.
    Text,
    /// Among the labels of each attribute, at these places.
    Codes(Vec<(&'a [String], Vec<u32>)>),
}

impl By<'_> {
    fn group<'a>(
        &self,
        groups: &'a mut LabelledGroups,
        number: usize,
        texts: (&TextRow<'_>, usize),
    ) -> Result<RowGroup<'a>, Failure> {
        Ok(match self {
            Self::Text => groups.row(texts.0.fields().take(texts.1))?,
            Self::Codes(columns) => {
                groups.row(columns.iter().map(|(labels, codes)| labels[codes[number] as usize].as_str()))?
            }
        })
    }
}

fn grouped(spec: &SpecFile, data: impl Read, by: &By<'_>, filter: &LowCountFilter) -> Result<LabelledTable, Failure> {
    let (aids, limits) = (spec.aid_columns(), spec.group_limits());
    let texts: &[String] = if matches!(by, By::Text) { &spec.group_by } else { &[] };
    let named = aids.iter().filter(|aid| aid.form != Form::Row).map(|aid| &aid.column);
    let columns = texts.iter().chain(named);
    let every = spec.protects_rows();
    let reader = if every { TextRows::with_every_column } else { TextRows::new };
    let mut rows = reader(data, columns, &spec.csv())?;
    let mut groups = LabelledGroups::new(&spec.group_by, filter, limits);
    let (mut number, mut copies) = (0, Copies::default());
    while let Some(row) = rows.advance()? {
        let mut group = by.group(&mut groups, number, (&row, texts.len()))?;
        if every {
            let entity = copies.entity(&row, texts.len(), filter.hasher(0), limits.bytes)?;
            group.insert_with(0, || entity);
        } else {
            for (column, aid) in aids.iter().enumerate() {
                aid.add(&row, texts.len() + column, &mut group, (column, filter.hasher(column)))?;
            }
        }
        number += 1;
    }
    match number {
        0 => Err(Failure::new("E0302", Defect::NoRows.to_string())),
        _ => Ok(groups.into_table()),
    }
}

/// How often each row came so far, by the hash of what stands in it.
#[derive(Default)]
struct Copies(BTreeMap<u64, u64>);

impl Copies {
    /// The entity that a row is. Its columns are those behind the first `skip`.
    fn entity(&mut self, row: &TextRow<'_>, skip: usize, hasher: &EntityHasher, limit: u64) -> Result<u64, Failure> {
        let mut content = Vec::new();
        let mut add = |text: &str| {
            content.extend((text.len() as u64).to_le_bytes());
            content.extend(text.as_bytes());
        };
        for (name, field) in row.names().zip(row.fields()).skip(skip) {
            add(name);
            add(field);
        }
        let copies = self.0.entry(hasher.hash_bytes(&content)).or_default();
        *copies += 1;
        content.extend(copies.to_le_bytes());
        if self.0.len() as u64 * BYTES_A_ROW > limit {
            return Err(disclosure::lcf::Error::TooMuchState { limit }.into());
        }
        Ok(hasher.hash_bytes(&content))
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
                Form::Text | Form::Row => group.insert_with(column, || hasher.hash_str(text)),
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
