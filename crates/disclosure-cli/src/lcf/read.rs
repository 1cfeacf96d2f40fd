//! A CSV file to groups.

use std::io::Read;
use std::path::Path;

use disclosure::lcf::{Error, LabelledGroups, LabelledTable, LowCountFilter, RowEntities, RowGroup};
use privacy_data::{Defect, Microdata, TextRow, TextRows};

use super::spec::{AidColumn, SpecFile};
use crate::error::Failure;
use crate::files::open;

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
    let named = aids.iter().filter(|aid| aid.field.is_some()).map(|aid| &aid.column);
    let columns = texts.iter().chain(named);
    let every = spec.protects_rows();
    let reader = if every { TextRows::with_every_column } else { TextRows::new };
    let mut rows = reader(data, columns, &spec.csv())?;
    let mut entities = RowEntities::new(limits.bytes);
    let mut groups = LabelledGroups::new(&spec.group_by, filter, limits);
    let mut number = 0;
    while let Some(row) = rows.advance()? {
        let mut group = by.group(&mut groups, number, (&row, texts.len()))?;
        if every {
            let fields = row.names().zip(row.fields()).skip(texts.len());
            let entity = entities.entity(fields, filter.hasher(0)?)?;
            group.insert_with(0, || entity)?;
        } else {
            for (column, aid) in aids.iter().enumerate() {
                aid.add(&row, texts.len() + column, &mut group, column, filter)?;
            }
        }
        number += 1;
    }
    match number {
        0 => Err(Failure::new("E0302", Defect::NoRows.to_string())),
        _ => Ok(groups.into_table()),
    }
}

impl AidColumn {
    /// Adds the identifiers of a field to the group of its row.
    fn add(
        &self,
        row: &TextRow<'_>,
        field: usize,
        group: &mut RowGroup<'_>,
        column: usize,
        filter: &LowCountFilter,
    ) -> Result<(), Failure> {
        let Some(form) = &self.field else { return Ok(()) };
        let hasher = filter.hasher(column)?;
        let added = form.for_each(row.field(field), |identifier| group.insert_with(column, || identifier.hash(hasher)));
        added.map_err(|error| match error {
            Error::NotAnInteger => row.error(field, Defect::NotAnInteger).into(),
            error => error.into(),
        })
    }
}
