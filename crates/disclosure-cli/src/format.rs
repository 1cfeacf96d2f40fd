//! The form of a file of rows, and of tables that are written, on the command line.

use std::path::Path;

use disclosure_jobs::input::FormatSpec;
use disclosure_jobs::privacy_data::TableFormat;

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

/// What the command says about the form of tables.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct TablesArgs {
    /// How tables are written; what the job says by default, which is csv where it says nothing
    #[arg(long, value_name = "FORMAT")]
    tables: Option<Tables>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Tables {
    /// Text (RFC 4180)
    Csv,
    /// Columns with their types, for programs
    Parquet,
}

impl TablesArgs {
    /// The format that was asked for.
    pub(crate) fn format(self) -> Option<TableFormat> {
        self.tables.map(|name| if matches!(name, Tables::Csv) { TableFormat::Csv } else { TableFormat::Parquet })
    }

    /// That of a single file: what was asked for, else what its name says.
    pub(crate) fn format_of(self, path: &Path) -> TableFormat {
        self.format().unwrap_or_else(|| TableFormat::of_path(path))
    }
}
