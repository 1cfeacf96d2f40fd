//! `[source]` of a job: its data with everything that is said about them, in one table.

use std::path::PathBuf;

use serde::Deserialize;

use super::FormatSpec;
use crate::error::JobError;

/// `[source]` as it is written, in place of `data` and `format` at the top of the job. Unknown
/// fields are refused.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceSpec {
    /// A file beside the job, or an address.
    pub data: PathBuf,
    /// The table of a database. Read by `disclosure-sql` alone.
    pub table: Option<String>,
    /// The query whose rows are the data. Read by `disclosure-sql` alone.
    pub query: Option<String>,
    /// How a file of text separates, quotes and spells its fields.
    #[serde(default)]
    pub format: FormatSpec,
}

impl SourceSpec {
    /// Puts what was written into the two places that the top of a job has for it.
    ///
    /// # Errors
    /// E0243 where one of them is taken, or a table or a query is written twice.
    pub(crate) fn apply(
        source: Option<Self>,
        data: &mut Option<PathBuf>,
        format: &mut FormatSpec,
    ) -> Result<(), JobError> {
        let Some(Self { data: named, table, query, format: own }) = source else { return Ok(()) };
        if data.is_some() || !format.is_empty() {
            return Err(twice("data and format stand in [source] or at the top of the job, not in both"));
        }
        if own.table.is_some() || own.query.is_some() {
            return Err(twice("in [source], table and query stand beside format"));
        }
        *data = Some(named);
        *format = FormatSpec { table, query, ..own };
        Ok(())
    }
}

fn twice(words: &str) -> JobError {
    JobError::new("E0243", words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(text: &str, data: Option<&str>) -> Result<(Option<PathBuf>, FormatSpec), JobError> {
        let (mut data, mut format) = (data.map(PathBuf::from), FormatSpec::default());
        SourceSpec::apply(Some(toml::from_str(text).unwrap()), &mut data, &mut format)?;
        Ok((data, format))
    }

    #[test]
    fn a_source_is_data_and_format_in_one_table() {
        let (data, format) = applied("data = \"duckdb:c.db\"\ntable = \"people\"", None).unwrap();
        assert_eq!((data, format.table.as_deref()), (Some("duckdb:c.db".into()), Some("people")));
        let (_, format) = applied("data = \"t.csv\"\nformat = { separator = \";\" }", None).unwrap();
        assert_eq!(format, FormatSpec { separator: Some(";".into()), ..FormatSpec::default() });
        assert!(applied("data = \"t.csv\"", Some("other.csv")).unwrap_err().has_code("E0243"));
        assert!(applied("data = \"x\"\nformat = { table = \"t\" }", None).unwrap_err().has_code("E0243"));
        assert!(toml::from_str::<SourceSpec>("table = \"people\"").is_err());
    }
}
