//! The columns of the data: as they are written, or as they look.

use std::path::Path;

use disclosure::core::Domain;
use privacy_data::{AttributeSpec, CsvOptions, DomainFile, Microdata, Schema, read_csv};

use super::facts::Label;
use super::spec::{MarginsSpec, SpecFile, VoteSpec};
use crate::domains::{written, written_or_learnt};
use crate::error::Failure;
use crate::files::open;
use crate::progress;

/// A vote that was checked.
#[derive(Clone, Debug)]
pub(super) struct Vote {
    /// The axis of the vote in the data.
    pub(super) axis: usize,
    /// The value that is counted.
    pub(super) level: Option<usize>,
}

/// How the columns of the data are read. Exact counts have no rule about where labels come from; a person is told.
pub(super) fn schema_of(beside: &Path, data: &Path, file: &SpecFile) -> Result<Schema, Failure> {
    let written = written(beside, file.domain.as_deref(), &file.attributes)?;
    let path = if data == Path::new("-") { data.to_owned() } else { beside.join(data) };
    let mut columns = written_or_learnt(written, &path, &options(file))?;
    add_vote(&mut columns, file);
    Ok(columns.into_schema()?)
}

/// A vote that is no attribute is read as its value or not.
pub(super) fn add_vote(columns: &mut DomainFile, file: &SpecFile) {
    // Whoever did not vote so need not be told apart.
    if let Some(VoteSpec { column, value: Some(value) }) = &file.vote
        && !columns.attributes.iter().any(|attribute| attribute.name == *column)
    {
        let value = value.text();
        let other = Some(format!("not {value}"));
        columns.attributes.push(AttributeSpec { other, ..AttributeSpec::of_labels(column, [value]) });
    }
}

fn options(file: &SpecFile) -> CsvOptions {
    CsvOptions {
        encoding: file.encoding.unwrap_or_default().into(),
        count_column: file.count.clone(),
        ..CsvOptions::default()
    }
}

pub(super) fn rows(beside: &Path, data: &Path, schema: &Schema, file: &SpecFile) -> Result<Microdata, Failure> {
    let path = if data == Path::new("-") { data.to_owned() } else { beside.join(data) };
    let (reader, options) = (open(&path)?, options(file));
    let read = progress::during("reading", || read_csv(reader, schema, &options));
    read.map_err(|error| Failure::from(error).within(&path))
}

/// Without data, every number is in `known`.
pub(super) fn unseen_domain(beside: &Path, file: &SpecFile) -> Result<Domain, Failure> {
    let has_margins = !matches!(&file.margins, MarginsSpec::Sets(sets) if sets.is_empty());
    if has_margins || !file.publish.is_empty() || file.vote.is_some() || file.count.is_some() {
        return Err(Failure::new("E0236", "margins, publish, vote and count take data = \"table.csv\""));
    }
    let columns = written(beside, file.domain.as_deref(), &file.attributes)?;
    let columns = columns.ok_or_else(|| Failure::new("E0236", "give data = \"table.csv\", or [[attribute]] tables"))?;
    Ok(columns.into_schema()?.domain().clone())
}

pub(super) fn vote_of(domain: &Domain, vote: &VoteSpec) -> Result<Vote, Failure> {
    let axis = domain.index_of(&vote.column).map_err(|error| Failure::new("E0232", error.to_string()))?;
    let place = |value: &Label| {
        let value = value.text();
        let level = domain.attributes()[axis].labels().iter().position(|label| *label == value);
        level.ok_or_else(|| Failure::new("E0232", format!("the value of the vote is no label of {:?}", vote.column)))
    };
    if domain.len() < 2 {
        return Err(Failure::new("E0232", "there is no attribute besides the vote"));
    }
    Ok(Vote { axis, level: vote.value.as_ref().map(place).transpose()? })
}
