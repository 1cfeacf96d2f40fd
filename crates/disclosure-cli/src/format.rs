//! The form of a file of rows, on the command line.

use disclosure_jobs::input::FormatSpec;

/// What the command says about the form of the data; what it does not say is looked for.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FormatArgs {
    /// Separator of fields: one character, or tab; found in the file when left out
    #[arg(long, help_heading = "Form of the data", value_name = "CHAR")]
    separator: Option<String>,
    /// Decimal mark of numbers: . or ,
    #[arg(long, help_heading = "Form of the data", value_name = "CHAR")]
    decimal: Option<String>,
    /// Quote around fields: one character, or none [default: "]
    #[arg(long, help_heading = "Form of the data", value_name = "CHAR")]
    quote: Option<String>,
    /// Sheet of a workbook [default: the first]
    #[arg(long, help_heading = "Form of the data", value_name = "NAME")]
    sheet: Option<String>,
    /// Table of a database [disclosure-sql]
    #[arg(long, help_heading = "Form of the data", value_name = "NAME")]
    table: Option<String>,
    /// Query whose rows are the data; a file or a folder is the table data in it [disclosure-sql]
    #[arg(long, help_heading = "Form of the data", value_name = "SQL", conflicts_with = "table")]
    query: Option<String>,
}

impl FormatArgs {
    /// The same, as jobs take it.
    pub(crate) fn spec(&self) -> FormatSpec {
        let Self { separator, decimal, quote, sheet, table, query } = self.clone();
        FormatSpec { separator, decimal, quote, sheet, table, query }
    }
}
