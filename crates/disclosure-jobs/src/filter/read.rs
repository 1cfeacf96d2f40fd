//! Rows to groups.

use disclosure::lcf::{
    Error, FieldIdentifier, IdentifierField, LabelledGroups, LowCountFilter, RowEntities, RowGroup, RowQueue, Spellings,
};
use disclosure::privacy_core::labels::Labels;
use privacy_data::{Defect, Microdata, TextRow};

use super::grouped::GroupedTable;
use super::spec::{EntityEntry, FilterSpec};
use super::terms::terms;
use crate::error::JobError;
use crate::input::{DataSource, TextColumns, TextLabels, domain_error};
use crate::observer::Observer;

/// The groups of a source for a filter, by the labels that the texts of their columns stand for.
pub(super) fn group_texts(
    spec: &FilterSpec,
    labels: &TextLabels,
    source: &dyn DataSource,
    filter: &LowCountFilter,
    observer: &dyn Observer,
) -> Result<GroupedTable, JobError> {
    group_rows(spec, source, &RowLabels::Texts(labels), filter, observer)
}

/// The groups of coded rows for a filter, by the labels of their attributes. `source` has the
/// same rows, in the same order.
pub(super) fn group_coded(
    spec: &FilterSpec,
    source: &dyn DataSource,
    rows: &Microdata,
    filter: &LowCountFilter,
    observer: &dyn Observer,
) -> Result<GroupedTable, JobError> {
    let columns = spec.group_by.iter().map(|name| coded_column(rows, name)).collect::<Result<_, JobError>>()?;
    group_rows(spec, source, &RowLabels::Codes(columns), filter, observer)
}

/// The labels of an attribute, and the label of every row as an index among them.
fn coded_column<'a>(rows: &'a Microdata, name: &str) -> Result<(&'a Labels, Vec<u32>), JobError> {
    let index = rows.domain().index_of(name).map_err(|error| domain_error("E0273", rows.domain(), &error))?;
    Ok((rows.domain().attributes()[index].labels(), rows.codes(index).collect()))
}

/// Where the labels of a row are.
enum RowLabels<'a> {
    /// What the first columns of its text stand for.
    Texts(&'a TextLabels),
    /// Among the labels of each attribute, at these indices.
    Codes(Vec<(&'a Labels, Vec<u32>)>),
}

impl RowLabels<'_> {
    /// Refuses another number of rows than was coded.
    fn check_number(&self, rows: usize) -> Result<(), JobError> {
        match self {
            Self::Codes(columns) if columns.iter().any(|(_, codes)| codes.len() != rows) => Err(other_rows()),
            _ => Ok(()),
        }
    }

    /// Counts row `number`.
    fn count<'a>(
        &self,
        groups: &'a mut LabelledGroups,
        number: usize,
        row: &TextRow<'_>,
    ) -> Result<RowGroup<'a>, JobError> {
        Ok(match self {
            Self::Texts(labels) => groups.row(labels.of_row(row))?,
            Self::Codes(columns) => {
                if columns.iter().any(|(_, codes)| number >= codes.len()) {
                    return Err(other_rows());
                }
                groups.row(columns.iter().map(|(labels, codes)| &labels[codes[number] as usize]))?
            }
        })
    }
}

/// The rows that were coded and those with the identifiers are not the same.
fn other_rows() -> JobError {
    JobError::new("E0338", "the data changed between two readings; nothing was counted")
}

