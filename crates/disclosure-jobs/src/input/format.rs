//! The form of a file of rows, as a job or a command declares it.

use privacy_data::{CsvOptions, DecimalMark, Dialect};
use serde::{Deserialize, Serialize};

use crate::error::JobError;

/// `format = { separator = ";", decimal = ",", quote = "'", sheet = "2024" }` of a job: what is
/// not said is looked for in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FormatSpec {
    /// The separator of fields: one character of ASCII, or `tab`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    /// The mark in numbers: `.` or `,`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal: Option<String>,
    /// The quote around fields: one character of ASCII, or `none`. `"` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The sheet of a workbook; the first when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// The table of a database. Read by `disclosure-sql` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The query whose rows are the data. Read by `disclosure-sql` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

impl FormatSpec {
    /// Whether nothing is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These declarations, and those of `fallback` where these say nothing.
    #[must_use]
    pub fn or(self, fallback: &Self) -> Self {
        Self {
            separator: self.separator.or_else(|| fallback.separator.clone()),
            decimal: self.decimal.or_else(|| fallback.decimal.clone()),
            quote: self.quote.or_else(|| fallback.quote.clone()),
            sheet: self.sheet.or_else(|| fallback.sheet.clone()),
            table: self.table.or_else(|| fallback.table.clone()),
            query: self.query.or_else(|| fallback.query.clone()),
        }
    }

    /// Separator, quote and decimal mark.
    ///
    /// # Errors
    /// E0230 for anything but one character, `tab` and `none`.
    pub fn dialect(&self) -> Result<Dialect, JobError> {
        let separator = match self.separator.as_deref() {
            None => None,
            Some("tab" | "\\t") => Some(b'\t'),
            Some(text) => Some(one_byte(text)?),
        };
        let quote = match self.quote.as_deref() {
            None => Some(b'"'),
            Some("none") => None,
            Some(text) => Some(one_byte(text)?),
        };
        let decimal = match self.decimal.as_deref() {
            None => None,
            Some(".") => Some(DecimalMark::Point),
            Some(",") => Some(DecimalMark::Comma),
            Some(_) => return Err(JobError::new("E0230", "decimal must be \".\" or \",\"")),
        };
        Ok(Dialect { separator, quote, decimal })
    }

    /// Options of a reader with what this declares.
    pub(super) fn applied_to(&self, options: &CsvOptions) -> Result<CsvOptions, JobError> {
        if self.is_empty() {
            return Ok(options.clone());
        }
        if self.table.is_some() || self.query.is_some() {
            let error = JobError::new("E0350", "a table or a query was given, but the data are a text file");
            return Err(error
                .next("use the program disclosure-sql for Parquet and Arrow files and databases (docs/engines.md)"));
        }
        let (declared, fallback) = (self.dialect()?, options.dialect);
        let dialect = Dialect {
            separator: declared.separator.or(fallback.separator),
            quote: if self.quote.is_some() { declared.quote } else { fallback.quote },
            decimal: declared.decimal.or(fallback.decimal),
        };
        Ok(CsvOptions { dialect, ..options.clone() })
    }
}

fn one_byte(text: &str) -> Result<u8, JobError> {
    match text.as_bytes() {
        &[byte] if byte.is_ascii() => Ok(byte),
        _ => Err(JobError::new("E0230", "separator and quote must each be one ASCII character, or tab and none")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> FormatSpec {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn one_character_stands_for_each() {
        let declared = spec("separator = \"tab\"\ndecimal = \",\"\nquote = \"none\"").dialect().unwrap();
        assert_eq!(declared, Dialect { separator: Some(b'\t'), quote: None, decimal: Some(DecimalMark::Comma) });
        assert_eq!(FormatSpec::default().dialect().unwrap(), Dialect::default());
        for wrong in ["separator = \";;\"", "quote = \"é\"", "decimal = \";\"", "separator = \"\""] {
            assert!(spec(wrong).dialect().unwrap_err().has_code("E0230"), "{wrong}");
        }
    }

    #[test]
    fn the_command_overrules_the_job_a_key_at_a_time() {
        let job = spec("separator = \";\"\nsheet = \"a\"");
        let both = spec("separator = \"|\"").or(&job);
        assert_eq!(both, spec("separator = \"|\"\nsheet = \"a\""));
        let options = CsvOptions { dialect: job.dialect().unwrap(), ..CsvOptions::default() };
        assert!(spec("query = \"select 1\"").applied_to(&options).unwrap_err().has_code("E0350"));
        let applied = spec("quote = \"'\"").applied_to(&options).unwrap().dialect;
        assert_eq!((applied.separator, applied.quote), (Some(b';'), Some(b'\'')));
    }
}
