//! How the columns of the data are read.

use disclosure::privacy_core::Domain;
use privacy_data::{CsvOptions, DomainFile, Schema};

use crate::error::JobError;
use crate::input::EncodingName;
use crate::persons::PersonColumn;

/// The column of the numbers in every table that is written.
pub(super) const VALUE: &str = "value";
/// The column that says what an adjusted number is.
pub(super) const ESTIMATE: &str = "estimate";
/// Columns after those of the attributes in an unbiased table.
pub(super) const ANSWER_COLUMNS: [&str; 6] = [VALUE, "sd", "ci95_low", "ci95_high", "status", "reason"];

/// How the columns of the data are read.
#[derive(Debug)]
pub(crate) struct Columns {
    /// The attributes as they are written.
    pub(crate) file: DomainFile,
    pub(crate) schema: Schema,
    pub(crate) count: Option<String>,
    pub(super) encoding: EncodingName,
    /// Who has which row, where a column says so.
    pub(crate) person: Option<PersonColumn>,
}

impl Columns {
    pub(crate) fn new(
        file: DomainFile,
        count: Option<String>,
        encoding: EncodingName,
        person: Option<PersonColumn>,
    ) -> Result<Self, JobError> {
        let schema = file.clone().into_schema()?;
        check_names(schema.domain())?;
        Ok(Self { file, schema, count, encoding, person })
    }

    pub(crate) fn options(&self) -> CsvOptions {
        CsvOptions { encoding: self.encoding.into(), count_column: self.count.clone(), ..CsvOptions::default() }
    }
}

/// Refuses attributes with the name of a column of the outputs.
pub(super) fn check_names(domain: &Domain) -> Result<(), JobError> {
    match domain.names(domain.all()).find(|name| ANSWER_COLUMNS.contains(name) || *name == ESTIMATE) {
        Some(name) => {
            Err(JobError::new("E0215", format!("attribute {name:?} has the name of a column of the outputs")))
        }
        None => Ok(()),
    }
}