fn group_rows(
    spec: &FilterSpec,
    source: &dyn DataSource,
    labels: &RowLabels<'_>,
    filter: &LowCountFilter,
    observer: &dyn Observer,
) -> Result<GroupedTable, JobError> {
    let limits = spec.group_limits(observer.stop_flag());
    let fields: Vec<Option<IdentifierField>> = spec.entities.iter().map(|entry| entry.field()).collect();
    let texts = if let RowLabels::Texts(labels) = labels { labels.columns() } else { &[] };
    let named = spec.entities.iter().zip(&fields).filter(|(_, field)| field.is_some()).map(|(entry, _)| entry.column());
    let columns: Vec<&str> = texts.iter().map(String::as_str).chain(named).collect();
    let is_row = spec.protects_rows();
    let columns = if is_row { TextColumns::NamedThenAll(&columns) } else { TextColumns::Named(&columns) };
    let mut entities = RowEntities::new(limits.bytes);
    let mut groups = LabelledGroups::new(&spec.group_by, filter, limits);
    let mut queue = RowQueue::default();
    let mut number = 0;
    let mut spellings = vec![Spellings::default(); fields.len()];
    source.for_each_text_row(columns, &spec.csv_options(), &mut |row| {
        number += 1;
        if let RowLabels::Texts(labels) = labels {
            labels.check(row)?;
        }
        // Rows of many groups are counted some at a time.
        if let RowLabels::Texts(labels) = labels
            && !is_row
            && groups.are_many()
        {
            groups.queue(&mut queue, labels.of_row(row))?;
            return fields.iter().flatten().enumerate().try_for_each(|(column, field)| {
                let (place, hasher) = (Place { row, at: texts.len() + column }, filter.hasher(column)?);
                add(&place, field, &mut spellings[column], |identifier| {
                    queue.insert(column, identifier.hash(hasher));
                    Ok(())
                })
            });
        }
        let mut group = labels.count(&mut groups, number - 1, row)?;
        if is_row {
            let entity = entities.entity(row.names().zip(row.fields()).skip(texts.len()), filter.hasher(0)?)?;
            return Ok(group.insert_with(0, || entity)?);
        }
        let fields = fields.iter().flatten().enumerate();
        fields.into_iter().try_for_each(|(column, field)| {
            let (place, hasher) = (Place { row, at: texts.len() + column }, filter.hasher(column)?);
            let group = &mut group;
            add(&place, field, &mut spellings[column], |identifier| {
                group.insert_with(column, || identifier.hash(hasher))
            })
        })
    })?;
    labels.check_number(number)?;
    groups.count_queue(&mut queue)?;
    spec.entities.iter().zip(&spellings).filter_map(spelling_note).for_each(|note| observer.note(&note));
    spec.entities.iter().zip(&spellings).try_for_each(check_spellings)?;
    match number {
        0 => Err(JobError::new("E0302", Defect::NoRows.to_string()).in_section(&source.name())),
        _ => {
            let terms = terms(spec, filter, is_row.then(|| entities.digest()));
            Ok(GroupedTable { table: groups.into_table(), terms })
        }
    }
}

/// A field of identifiers in a row.
struct Place<'a> {
    row: &'a TextRow<'a>,
    at: usize,
}

/// Adds the identifiers of a field to the group of its row, and counts how they are spelled.
fn add(
    place: &Place<'_>,
    field: &IdentifierField,
    spellings: &mut Spellings,
    mut insert: impl FnMut(&FieldIdentifier<'_>) -> Result<(), Error>,
) -> Result<(), JobError> {
    let added = field.for_each(place.row.field(place.at), |identifier| {
        identifier.text().into_iter().for_each(|text| spellings.count(text));
        insert(&identifier)
    });
    added.map_err(|error| match error {
        Error::NotAnInteger => place.row.error(place.at, Defect::NotAnInteger).into(),
        error => error.into(),
    })
}

/// A warning about a column in which one entity may be several: numbers of rows, no values.
fn spelling_note((entry, spellings): (&EntityEntry, &Spellings)) -> Option<String> {
    let Spellings { integers, other_numbers, nobody, texts, odd_texts, .. } = *spellings;
    spellings.is_mixed().then(|| {
        format!(
            "entity {:?}: {integers} identifiers are spelled as integers, {other_numbers} as numbers in another way, {nobody} are words that often mark a missing identifier, {texts} are other texts, {odd_texts} of them with unusual spaces or letters. Every spelling counts as a separate entity, including differences in letter case.",
            entry.column()
        )
    })
}

/// A column without a declared form is accepted where all of its identifiers are spelled alike.
fn check_spellings((entry, spellings): (&EntityEntry, &Spellings)) -> Result<(), JobError> {
    let Some(field) = entry.field() else { return Ok(()) };
    let column = entry.column();
    spellings.check(field.form).map_err(|error| {
        let message = format!("entity column {column:?}: {error}, and each spelling would count as an entity");
        JobError::new("E0389", message).next(format!(
            "aid = [{{ column = {column:?}, form = \"integer\" }}], or form = \"text\" if every spelling is a separate entity; null = [\"NULL\"] lists words for a missing identifier"
        ))
    })
}
