//! The columns of the data: as they are written, or as they look.

use std::path::Path;

use disclosure::core::Domain;
use privacy_data::{AttributeSpec, CsvOptions, DomainFile, Microdata, Schema, learn_domain, read_csv};

use super::facts::Label;
use super::spec::{MarginsSpec, SpecFile, VoteSpec};
use crate::error::Failure;
use crate::files::{open, say};
use crate::progress;

/// A vote that was checked.
#[derive(Clone, Debug)]
pub(super) struct Vote {
    /// The axis of the vote in the data.
    pub(super) axis: usize,
    /// The value that is counted.
    pub(super) level: Option<usize>,
}
/// The attributes that are written down, in the spec or in the file that it names.
fn written(beside: &Path, file: &SpecFile) -> Result<Option<DomainFile>, Failure> {
    match &file.domain {
        Some(domain) if file.attributes.is_empty() => {
            let path = beside.join(domain);
            Ok(Some(DomainFile::load(&path).map_err(|error| Failure::from(error).within(&path))?))
        }
        Some(_) => Err(Failure::new("E0236", "give [[attribute]] tables or domain = \"domain.toml\", not both")),
        None if file.attributes.is_empty() => Ok(None),
        None => Ok(Some(DomainFile {
            learnt_from_data: false,
            domain_is_public: false,
            attributes: file.attributes.clone(),
            left_out: Vec::new(),
        })),
    }
}

/// How the columns of the data are read. Exact counts have no rule about where labels come from; a person is told.
pub(super) fn schema_of(beside: &Path, data: &Path, file: &SpecFile) -> Result<Schema, Failure> {
    let mut columns = match written(beside, file)? {
        Some(written) => written,
        None if data == Path::new("-") => {
            return Err(Failure::new("E0236", "data from the standard input is read once: write [[attribute]] tables"));
        }
        None => learnt(&beside.join(data), file)?,
    };
    // Whoever did not vote so need not be told apart.
    if let Some(VoteSpec { column, value: Some(value) }) = &file.vote
        && !columns.attributes.iter().any(|attribute| attribute.name == *column)
    {
        let value = value.text();
        let other = Some(format!("not {value}"));
        columns.attributes.push(AttributeSpec { other, ..AttributeSpec::of_labels(column, [value]) });
    }
    Ok(columns.into_schema()?)
}

fn learnt(data: &Path, file: &SpecFile) -> Result<DomainFile, Failure> {
    let columns = learn_domain(open(data)?, &options(file)).map_err(|error| Failure::from(error).within(data))?;
    say("The categories were read off the data: a label is there because somebody has it. Write [[attribute]] tables \
         to say what could have been there.");
    if !columns.left_out.is_empty() {
        let places: Vec<String> = columns.left_out.iter().map(|left| left.position.to_string()).collect();
        say(&format!("Columns that are no categories were left out: {}.", places.join(", ")));
    }
    Ok(columns)
}

fn options(file: &SpecFile) -> CsvOptions {
    CsvOptions { encoding: file.encoding.into(), count_column: file.count.clone(), ..CsvOptions::default() }
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
    let columns = written(beside, file)?;
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
