//! What a job reads: files by their names, and the data.

mod counted;
mod csv;
mod domain;
mod files;
mod format;
mod inputs;
mod labels;
mod opened;
mod packed;
mod snapshot;
mod source;
mod start;
mod stoppable;
mod unchanged;
mod workbook;

use disclosure::privacy_core::{AttrSet, ContingencyTable};
use privacy_data::{CsvOptions, DomainFile, Encoding, LearnSpec, Microdata, Schema, TextRow};
use serde::{Deserialize, Serialize};

use crate::error::JobError;

pub use counted::{CountedRows, CountedTables};
pub use csv::CsvSource;
pub use domain::{DeclaredDomain, declared_or_learnt, learnt};
pub(crate) use domain::{domain_error, meant_label};
pub(crate) use files::read_until_nul;
pub use files::{
    FileSystem, Files, MAX_TEXT_BYTES, MemoryFiles, is_pipe, open_file, open_regular, read_text, read_text_at_most,
    text_of,
};
pub use format::FormatSpec;
pub use inputs::check_not_read;
pub(crate) use labels::TextLabels;
pub use opened::{OpenedSource, SourceOpener, SourceRequest, data_named, file_in_address, is_address};
pub(crate) use packed::is_damaged;
pub use source::SourceSpec;
pub use start::{job_skeleton, learn_spec};
pub use stoppable::StoppableReader;

/// Which columns of the rows a job reads as texts.
#[derive(Clone, Copy, Debug)]
pub enum TextColumns<'a> {
    /// These, in this order.
    Named(&'a [&'a str]),
    /// These first, in this order, then all columns of the data.
    NamedThenAll(&'a [&'a str]),
}

/// What is called for each row of texts.
pub type EachRow<'a> = &'a mut dyn FnMut(&TextRow<'_>) -> Result<(), JobError>;

/// A table of rows, wherever it is: a CSV file, Arrow batches, a SQL engine.
///
/// Every call sees the same rows in the same order: a source that cannot promise that (a stream,
/// a table that others write to) keeps a snapshot. A source reads, codes and counts; it never
/// draws noise and never holds a secret.
pub trait DataSource {
    /// The name of the source in messages: a path or an address without credentials, never data.
    fn name(&self) -> String;

    /// The attributes that the data look like.
    ///
    /// # Errors
    /// Those of data that cannot be read.
    fn learn_domain(&self, options: &CsvOptions) -> Result<DomainFile, JobError> {
        self.learn_domain_with(options, &LearnSpec::default())
    }

    /// The attributes that the data look like, with what a person says about some columns.
    ///
    /// # Errors
    /// As [`learn_domain`](Self::learn_domain), and those of fields that have no bin.
    fn learn_domain_with(&self, options: &CsvOptions, learn: &LearnSpec) -> Result<DomainFile, JobError>;

    /// The rows, coded under a schema.
    ///
    /// # Errors
    /// Those of data that cannot be read or do not fit the schema; messages name the line and the
    /// column.
    fn read_rows(&self, schema: &Schema, options: &CsvOptions) -> Result<Microdata, JobError>;

    /// Calls `each` with the texts of every row, until it fails.
    ///
    /// # Errors
    /// Those of data that cannot be read, and that of `each`.
    fn for_each_text_row(
        &self,
        columns: TextColumns<'_>,
        options: &CsvOptions,
        each: EachRow<'_>,
    ) -> Result<(), JobError>;

    /// The marginals over `sets`, counted where the data are, in their order; `None` from a source
    /// whose rows have to be read. The same tables as those of [`read_rows`](Self::read_rows):
    /// a row that does not fit the schema is an error, and none is left out.
    ///
    /// # Errors
    /// As [`read_rows`](Self::read_rows), and those of sets that cannot be counted.
    fn count_marginals(
        &self,
        schema: &Schema,
        options: &CsvOptions,
        sets: &[AttrSet],
    ) -> Result<Option<Vec<ContingencyTable>>, JobError> {
        let _ = (schema, options, sets);
        Ok(None)
    }
}

/// How the bytes of a file spell text, as specifications name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EncodingName {
    /// UTF-8, with or without a byte order mark.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// ISO 8859-1.
    #[serde(rename = "latin1")]
    Latin1,
}

impl From<EncodingName> for Encoding {
    fn from(encoding: EncodingName) -> Self {
        match encoding {
            EncodingName::Utf8 => Self::Utf8,
            EncodingName::Latin1 => Self::Latin1,
        }
    }
}
